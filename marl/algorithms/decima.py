"""Decima's REINFORCE for Spark jobs, on the network over the agent-task graph (arXiv 1810.01963, section 5.3).

At each step the present policy plays several episodes of the same jobs with the same arrivals. The return from an
instant on is minus the integral of the number of jobs present (by Little's law, the mean completion time), and the
baseline is the mean of this return over the episodes *at the same instant*: what the arrivals do to all episodes alike
cancels, an input-dependent baseline. Streams end at a random instant that no decision can foresee: drawn from an
exponential distribution, which has no memory, so that the policy does not learn to gain at the end. Its mean grows from
step to step: at first, while the policy is bad and queues grow without bound, episodes are short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from torch import Tensor

from graphs.layout import Sizes
from marl.algorithms.choices import Choices, Part, log_probabilities, mean_entropy, one_thread, split_tape
from marl.algorithms.graph_training import GraphTraining
from marl.algorithms.rollouts import Player
from marl.recorder import NUM_GRAPHS
from problems.errors import UnsupportedError
from problems.families.spark_variants import preset_of
from problems.generators import random_spark
from problems.generators.arrivals import arrivals
from problems.instance import FloatArray, Instance, IntArray
from problems.simulator import compile_problem

NEVER = np.inf
"""When an episode of a batch ends, other than by itself."""

USUAL_EXECUTORS = 50
"""Executors of the published streams; others get jobs at a rate in proportion, so that the load is the same."""


@dataclass(frozen=True)
class DecimaConfig:
    """Settings of Decima's training.

    Published in the authors' code (github.com/hongzimao/decima-sim) are ``episodes``, ``jobs``, ``interval``, the three
    of the random end, the three of the entropy, ``unit`` and ``rate``; the others are not.

    Attributes
    ----------
    sizes
        Of the network.
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
    temperature
        Gumbel noise on the scores when sampling; that of the family if not given.
    rate
        Step size of Adam.
    clip
        Longest gradient.
    workers
        Threads that sample.
    """

    sizes: Sizes = field(default_factory=Sizes)
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
    temperature: float | None = None
    rate: float = 1e-3
    clip: float = 1.0
    workers: int = 2


@dataclass(frozen=True)
class Episode:
    """One episode of a step.

    Attributes
    ----------
    parts
        Recorded choices.
    instants : int64 [P]
        When each part was seen.
    completions : int64 [J]
        When each job was done.
    """

    parts: list[Part]
    instants: IntArray
    completions: IntArray


class Decima(GraphTraining):
    """See the module's docstring.

    Parameters
    ----------
    family
        Must be "spark".
    seed
        Seed of instances, samples and first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.

    Raises
    ------
    UnsupportedError
        If the family is another one.
    """

    def __init__(
        self, family: str, seed: int, config: DecimaConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        if family != "spark":
            raise UnsupportedError(f"decima learns from arrivals and jobs present: family spark only, not '{family}'")
        self.config = config or DecimaConfig()
        settings = self.config
        super().__init__(family, seed, settings.sizes, settings.rate, settings.clip, settings.temperature, prior)

    def step(self) -> dict[str, float]:
        """Play the same jobs several times and learn from the differences.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before.
        """
        seed = self.instance_seeds(1).start
        instance, end = self.sequence(seed)
        episodes = self.play(instance, seed)
        parts = [part for own in self.advantages(episodes, instance, end) for part in own]
        with one_thread():
            loss = (
                self.descent.follow(self._losses(self.batches(parts, self.config.batch)), self.steps) if parts else 0.0
            )
        self.steps += 1
        completions = [episode.completions for episode in episodes]
        returns = returns_at(np.zeros(1), completions, instance.job_release, end) / self.config.unit
        return {
            "losses/reinforce": loss,
            "train/choices": float(sum(len(part.sizes) for part in parts)),
            "train/jobs": float(instance.num_jobs),
            "train/return": float(returns.mean()),
            "train/spread": float(returns.std()),
            "train/entropy_weight": self._entropy_weight(),
        }

    def sequence(self, seed: int) -> tuple[Instance, float]:
        """The jobs of a step and when its episodes end, in milliseconds.

        Batches are those of the family's recipe. In the place of its streams, which are short, come longer ones on as
        many executors and with the same preset; of these the jobs that arrive before the end.
        """
        given = self.instance(seed)
        if not given.job_release.any():
            return given, NEVER
        config, end = self.config, float(np.random.default_rng([seed, 6]).exponential(1.0 / self.end_rate()))
        interval = config.interval * USUAL_EXECUTORS / given.num_agents
        # The same draws as in the generator, which makes the arrivals first: so of fewer jobs they are the same.
        times = arrivals(config.jobs, interval, np.random.default_rng(seed))
        jobs = max(1, int(np.searchsorted(times, end)))
        return random_spark(jobs, given.num_agents, seed, preset_of(given) or "default", interval=interval), end

    def end_rate(self) -> float:
        """Chance of the end of a stream's episode per millisecond at this step."""
        config = self.config
        return max(config.end_rate - config.end_decay * self.steps, config.last_end_rate)

    def _entropy_weight(self) -> float:
        config = self.config
        return max(config.entropy - config.entropy_decay * self.steps, config.last_entropy)

    def play(self, instance: Instance, seed: int) -> list[Episode]:
        """Sampled episodes of an instance."""
        config, problem, policy = self.config, compile_problem(instance), self.priority()
        decisions = Player(problem, policy.network, seed, self.temperature).decisions(policy)
        share = min(1.0, config.decisions / max(decisions, 1))

        def episode(number: int) -> Episode:
            player = Player(problem, policy.network, seed, self.temperature)
            _, tape = player.play(policy, number, share, 2 * config.decisions)
            return Episode(split_tape(tape), tape.instants[: tape.counts[NUM_GRAPHS]], player.completions())

        with ThreadPoolExecutor(config.workers) as pool:
            return list(pool.map(episode, range(1, config.episodes + 1)))

    def advantages(self, episodes: Sequence[Episode], instance: Instance, end: float) -> list[list[Part]]:
        """The choices of each episode before the end, each with its return less the mean return at its instant."""
        completions = [episode.completions for episode in episodes]
        rows = []
        for number, episode in enumerate(episodes):
            returns = returns_at(episode.instants, completions, instance.job_release, end) / self.config.unit
            gains = returns[number] - returns.mean(axis=0)
            seen = zip(episode.parts, episode.instants, gains, strict=True)
            rows.append([replace(p, weight=np.full_like(p.weight, gain)) for p, time, gain in seen if time < end])
        return rows

    def _losses(self, batches: Sequence[Choices]) -> Iterator[Tensor]:
        total = sum(len(choices.chosen) for choices in batches)
        for choices in batches:
            logarithms = log_probabilities(self.network, choices, self.temperature)
            gain = (logarithms[choices.chosen] * choices.weight).mean()
            gain = gain + self._entropy_weight() * mean_entropy(logarithms, choices)
            yield -gain * len(choices.chosen) / total


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
