"""Agents that learn: PettingZoo environments, policies, training algorithms, trained weights."""
