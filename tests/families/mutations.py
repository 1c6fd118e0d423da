"""Ways to spoil a valid schedule, and what the checker must say of each.

A mutation declares the switches that an instance must have on for it to mean anything (`SWITCHES`), the rows at which
it can be done, and the kind of violation that it makes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from spoiled import NO_ROW, SHIFTED, Spoiled

from problems.check import Kind
from problems.instance import NO_TIME, Instance, IntArray, Serves
from problems.schedule import COLUMNS, NO_RESOURCE, Schedule

SWITCHES: dict[str, Callable[[Instance], bool]] = {
    "agents": lambda i: i.num_agents > 1,
    "durations": lambda i: bool((i.eligible_duration > 0).any()),
    "unequal durations": lambda i: i.waves is None and any(len(set(i.eligible(t)[1])) > 1 for t in range(i.num_tasks)),
    "ineligible pairs": lambda i: bool((i.durations < 0).any()),
    "shared tasks": lambda i: bool((np.diff(i.eligible_ptr) > 1).any()),
    "jobs of several rows": lambda i: i.num_pieces > i.num_jobs,
    "pieces": lambda i: bool((i.task_pieces > 1).any()),
    "precedence": lambda i: len(i.predecessor_task) > 0,
    "release": lambda i: bool((i.job_release > 0).any()),
    "reveal": lambda i: bool((i.job_reveal > 0).any()),
    "deadline": lambda i: bool((i.job_deadline != NO_TIME).any()),
    "changeover": lambda i: i.moving_delay > 0 or (i.changeover is not None and bool((i.changeover.times > 0).any())),
    "moving delay": lambda i: i.moving_delay > 0,
    "changeover needs task": lambda i: i.changeover is not None and i.changeover.needs_task,
    "capacity": lambda i: i.resources is not None and bool(i.resources.task_use.any()),
    "waves": lambda i: i.waves is not None,
    "pieces decided one by one": lambda i: i.serves is Serves.PIECE,
    "stages served to their end": lambda i: i.serves is Serves.STAGE,
    "operators": lambda i: i.resources is not None and bool(i.resources.operator_serves.any()),
}


@dataclass(frozen=True)
class Mutation:
    """One way to spoil a schedule.

    Attributes
    ----------
    name, kind
        What is done, and what the checker must find.
    needs
        Names in `SWITCHES`.
    where
        Whether it can be done at each row, bool [N].
    change
        The schedule spoiled at a row.
    """

    name: str
    kind: Kind
    needs: tuple[str, ...]
    where: Callable[[Spoiled], Any]
    change: Callable[[Spoiled, int], Schedule]

    def applies_to(self, instance: Instance) -> bool:
        """Whether the instance has all that the mutation needs."""
        return all(SWITCHES[name](instance) for name in self.needs)


def _everywhere(case: Spoiled) -> Any:
    return np.ones(len(case.schedule), bool)


def _changes_over(case: Spoiled) -> Any:
    return case.changeover > 0


def _drop(case: Spoiled, row: int) -> Schedule:
    return Schedule(*(np.delete(getattr(case.schedule, name), row) for name in COLUMNS))


def _repeat(case: Spoiled, row: int) -> Schedule:
    columns = {name: np.append(getattr(case.schedule, name), getattr(case.schedule, name)[row]) for name in COLUMNS}
    for name in SHIFTED:
        columns[name][-1] += 2 * int(case.schedule.end.max())
    return Schedule(**columns)


def _other_duration(case: Spoiled, row: int) -> int | None:
    """Duration of the task on some other agent that takes another time."""
    times = case.instance.eligible(int(case.schedule.task[row]))[1]
    others = times[times != case.length[row]]
    return int(others[0]) if len(others) else None


def _unable(case: Spoiled, row: int) -> IntArray:
    return np.flatnonzero(case.instance.durations[case.schedule.task[row]] < 0)


def _busy_elsewhere(case: Spoiled, row: int) -> IntArray:
    """Rows of other agents, eligible for the task, that run while this one starts."""
    table, able = case.schedule, case.instance.durations[case.schedule.task[row]] >= 0
    start, end = table.start[row], table.end[row]
    return np.flatnonzero(
        able[table.agent]
        & (table.agent != table.agent[row])
        & (table.start <= start)
        & (start < table.end)
        & (start < end)
    )


def _each(case: Spoiled, holds: Callable[[Spoiled, int], Any]) -> Any:
    return np.array([bool(holds(case, row)) for row in range(len(case.schedule))], bool)


def _pile_up(case: Spoiled, row: int) -> Schedule:
    """All tasks start with this one."""
    columns = {name: getattr(case.schedule, name).copy() for name in COLUMNS}
    for name in SHIFTED:
        columns[name] += case.schedule.start[row] - case.schedule.start
    return Schedule(**columns)


def _exceeds(case: Spoiled) -> Any:
    resources = case.instance.resources
    assert resources is not None
    uses = resources.task_use[case.schedule.task[case.length > 0]].sum(axis=0)
    return (case.length > 0) & (case.length.max() > 0) & bool((uses > resources.capacity).any())


def _strangers(case: Spoiled, row: int) -> IntArray:
    """Operators who do not serve the agent of a row."""
    resources = case.instance.resources
    assert resources is not None
    return np.flatnonzero(~resources.operator_serves[:, case.schedule.agent[row]])


def _steals(case: Spoiled) -> Any:
    """Rows whose operator, if the changeover began with that of another row, would be needed twice."""
    busy = case.schedule.resource != NO_RESOURCE
    return busy & (np.bincount(case.schedule.resource + 1, minlength=2)[case.schedule.resource + 1] > 1)


def _steal(case: Spoiled, row: int) -> Schedule:
    table = case.schedule
    other = next(o for o in np.flatnonzero(table.resource == table.resource[row]).tolist() if o != row)
    return case.shift_changeover(row, int(table.changeover_start[other]))


def _task_ready(case: Spoiled) -> IntArray:
    return np.maximum(case.ready, case.instance.job_release[case.job])


def _other_sample(case: Spoiled, row: int) -> int | None:
    """A duration that was measured for the task of a row, but is not its own."""
    waves, task = case.instance.waves, int(case.schedule.task[row])
    assert waves is not None
    samples = waves.samples[waves.sample_ptr[task * 3] : waves.sample_ptr[task * 3 + 3]]
    others = samples[samples != case.length[row]]
    return int(others[0]) if len(others) else None


def _later_pieces(case: Spoiled, row: int) -> IntArray:
    """Rows of the same task whose agent was still busy with something else when this one started."""
    freed = np.where(case.previous == NO_ROW, -1, case.schedule.end[case.previous])
    return np.flatnonzero((case.schedule.task == case.schedule.task[row]) & (freed > case.schedule.start[row]))


def _exchange(case: Spoiled, row: int) -> Schedule:
    """Give a row the number of a later piece, and that one its own."""
    later = int(_later_pieces(case, row)[0])
    columns = {name: getattr(case.schedule, name).copy() for name in COLUMNS}
    columns["piece"][[row, later]] = columns["piece"][[later, row]]
    return Schedule(**columns)


MUTATIONS = (
    Mutation("drop a row", Kind.MISSING, (), _everywhere, _drop),
    Mutation("do a piece again", Kind.DUPLICATE, (), _everywhere, _repeat),
    Mutation("name no task", Kind.UNKNOWN_TASK, (), _everywhere, lambda c, r: c.edit(r, task=c.instance.num_tasks)),
    Mutation("name no agent", Kind.UNKNOWN_AGENT, (), _everywhere, lambda c, r: c.edit(r, agent=-1)),
    Mutation(
        "name no piece",
        Kind.UNKNOWN_PIECE,
        (),
        _everywhere,
        lambda c, r: c.edit(r, piece=int(c.instance.task_pieces[c.schedule.task[r]])),
    ),
    Mutation(
        "do one piece for another",
        Kind.DUPLICATE,
        ("pieces",),
        lambda c: c.schedule.piece > 0,
        lambda c, r: c.edit(r, piece=0),
    ),
    Mutation("stretch a task", Kind.DURATION, (), _everywhere, lambda c, r: c.shift(r, 1, ("end",))),
    Mutation(
        "cut a task short", Kind.DURATION, ("durations",), lambda c: c.length > 0, lambda c, r: c.shift(r, -1, ("end",))
    ),
    Mutation(
        "take the duration of another agent",
        Kind.DURATION,
        ("unequal durations",),
        lambda c: _each(c, lambda c, r: _other_duration(c, r) is not None),
        lambda c, r: c.edit(r, end=int(c.schedule.start[r]) + int(_other_duration(c, r) or 0)),
    ),
    Mutation(
        "give a task to an agent who cannot do it",
        Kind.NOT_ELIGIBLE,
        ("ineligible pairs",),
        lambda c: _each(c, lambda c, r: len(_unable(c, r))),
        lambda c, r: c.edit(r, agent=int(_unable(c, r)[0])),
    ),
    Mutation(
        "give a task to an agent who is busy",
        Kind.OVERLAP,
        ("agents", "durations", "shared tasks"),
        lambda c: _each(c, lambda c, r: len(_busy_elsewhere(c, r))),
        lambda c, r: c.edit(r, agent=int(c.schedule.agent[_busy_elsewhere(c, r)[0]])),
    ),
    Mutation(
        "start before the previous task ends",
        Kind.OVERLAP,
        ("durations",),
        lambda c: (c.previous != NO_ROW) & (c.length > 0) & (c.length[c.previous] > 0),
        lambda c, r: c.shift_start(r, int(c.schedule.end[c.previous[r]]) - 1),
    ),
    Mutation(
        "start before a predecessor ends",
        Kind.PRECEDENCE,
        ("precedence",),
        lambda c: c.ready >= 0,
        lambda c, r: c.shift_start(r, int(c.ready[r]) - 1),
    ),
    Mutation(
        "start before the release",
        Kind.RELEASE,
        ("release",),
        lambda c: c.instance.job_release[c.job] > 0,
        lambda c, r: c.shift_start(r, int(c.instance.job_release[c.job[r]]) - 1),
    ),
    Mutation(
        "start before the job is revealed",
        Kind.REVEAL,
        ("reveal",),
        lambda c: c.instance.job_reveal[c.job] > 0,
        lambda c, r: c.shift_start(r, int(c.instance.job_reveal[c.job[r]]) - 1),
    ),
    Mutation(
        "start before the agent is available",
        Kind.AGENT_AVAILABILITY,
        (),
        _everywhere,
        lambda c, r: c.shift_start(r, int(c.instance.agent_available[c.schedule.agent[r]]) - 1),
    ),
    Mutation(
        "miss the deadline",
        Kind.DEADLINE,
        ("deadline",),
        lambda c: c.instance.job_deadline[c.job] != NO_TIME,
        lambda c, r: c.shift_start(r, int(c.instance.job_deadline[c.job[r]] - c.length[r]) + 1),
    ),
    Mutation(
        "cut a changeover short",
        Kind.CHANGEOVER_DURATION,
        ("changeover",),
        _changes_over,
        lambda c, r: c.shift(r, -1, ("changeover_end",)),
    ),
    Mutation(
        "leave out a changeover",
        Kind.CHANGEOVER_DURATION,
        ("changeover",),
        _changes_over,
        lambda c, r: c.edit(r, changeover_end=int(c.schedule.changeover_start[r])),
    ),
    Mutation(
        "leave out a move",
        Kind.CHANGEOVER_DURATION,
        ("moving delay",),
        lambda c: (c.previous == NO_ROW) | (c.job != c.job[c.previous]),
        lambda c, r: c.shift(r, -c.instance.moving_delay, ("changeover_end",)),
    ),
    Mutation(
        "move although the job stays",
        Kind.CHANGEOVER_DURATION,
        ("moving delay", "jobs of several rows"),
        lambda c: (c.previous != NO_ROW) & (c.job == c.job[c.previous]),
        lambda c, r: c.shift(r, c.instance.moving_delay, ("changeover_end",)),
    ),
    Mutation(
        "change over before the previous task ends",
        Kind.CHANGEOVER_OVERLAP,
        ("changeover",),
        lambda c: _changes_over(c) & (c.previous != NO_ROW),
        lambda c, r: c.shift_changeover(r, int(c.schedule.end[c.previous[r]]) - 1),
    ),
    Mutation(
        "change over into the task",
        Kind.CHANGEOVER_OVERLAP,
        ("changeover",),
        _changes_over,
        lambda c, r: c.shift_changeover(r, int(c.schedule.start[r] - c.changeover[r]) + 1),
    ),
    Mutation(
        "change over before the agent is available",
        Kind.CHANGEOVER_EARLY,
        ("changeover",),
        _changes_over,
        lambda c, r: c.shift_changeover(r, int(c.instance.agent_available[c.schedule.agent[r]]) - 1),
    ),
    Mutation(
        "change over before the job is revealed",
        Kind.CHANGEOVER_EARLY,
        ("changeover", "reveal"),
        lambda c: _changes_over(c) & (c.instance.job_reveal[c.job] > 0),
        lambda c, r: c.shift_changeover(r, int(c.instance.job_reveal[c.job[r]]) - 1),
    ),
    Mutation(
        "change over before the task is ready",
        Kind.CHANGEOVER_EARLY,
        ("changeover", "changeover needs task"),
        _changes_over,
        lambda c, r: c.shift_changeover(r, int(_task_ready(c)[r]) - 1),
    ),
    Mutation("exceed a capacity", Kind.CAPACITY, ("capacity", "durations"), _exceeds, _pile_up),
    Mutation(
        "change over without an operator",
        Kind.OPERATOR,
        ("changeover", "operators"),
        lambda c: c.schedule.resource != NO_RESOURCE,
        lambda c, r: c.edit(r, resource=NO_RESOURCE),
    ),
    Mutation(
        "send an operator who does not serve the agent",
        Kind.OPERATOR,
        ("changeover", "operators", "agents"),
        lambda c: (c.schedule.resource != NO_RESOURCE) & _each(c, lambda c, r: len(_strangers(c, r))),
        lambda c, r: c.edit(r, resource=int(_strangers(c, r)[0])),
    ),
    Mutation(
        "send an operator to no changeover",
        Kind.OPERATOR,
        (),
        lambda c: c.schedule.resource == NO_RESOURCE,
        lambda c, r: c.edit(r, resource=0),
    ),
    Mutation(
        "take another measured duration",
        Kind.DURATION,
        ("waves", "pieces decided one by one"),
        lambda c: _each(c, lambda c, r: _other_sample(c, r) is not None),
        lambda c, r: c.edit(r, end=int(c.schedule.start[r]) + int(_other_sample(c, r) or 0)),
    ),
    Mutation(
        "exchange the luck of two pieces",
        Kind.PIECE_ORDER,
        ("waves", "pieces"),
        lambda c: _each(c, lambda c, r: len(_later_pieces(c, r))),
        _exchange,
    ),
    Mutation(
        "rest while the stage has pieces left",
        Kind.STAGE_SERVICE,
        ("stages served to their end", "pieces"),
        lambda c: (c.previous != NO_ROW) & (c.schedule.task == c.schedule.task[c.previous]),
        lambda c, r: c.shift_start(r, int(c.schedule.start[r]) + 1),
    ),
    Mutation("send an operator to two places", Kind.OPERATOR_OVERLAP, ("changeover", "operators"), _steals, _steal),
)
"""Every mutation."""
