"""`tuned`: a small network over the features of a candidate, trained by an evolution strategy."""

from __future__ import annotations

from marl.recipes import temperature_of
from marl.weights import Weights, load_shipped
from problems.instance import Instance
from problems.simulator import Filter
from solvers.budget import Budget
from solvers.priority import Kind, Priority
from solvers.result import Result
from solvers.rules.dispatch import solve_by_samples


def priority_of(weights: Weights) -> Priority:
    """The priority that the weights describe."""
    return Priority(Kind.NETWORK, weights.arrays["parameters"], Filter.ACTIVE)


def shipped_priority(family: str) -> Priority:
    """The shipped priority of ``family``."""
    return priority_of(load_shipped("tuned", family))


def solve(instance: Instance, budget: Budget, seed: int) -> Result:
    """Schedule greedily, or take the best of ``budget.samples`` episodes of which the first is greedy.

    Raises
    ------
    UnsupportedError
        If no weights are shipped for the instance's family.
    """
    priority, temperature = shipped_priority(instance.family), temperature_of(instance.family)
    return solve_by_samples(instance, budget, seed, "tuned", priority, temperature)
