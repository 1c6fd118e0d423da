"""What every training algorithm offers to the training loop."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from marl.policies.auction import Bids
from solvers.priority import Priority

Policy: TypeAlias = Priority | Bids
"""What is trained: priorities of candidates, or bids in auctions."""


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
