"""Evolution strategy: what is searched is a `Space`; the first one is that of the small policy `tuned`.

Antithetic search directions (Salimans et al. 2017, arXiv 1703.03864) on fresh instances at every step. All directions
run on the same instances; the fitness of a direction is its objective from the median of all directions, in units
of their spread on the instance. Adam follows the estimated gradient, and the policy is the running average of the
parameters. Directions are drawn in units of the size of what a parameter multiplies.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from graphs.schema import CANDIDATE_FEATURES
from marl.algorithms.base import Policy, falling
from marl.instances import training_instance
from marl.recipes import recipe_of
from marl.spread import feature_spread
from problems.instance import FloatArray, Instance, IntArray
from problems.simulator import Filter, compile_problem
from solvers.kinds import Kind
from solvers.priority import HEADER, Priority, pack_network
from solvers.rollout import Runner


class Space(Protocol):
    """What a search moves in: vectors of parameters, each of which is a policy."""

    def scale(self) -> FloatArray:
        """Size of what each parameter multiplies, float64 [P]: the search moves in parameters times this."""

    def first(self) -> FloatArray:
        """Parameters that the search starts from, float64 [P]."""

    def moves(self, step: int) -> np.ndarray:
        """Which parameters a step may change, bool [P]."""

    def priority(self, parameters: FloatArray) -> Policy:
        """The policy of some parameters."""

    def values(self, instance: Instance, points: Sequence[FloatArray]) -> IntArray:
        """Objective of the greedy episode of each vector of parameters, int64 [points]."""


OUTLIER = 5.0
"""Most units of spread that an objective may lie from the median of its instance."""


COARSE_STEPS = 30
"""First steps of the search for `tuned`, in which the weights of hidden units stay as they were drawn."""


@dataclass(frozen=True)
class SearchConfig:
    """Settings of an evolution strategy, whatever it searches.

    Attributes
    ----------
    pairs
        Antithetic pairs of directions per step.
    instances
        Fresh instances per step.
    sigma
        Length of a direction per parameter, in units of the parameter's scale.
    rate, last_rate
        Step size of Adam at the start and, after ``steps``, at the end.
    steps
        Steps over which the step size falls.
    averaging
        Share of the old average that is kept per step.
    workers
        Threads.
    """

    pairs: int = 24
    instances: int = 24
    sigma: float = 0.08
    rate: float = 0.04
    last_rate: float = 0.008
    steps: int = 800
    averaging: float = 0.98
    workers: int = 2


@dataclass(frozen=True)
class EvolutionConfig(SearchConfig):
    """Settings of the search for `tuned`.

    Attributes
    ----------
    hidden
        Hidden units of the small network.
    """

    hidden: int = 32


class Evolution:
    """A search; see the module's docstring.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances and directions.
    space
        What is searched.
    config
        Settings.
    """

    def __init__(self, family: str, seed: int, space: Space, config: SearchConfig) -> None:
        self.family, self.seed = family, seed
        self.space, self.config = space, config
        self.scale = space.scale()
        self.mean = space.first() * self.scale
        self.average = self.mean.copy()
        self.momentum = np.zeros_like(self.mean)
        self.variance = np.zeros_like(self.mean)
        self.steps = 0

    def step(self) -> dict[str, float]:
        """Evaluate all directions on fresh instances and follow the estimated gradient."""
        config = self.config
        random = np.random.default_rng([self.seed, self.steps, 2])
        directions = (
            random.standard_normal((config.pairs, len(self.mean))) * config.sigma * self.space.moves(self.steps)
        )
        points = self.mean + np.concatenate([directions, -directions])
        seeds = self.seed * 10**9 + self.steps * config.instances + np.arange(config.instances)
        values = self._evaluate([training_instance(self.family, int(number)) for number in seeds], points)
        middle = np.median(values, axis=1, keepdims=True)
        fitness = -_standardised(values).mean(axis=0)
        gain = fitness[: config.pairs] - fitness[config.pairs :]
        size = float(np.abs(gain).mean()) or 1.0
        self._adam(gain @ directions / (config.sigma * size * config.pairs))
        spread = float((np.median(np.abs(values - middle), axis=1) / middle[:, 0]).mean())
        return {"train/spread": spread, "train/rate": self._rate()}

    def _evaluate(self, instances: Sequence[Instance], points: FloatArray) -> FloatArray:
        """Objective of each point on each instance, float64 [instances, points]."""
        parameters = list(points / self.scale)
        with ThreadPoolExecutor(self.config.workers) as pool:
            rows = list(pool.map(lambda instance: self.space.values(instance, parameters), instances))
        return np.stack(rows).astype(np.float64)

    def _adam(self, gradient: FloatArray) -> None:
        self.momentum = 0.9 * self.momentum + 0.1 * gradient
        self.variance = 0.99 * self.variance + 0.01 * gradient**2
        self.steps += 1
        momentum = self.momentum / (1 - 0.9**self.steps)
        variance = self.variance / (1 - 0.99**self.steps)
        self.mean = self.mean + self._rate() * momentum / (np.sqrt(variance) + 1e-8)
        keep = min(self.config.averaging, self.steps / (self.steps + 10))
        self.average = keep * self.average + (1 - keep) * self.mean

    def _rate(self) -> float:
        return falling(self.config.rate, self.config.last_rate, self.steps / self.config.steps)

    def priority(self) -> Policy:
        """The averaged parameters as a priority."""
        return self.space.priority(self.average / self.scale)

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        names = ("mean", "average", "momentum", "variance", "scale", "steps")
        return {name: getattr(self, name) for name in names}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        for name, value in state.items():
            setattr(self, name, value)


def _standardised(values: FloatArray) -> FloatArray:
    """Objectives (float64 [instances, points]) from their median, in units of the median distance from it.

    So instances of any size count alike, and so do those where all policies are nearly equal and those where small
    changes matter much. More than `OUTLIER` units count as so many: one that fails must not set the direction.
    """
    distance = values - np.median(values, axis=1, keepdims=True)
    unit = np.median(np.abs(distance), axis=1, keepdims=True)
    unit = np.where(unit > 0.0, unit, values.std(axis=1, keepdims=True))  # more than half may be equal
    return np.clip(distance / np.where(unit > 0.0, unit, 1.0), -OUTLIER, OUTLIER)


class SmallSpace:
    """Parameters of the small network: linear weights, biases and outputs of hidden units, their weights.

    Parameters
    ----------
    family
        Family with a recipe.
    seed
        Of the first hidden weights.
    hidden
        Hidden units.
    """

    def __init__(self, family: str, seed: int, hidden: int) -> None:
        self.seed, self.hidden = seed, hidden
        self.recipe = recipe_of(family)
        self.spread = feature_spread(family, seed, self.recipe.may_wait)[: self.recipe.num_features]

    def scale(self) -> FloatArray:
        """Spread of the feature that each parameter multiplies (1 for biases and outputs)."""
        return np.concatenate([self.spread, np.ones(2 * self.hidden), np.repeat(self.spread, self.hidden)])

    def first(self) -> FloatArray:
        """The family's rule, and hidden units that do not count yet, but for the one that the recipe tells."""
        width, hidden = self.recipe.num_features, self.hidden
        linear = np.zeros(width)
        for name, weight in self.recipe.start.items():
            linear[CANDIDATE_FEATURES.index(name)] = weight
        random = np.random.default_rng([self.seed, 3])
        weights = 0.3 * random.standard_normal((width, hidden)) / self.spread[:, None]
        bias, output = 0.5 * random.standard_normal(hidden), np.zeros(hidden)
        if self.recipe.first_unit is not None and hidden > 0:
            unit = self.recipe.first_unit
            weights[:, 0], bias[0], output[0] = 0.0, unit.bias, unit.output
            for name, weight in unit.weights.items():
                weights[CANDIDATE_FEATURES.index(name), 0] = weight
        return pack_network(linear, bias, output, weights)[HEADER:]

    def moves(self, step: int) -> np.ndarray:
        """Everything, but at first not the weights of the hidden units: few numbers are learnt sooner than many."""
        outer, inner = self.recipe.num_features + 2 * self.hidden, self.recipe.num_features * self.hidden
        return np.concatenate([np.ones(outer, bool), np.full(inner, step >= COARSE_STEPS)])

    def priority(self, parameters: FloatArray) -> Priority:
        """The parameters with a header."""
        header = np.array([0.0, self.recipe.num_features, self.hidden, float(self.recipe.may_wait)])
        return Priority(Kind.NETWORK, np.concatenate([header, parameters]), Filter.ACTIVE)

    def values(self, instance: Instance, points: Sequence[FloatArray]) -> IntArray:
        """See `Space.values`."""
        return greedy_values(instance, [self.priority(point) for point in points])


class EvolutionStrategy(Evolution):
    """Evolution strategy for `tuned`.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, directions and first weights.
    config
        Settings.
    """

    def __init__(self, family: str, seed: int, config: EvolutionConfig | None = None) -> None:
        config = config or EvolutionConfig()
        super().__init__(family, seed, SmallSpace(family, seed, config.hidden), config)


def greedy_values(instance: Instance, priorities: Sequence[Priority]) -> IntArray:
    """Objective of the greedy episode of each priority, int64 [priorities]."""
    runner = Runner(compile_problem(instance))
    return np.array([runner.sample(priority)[0] for priority in priorities], np.int64)
