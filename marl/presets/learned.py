"""Published formulations with their own networks: what they have in common when they play, train and solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from marl.algorithms.graph_training import flatten, unflatten
from problems.instance import Instance, IntArray
from problems.measure import integer_objective
from problems.schedule import Schedule

GREEDY = 0
"""Number of the episode in which the likeliest options are taken; in all others they are drawn."""


@dataclass(frozen=True)
class Choice:
    """A decision that was recorded.

    Attributes
    ----------
    seen
        What the network saw.
    taken
        The option.
    instant
        When.
    left
        Tasks that were left.
    weight : float32 [1]
        What the choice is worth in learning.
    """

    seen: Any
    taken: Any
    instant: int
    left: int
    weight: np.ndarray


@dataclass(frozen=True)
class Played:
    """An episode that has ended.

    Attributes
    ----------
    schedule
        The schedule.
    value
        Its objective in integer time.
    choices
        Those that were recorded.
    completions : int64 [J]
        When each job was done.
    """

    schedule: Schedule
    value: int
    choices: list[Choice]
    completions: IntArray


class Player(Protocol):
    """Plays several episodes of an instance side by side: ``player(network, instance, numbers, seed, decisions)``."""

    def __call__(
        self, network: Any, instance: Instance, numbers: Sequence[int], seed: int, decisions: int = 0
    ) -> list[Played]:
        """Play the episodes ``numbers`` of ``seed``; about so many ``decisions`` of each are recorded."""


@dataclass(frozen=True)
class PresetPolicy:
    """A network and how it plays, as it would be shipped."""

    model: nn.Module
    play: Player

    def greedy(self, instance: Instance) -> int:
        """Objective of the greedy episode, in integer time."""
        return self.play(self.model, instance, [GREEDY], 0)[0].value

    @property
    def parameters(self) -> np.ndarray:
        """What is saved: all weights in a row, float32 [*]."""
        return flatten(self.model.parameters())


def load_parameters(network: nn.Module, flat: np.ndarray) -> None:
    """Take the weights that `marl.algorithms.graph_training.flatten` has put in a row."""
    with torch.no_grad():
        stored = unflatten(np.asarray(flat), network.parameters())
        for parameter, value in zip(network.parameters(), stored, strict=True):
            parameter.copy_(value)


class Draws:
    """Random numbers of one episode: who is recorded and what is taken.

    Parameters
    ----------
    seed, number
        Of the episodes, and which one it is.
    """

    def __init__(self, seed: int, number: int) -> None:
        self.is_greedy = number == GREEDY
        self._random = np.random.default_rng([seed, number])

    def take(self, scores: np.ndarray) -> int:
        """Place of the best score, or of one drawn with the probabilities of a softmax."""
        if self.is_greedy:
            return int(scores.argmax())
        return int((scores + self._random.gumbel(size=len(scores))).argmax())

    def records(self, share: float) -> bool:
        """Whether a decision is recorded."""
        return share >= 1.0 or bool(self._random.random() < share)


def finished(instance: Instance, schedule: Schedule, choices: list[Choice]) -> Played:
    """What there is to know of an episode."""
    completions = instance.job_release.copy()
    np.maximum.at(completions, instance.task_job[schedule.task], schedule.end)
    return Played(schedule, integer_objective(instance, schedule), choices, completions)
