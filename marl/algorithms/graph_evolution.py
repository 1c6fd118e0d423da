"""Evolution strategy for the network over the agent-task graph, on top of a prior that stays as it is.

The search follows the objective of greedy episodes, as that for `tuned` does. The last layer of both heads starts at
zero, so it begins exactly at the prior. Weights are searched in units of what they multiply (the size of a feature of
nodes, edges or candidates; 1 inside the network), and directions are shorter the more of them are summed, so that
the sums of all layers change alike; those below the last layers of the heads change less, for there are many more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from graphs.layout import OFFSETS, Sizes, initial_tensors, pack, tensor_shapes
from graphs.schema import NODE_TYPES, NUM_FEATURES
from marl.algorithms.evolution import Evolution, SearchConfig, greedy_values
from marl.spread import feature_spread, graph_spread
from marl.weights import load_shipped
from problems.instance import FloatArray, Instance, IntArray
from problems.simulator import Filter
from solvers.kinds import Kind
from solvers.priority import MAY_WAIT, Priority

INPUT_WEIGHTS = (*(f"embed.{node}.weight" for node in NODE_TYPES), "actor_row.weight")
"""Tensors that multiply features of nodes and candidates."""

INSIDE = 0.3
"""Directions of parameters below the last layers of the heads, as a share of what they would be there."""


@dataclass(frozen=True)
class GraphEvolutionConfig(SearchConfig):
    """Settings of the search for `policy`: rollouts are slower, so there are fewer, and more of them for directions.

    Attributes
    ----------
    sizes
        Of the network; small ones, so that a rollout is fast and a direction is not lost in many others.
    """

    pairs: int = 32
    instances: int = 6
    rate: float = 0.015
    last_rate: float = 0.004
    steps: int = 200
    sizes: Sizes = field(default_factory=lambda: Sizes(width=8, layers=1, head=16))


class GraphSpace:
    """Parameters of the network over the graph, in the order of its flat array.

    Parameters
    ----------
    family
        Family with a recipe.
    seed
        Of the first weights.
    sizes
        Of the network.
    prior : float64 [*]
        Parameters of the small network that the network's scores are added to.
    """

    def __init__(self, family: str, seed: int, sizes: Sizes, prior: FloatArray) -> None:
        self.seed, self.sizes, self.prior = seed, sizes, prior
        shapes = tensor_shapes(sizes)
        self._empty = pack({name: np.zeros(shape) for name, shape in shapes.items()}, sizes)
        ones = pack({name: np.ones(shape) for name, shape in shapes.items()}, sizes)
        self._places = OFFSETS + np.flatnonzero(ones[OFFSETS:])
        self._spread = graph_spread(family, seed)
        self._spread["actor_row"] = feature_spread(family, seed, bool(prior[MAY_WAIT]))

    def scale(self) -> FloatArray:
        """See the module's docstring; biases are as if they multiplied 1."""
        return self._flat({name: self._scale_of(name, shape) for name, shape in tensor_shapes(self.sizes).items()})

    def first(self) -> FloatArray:
        """Random weights, none in the last layers of the heads."""
        tensors = initial_tensors(self.sizes, self.seed)
        return self._flat({name: tensor / self._spread_of(name, len(tensor)) for name, tensor in tensors.items()})

    def moves(self, step: int) -> np.ndarray:
        """Everything at every step."""
        return np.ones(len(self._places), bool)

    def priority(self, parameters: FloatArray) -> Priority:
        """The network on top of the prior."""
        network = self._empty.copy()
        network[self._places] = parameters
        return Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, network)

    def values(self, instance: Instance, points: Sequence[FloatArray]) -> IntArray:
        """See `marl.algorithms.evolution.Space.values`."""
        return greedy_values(instance, [self.priority(point) for point in points])

    def _flat(self, tensors: dict[str, np.ndarray]) -> FloatArray:
        return pack(tensors, self.sizes)[self._places].astype(np.float64)

    def _spread_of(self, name: str, rows: int) -> FloatArray:
        """Size of what each row of a tensor multiplies, float64 [rows, 1]."""
        parts, spread = name.split("."), np.ones(rows)
        if "edge" in parts:
            spread = self._spread[parts[-1]]
        elif name in INPUT_WEIGHTS:
            spread = self._spread[parts[-2]]
        return spread[:, None]

    def _scale_of(self, name: str, shape: tuple[int, int]) -> FloatArray:
        """Scale of each number of a tensor, float64 of its shape."""
        inside = 1.0 if "_out." in name else 1.0 / INSIDE
        if "bias" in name:
            return np.full(shape, inside)
        summed = shape[1] if "attention" in name else shape[0]
        return np.broadcast_to(self._spread_of(name, shape[0]) * np.sqrt(summed / NUM_FEATURES) * inside, shape)


class GraphEvolution(Evolution):
    """See the module's docstring.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, directions and first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.
    """

    def __init__(
        self, family: str, seed: int, config: GraphEvolutionConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        config = config or GraphEvolutionConfig()
        prior = load_shipped("tuned", family).arrays["parameters"] if prior is None else prior
        super().__init__(family, seed, GraphSpace(family, seed, config.sizes, prior), config)
