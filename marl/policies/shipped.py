"""The shipped policies as solvers.

`tuned` is a small network over the features of a candidate; `policy` adds the score of a network over the agent-task
graph; `universal` is one small network for all families, and for problems of none. Solving needs no torch: the weights
are read as arrays and run in compiled code.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from graphs.layout import NO_NETWORK
from marl.recipes import UNIVERSAL, temperature_of
from marl.weights import Weights, load_shipped, weights_for
from problems.instance import Instance
from problems.simulator import Filter
from solvers.budget import Budget
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.result import Result
from solvers.sampling import solve_by_samples


def priority_of(weights: Weights) -> Priority:
    """The priority that the weights describe."""
    network = weights.arrays.get("network", NO_NETWORK)
    kind = Kind.GRAPH if len(network) else Kind.NETWORK
    return Priority(kind, weights.arrays["parameters"], Filter.ACTIVE, network)


def shipped_priority(policy: str, family: str) -> Priority:
    """The shipped priority of ``policy`` ("tuned" or "policy") for ``family``.

    Raises
    ------
    UnsupportedError
        If no weights are shipped for the family.
    """
    return priority_of(load_shipped(policy, family))


def solve(instance: Instance, budget: Budget, seed: int, policy: str, weights: Path | None = None) -> Result:
    """Schedule greedily, or take the best of ``budget.samples`` episodes of which the first is greedy.

    Raises
    ------
    UnsupportedError
        If no weights are given, and none are shipped for the instance's family.
    WeightsError
        If the weights given are of another policy or family.
    """
    priority = priority_of(weights_for(policy, instance.family, weights))
    temperature = temperature_of(instance.family)
    return solve_by_samples(instance, budget, seed, policy, priority, temperature)


def solve_universal(instance: Instance, budget: Budget, seed: int) -> Result:
    """As `solve`, with one small network for instances of any family and of none."""
    priority, temperature = shipped_priority("tuned", UNIVERSAL), temperature_of(instance.family)
    return solve_by_samples(instance, budget, seed, UNIVERSAL, priority, temperature)


solve_tuned = partial(solve, policy="tuned")
solve_policy = partial(solve, policy="policy")
