"""Clip-REINFORCE for the network over the agent-task graph, as ScheduleNet is trained (arXiv 2106.03051).

At each step the present policy samples several episodes of one random instance. An episode of makespan M is worth
-(M - B) / B, where B is the makespan of the greedy policy on the same instance: so instances of any size count alike,
and no critic has to foresee makespans. A decision at which k tasks are left is credited with this times decay^k. A few
updates on the whole data follow, by the clipped ratio of probabilities of proximal policy optimisation. The policy
that is validated and shipped is a running average of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphs.encoder import AgentTaskNetwork
from graphs.layout import Sizes
from marl.algorithms.choices import Choices, Part, clipped_gain, log_probabilities, one_thread, split_tape
from marl.algorithms.graph_training import GraphTraining
from marl.algorithms.rollouts import Player
from problems.instance import FloatArray, Instance
from problems.simulator import Filter, compile_problem
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.rollout import Runner


@dataclass(frozen=True)
class ClipReinforceConfig:
    """Settings of Clip-REINFORCE; ``decay``, ``clip`` and ``keep`` are published (arXiv 2106.03051), the others not.

    Attributes
    ----------
    sizes
        Of the network.
    episodes
        Sampled episodes of the instance of a step.
    updates
        Updates of the weights per step.
    decay
        By what a decision counts less for each task that is left.
    clip
        How far from 1 the ratio of probabilities counts.
    keep
        Share of the old average of the weights that is kept per step.
    decisions
        Decisions recorded of an episode, about.
    batch
        Graphs that are in memory at once; an update sums over all of them.
    temperature
        Gumbel noise on the scores when sampling; that of the family if not given.
    rate
        Step size of Adam.
    longest
        Longest gradient.
    workers
        Threads that sample.
    """

    sizes: Sizes = field(default_factory=Sizes)
    episodes: int = 8
    updates: int = 4
    decay: float = 0.9
    clip: float = 0.2
    keep: float = 0.1
    decisions: int = 160
    batch: int = 64
    temperature: float | None = None
    rate: float = 1e-3
    longest: float = 1.0
    workers: int = 2


class ClipReinforce(GraphTraining):
    """See the module's docstring.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, samples and first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.
    """

    def __init__(
        self, family: str, seed: int, config: ClipReinforceConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        self.config = config or ClipReinforceConfig()
        settings = self.config
        super().__init__(family, seed, settings.sizes, settings.rate, settings.longest, settings.temperature, prior)
        self.average = AgentTaskNetwork(settings.sizes, seed)
        self.average.load_flat(self.network.flat())

    def step(self) -> dict[str, float]:
        """Sample one instance several times and learn from the episodes.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before the update.
        """
        seed = self.instance_seeds(1).start
        values, parts, greedy = self.play(self.instance(seed), seed)
        with one_thread():
            batches = self.batches(parts, self.config.batch)
            old = self._present(batches)
            losses = [self.learn(batches, old) for _ in range(self.config.updates)] if parts else []
        self._smooth()
        self.steps += 1
        return {
            "losses/clipped": float(np.mean(losses)) if losses else 0.0,
            "train/choices": float(sum(len(part.sizes) for part in parts)),
            "train/samples_to_greedy": float(np.mean(values)) / max(greedy, 1),
            "train/best_to_greedy": min(values) / max(greedy, 1),
        }

    def play(self, instance: Instance, seed: int) -> tuple[list[int], list[Part], int]:
        """Objectives of sampled episodes, their recorded choices with returns, and the greedy policy's objective."""
        config, problem = self.config, compile_problem(instance)
        policy = Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, self.network.flat())
        greedy = int(Runner(problem).sample(policy)[0])
        decisions = Player(problem, policy.network, seed, self.temperature).decisions(policy)
        share = min(1.0, config.decisions / max(decisions, 1))

        def episode(number: int) -> tuple[int, list[Part]]:
            player = Player(problem, policy.network, seed, self.temperature)
            value, tape = player.play(policy, number, share, 2 * config.decisions)
            return value, with_returns(split_tape(tape), value, greedy, config.decay)

        with ThreadPoolExecutor(config.workers) as pool:
            episodes = list(pool.map(episode, range(1, config.episodes + 1)))
        return [value for value, _ in episodes], [part for _, parts in episodes for part in parts], greedy

    def learn(self, batches: Sequence[Choices], old: Sequence[Tensor]) -> float:
        """One update of the weights on all data; returns the loss before it.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights stay as they are.
        """
        return self.descent.follow(self._losses(batches, old), self.steps)

    def _losses(self, batches: Sequence[Choices], old: Sequence[Tensor]) -> Iterator[Tensor]:
        total = sum(len(choices.chosen) for choices in batches)
        for choices, before in zip(batches, old, strict=True):
            gain = clipped_gain(self._logarithms(choices), before, choices.weight, self.config.clip)
            yield -gain * len(choices.chosen) / total

    def _logarithms(self, choices: Choices) -> Tensor:
        return log_probabilities(self.network, choices, self.temperature)[choices.chosen]

    @torch.no_grad()
    def _present(self, batches: Sequence[Choices]) -> list[Tensor]:
        return [self._logarithms(choices) for choices in batches]

    @torch.no_grad()
    def _smooth(self) -> None:
        for mean, present in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(present, 1.0 - self.config.keep)

    def priority(self) -> Priority:
        """The averaged weights as a priority."""
        return Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, self.average.flat())

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        return {**super().state(), "average": self.average.flat()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        super().load_state(state)
        self.average.load_flat(np.asarray(state["average"]))


def with_returns(parts: Sequence[Part], value: int, greedy: int, decay: float) -> list[Part]:
    """The choices of an episode, each with its return: -(value / greedy - 1) decay^(tasks left)."""
    worth = -(value / max(greedy, 1) - 1.0)
    shares = [decay ** len(part.graph.nodes["task"]) for part in parts]
    return [
        replace(part, weight=np.full_like(part.weight, worth * share))
        for part, share in zip(parts, shares, strict=True)
    ]
