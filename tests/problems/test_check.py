"""The checker: it accepts what is right and names everything that is wrong."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from problems import Changeover, Instance, Job, Objective, Resources, Schedule, Task, UnsupportedError
from problems.build import build_instance
from problems.check import Kind, Violation, check
from problems.measure import in_source_unit, integer_objective
from problems.schedule import COLUMNS


def table(*rows: tuple[int, ...]) -> Schedule:
    """Schedule of rows (task, agent, start, end[, changeover start, changeover end[, operator[, piece]]])."""
    full = []
    for row in rows:
        task, agent, start, end, *more = row
        begin, ready, operator, piece = (*more, *(start, start, -1, 0)[len(more) :])
        full.append((task, piece, agent, start, end, begin, ready, operator))
    columns = np.array(full, np.int64).reshape(-1, len(COLUMNS)).T
    return Schedule(*columns)


def mutate(schedule: Schedule, row: int, **changes: int) -> Schedule:
    """Copy with some cells of one row changed."""
    columns = {name: getattr(schedule, name).copy() for name in COLUMNS}
    for name, value in changes.items():
        columns[name][row] = value
    return Schedule(**columns)


def without(schedule: Schedule, row: int) -> Schedule:
    """Copy that lacks one row."""
    return Schedule(*(np.delete(getattr(schedule, name), row) for name in COLUMNS))


def kinds(instance: Instance, schedule: Schedule) -> set[Kind]:
    """Kinds of all violations."""
    return {violation.kind for violation in check(instance, schedule).violations}


def only(instance: Instance, schedule: Schedule) -> Violation:
    """The single violation of ``schedule``."""
    violations = check(instance, schedule).violations
    assert len(violations) == 1, violations
    return violations[0]


def shop(**switches: Any) -> Instance:
    """Two machines, two jobs of two operations: 3 on M0 then 2 on M1; 2 on M1 then 4 on M0."""
    jobs = [Job([Task({0: 3}), Task({1: 2})]), Job([Task({1: 2}), Task({0: 4})])]
    return build_instance("shop", "jsp", ("M0", "M1"), jobs, **switches)


SHOP_ROWS = ((0, 0, 0, 3), (1, 1, 3, 5), (2, 1, 0, 2), (3, 0, 3, 7))


def setups(needs_task: bool = False, returns: bool = False, **switches: Any) -> Instance:
    """One machine, two jobs of one operation of 2; setup 1 to the first state, 3 to the second; home is state 2."""
    times = np.array([[[0, 3, 4], [2, 0, 5], [1, 3, 0]]])
    changeover = Changeover(times, np.zeros(1), np.array([0, 1]), np.array([2]), returns, needs_task)
    jobs = switches.pop("jobs", [Job([Task({0: 2})]), Job([Task({0: 2})])])
    return build_instance("setups", "custom", ("M0",), jobs, changeover=changeover, **switches)


SETUP_ROWS = ((0, 0, 1, 3, 0, 1), (1, 0, 6, 8, 3, 6))


def test_valid_schedules_are_accepted():
    """A correct schedule must not be refused, and its objective is recomputed."""
    report = check(shop(), table(*SHOP_ROWS))
    assert report.valid and report.violations == () and report.objective == 7
    report = check(setups(), table(*SETUP_ROWS))
    assert report.valid and report.objective == 8


def test_dropped_row_is_missing():
    """A task that nobody does must be named, and no objective is claimed for the rest."""
    report = check(shop(), without(table(*SHOP_ROWS), 3))
    assert [(v.kind, v.task, v.agent) for v in report.violations] == [(Kind.MISSING, 1, None)]
    assert report.objective is None
    assert "job 1, task 2" in report.violations[0].message


def test_every_missing_piece_is_listed():
    """Each piece of a stage counts on its own."""
    instance = build_instance("pieces", "custom", ("M0",), [Job([Task({0: 1}, pieces=3)])])
    full = table((0, 0, 0, 1, 0, 0, -1, 0), (0, 0, 1, 2, 1, 1, -1, 1), (0, 0, 2, 3, 2, 2, -1, 2))
    assert check(instance, full).valid
    assert [v.kind for v in check(instance, table()).violations] == [Kind.MISSING] * 3
    assert only(instance, without(full, 1)).message.endswith("piece 1 is not scheduled")
    report = check(instance, mutate(full, 2, piece=3))
    assert [v.kind for v in report.violations] == [Kind.UNKNOWN_PIECE, Kind.MISSING]


def test_doubled_row_is_a_duplicate():
    """Doing a task twice must be named."""
    violation = only(shop(), table(*SHOP_ROWS, (3, 0, 7, 11)))
    assert (violation.kind, violation.task, violation.times) == (Kind.DUPLICATE, 3, (3, 7))


@pytest.mark.parametrize("task", [-1, 4])
def test_unknown_task(task: int):
    """A row of no task is named, and indices never wrap around."""
    report = check(shop(), table(*SHOP_ROWS, (task, 1, 5, 7)))
    assert [(v.kind, v.task) for v in report.violations] == [(Kind.UNKNOWN_TASK, task)]
    assert report.objective is None


@pytest.mark.parametrize("agent", [-1, 2])
def test_unknown_agent(agent: int):
    """A row of no agent is named, and indices never wrap around."""
    violation = only(shop(), mutate(table(*SHOP_ROWS), 0, agent=agent))
    assert (violation.kind, violation.agent) == (Kind.UNKNOWN_AGENT, agent)


def test_swapped_agents_are_not_eligible():
    """A task on a machine that cannot do it is named with that machine."""
    violation = only(shop(), mutate(table(*SHOP_ROWS), 2, agent=1, start=5, end=9))
    assert (violation.kind, violation.task, violation.agent) == (Kind.NOT_ELIGIBLE, 3, 1)


@pytest.mark.parametrize("end", [6, 8])
def test_shortened_and_stretched_tasks(end: int):
    """A task takes exactly its duration."""
    violation = only(shop(), mutate(table(*SHOP_ROWS), 2, end=end))
    assert (violation.kind, violation.task, violation.times) == (Kind.DURATION, 3, (3, end, 4))


def test_duration_is_that_of_the_agent():
    """On a flexible shop the duration belongs to the chosen machine."""
    instance = build_instance("flexible", "fjsp", ("M0", "M1"), [Job([Task({0: 3, 1: 5})])])
    assert check(instance, table((0, 1, 0, 5))).valid
    assert kinds(instance, table((0, 1, 0, 3))) == {Kind.DURATION}


def test_shifted_rows_overlap():
    """Two tasks at once on one machine are named together."""
    violation = only(shop(), mutate(table(*SHOP_ROWS), 2, start=2, end=6))
    assert (violation.kind, violation.task, violation.agent) == (Kind.OVERLAP, 3, 0)
    assert violation.times == (0, 3, 2, 6)


def test_every_overlapping_row_is_listed():
    """Each row that begins inside another one is named beside the one that ends last, also past a short one."""
    jobs = [Job([Task({0: length})]) for length in (9, 1, 5)]
    instance = build_instance("pile", "jsp", ("M0",), jobs)
    report = check(instance, table((0, 0, 0, 9), (1, 0, 1, 2), (2, 0, 1, 6)))
    assert [(v.kind, v.task, v.times) for v in report.violations] == [
        (Kind.OVERLAP, 1, (0, 9, 1, 2)),
        (Kind.OVERLAP, 2, (0, 9, 1, 6)),
    ]


def test_zero_length_task_may_touch_but_not_lie_inside():
    """Zero-length tasks follow the strict rule of CP-SAT's NoOverlap."""
    instance = build_instance("zero", "jsp", ("M0",), [Job([Task({0: 4})]), Job([Task({0: 0})])])
    for time, right in ((0, True), (2, False), (4, True)):
        assert check(instance, table((0, 0, 0, 4), (1, 0, time, time))).valid is right


