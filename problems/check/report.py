"""What the checker says: kinds of violation, a violation, the report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What can be wrong with a row, or with the lack of one."""

    UNKNOWN_TASK = "unknown_task"
    UNKNOWN_AGENT = "unknown_agent"
    UNKNOWN_PIECE = "unknown_piece"
    MISSING = "missing"
    DUPLICATE = "duplicate"
    NOT_ELIGIBLE = "not_eligible"
    DURATION = "duration"
    OVERLAP = "overlap"
    CHANGEOVER_DURATION = "changeover_duration"
    CHANGEOVER_OVERLAP = "changeover_overlap"
    CHANGEOVER_EARLY = "changeover_early"
    PRECEDENCE = "precedence"
    RELEASE = "release"
    REVEAL = "reveal"
    AGENT_AVAILABILITY = "agent_availability"
    DEADLINE = "deadline"
    CAPACITY = "capacity"
    OPERATOR = "operator"
    OPERATOR_OVERLAP = "operator_overlap"
    PIECE_ORDER = "piece_order"
    STAGE_SERVICE = "stage_service"


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    Attributes
    ----------
    kind
        Which rule.
    task, agent
        Indices, None where the rule concerns none.
    times
        The integer times that contradict each other, in the order in which the message names them.
    message
        One sentence for people, with job names and 1-based positions.
    """

    kind: Kind
    task: int | None
    agent: int | None
    times: tuple[int, ...]
    message: str


@dataclass(frozen=True)
class CheckReport:
    """Everything that is wrong with a schedule, and its objective.

    Attributes
    ----------
    violations
        All of them; empty for a feasible schedule.
    objective
        Recomputed, in the unit of the source; None if a task is missing or a row names an unknown task or agent.
    """

    violations: tuple[Violation, ...]
    objective: int | float | None

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations
