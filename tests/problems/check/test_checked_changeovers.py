"""Rules about changeovers and moves, and what routes are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_tables import SETUP_ROWS, kinds, mutate, only, setups, table

from problems import Changeover, Instance, Job, Objective, Task
from problems.build import build_instance
from problems.check import Kind, check
from problems.measure import integer_objective


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