def test_broken_precedence():
    """A task that starts before its predecessor ends is named with both times."""
    violation = only(shop(), mutate(table(*SHOP_ROWS), 3, start=2, end=4))
    assert (violation.kind, violation.task, violation.times) == (Kind.PRECEDENCE, 1, (2, 3))


def test_claim_below_the_optimum_breaks_precedence_in_all_jobs():
    """A schedule that ignores routes (16 against an optimum of 24) is refused with one fault per job."""
    routes = [[(1, 6), (0, 4), (2, 4)], [(1, 6), (0, 5), (2, 5)], [(1, 4), (2, 3), (0, 5)]]
    jobs = [Job([Task({machine: time}) for machine, time in route]) for route in routes]
    instance = build_instance("claim", "jsp", ("M0", "M1", "M2"), jobs)
    starts = {7: 0, 1: 0, 2: 4, 6: 0, 4: 4, 5: 9, 8: 9, 0: 4, 3: 10}
    rows = []
    for task, start in starts.items():
        (machine,), (time,) = instance.eligible(task)
        rows.append((task, machine, start, start + time))
    report = check(instance, table(*rows))
    assert report.objective == 16
    assert [v.kind for v in report.violations] == [Kind.PRECEDENCE] * 3
    assert [v.task for v in report.violations] == [1, 4, 7]


