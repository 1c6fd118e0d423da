"""Evolution strategy for the network that bids in auctions.

The search follows the objective of whole constructions: the auction of all tasks, the passes after it, and some rounds
in which parts of the plans are awarded anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from marl.algorithms.evolution import Evolution, SearchConfig
from marl.policies.auction import Bids
from problems.errors import UnsupportedError
from problems.instance import FloatArray, Instance, IntArray
from solvers.auction.market import FEATURES, NUM_BID_FEATURES
from solvers.auction.solve import Auctioneer
from solvers.priority import HEADER, pack_network

STARTS = {family: {"detour": -1.0, "growth_of_longest": -3.0, "length_after": -2.0} for family in ("mtsp", "upms")}
"""First weights of the linear part by feature name, for each family; all others are 0.

The best of several by hand; the growth of the squares alone would be the rule of `insertion`.
"""

ROUNDS_IN_TRAINING = 2
"""Rounds per task: fewer than solving makes, so that what the bids do is not drowned."""


@dataclass(frozen=True)
class AuctionConfig(SearchConfig):
    """Settings of the search for `auction`.

    Attributes
    ----------
    hidden
        Hidden units of the network that bids.
    """

    pairs: int = 16
    instances: int = 16
    hidden: int = 8


class AuctionSpace:
    """Parameters of the network that bids: linear weights, biases and outputs of hidden units, their weights.

    Parameters
    ----------
    family
        Family of `STARTS`.
    seed
        Of the first hidden weights.
    hidden
        Hidden units.
    """

    def __init__(self, family: str, seed: int, hidden: int) -> None:
        self.start, self.seed, self.hidden = STARTS[family], seed, hidden

    def scale(self) -> FloatArray:
        """Ones: features of bids are relative to the instance, and of about size 1."""
        return np.ones((NUM_BID_FEATURES + 2) * self.hidden + NUM_BID_FEATURES)

    def first(self) -> FloatArray:
        """The family's start, hidden units that begin at random and do not count yet."""
        linear = np.array([self.start.get(name, 0.0) for name in FEATURES])
        weights = np.random.default_rng([self.seed, 3]).standard_normal((NUM_BID_FEATURES, self.hidden)) * 0.1
        return pack_network(linear, np.zeros(self.hidden), np.zeros(self.hidden), weights)[HEADER:]

    def moves(self, step: int) -> np.ndarray:
        """Everything at every step."""
        return np.ones(len(self.scale()), bool)

    def priority(self, parameters: FloatArray) -> Bids:
        """The parameters with a header."""
        header = np.array([0.0, NUM_BID_FEATURES, self.hidden, 0.0])
        return Bids(np.concatenate([header, parameters]))

    def values(self, instance: Instance, points: Sequence[FloatArray]) -> IntArray:
        """See `marl.algorithms.evolution.Space.values`."""
        table = np.stack([self.priority(point).parameters for point in points])
        return Auctioneer(instance, ROUNDS_IN_TRAINING * instance.num_tasks, patience=0.0).evaluate(table)


class AuctionEvolution(Evolution):
    """Evolution strategy for `auction`.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, directions and first weights.
    config
        Settings.

    Raises
    ------
    UnsupportedError
        If instances of the family cannot be auctioned.
    """

    def __init__(self, family: str, seed: int, config: AuctionConfig | None = None) -> None:
        if family not in STARTS:
            raise UnsupportedError(f"policy 'auction' is trained for {' or '.join(STARTS)}, not for '{family}'")
        config = config or AuctionConfig()
        super().__init__(family, seed, AuctionSpace(family, seed, config.hidden), config)
