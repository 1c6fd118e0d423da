"""Objectives are recomputed from the table alone."""

from __future__ import annotations

import pytest
from small_tables import SHOP_ROWS, table

from problems import Job, Objective, Task
from problems.build import build_instance
from problems.check import check
from problems.measure import in_source_unit


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