@pytest.mark.parametrize(
    ("field", "kind", "bound"),
    [("release", Kind.RELEASE, 1), ("reveal", Kind.REVEAL, 1), ("deadline", Kind.DEADLINE, 6)],
)
def test_times_of_the_job(field: str, kind: Kind, bound: int):
    """Release, reveal and deadline bind the tasks of their job."""
    jobs = [Job([Task({0: 3}), Task({1: 2})]), Job([Task({1: 2}), Task({0: 4})], **{field: bound})]
    instance = build_instance("times", "jsp", ("M0", "M1"), jobs)
    violation = only(instance, table(*SHOP_ROWS))
    assert violation.kind == kind and bound in violation.times


def test_agent_that_is_not_available_yet():
    """No task starts before its agent is available."""
    violation = only(shop(agent_available=np.array([0, 1])), table(*SHOP_ROWS))
    assert (violation.kind, violation.task, violation.agent) == (Kind.AGENT_AVAILABILITY, 2, 1)


@pytest.mark.parametrize(
    ("row", "changes", "kind"),
    [
        (0, {"changeover_start": 1}, Kind.CHANGEOVER_DURATION),
        (0, {"start": 0, "end": 2, "changeover_start": 0, "changeover_end": 0}, Kind.CHANGEOVER_DURATION),
        (1, {"changeover_start": 4}, Kind.CHANGEOVER_DURATION),
        (1, {"changeover_start": 2, "changeover_end": 5}, Kind.CHANGEOVER_OVERLAP),
        (1, {"start": 5, "end": 7}, Kind.CHANGEOVER_OVERLAP),
        (0, {"changeover_start": -1, "changeover_end": 0}, Kind.CHANGEOVER_EARLY),
    ],
    ids=["initial short", "initial left out", "short", "before the last task ends", "into its task", "before time 0"],
)
def test_changeovers(row: int, changes: dict[str, int], kind: Kind):
    """Changeovers, the initial one included, have their length and lie between the tasks."""
    assert only(setups(), mutate(table(*SETUP_ROWS), row, **changes)).kind == kind


def test_setups_are_not_symmetric():
    """The setup is looked up from the previous state to the next one."""
    assert check(setups(), table((1, 0, 3, 5, 0, 3), (0, 0, 7, 9, 5, 7))).valid
    assert kinds(setups(), table((1, 0, 3, 5, 0, 3), (0, 0, 8, 10, 5, 8))) == {Kind.CHANGEOVER_DURATION}


def test_changeover_that_needs_its_task():
    """A changeover may run ahead of the release unless the instance forbids it."""
    jobs = [Job([Task({0: 2})], release=1), Job([Task({0: 2})])]
    assert check(setups(jobs=jobs), table(*SETUP_ROWS)).valid
    assert kinds(setups(needs_task=True, jobs=jobs), table(*SETUP_ROWS)) == {Kind.CHANGEOVER_EARLY}


def test_changeover_before_the_agent_is_available():
    """An agent cannot change over before it is there."""
    assert kinds(setups(agent_available=np.array([1])), table(*SETUP_ROWS)) == {Kind.CHANGEOVER_EARLY}


def stages(moving_delay: int = 2, **switches: Any) -> Instance:
    """Two executors; job 1 is a stage of 3 pieces of 2 and a stage of 1; job 2 is one piece of 4."""
    jobs = [Job([Task({0: 2, 1: 2}, pieces=3), Task({0: 1, 1: 1})]), Job([Task({0: 4, 1: 4})])]
    return build_instance("stages", "spark", ("E0", "E1"), jobs, moving_delay=moving_delay, **switches)


STAGE_ROWS = (
    (0, 0, 2, 4, 0, 2, -1, 0),
    (0, 1, 2, 4, 0, 2, -1, 1),
    (0, 0, 4, 6, 4, 4, -1, 2),
    (2, 1, 6, 10, 4, 6),
    (1, 0, 6, 7),
)


