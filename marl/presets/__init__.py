"""Published formulations of scheduling as learning problems, as views of our simulator.

A preset decides what one learner sees, what it may do and what it earns. Time, legality and state are the simulator's.
`docs/presets.md` says what each has in common with its source and where it differs.
"""
