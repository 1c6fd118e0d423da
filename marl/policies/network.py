"""`policy`: the network over the agent-task graph, added to the score of `tuned`.

Solving needs no torch: the weights are read as arrays and run in compiled code. Torch is imported where gradients or
the module itself are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphs.layout import sizes_of
from marl.recipes import temperature_of
from marl.weights import Weights, load_shipped
from problems.instance import Instance
from problems.simulator import Filter
from solvers.budget import Budget
from solvers.priority import Kind, Priority
from solvers.result import Result
from solvers.rules.dispatch import solve_by_samples

if TYPE_CHECKING:
    from graphs.encoder import AgentTaskNetwork


def priority_of(weights: Weights) -> Priority:
    """The priority that the weights describe: prior and network."""
    return Priority(Kind.GRAPH, weights.arrays["parameters"], Filter.ACTIVE, weights.arrays["network"])


def shipped_priority(family: str) -> Priority:
    """The shipped priority of ``family``.

    Raises
    ------
    UnsupportedError
        If no weights are shipped for the family.
    """
    return priority_of(load_shipped("policy", family))


def solve(instance: Instance, budget: Budget, seed: int) -> Result:
    """Schedule greedily, or take the best of ``budget.samples`` episodes of which the first is greedy.

    Raises
    ------
    UnsupportedError
        If no weights are shipped for the instance's family.
    """
    priority, temperature = shipped_priority(instance.family), temperature_of(instance.family)
    return solve_by_samples(instance, budget, seed, "policy", priority, temperature)


def torch_network(priority: Priority) -> AgentTaskNetwork:
    """The network of a graph priority as a torch module, with the same weights."""
    from graphs.encoder import AgentTaskNetwork

    network = AgentTaskNetwork(sizes_of(priority.network))
    network.load_flat(priority.network)
    return network
