"""Rules: dispatch rules rank candidates, plan rules make task orders."""
