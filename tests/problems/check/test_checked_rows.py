"""Rules about rows, agents and jobs: the checker accepts what is right and names everything that is wrong."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from small_tables import SETUP_ROWS, SHOP_ROWS, kinds, mutate, only, setups, shop, table, without

from problems import Job, Resources, Schedule, Task, UnsupportedError
from problems.build import build_instance
from problems.check import Kind, check


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
