"""What every training algorithm offers to the training loop."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

from problems.instance import Instance
from solvers.priority import Priority


class Playing(Protocol):
    """A policy that plays by itself instead of ranking candidates in the compiled simulator."""

    @property
    def parameters(self) -> np.ndarray:
        """What is saved."""

    def greedy(self, instance: Instance) -> int:
        """Objective of the greedy episode, in integer time."""


Policy: TypeAlias = Priority | Playing
"""What is trained: priorities of candidates, bids in auctions, networks of published formulations."""


class Algorithm(Protocol):
    """A training algorithm: its whole progress is in `state`, so that a run resumes exactly."""

    def step(self) -> dict[str, float]:
        """Make one update; returns its metrics."""

    def priority(self) -> Policy:
        """The policy as it stands, for validation and for shipping."""

    def state(self) -> dict[str, Any]:
        """Arrays and numbers from which the run goes on as if it had never stopped."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up the run that `state` was taken from."""


def falling(first: float, last: float, share: float) -> float:
    """A setting that goes straight from ``first`` to ``last``, where it stays: at ``share`` 0, and from 1 on."""
    return first + min(share, 1.0) * (last - first)
