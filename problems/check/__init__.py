"""The independent checker: is a schedule feasible, and what is it worth?

It shares no code with the simulator or with any solver: it reads the instance, reads the table, and says what is wrong.

What a feasible schedule is: every piece of every task appears once, on an eligible agent, for exactly its duration.
An agent processes one task at a time; intervals are half-open, and a zero-length task may touch another one but not
lie strictly inside it. Before each task lies the agent's changeover from its previous state (from its home before
the first task), of exactly the time the instance says, after the previous task and before the next; where agents need
a moving delay, it is part of the changeover before a task of another job than the one before, and before the first.
A task starts when all pieces of its predecessors have ended, its job is released and revealed, and its agent is
available. Random durations are those of the piece, its wave and a level that its executor may have met
(`problems.check.waves`).

Where agents serve their stage (``Serves.STAGE``, the preset ``decima`` of Spark clusters) one whose piece ends must go
on with the stage while that has pieces left. A table of pieces cannot show the rest of those rules: which agents were
asked together and what they were ordered to do, who waited in which pool and counted as local to its job, and moves
that led to no piece. Nor can it show when a task was opened (`Opens`), except that it starts after its predecessors.
"""

from __future__ import annotations

from problems.check.agents import availability, overlaps
from problems.check.changeovers import changeovers, early_changeovers
from problems.check.jobs import job_times, precedence
from problems.check.report import CheckReport, Kind, Violation
from problems.check.resources import capacities, operators
from problems.check.rows import completeness, eligibility_and_durations, unknown_rows
from problems.check.service import piece_order, stage_service
from problems.check.table import Table
from problems.errors import UnsupportedError
from problems.instance import Instance
from problems.measure import objective_value
from problems.schedule import Schedule

__all__ = ["CheckReport", "Kind", "Violation", "check"]

_RULES = (
    unknown_rows,
    completeness,
    eligibility_and_durations,
    overlaps,
    changeovers,
    early_changeovers,
    precedence,
    job_times,
    availability,
    capacities,
    operators,
    piece_order,
    stage_service,
)


def check(instance: Instance, schedule: Schedule) -> CheckReport:
    """List every violation of ``schedule`` and recompute its objective.

    Raises
    ------
    UnsupportedError
        If the instance has return trips that need a resource, which a schedule does not record.
    """
    _refuse(instance)
    table = Table(instance, schedule)
    violations = tuple(violation for rule in _RULES for violation in rule(table))
    return CheckReport(violations, objective_value(instance, schedule) if table.is_measurable else None)


def _refuse(instance: Instance) -> None:
    resources = instance.resources
    tied = resources is not None and (bool(resources.changeover_use.any()) or bool(resources.operator_serves.any()))
    returns = instance.changeover is not None and instance.changeover.returns
    if tied and returns:
        raise UnsupportedError(
            "the checker does not support return trips that use a resource or an operator yet; "
            f"instance '{instance.name}' uses them"
        )
