"""The independent checker: is a schedule feasible, and what is it worth?

It shares no code with the simulator or with any solver: it reads the instance, reads the table, and says what is wrong.

What a feasible schedule is: every piece of every task appears once, on an eligible agent, for exactly its duration.
An agent processes one task at a time; intervals are half-open, and a zero-length task may touch another one but not
lie strictly inside it. Before each task lies the agent's changeover from its previous state (from its home before
the first task), of exactly the time the instance says, after the previous task and before the next. A task starts
when all pieces of its predecessors have ended, its job is released and revealed, and its agent is available.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_STATE, NO_TIME, Changeover, Instance, IntArray
from problems.measure import objective_value
from problems.schedule import NO_RESOURCE, Schedule


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


def check(instance: Instance, schedule: Schedule) -> CheckReport:
    """List every violation of ``schedule`` and recompute its objective.

    Raises
    ------
    UnsupportedError
        If the instance has waves or a moving delay, which are not checked yet, or return trips that need a resource,
        which a schedule does not record.
    """
    _refuse(instance)
    inspector = _Inspector(instance, schedule)
    violations = tuple(inspector.violations())
    return CheckReport(violations, objective_value(instance, schedule) if inspector.measurable() else None)


def _refuse(instance: Instance) -> None:
    resources = instance.resources
    tied = resources is not None and (bool(resources.changeover_use.any()) or bool(resources.operator_serves.any()))
    returns = instance.changeover is not None and instance.changeover.returns
    for feature, present in (
        ("random durations by wave (waves)", instance.waves is not None),
        ("a moving delay (moving_delay)", instance.moving_delay > 0),
        ("return trips that use a resource or an operator", tied and returns),
    ):
        if present:
            raise UnsupportedError(f"the checker does not support {feature} yet; instance '{instance.name}' uses it")


class _Inspector:
    """Goes through the rules one by one; rows with an unknown task or agent are reported and then set aside."""

    def __init__(self, instance: Instance, schedule: Schedule) -> None:
        self.instance = instance
        self.schedule = schedule
        self.known_task = (schedule.task >= 0) & (schedule.task < instance.num_tasks)
        self.known_agent = (schedule.agent >= 0) & (schedule.agent < instance.num_agents)
        self.known = self.known_task & self.known_agent
        self.position = _positions(instance)
        self.rows_by_task: dict[int, list[int]] = {}
        for row in np.flatnonzero(self.known_task).tolist():
            self.rows_by_task.setdefault(int(schedule.task[row]), []).append(row)

    def violations(self) -> Iterator[Violation]:
        yield from self._rows()
        yield from self._completeness()
        yield from self._eligibility_and_durations()
        yield from self._overlaps()
        yield from self._changeovers()
        yield from self._precedence()
        yield from self._job_times()
        yield from self._availability()
        yield from self._capacities()
        yield from self._operators()

    def measurable(self) -> bool:
        done = np.zeros(self.instance.num_tasks, bool)
        done[self.schedule.task[self.known]] = True
        return bool(self.known.all()) and bool(done.all())

    def name(self, task: int) -> str:
        job = int(self.instance.task_job[task])
        return f"job {self.instance.job_names[job]}, task {self.position[task]}"

    def _row_name(self, row: int) -> str:
        return f"{self.name(int(self.schedule.task[row]))} on {self.instance.agent_names[self.schedule.agent[row]]}"

    def _at(self, kind: Kind, row: int, times: tuple[int, ...], message: str) -> Violation:
        """Violation of the task and agent of one row."""
        return Violation(kind, int(self.schedule.task[row]), int(self.schedule.agent[row]), times, message)

    def _rows(self) -> Iterator[Violation]:
        table, most = self.schedule, self.instance
        for row in np.flatnonzero(~self.known_task):
            task = int(table.task[row])
            message = f"the schedule names task {task}; the instance has tasks 0 to {most.num_tasks - 1}"
            yield Violation(Kind.UNKNOWN_TASK, task, int(table.agent[row]), (int(table.start[row]),), message)
        for row in np.flatnonzero(~self.known_agent):
            agent = int(table.agent[row])
            message = f"the schedule names agent {agent}; the instance has agents 0 to {most.num_agents - 1}"
            yield Violation(Kind.UNKNOWN_AGENT, int(table.task[row]), agent, (int(table.start[row]),), message)

    def _completeness(self) -> Iterator[Violation]:
        seen: dict[tuple[int, int], int] = {}
        table = self.schedule
        for row in np.flatnonzero(self.known_task).tolist():
            key = (int(table.task[row]), int(table.piece[row]))
            if not 0 <= key[1] < self.instance.task_pieces[key[0]]:
                message = f"{self.name(key[0])} has no piece {key[1]}; it has {self.instance.task_pieces[key[0]]}"
                yield self._at(Kind.UNKNOWN_PIECE, row, (int(table.start[row]),), message)
            elif key in seen:
                first = seen[key]
                times = (int(table.start[first]), int(table.start[row]))
                message = f"{self.name(key[0])}, piece {key[1]} is scheduled again, at {times[0]} and at {times[1]}"
                yield self._at(Kind.DUPLICATE, row, times, message)
            else:
                seen[key] = int(row)
        for task, pieces in enumerate(self.instance.task_pieces.tolist()):
            for piece in range(pieces):
                if (task, piece) not in seen:
                    message = f"{self.name(task)}, piece {piece} is not scheduled"
                    yield Violation(Kind.MISSING, task, None, (), message)

    def _eligibility_and_durations(self) -> Iterator[Violation]:
        table = self.schedule
        for row in np.flatnonzero(self.known).tolist():
            needed = int(self.instance.durations[table.task[row], table.agent[row]])
            start, end = int(table.start[row]), int(table.end[row])
            if needed < 0:
                yield self._at(
                    Kind.NOT_ELIGIBLE, row, (start, end), f"{self._row_name(row)}: this agent is not eligible"
                )
            elif end - start != needed:
                message = f"{self._row_name(row)} lasts from {start} to {end}, but its duration is {needed}"
                yield self._at(Kind.DURATION, row, (start, end, needed), message)

    def _rows_of(self, agent: int) -> IntArray:
        """Rows of ``agent`` in the order in which it works on them."""
        table = self.schedule
        rows = np.flatnonzero(self.known & (table.agent == agent))
        return rows[np.lexsort((rows, table.changeover_start[rows], table.end[rows], table.start[rows]))]

    def _overlaps(self) -> Iterator[Violation]:
        start, end = self.schedule.start, self.schedule.end
        for agent in range(self.instance.num_agents):
            rows = self._rows_of(agent)
            for place, first in enumerate(rows):
                for second in rows[place + 1 :]:
                    if start[second] >= end[first]:
                        break
                    if end[second] > start[first]:
                        yield self._overlap(int(first), int(second))

    def _overlap(self, first: int, second: int) -> Violation:
        table = self.schedule
        times = tuple(int(time) for row in (first, second) for time in (table.start[row], table.end[row]))
        message = (
            f"{self._row_name(second)} ({times[2]} to {times[3]}) overlaps "
            f"{self.name(int(table.task[first]))} ({times[0]} to {times[1]})"
        )
        return self._at(Kind.OVERLAP, second, times, message)

    def _changeovers(self) -> Iterator[Violation]:
        for agent in range(self.instance.num_agents):
            before = None
            for row in self._rows_of(agent):
                yield from self._changeover(agent, None if before is None else int(before), int(row))
                before = row

    def _changeover(self, agent: int, before: int | None, row: int) -> Iterator[Violation]:
        table = self.schedule
        begin, end = int(table.changeover_start[row]), int(table.changeover_end[row])
        needed = _changeover_time(
            self.instance.changeover, agent, None if before is None else int(table.task[before]), int(table.task[row])
        )
        if begin == end and needed == 0:
            return  # a changeover of no length lies nowhere
        name = f"the changeover before {self._row_name(row)}"
        if end - begin != needed:
            message = f"{name} lasts from {begin} to {end}, but it takes {needed}"
            yield self._at(Kind.CHANGEOVER_DURATION, row, (begin, end, needed), message)
        if end > table.start[row]:
            times = (end, int(table.start[row]))
            yield self._at(
                Kind.CHANGEOVER_OVERLAP, row, times, f"{name} ends at {times[0]}, after the task's start {times[1]}"
            )
        if before is not None and begin < table.end[before]:
            times = (begin, int(table.end[before]))
            message = f"{name} begins at {times[0]}, before the agent's previous task ends at {times[1]}"
            yield self._at(Kind.CHANGEOVER_OVERLAP, row, times, message)
        yield from self._changeover_early(row, begin, end, name)

    def _changeover_early(self, row: int, begin: int, end: int, name: str) -> Iterator[Violation]:
        """A changeover of some length may have to wait for the agent, for news of the job, and for the task itself."""
        if end <= begin:
            return
        task, agent = int(self.schedule.task[row]), int(self.schedule.agent[row])
        job = int(self.instance.task_job[task])
        bounds = [("the agent is available", int(self.instance.agent_available[agent]))]
        if self.instance.job_reveal[job] > 0:
            bounds.append(("its job is revealed", int(self.instance.job_reveal[job])))
        if self.instance.changeover is not None and self.instance.changeover.needs_task:
            ends = [self._end_of(int(before)) for before in self.instance.predecessors(task)]
            bounds.append(("its task is ready", max([int(self.instance.job_release[job]), *ends])))
        for what, bound in bounds:
            if begin < bound:
                message = f"{name} begins at {begin}, before {what} at {bound}"
                yield self._at(Kind.CHANGEOVER_EARLY, row, (begin, bound), message)

    def _end_of(self, task: int) -> int:
        rows = self.rows_by_task.get(task, [])
        return max((int(self.schedule.end[row]) for row in rows), default=0)

    def _precedence(self) -> Iterator[Violation]:
        for task in range(self.instance.num_tasks):
            for before in self.instance.predecessors(task).tolist():
                end = self._end_of(before)
                for row in self.rows_by_task.get(task, []):
                    start = int(self.schedule.start[row])
                    if start < end:
                        message = f"{self.name(task)} starts at {start}, before {self.name(before)} ends at {end}"
                        yield self._at(Kind.PRECEDENCE, row, (start, end), message)

    def _job_times(self) -> Iterator[Violation]:
        instance, table = self.instance, self.schedule
        for row in np.flatnonzero(self.known_task).tolist():
            job = int(instance.task_job[table.task[row]])
            name, start, end = self.name(int(table.task[row])), int(table.start[row]), int(table.end[row])
            for kind, bound in ((Kind.RELEASE, instance.job_release[job]), (Kind.REVEAL, instance.job_reveal[job])):
                if start < bound:
                    message = f"{name} starts at {start}, before the {kind} of its job at {bound}"
                    yield self._at(kind, row, (start, int(bound)), message)
            deadline = int(instance.job_deadline[job])
            if deadline != NO_TIME and end > deadline:
                message = f"{name} ends at {end}, after the deadline of its job at {deadline}"
                yield self._at(Kind.DEADLINE, row, (end, deadline), message)

    def _availability(self) -> Iterator[Violation]:
        for row in np.flatnonzero(self.known).tolist():
            start, bound = int(self.schedule.start[row]), int(self.instance.agent_available[self.schedule.agent[row]])
            if start < bound:
                message = f"{self._row_name(row)} starts at {start}, before the agent is available at {bound}"
                yield self._at(Kind.AGENT_AVAILABILITY, row, (start, bound), message)

    def _capacities(self) -> Iterator[Violation]:
        resources, table = self.instance.resources, self.schedule
        if resources is None:
            return
        rows = np.flatnonzero(self.known)
        begins = np.concatenate([table.start[rows], table.changeover_start[rows]])
        ends = np.concatenate([table.end[rows], table.changeover_end[rows]])
        users = np.concatenate([rows, rows])
        for resource, capacity in enumerate(resources.capacity.tolist()):
            task_use = resources.task_use[table.task[rows], resource]
            uses = np.concatenate([task_use, resources.changeover_use[table.agent[rows], resource]])
            for place in np.flatnonzero((uses > 0) & (ends > begins)):
                # Use rises only at starts, so each excess shows at the start of one of its users.
                now = begins[place]
                used = int(uses[(begins <= now) & (ends > now)].sum())
                if used > capacity:
                    row = int(users[place])
                    message = (
                        f"resource {resource + 1}: {used} of {capacity} units are used at {now}, "
                        f"when {self._row_name(row)} takes its share"
                    )
                    yield self._at(Kind.CAPACITY, row, (int(now), used, capacity), message)

    def _operators(self) -> Iterator[Violation]:
        table, resources = self.schedule, self.instance.resources
        serves = None if resources is None else resources.operator_serves
        for row in np.flatnonzero(self.known).tolist():
            problem = _operator_problem(serves, table, int(row))
            if problem:
                message = f"the changeover before {self._row_name(row)} {problem}"
                times = (int(table.changeover_start[row]), int(table.changeover_end[row]))
                yield self._at(Kind.OPERATOR, row, times, message)
        for operator in range(0 if serves is None else len(serves)):
            yield from self._operator_overlaps(operator)

    def _operator_overlaps(self, operator: int) -> Iterator[Violation]:
        table = self.schedule
        busy = self.known & (table.resource == operator) & (table.changeover_end > table.changeover_start)
        rows = sorted(np.flatnonzero(busy).tolist(), key=lambda row: (table.changeover_start[row], row))
        for place, first in enumerate(rows):
            for second in rows[place + 1 :]:
                if table.changeover_start[second] >= table.changeover_end[first]:
                    break
                times = (int(table.changeover_start[second]), int(table.changeover_end[first]))
                message = (
                    f"operator {operator + 1} begins the changeover before {self._row_name(second)} at {times[0]}, "
                    f"while busy until {times[1]}"
                )
                yield self._at(Kind.OPERATOR_OVERLAP, second, times, message)


def _positions(instance: Instance) -> list[int]:
    """1-based position of each task within its job."""
    count = [0] * instance.num_jobs
    positions = []
    for job in instance.task_job.tolist():
        count[job] += 1
        positions.append(count[job])
    return positions


def _operator_problem(serves: np.ndarray | None, table: Schedule, row: int) -> str | None:
    """What is wrong with the operator of one row, in words; None if nothing is."""
    operator, agent = int(table.resource[row]), int(table.agent[row])
    needed = (
        serves is not None and bool(serves[:, agent].any()) and table.changeover_end[row] > table.changeover_start[row]
    )
    if not needed:
        return None if operator == NO_RESOURCE else f"names operator {operator + 1}, but needs none"
    assert serves is not None
    if operator == NO_RESOURCE:
        return "has no operator, but needs one"
    if not 0 <= operator < len(serves):
        return f"names operator {operator + 1}; there are {len(serves)}"
    return None if serves[operator, agent] else f"names operator {operator + 1}, who does not serve this agent"


def _changeover_time(changeover: Changeover | None, agent: int, before: int | None, task: int) -> int:
    """Time from the state that task ``before`` (None: home) leaves the agent in, to that of ``task``."""
    if changeover is None:
        return 0
    state = changeover.agent_home[agent] if before is None else changeover.task_state[before]
    if state == NO_STATE:
        return 0
    return int(changeover.times[changeover.agent_matrix[agent], state, changeover.task_state[task]])
