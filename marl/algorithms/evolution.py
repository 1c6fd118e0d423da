"""Evolution strategy for the small policy `tuned`.

Antithetic search directions (Salimans et al. 2017, arXiv 1703.03864) on fresh instances at every step. All directions
run on the same instances; the fitness of a direction is its objective relative to the mean of all directions on the
same instance, so that instances of any size count alike. Adam follows the estimated gradient, and the policy is the
running average of the parameters. Directions are drawn in units of the features' spread.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphs.schema import CANDIDATE_FEATURES
from marl.instances import training_instance
from marl.recipes import recipe_of
from marl.spread import feature_spread
from problems.instance import FloatArray, Instance, IntArray
from problems.simulator import Filter, Problem, State, compile_problem, jit
from problems.simulator.candidates import FAR
from problems.simulator.engine import reset
from solvers.kinds import Kind
from solvers.priority import HEADER, Priority, pack_network
from solvers.rollout import Runner, Work, finish


@dataclass(frozen=True)
class EvolutionConfig:
    """Settings of the evolution strategy.

    Attributes
    ----------
    hidden
        Hidden units of the small network.
    pairs
        Antithetic pairs of directions per step.
    instances
        Fresh instances per step.
    sigma
        Length of a direction per parameter, in units of the feature's spread.
    rate, last_rate
        Step size of Adam at the start and, after ``steps``, at the end.
    steps
        Steps over which the step size falls.
    averaging
        Share of the old average that is kept per step.
    workers
        Threads.
    """

    hidden: int = 32
    pairs: int = 24
    instances: int = 24
    sigma: float = 0.08
    rate: float = 0.04
    last_rate: float = 0.008
    steps: int = 800
    averaging: float = 0.98
    workers: int = 2


class EvolutionStrategy:
    """See the module's docstring.

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
        self.family, self.seed = family, seed
        self.config = config or EvolutionConfig()
        self.recipe = recipe_of(family)
        self.scale = self._parameter_scale()
        self.mean = self._first_parameters()
        self.average = self.mean.copy()
        self.momentum = np.zeros_like(self.mean)
        self.variance = np.zeros_like(self.mean)
        self.steps = 0

    def step(self) -> dict[str, float]:
        """Evaluate all directions on fresh instances and follow the estimated gradient."""
        config = self.config
        random = np.random.default_rng([self.seed, self.steps, 2])
        directions = random.standard_normal((config.pairs, len(self.mean))) * config.sigma
        points = self.mean + np.concatenate([directions, -directions])
        seeds = self.seed * 10**9 + self.steps * config.instances + np.arange(config.instances)
        instances = [training_instance(self.family, int(number)) for number in seeds]
        values = evaluate(instances, [self._pack(point) for point in points], config.workers)
        relative = values / values.mean(axis=1, keepdims=True) - 1.0  # [instances, 2 * pairs]
        fitness = -relative.mean(axis=0)
        gain = fitness[: config.pairs] - fitness[config.pairs :]
        spread = float(np.abs(gain).mean()) or 1.0
        self._adam(gain @ directions / (config.sigma * spread * config.pairs))
        return {"losses/relative": float(-fitness.mean()), "train/spread": spread, "train/rate": self._rate()}

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
        share = min(self.steps / self.config.steps, 1.0)
        return self.config.rate + share * (self.config.last_rate - self.config.rate)

    def priority(self) -> Priority:
        """The averaged parameters as a priority."""
        return Priority(Kind.NETWORK, self._pack(self.average), Filter.ACTIVE)

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        names = ("mean", "average", "momentum", "variance", "scale", "steps")
        return {name: getattr(self, name) for name in names}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        for name, value in state.items():
            setattr(self, name, value)

    def _pack(self, point: FloatArray) -> FloatArray:
        """Undo the scaling and add the header."""
        width, hidden = self.recipe.num_features, self.config.hidden
        header = np.array([0.0, width, hidden, float(self.recipe.may_wait)])
        return np.concatenate([header, point / self.scale])

    def _first_parameters(self) -> FloatArray:
        """The family's rule, hidden units that start at random and do not count yet."""
        width, hidden = self.recipe.num_features, self.config.hidden
        linear = np.zeros(width)
        for name, weight in self.recipe.start.items():
            linear[CANDIDATE_FEATURES.index(name)] = weight
        weights = np.random.default_rng([self.seed, 3]).standard_normal((width, hidden)) * 0.1
        packed = pack_network(linear, np.zeros(hidden), np.zeros(hidden), weights, may_wait=self.recipe.may_wait)
        return packed[HEADER:] * np.where(self.scale_is_input, 1.0, self.scale)

    @property
    def scale_is_input(self) -> np.ndarray:
        """Which parameters are drawn directly in scaled units: the hidden weights, bool [P]."""
        width, hidden = self.recipe.num_features, self.config.hidden
        flags = np.zeros(width + 2 * hidden + width * hidden, bool)
        flags[width + 2 * hidden :] = True
        return flags

    def _parameter_scale(self) -> FloatArray:
        """Spread of the feature that each parameter multiplies (1 for biases and outputs)."""
        width, hidden = self.recipe.num_features, self.config.hidden
        spread = feature_spread(self.family, self.seed, self.recipe.may_wait)[:width]
        return np.concatenate([spread, np.ones(2 * hidden), np.repeat(spread, hidden)])


def evaluate(instances: list[Instance], parameters: list[FloatArray], workers: int) -> FloatArray:
    """Objective of the greedy episode of each parameter vector on each instance, float64 [instances, points]."""
    table = np.stack(parameters)
    with ThreadPoolExecutor(workers) as pool:
        rows = list(pool.map(lambda instance: _evaluate_instance(instance, table), instances))
    return np.stack(rows).astype(np.float64)


def _evaluate_instance(instance: Instance, table: FloatArray) -> IntArray:
    runner = Runner(compile_problem(instance))
    values = np.zeros(len(table), np.int64)
    _evaluate_points(runner.problem, runner.state, runner.work, int(Filter.ACTIVE), int(Kind.NETWORK), table, values)
    return values


@jit
def _evaluate_points(
    problem: Problem,
    state: State,
    work: Work,
    candidate_filter: int,
    kind: int,
    table: FloatArray,
    values: IntArray,
) -> None:
    for point in range(len(table)):
        reset(problem, state)
        values[point] = finish(problem, state, candidate_filter, kind, table[point], work, 0.0, FAR)
