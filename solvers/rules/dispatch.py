"""Dispatching rules: the best candidate by a priority goes first."""

from __future__ import annotations

import numpy as np

from problems.instance import Instance
from solvers.budget import Budget
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.result import Result
from solvers.sampling import solve_by_samples

RULE_TEMPERATURE = 0.3
"""Gumbel noise on the logarithm of a rule's value in randomized repetitions."""

SHARES = {"fair": 0.0, "naive-weighted-fair": 1.0, "weighted-fair": -1.0}
"""Power of a job's work that its share of the agents goes with, by rule, where the rule's name does not say it."""


def rule_priority(rule: str) -> Priority:
    """Priority of a dispatching rule by its name, which may hold a number, as in ``weighted-fair:-0.5``."""
    base, _, alpha = rule.partition(":")
    if base in SHARES:
        return Priority(Kind.WEIGHTED_FAIR, np.array([float(alpha) if alpha else SHARES[base]]))
    return Priority(Kind[base.upper().replace("-", "_")])


def solve_dispatch(instance: Instance, budget: Budget, seed: int, rule: str) -> Result:
    """Schedule by ``rule``: once, or the best of ``budget.samples`` randomized repetitions.

    The first repetition is the rule itself, without noise.
    """
    return solve_by_samples(instance, budget, seed, rule, rule_priority(rule), RULE_TEMPERATURE)
