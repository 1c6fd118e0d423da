"""The shipped auctions as a solver: agents bid for tasks with a small learned network."""

from __future__ import annotations

from dataclasses import dataclass

from marl.weights import load_shipped
from problems.instance import FloatArray, Instance
from solvers.auction.solve import Auctioneer, solve_by_auction
from solvers.budget import Budget
from solvers.result import Result
from solvers.sequences import refuse_all_but_sequences

TEMPERATURE = 0.1
"""Size of the noise on bids: the best of several on held-out generated instances."""


@dataclass(frozen=True)
class Bids:
    """A policy that bids in auctions.

    Attributes
    ----------
    parameters : float64 [*]
        The network that bids; see `solvers.priority.pack_network`.
    """

    parameters: FloatArray

    def greedy(self, instance: Instance) -> int:
        """Objective of the first plan that the solver would make."""
        return Auctioneer(instance).sample(self.parameters, TEMPERATURE)


def solve_auction(instance: Instance, budget: Budget, seed: int) -> Result:
    """Award all tasks by the highest bid, then parts of the plans anew; the best of ``budget.samples``.

    Raises
    ------
    UnsupportedError
        If the instance is neither minmax routes of like agents over free tasks, nor the makespan of agents that never
        wait for anything; if no weights are shipped for its family.
    """
    refuse_all_but_sequences(instance, "auction")
    parameters = load_shipped("auction", instance.family).arrays["parameters"]
    return solve_by_auction(instance, budget, seed, "auction", parameters, TEMPERATURE)