def test_moving_delay():
    """An agent moves before its first task and when the job changes, not between pieces and stages of one job."""
    assert check(stages(), table(*STAGE_ROWS)).valid
    assert [v.kind for v in check(stages(3), table(*STAGE_ROWS)).violations] == [Kind.CHANGEOVER_DURATION] * 3
    none = table((0, 0, 0, 2), (0, 0, 2, 4, 2, 2, -1, 1), (0, 0, 4, 6, 4, 4, -1, 2), (1, 0, 6, 7), (2, 1, 0, 4))
    assert check(stages(0), none).valid


def test_moving_delay_adds_to_the_changeover():
    """Where agents move and change over, the two times add up, also in the length of a route."""
    rows = table((0, 0, 3, 5, 0, 3), (1, 0, 10, 12, 5, 10))
    assert check(setups(moving_delay=2), rows).valid
    assert kinds(setups(moving_delay=2), table(*SETUP_ROWS)) == {Kind.CHANGEOVER_DURATION}
    assert check(setups(moving_delay=2, returns=True, objective=Objective.LONGEST_ROUTE), rows).objective == 3 + 5 + 5


def test_large_schedules_are_checked_in_columns():
    """A schedule of 200,000 rows takes about a second, not minutes, also when every row is wrong."""
    jobs = [Job([Task(dict.fromkeys(range(50), 3), pieces=1000)]) for _ in range(200)]
    names = [f"E{number}" for number in range(50)]
    resources = Resources(np.array([50]), np.ones((200, 1)), np.zeros((50, 1)), np.zeros((0, 50)))
    instance = build_instance("stream", "spark", names, jobs, resources=resources)
    rows = np.arange(200_000)
    start = 3 * (rows // 50)
    none = np.full(len(rows), -1)
    right = Schedule(rows // 1000, rows % 1000, rows % 50, start, start + 3, start, start, none)
    began = perf_counter()
    assert check(instance, right).valid
    assert perf_counter() - began < 10
    piled = Schedule(rows // 1000, rows % 1000, rows % 50, 0 * start, 0 * start + 3, 0 * start, 0 * start, none)
    violations = check(instance, piled).violations
    assert len(violations) == 200_000 - 50 + 200_000
    assert perf_counter() - began < 60


def test_return_home_counts():
    """Where agents return, the way home is part of the makespan and of the longest route."""
    assert check(setups(returns=True), table(*SETUP_ROWS)).objective == 8 + 5
    longest = setups(returns=True, objective=Objective.LONGEST_ROUTE)
    assert check(longest, table(*SETUP_ROWS)).objective == 1 + 3 + 5
    assert (
        check(longest.replace(changeover=replace(longest.changeover, returns=False)), table(*SETUP_ROWS)).objective == 4
    )


def test_route_is_measured_on_real_coordinates():
    """Floored integers must not hide the real length; waiting costs none."""
    places = np.array([[0.0, 0.0], [1.0, 1.0]])
    times = np.array([[[0, 14], [14, 0]]])
    changeover = Changeover(times, np.zeros(1), np.array([1]), np.array([0]), returns=True)
    instance = build_instance(
        "real", "mtsp", ("A",), [Job([Task({0: 0})])], Objective.LONGEST_ROUTE,
        changeover=changeover, coordinates=places, scale=10,
    )  # fmt: skip
    report = check(instance, table((0, 0, 30, 30, 0, 14)))
    assert report.valid and report.objective == pytest.approx(8**0.5, abs=1e-12)
    assert integer_objective(instance, table((0, 0, 30, 30, 0, 14))) == 28


def crane(capacity: int, changeover_use: int = 0, serves: list[list[bool]] | None = None) -> Instance:
    """Two machines with setup 2 before their task of 3, which uses one unit of a resource."""
    changeover = Changeover(np.array([[[0, 0], [2, 0]]]), np.zeros(2), np.zeros(2), np.array([1, 1]))
    resources = Resources(
        np.array([capacity]),
        np.full((2, 1), min(1, capacity)),
        np.full((2, 1), changeover_use),
        np.array(serves if serves is not None else np.zeros((0, 2)), bool).reshape(-1, 2),
    )
    jobs = [Job([Task({0: 3})]), Job([Task({1: 3})])]
    return build_instance("crane", "custom", ("M0", "M1"), jobs, changeover=changeover, resources=resources)


def test_capacity_of_tasks_and_changeovers():
    """A renewable resource is shared by tasks and by changeovers; touching intervals do not add up."""
    together = table((0, 0, 2, 5, 0, 2), (1, 1, 2, 5, 0, 2))
    assert check(crane(2), together).valid
    assert kinds(crane(1), together) == {Kind.CAPACITY}
    apart = table((0, 0, 2, 5, 0, 2), (1, 1, 5, 8, 3, 5))
    assert check(crane(1), apart).valid
    violation = only(crane(1, changeover_use=1), apart)
    assert (violation.kind, violation.task, violation.times) == (Kind.CAPACITY, 1, (3, 2, 1))


@pytest.mark.parametrize(
    ("operator", "right"), [(0, True), (-1, False), (1, False), (2, False)], ids=["right", "none", "wrong", "unknown"]
)
def test_operators(operator: int, right: bool):
    """A changeover needs an operator who serves the machine."""
    instance = crane(2, serves=[[True, True], [False, True]])
    schedule = table((0, 0, 2, 5, 0, 2, operator), (1, 1, 4, 7, 2, 4, 1))
    assert kinds(instance, schedule) == (set() if right else {Kind.OPERATOR})


def test_operator_that_nobody_asked_for():
    """A row without a changeover that needs one must not name an operator."""
    assert kinds(shop(), mutate(table(*SHOP_ROWS), 0, resource=0)) == {Kind.OPERATOR}


def test_operator_is_in_one_place():
    """One operator does one changeover at a time."""
    instance = crane(2, serves=[[True, True]])
    both = table((0, 0, 2, 5, 0, 2, 0), (1, 1, 3, 6, 1, 3, 0))
    assert kinds(instance, both) == {Kind.OPERATOR_OVERLAP}
    assert check(instance, mutate(both, 1, changeover_start=2, changeover_end=4, start=4, end=7)).valid


@pytest.mark.parametrize(
    ("objective", "value"),
    [
        (Objective.MAKESPAN, 7),
        (Objective.MEAN_FLOW_TIME, 6),
        (Objective.TOTAL_COMPLETION_TIME, 3 * 5 + 2 * 7),
        (Objective.TOTAL_WEIGHTED_TARDINESS, 3 * 1 + 0),
    ],
)
def test_objectives(objective: Objective, value: int):
    """Each objective is recomputed from the table; jobs without a due date are never late."""
    jobs = [Job([Task({0: 3}), Task({1: 2})], due=4, weight=3), Job([Task({1: 2}), Task({0: 4})], weight=2)]
    instance = build_instance("objectives", "jsp", ("M0", "M1"), jobs, objective)
    assert check(instance, table(*SHOP_ROWS)).objective == value


def test_flow_time_counts_from_the_release():
    """A mean is divided by the number of jobs and by the scale, exactly where it can be."""
    jobs = [Job([Task({0: 3})], release=1), Job([], release=5)]
    instance = build_instance("flow", "jsp", ("M0",), jobs, Objective.MEAN_FLOW_TIME, scale=10)
    assert check(instance, table((0, 0, 2, 5))).objective == pytest.approx(4 / 20)
    assert in_source_unit(instance, 40) == 2 and isinstance(in_source_unit(instance, 40), int)


def test_scale_gives_the_unit_of_the_source():
    """Scaled fractions come back exactly."""
    instance = build_instance("quarters", "jsp", ("M0",), [Job([Task({0: 17})])], scale=4)
    assert check(instance, table((0, 0, 0, 17))).objective == 4.25


def test_no_jobs():
    """An instance without jobs has a valid empty schedule worth 0."""
    report = check(build_instance("empty", "jsp", ("M0",), []), table())
    assert report.valid and report.objective == 0


def test_many_faults_are_all_listed():
    """One broken rule does not hide another."""
    broken = mutate(mutate(table(*SHOP_ROWS), 1, end=9), 3, start=1, end=3)
    assert kinds(shop(agent_available=np.array([2, 2])), without(broken, 0)) >= {
        Kind.MISSING,
        Kind.DURATION,
        Kind.AGENT_AVAILABILITY,
        Kind.OVERLAP,
    }


def test_unchecked_features_are_refused_by_name():
    """What the checker does not check is refused, never waved through."""
    operators = Resources(np.zeros(0), np.zeros((2, 0)), np.zeros((1, 0)), np.ones((1, 1), bool))
    with pytest.raises(UnsupportedError, match="return trips that use a resource or an operator"):
        check(setups(returns=True, resources=operators), table(*SETUP_ROWS))
