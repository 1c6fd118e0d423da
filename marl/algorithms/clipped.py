"""Clip-REINFORCE for any network (Park et al. 2021, arXiv 2106.03051): what its steps have in common.

At each step the present policy samples several episodes of one random instance. An episode of makespan M is worth
-(M - B) / B, where B is the makespan of the greedy policy on the same instance: so instances of any size count alike,
and no critic has to foresee makespans. A decision at which k tasks are left is credited with this times decay^k. A few
updates on the whole data follow, by the clipped ratio of probabilities of proximal policy optimisation. The policy
that is validated and shipped is a running average of the weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from marl.algorithms.choices import clipped_gain, one_thread
from marl.algorithms.graph_training import Descent

Recorded = TypeVar("Recorded")
Batch = TypeVar("Batch")


@dataclass(frozen=True)
class ClipSettings:
    """Settings of Clip-REINFORCE; ``decay``, ``clip`` and ``keep`` are published (arXiv 2106.03051), the others not.

    Attributes
    ----------
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
    rate
        Step size of Adam.
    longest
        Longest gradient.
    """

    episodes: int = 8
    updates: int = 4
    decay: float = 0.9
    clip: float = 0.2
    keep: float = 0.1
    decisions: int = 160
    batch: int = 64
    rate: float = 1e-3
    longest: float = 1.0


class Sampled(NamedTuple):
    """The episodes of a step.

    Attributes
    ----------
    values
        Objective of each sampled episode, in integer time.
    recorded
        Their choices with their returns.
    greedy
        Objective of the greedy policy.
    """

    values: list[int]
    recorded: list[Any]
    greedy: int


class ClippedUpdates(ABC, Generic[Recorded, Batch]):
    """Steps of Clip-REINFORCE; see the module's docstring.

    A subclass sets the attributes, plays episodes and says how likely the network finds what was chosen.

    Attributes
    ----------
    steps
        Number of steps made.
    network, average
        The present weights, and their running average.
    descent
        Of the network.
    clipping
        Settings.
    """

    steps: int
    network: nn.Module
    average: nn.Module
    descent: Descent
    clipping: ClipSettings

    @abstractmethod
    def sample(self) -> Sampled:
        """Episodes of this step's instance by the present policy."""

    @abstractmethod
    def in_batches(self, recorded: Sequence[Recorded]) -> list[Batch]:
        """Choices in random batches; an empty list if there are none."""

    @abstractmethod
    def logarithms(self, batch: Batch) -> Tensor:
        """Logarithm of the present probability of each choice that was made, float32 [C]."""

    @abstractmethod
    def returns(self, batch: Batch) -> Tensor:
        """Return of each choice, float32 [C]."""

    def step(self) -> dict[str, float]:
        """Sample one instance several times and learn from the episodes.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before the update.
        """
        sampled = self.sample()
        with one_thread():
            batches = self.in_batches(sampled.recorded)
            old, count = self._present(batches), sum(len(self.returns(batch)) for batch in batches)
            losses = [self.learn(batches, old) for _ in range(self.clipping.updates)] if batches else []
        self._smooth()
        self.steps += 1
        best = max(sampled.greedy, 1)
        return {
            "losses/clipped": float(np.mean(losses)) if losses else 0.0,
            "train/choices": float(count),
            "train/samples_to_greedy": float(np.mean(sampled.values)) / best,
            "train/best_to_greedy": min(sampled.values) / best,
        }

    def learn(self, batches: Sequence[Batch], old: Sequence[Tensor]) -> float:
        """One update of the weights on all data; returns the loss before it.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights stay as they are.
        """
        return self.descent.follow(self._losses(batches, old), self.steps)

    def _losses(self, batches: Sequence[Batch], old: Sequence[Tensor]) -> Iterator[Tensor]:
        total = sum(len(before) for before in old)
        for batch, before in zip(batches, old, strict=True):
            gain = clipped_gain(self.logarithms(batch), before, self.returns(batch), self.clipping.clip)
            yield -gain * len(before) / total

    @torch.no_grad()
    def _present(self, batches: Sequence[Batch]) -> list[Tensor]:
        return [self.logarithms(batch) for batch in batches]

    @torch.no_grad()
    def _smooth(self) -> None:
        for mean, present in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(present, 1.0 - self.clipping.keep)


def worth(value: int, greedy: int, left: int, decay: float) -> float:
    """Return of a decision with ``left`` tasks to do in an episode of objective ``value``."""
    return -(value / max(greedy, 1) - 1.0) * decay**left
