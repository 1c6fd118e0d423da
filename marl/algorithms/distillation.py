"""Distillation: one small network learns to score candidates as the shipped small networks of the families do.

Episodes are played by the network that learns, every other one by the teacher of the instance's family, so that the
pupil sees where its own choices lead (Ross et al. 2011, arXiv 1011.0686). At a share of the decisions the options of
all asked agents, waiting included, are recorded with the teacher's scores, and the pupil's distribution over them is
drawn to the teacher's. Where a teacher never waits, waiting is scored below everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from graphs.context import prepare
from graphs.features import fill_row, fill_wait_row
from graphs.schema import NUM_FEATURES
from marl.algorithms.choices import one_thread
from marl.algorithms.graph_training import Descent, flatten, unflatten
from marl.instances import training_instance
from marl.recipes import UNIVERSAL, families_with_recipe, temperature_of
from marl.spread import feature_spread
from marl.weights import load_shipped
from problems.instance import FloatArray, Instance, IntArray, Serves
from problems.simulator import Filter, Problem, State, compile_problem, jit
from problems.simulator.candidates import FAR, next_decision, next_event
from problems.simulator.engine import reset
from problems.simulator.random import seed_stream, uniform
from solvers.guided import follow
from solvers.kinds import NETWORK, Kind
from solvers.priority import MAY_WAIT, Priority, network_score, pack_network
from solvers.rollout import Runner, Work, decide

BELOW_ALL = 10.0
"""Waiting of a teacher that never waits lies so many temperatures below its worst candidate."""

ACTIVE = int(Filter.ACTIVE)


@dataclass(frozen=True)
class DistillationConfig:
    """Settings of distillation.

    Attributes
    ----------
    hidden
        Hidden units of the network that learns.
    instances
        Fresh instances per step.
    decisions
        Decisions recorded of an instance, about.
    batches
        Updates of the weights per step.
    sharpness
        The distributions are those of sampling at the family's temperature over this number.
    rate
        Step size of Adam at the start; it falls with the root of the steps after ``steady``.
    steady
        Steps of equal step size.
    clip
        Longest gradient.
    averaging
        Share of the old average that is kept per step.
    workers
        Threads that play.
    """

    hidden: int = 96
    instances: int = 20
    decisions: int = 64
    batches: int = 8
    sharpness: float = 2.0
    rate: float = 3e-3
    steady: int = 200
    clip: float = 1.0
    averaging: float = 0.98
    workers: int = 2


class Options(NamedTuple):
    """Recorded decisions of some episodes.

    Attributes
    ----------
    rows : float32 [K, F]
        Features of each option.
    logits : float32 [K]
        The teacher's score over its temperature.
    decision : int64 [K]
        The decision that each option belongs to, from 0.
    """

    rows: np.ndarray
    logits: np.ndarray
    decision: np.ndarray


class SmallNetwork(nn.Module):
    """The small network of `solvers.priority.pack_network` on features in units of their spread.

    Parameters
    ----------
    spread : float64 [F]
        Of the features.
    hidden
        Hidden units.
    seed
        Seed of the first weights.
    """

    def __init__(self, spread: FloatArray, hidden: int, seed: int) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.spread = torch.from_numpy(spread.astype(np.float32))
        self.linear = nn.Parameter(torch.zeros(len(spread)))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.output = nn.Parameter(torch.randn(hidden, generator=random) / hidden**0.5)
        self.hidden = nn.Parameter(torch.randn(len(spread), hidden, generator=random) / len(spread) ** 0.5)

    def forward(self, rows: Tensor) -> Tensor:
        """Scores, float32 [K], of feature rows, float32 [K, F]."""
        scaled = rows / self.spread
        return scaled @ self.linear + torch.relu(scaled @ self.hidden + self.bias) @ self.output


class Distillation:
    """See the module's docstring.

    Parameters
    ----------
    family
        Family whose teacher is learnt from; "universal" for the teachers of all families.
    seed
        Seed of instances, episodes and first weights.
    config
        Settings.
    teachers : float64 [*] by family
        Parameters of the teachers; the shipped ones if not given.
    """

    def __init__(
        self,
        family: str,
        seed: int,
        config: DistillationConfig | None = None,
        teachers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        self.family, self.seed, self.steps = family, seed, 0
        self.config = config or DistillationConfig()
        families = families_with_recipe() if family == UNIVERSAL else [family]
        self.teachers = teachers or {name: load_shipped("tuned", name).arrays["parameters"] for name in families}
        self.network = SmallNetwork(feature_spread(family, seed, may_wait=True), self.config.hidden, seed)
        self.descent = Descent(self.network, self.config.rate, self.config.clip)
        self.average = flatten(self.network.parameters())

    def step(self) -> dict[str, float]:
        """Record fresh decisions and learn from them.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before.
        """
        config = self.config
        options = self._record()
        self.descent.optimiser.param_groups[0]["lr"] = config.rate * min(1.0, config.steady / (self.steps + 1)) ** 0.5
        with one_thread():
            losses = [self.descent.follow([self._loss(part)], self.steps) for part in self._batches(options)]
        self.steps += 1
        keep = min(config.averaging, self.steps / (self.steps + 10))
        self.average = keep * self.average + (1 - keep) * flatten(self.network.parameters())
        return {"losses/divergence": float(np.mean(losses)), "train/decisions": float(options.decision[-1] + 1)}

    def _record(self) -> Options:
        first = self.seed * 10**9 + self.steps * self.config.instances
        seeds, pupil = range(first, first + self.config.instances), self.priority().parameters
        with ThreadPoolExecutor(self.config.workers) as pool:
            made = list(
                pool.map(lambda number: self._watch(training_instance(self.family, number), number, pupil), seeds)
            )
        return joined(made)

    def _watch(self, instance: Instance, seed: int, pupil: FloatArray) -> Options:
        """Play an episode and record what the teacher thinks."""
        teacher, temperature = self.teachers[instance.family], temperature_of(instance.family)
        count = instance.num_tasks if instance.serves is Serves.STAGE else instance.num_pieces
        runner, share = Runner(compile_problem(instance)), min(1.0, self.config.decisions / count)
        room = 2 * self.config.decisions * (len(runner.problem.pairs) + instance.num_agents)
        rows, scores = np.zeros((room, NUM_FEATURES), np.float32), np.zeros(room, np.float32)
        decision, picks = np.zeros(room, np.int64), np.zeros(1, np.uint64)
        actor = pupil if self.steps % 2 else teacher
        problem, state, work = runner.problem, runner.state, runner.work
        count = watch(problem, state, actor, teacher, work, temperature, share, seed, picks, rows, scores, decision)
        logits = scores[:count] * self.config.sharpness / temperature
        waits = np.isnan(logits)
        logits[waits] = (logits[~waits].min() if count else 0.0) - BELOW_ALL
        return Options(rows[:count], logits, decision[:count])

    def _batches(self, options: Options) -> list[Options]:
        """The decisions in random batches."""
        count = int(options.decision[-1]) + 1
        part = np.random.default_rng([self.seed, self.steps, 5]).permutation(count) % self.config.batches
        cuts = [part[options.decision] == number for number in range(self.config.batches)]
        return [Options(*(column[cut] for column in options)) for cut in cuts if cut.any()]

    def _loss(self, options: Options) -> Tensor:
        """Mean divergence of the network's distribution from the teacher's."""
        decision = torch.from_numpy(np.unique(options.decision, return_inverse=True)[1])
        wanted = log_softmax(torch.from_numpy(options.logits), decision)
        temperature = 1.0 / self.config.sharpness
        found = log_softmax(self.network(torch.from_numpy(options.rows)) / temperature, decision)
        return (wanted.exp() * (wanted - found)).sum() / (decision[-1].item() + 1)

    def priority(self) -> Priority:
        """The averaged weights as a priority."""
        parts = unflatten(self.average, self.network.parameters())
        linear, bias, output, hidden = (part.double().numpy() for part in parts)
        spread = self.network.spread.double().numpy()
        packed = pack_network(linear / spread, bias, output, hidden / spread[:, None], may_wait=True)
        return Priority(Kind.NETWORK, packed, Filter.ACTIVE)

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        weights = {"network": flatten(self.network.parameters()), "spread": self.network.spread.numpy()}
        return {**weights, "average": self.average, "steps": self.steps, **self.descent.state()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        with torch.no_grad():
            self.network.spread = torch.from_numpy(np.asarray(state["spread"]))
            parts = unflatten(np.asarray(state["network"]), self.network.parameters())
            for parameter, values in zip(self.network.parameters(), parts, strict=True):
                parameter.copy_(values)
        self.average, self.steps = np.asarray(state["average"]), int(state["steps"])
        self.descent.load_state(state)


def joined(parts: Sequence[Options]) -> Options:
    """Decisions of several episodes, numbered one after the other."""
    counts = [int(part.decision[-1]) + 1 if len(part.decision) else 0 for part in parts]
    firsts = np.cumsum([0, *counts[:-1]])
    decision = np.concatenate([part.decision + first for part, first in zip(parts, firsts, strict=True)])
    return Options(
        np.concatenate([part.rows for part in parts]), np.concatenate([part.logits for part in parts]), decision
    )


def log_softmax(logits: Tensor, group: Tensor) -> Tensor:
    """Logarithm of the softmax within each group, float32 [K]; groups (int64 [K]) are numbered from 0."""
    count = int(group[-1]) + 1
    top = torch.full((count,), -torch.inf).scatter_reduce(0, group, logits.detach(), "amax")
    total = torch.zeros(count).index_add(0, group, torch.exp(logits - top[group]))
    return logits - (torch.log(total) + top)[group]


@jit
def watch(
    problem: Problem,
    state: State,
    actor: FloatArray,
    teacher: FloatArray,
    work: Work,
    temperature: float,
    share: float,
    seed: int,
    picks: np.ndarray,
    rows: np.ndarray,
    scores: np.ndarray,
    decision: IntArray,
) -> int:
    """Play a sampled episode of the small network ``actor`` and record options; returns their number.

    A decision is recorded with probability ``share``, as long as there is room; ``picks`` (uint64 [1]) is room for the
    stream that decides which. ``rows`` (float32 [K, F]), ``scores`` (float32 [K]) and ``decision`` (int64 [K]) are
    written: features, scores of ``teacher`` (NaN for the waiting of one that never waits) and number of the decision.
    """
    seed_stream(work.stream, seed, 1)
    seed_stream(picks, 1, seed)
    reset(problem, state)
    written, number = 0, 0
    while True:
        count = next_decision(problem, state, ACTIVE, work.found)
        if count == 0:
            return written
        row = decide(problem, state, count, NETWORK, actor, work, temperature)
        may_wait = next_event(problem, state) < FAR
        fits = written + count + len(work.context.wait_score) <= len(scores)
        if (count > 1 or may_wait) and fits and uniform(picks) < share:
            prepare(problem, state, work.found, count, work.context)
            for candidate in range(count):
                fill_row(problem, state, work.found, candidate, work.context, work.features)
                _write(teacher, work, rows, scores, decision, written, number)
                written += 1
            for agent in range(len(work.context.wait_score)):
                if may_wait and work.found.first_begin[agent] < FAR:
                    fill_wait_row(problem, state, agent, work.context, work.features)
                    _write(teacher, work, rows, scores, decision, written, number)
                    if teacher[MAY_WAIT] == 0.0:
                        scores[written] = np.nan
                    written += 1
            number += 1
        follow(problem, state, count, row, work)


@jit
def _write(
    teacher: FloatArray,
    work: Work,
    rows: np.ndarray,
    scores: np.ndarray,
    decision: IntArray,
    option: int,
    number: int,
) -> None:
    for column in range(NUM_FEATURES):
        rows[option, column] = work.features[column]
    scores[option] = network_score(teacher, work.features, work.context.hidden)
    decision[option] = number
