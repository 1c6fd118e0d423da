"""Decima's REINFORCE for any network (arXiv 1810.01963, section 5.3): what its steps have in common.

At each step the present policy plays several episodes of the same jobs with the same arrivals. The return from an
instant on is minus the integral of the number of jobs present (by Little's law, the mean completion time), and the
baseline is the mean of this return over the episodes *at the same instant*: what the arrivals do to all episodes alike
cancels, an input-dependent baseline. Streams end at a random instant that no decision can foresee: drawn from an
exponential distribution, which has no memory, so that the policy does not learn to gain at the end. Its mean grows from
step to step: at first, while the policy is bad and queues grow without bound, episodes are short.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from torch import Tensor

from marl.algorithms.choices import one_thread
from marl.algorithms.graph_training import Descent
from problems.families.spark_variants import preset_of
from problems.generators import random_spark
from problems.generators.arrivals import arrivals
from problems.instance import Instance, IntArray

NEVER = np.inf
"""When an episode of a batch ends, other than by itself."""

USUAL_EXECUTORS = 50
"""Executors of the published streams; others get jobs at a rate in proportion, so that the load is the same."""


@dataclass(frozen=True)
class StreamSettings:
    """Settings of Decima's training.

    Published in the authors' code (github.com/hongzimao/decima-sim) are ``episodes``, ``jobs``, ``interval``, the three
    of the random end, the three of the entropy, ``unit`` and ``rate``; the others are not.

    Attributes
    ----------
    episodes
        Episodes of the same jobs per step.
    jobs
        Most jobs of a stream.
    interval
        Mean time between jobs of a stream on 50 executors, in milliseconds.
    end_rate, last_end_rate, end_decay
        Chance of the end of a stream's episode per millisecond: at first, at last, and by what it falls per step.
    entropy, last_entropy, entropy_decay
        Weight of the entropy: at first, at last, and by what it falls per step.
    unit
        Returns are in this many milliseconds.
    decisions
        Decisions recorded of an episode, about.
    batch
        Graphs that are in memory at once; the update of a step sums over all of them.
    rate
        Step size of Adam.
    clip
        Longest gradient.
    """

    episodes: int = 16
    jobs: int = 200
    interval: float = 25_000.0
    end_rate: float = 5e-7
    last_end_rate: float = 5e-8
    end_decay: float = 4e-10
    entropy: float = 1.0
    last_entropy: float = 1e-4
    entropy_decay: float = 1e-3
    unit: float = 1e5
    decisions: int = 64
    batch: int = 64
    rate: float = 1e-3
    clip: float = 1.0


@dataclass(frozen=True)
class Episode:
    """One episode of a step.

    Attributes
    ----------
    parts
        Recorded choices, each with a ``weight``.
    instants : int64 [P]
        When each part was seen.
    completions : int64 [J]
        When each job was done.
    """

    parts: list[Any]
    instants: IntArray
    completions: IntArray


class InputDependent(ABC):
    """Steps of Decima's REINFORCE; see the module's docstring.

    A subclass sets the attributes, makes instances, plays them and says how likely the network finds what was chosen.

    Attributes
    ----------
    seed, steps
        Of the run, and the number of steps made.
    descent
        Of the network.
    streams
        Settings.
    """

    seed: int
    steps: int
    descent: Descent
    streams: StreamSettings

    @abstractmethod
    def instance(self, seed: int) -> Instance:
        """The training instance of a seed."""

    @abstractmethod
    def play(self, instance: Instance, seed: int) -> list[Episode]:
        """Sampled episodes of an instance."""

    @abstractmethod
    def losses(self, parts: Sequence[Any], entropy: float) -> Iterator[Tensor]:
        """Losses of weighted choices in random batches, with this weight of the entropy."""

    def step(self) -> dict[str, float]:
        """Play the same jobs several times and learn from the differences.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before.
        """
        seed = self.seed * 10**9 + self.steps
        instance, end = self.sequence(seed)
        episodes = self.play(instance, seed)
        parts = [part for own in self.advantages(episodes, instance, end) for part in own]
        with one_thread():
            loss = self.descent.follow(self.losses(parts, self._entropy_weight()), self.steps) if parts else 0.0
        completions = [episode.completions for episode in episodes]
        returns = returns_at(np.zeros(1), completions, instance.job_release, end) / self.streams.unit
        metrics = {
            "losses/reinforce": loss,
            "train/choices": float(sum(len(part.weight) for part in parts)),
            "train/jobs": float(instance.num_jobs),
            "train/return": float(returns.mean()),
            "train/spread": float(returns.std()),
            "train/entropy_weight": self._entropy_weight(),
        }
        self.steps += 1
        return metrics

    def sequence(self, seed: int) -> tuple[Instance, float]:
        """The jobs of a step and when its episodes end, in milliseconds.

        Batches are those of the family's recipe. In the place of its streams, which are short, come longer ones on as
        many executors and with the same preset; of these the jobs that arrive before the end.
        """
        given = self.instance(seed)
        if not given.job_release.any():
            return given, NEVER
        settings, end = self.streams, float(np.random.default_rng([seed, 6]).exponential(1.0 / self.end_rate()))
        interval = settings.interval * USUAL_EXECUTORS / given.num_agents
        # The same draws as in the generator, which makes the arrivals first: so of fewer jobs they are the same.
        times = arrivals(settings.jobs, interval, np.random.default_rng(seed))
        jobs = max(1, int(np.searchsorted(times, end)))
        return random_spark(jobs, given.num_agents, seed, preset_of(given) or "default", interval=interval), end

    def end_rate(self) -> float:
        """Chance of the end of a stream's episode per millisecond at this step."""
        settings = self.streams
        return max(settings.end_rate - settings.end_decay * self.steps, settings.last_end_rate)

    def _entropy_weight(self) -> float:
        settings = self.streams
        return max(settings.entropy - settings.entropy_decay * self.steps, settings.last_entropy)

    def advantages(self, episodes: Sequence[Episode], instance: Instance, end: float) -> list[list[Any]]:
        """The choices of each episode before the end, each with its return less the mean return at its instant."""
        completions = [episode.completions for episode in episodes]
        rows = []
        for number, episode in enumerate(episodes):
            returns = returns_at(episode.instants, completions, instance.job_release, end) / self.streams.unit
            gains = returns[number] - returns.mean(axis=0)
            seen = zip(episode.parts, episode.instants, gains, strict=True)
            rows.append([replace(p, weight=np.full_like(p.weight, gain)) for p, time, gain in seen if time < end])
        return rows


def returns_at(instants: np.ndarray, completions: Sequence[IntArray], release: IntArray, end: float) -> np.ndarray:
    """Minus the time that jobs are present from each instant to the end, summed over jobs; float64 [E, P].

    Parameters
    ----------
    instants : float64 [P]
        From when on.
    completions : E times int64 [J]
        When each job is done in each episode.
    release : int64 [J]
        When each job arrives.
    end
        Of all episodes; infinite if they end with the last job.
    """
    begin = np.maximum(release, np.asarray(instants)[:, None])  # [P, J]
    ends = [np.minimum(times, end) for times in completions]
    return -np.stack([np.maximum(until - begin, 0.0).sum(axis=1) for until in ends])
