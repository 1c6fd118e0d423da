"""Evolution strategy for the network over the agent-task graph, on top of a prior that stays as it is.

The search follows the objective of greedy episodes, as that for `tuned` does. The last layer of both heads starts at
zero, so it begins exactly at the prior. Input layers are scaled by the size of the features of nodes, edges and
candidates; numbers inside the network are of about size 1, so deeper parameters are searched as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from graphs.layout import OFFSETS, Sizes, initial_tensors, pack, tensor_shapes
from marl.algorithms.evolution import Evolution, SearchConfig, greedy_values
from marl.spread import feature_spread, graph_spread
from marl.weights import load_shipped
from problems.instance import FloatArray, Instance, IntArray
from problems.simulator import Filter
from solvers.kinds import Kind
from solvers.priority import MAY_WAIT, Priority


@dataclass(frozen=True)
class GraphEvolutionConfig(SearchConfig):
    """Settings of the search for `policy`.

    Attributes
    ----------
    sizes
        Of the network; small ones, so that a rollout is fast and a direction is not lost in many others.
    """

    sizes: Sizes = field(default_factory=lambda: Sizes(width=8, layers=1, head=8))


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
        """Spread of the feature that each parameter multiplies; 1 for numbers inside the network and biases."""
        return self._flat({name: self._size(name, shape) for name, shape in tensor_shapes(self.sizes).items()})

    def first(self) -> FloatArray:
        """Random weights, none in the last layers of the heads."""
        tensors = initial_tensors(self.sizes, self.seed)
        return self._flat({name: tensor / self._size(name, tensor.shape) for name, tensor in tensors.items()})

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

    def _size(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """Size of what each number of a tensor multiplies, float64 of its shape."""
        parts = name.split(".")
        is_edge, is_input = "edge" in parts, parts[0] in ("embed", "actor_row") and parts[-1] == "weight"
        if not (is_edge or is_input):
            return np.ones(shape)
        spread = self._spread[parts[-1] if is_edge else parts[-2]]
        return np.repeat(spread, shape[1]).reshape(shape)


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
