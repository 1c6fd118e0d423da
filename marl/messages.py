"""Do the messages of the attention network earn their cost? The same weights, with and without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphs.layout import without_messages
from marl.instances import training_instance
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.rollout import Runner

HELD_OUT_SEED = 2**42
"""Seeds of the comparison start here, above those of training and validation."""

HELD_OUT_COUNT = 144
"""Instances per seed."""


@dataclass(frozen=True)
class Comparison:
    """Greedy objectives of a policy relative to another one, per set of held-out instances.

    Attributes
    ----------
    ratios
        Mean of (without messages / with messages) for each seed; above 1 where messages help.
    """

    ratios: tuple[float, ...]

    @property
    def gain(self) -> float:
        """Mean relative gain by messages."""
        return float(np.mean(self.ratios)) - 1.0

    @property
    def spread(self) -> float:
        """Largest difference between two seeds."""
        return max(self.ratios) - min(self.ratios)

    @property
    def helps(self) -> bool:
        """Whether the gain is larger than the spread."""
        return self.gain > self.spread

    def as_card(self) -> dict[str, bool | float]:
        """What a card says about messages."""
        return {"help": self.helps, "gain": round(self.gain, 5), "spread": round(self.spread, 5)}


def silenced(policy: Priority) -> Priority:
    """The same policy with all messages set to zero."""
    return replace(policy, network=without_messages(policy.network))


def compare(
    better: Priority, other: Priority, family: str, count: int = HELD_OUT_COUNT, seeds: Sequence[int] = (0, 1, 2)
) -> Comparison:
    """Compare greedy episodes of two policies on ``count`` held-out instances per seed."""
    ratios = []
    for seed in seeds:
        first = HELD_OUT_SEED + seed * 10**6
        runners = [Runner(compile_problem(training_instance(family, first + number))) for number in range(count)]
        pairs = [(float(runner.sample(other)[0]), float(runner.sample(better)[0])) for runner in runners]
        ratios.append(float(np.mean([old / new for old, new in pairs])))
    return Comparison(tuple(ratios))
