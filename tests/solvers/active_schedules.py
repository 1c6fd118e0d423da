"""Every active schedule of a tiny instance: an oracle that knows no solver and no simulator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from small_proofs import Plan, plans

from problems import Instance
from problems.measure import integer_objective
from problems.schedule import NO_RESOURCE, Schedule

Use = tuple[int, int, int, int]
"""Resource (operators come after the others), start, end, units."""


@dataclass
class Placed:
    """Rows and uses so far, and by agent the changeover (begin, end, operator) whose task is not placed yet."""

    rows: tuple[tuple[int, ...], ...] = ()
    uses: tuple[Use, ...] = ()
    pending: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    @property
    def ends(self) -> dict[int, int]:
        """End of every placed task."""
        return {row[0]: row[4] for row in self.rows}


def least_objective(instance: Instance) -> int:
    """Least integer objective of all active schedules, among which is an optimal one.

    Each task and each changeover is placed at its earliest time, in every order and with every operator.
    """
    return min(
        integer_objective(instance, Schedule(*np.array(rows, np.int64).T))
        for plan in plans(instance, 0, [[] for _ in range(instance.num_agents)])
        for rows in _complete(instance, plan, Placed())
    )


def _complete(instance: Instance, plan: Plan, placed: Placed) -> Iterator[tuple[tuple[int, ...], ...]]:
    if len(placed.rows) == instance.num_tasks:
        yield placed.rows
    ends = placed.ends
    for agent, order in enumerate(plan):
        done = sum(task in ends for task in order)
        if done == len(order):
            continue
        task, before = order[done], order[done - 1] if done else None
        if all(other in ends for other in instance.predecessors(task).tolist()):
            steps = _with_task if agent in placed.pending else _with_changeover
            for further in steps(instance, placed, agent, before, task):
                yield from _complete(instance, plan, further)


def _with_changeover(instance: Instance, placed: Placed, agent: int, before: int | None, task: int) -> Iterator[Placed]:
    length = _length(instance, agent, before, task)
    reveal = int(instance.job_reveal[instance.task_job[task]])
    begin = max(reveal, int(instance.agent_available[agent]) if before is None else placed.ends[before])
    if instance.changeover is not None and instance.changeover.needs_task:
        begin = max(begin, _ready(instance, placed, task))
    resources = instance.resources
    wanted = [] if resources is None else list(enumerate(resources.changeover_use[agent].tolist()))
    served = [] if resources is None or length == 0 else np.flatnonzero(resources.operator_serves[:, agent]).tolist()
    for worker in served or [NO_RESOURCE]:
        needs = wanted if worker == NO_RESOURCE else [*wanted, (len(wanted) + worker, 1)]
        at, uses = _use(instance, placed.uses, needs, begin, length)
        yield Placed(placed.rows, uses, {**placed.pending, agent: (at, at + length, worker)})


def _with_task(instance: Instance, placed: Placed, agent: int, _: int | None, task: int) -> Iterator[Placed]:
    begin, changed, worker = placed.pending[agent]
    duration = int(instance.durations[task, agent])
    wanted = [] if instance.resources is None else list(enumerate(instance.resources.task_use[task].tolist()))
    at, uses = _use(instance, placed.uses, wanted, max(changed, _ready(instance, placed, task)), duration)
    row = (task, 0, agent, at, at + duration, begin, changed, worker)
    yield Placed((*placed.rows, row), uses, {other: entry for other, entry in placed.pending.items() if other != agent})


def _ready(instance: Instance, placed: Placed, task: int) -> int:
    job = instance.task_job[task]
    ends = [placed.ends[other] for other in instance.predecessors(task).tolist()]
    return max([int(instance.job_release[job]), int(instance.job_reveal[job]), *ends])


def _length(instance: Instance, agent: int, before: int | None, task: int) -> int:
    moves = before is None or instance.task_job[before] != instance.task_job[task]
    time, changeover = instance.moving_delay * int(moves), instance.changeover
    if changeover is None:
        return time
    state = changeover.agent_home[agent] if before is None else changeover.task_state[before]
    way = changeover.times[changeover.agent_matrix[agent], state, changeover.task_state[task]]
    return time + (0 if state < 0 else int(way))


def _use(
    instance: Instance, uses: tuple[Use, ...], wanted: list[tuple[int, int]], begin: int, length: int
) -> tuple[int, tuple[Use, ...]]:
    """Earliest begin at which all that is wanted is free for so long, and the uses with it."""
    needs = [(resource, units) for resource, units in wanted if units > 0 and length > 0]
    while any(_short(instance, uses, *need, begin + step) for need in needs for step in range(length)):
        begin += 1
    return begin, (*uses, *((resource, begin, begin + length, units) for resource, units in needs))


def _short(instance: Instance, uses: tuple[Use, ...], resource: int, units: int, instant: int) -> bool:
    assert instance.resources is not None
    capacity = [*instance.resources.capacity.tolist(), *[1] * len(instance.resources.operator_serves)]
    return units + sum(n for r, start, end, n in uses if r == resource and start <= instant < end) > capacity[resource]
