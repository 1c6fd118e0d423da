"""Results tell the truth, or are not made."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from problems import Instance, Job, Schedule, Task, build_instance
from solvers import Budget, LogEntry, Result, SolverError, Status, finish

KEYS = [
    "instance",
    "family",
    "preset",
    "solver",
    "status",
    "objective",
    "lower_bound",
    "gap",
    "runtime_s",
    "seed",
    "checked",
    "clairvoyant",
    "tolerance",
    "versions",
]


def one_task(duration: int = 7) -> Instance:
    return build_instance("one", "jsp", ("M0",), [Job([Task({0: duration})])])


def schedule(duration: int = 7) -> Schedule:
    zero = np.zeros(1, np.int64)
    return Schedule.from_times(zero, zero, zero, zero + duration)


def result(**changes: Any) -> Result:
    fields = {
        "instance_name": "x",
        "family": "jsp",
        "solver": "s",
        "status": Status.FEASIBLE,
        "objective": 10,
        "lower_bound": 8,
        "runtime_s": 0.5,
        "seed": 1,
        "schedule": schedule(),
    }
    return Result(**{**fields, **changes})


NOTHING = {"objective": None, "schedule": None}


def test_status_follows_bound_and_schedule():
    """Optimal is said exactly when the bound meets the objective."""
    made = {bound: finish(one_task(), "s", 0, 0.1, schedule(), bound).status for bound in (None, 6, 7)}
    assert made == {None: Status.FEASIBLE, 6: Status.FEASIBLE, 7: Status.OPTIMAL}
    assert finish(one_task(), "s", 0, 0.1, None, 6).status is Status.UNKNOWN
    assert finish(one_task(), "s", 0, 0.1, None, infeasible=True).status is Status.INFEASIBLE


def test_invalid_schedule_is_an_error():
    """A schedule that fails the checker never becomes a result; the message says why."""
    with pytest.raises(SolverError, match="its duration is 7"):
        finish(one_task(), "s", 0, 0.1, schedule(6))


@pytest.mark.parametrize(
    "changes",
    [
        {"lower_bound": 11},
        {"status": Status.OPTIMAL},
        {"status": Status.OPTIMAL, "lower_bound": None},
        {"status": Status.UNKNOWN},
        {"status": Status.INFEASIBLE},
        {"status": Status.FEASIBLE, **NOTHING},
        {"schedule": None},
        {"objective": math.inf},
        {"lower_bound": math.nan},
        {"lower_bound": -math.inf},
    ],
)
def test_contradictions_are_errors(changes: dict[str, Any]):
    """No result claims a proof it lacks, a value below its bound, or a value without a schedule."""
    with pytest.raises(SolverError):
        result(**changes)


def test_schedule_of_an_infeasible_instance_is_an_error():
    """Nobody proves that there is no schedule and shows one."""
    with pytest.raises(SolverError, match="infeasible"):
        finish(one_task(), "s", 0, 0.1, schedule(), infeasible=True)


@pytest.mark.parametrize(
    ("changes", "gap"),
    [
        ({}, 0.2),
        ({"lower_bound": 10, "status": Status.OPTIMAL}, 0.0),
        ({"objective": 0, "lower_bound": 0, "status": Status.OPTIMAL}, 0.0),
        ({"lower_bound": None}, None),
        ({**NOTHING, "status": Status.UNKNOWN}, None),
    ],
)
def test_gap(changes: dict[str, Any], gap: float | None):
    """The gap is a fraction of the objective, 0 for 0/0, and nothing without both values."""
    assert result(**changes).gap == gap


def test_tolerance_is_stated_and_bounds_what_is_called_optimal():
    """A proof on rounded lengths holds within the stated tolerance and no further."""
    close = {"objective": 10.004, "lower_bound": 10.0, "status": Status.OPTIMAL}
    assert result(**close, tolerance=0.005).to_json()["tolerance"] == 0.005
    with pytest.raises(SolverError):
        result(**close, tolerance=0.003)


def test_json_has_exactly_the_promised_keys():
    """Scripts rely on the keys; unknown is null and never a number."""
    unknown = finish(one_task(), "s", 3, 0.1, None, log=[LogEntry(0.1, None, 5)]).to_json()
    assert list(unknown) == KEYS
    assert unknown["objective"] is None and unknown["gap"] is None and unknown["checked"] is False
    assert json.loads(json.dumps(unknown, allow_nan=False)) == unknown
    assert {"makespan", "python", "ortools", "numba"} <= set(unknown["versions"])


@pytest.mark.parametrize("limits", [{"time_limit": -1.0}, {"time_limit": math.nan}, {"samples": 0}, {"workers": 0}])
def test_budget_refuses_nonsense(limits: dict[str, Any]):
    """Limits that mean nothing are refused by name."""
    with pytest.raises(ValueError, match=next(iter(limits))):
        Budget(**limits)


def test_missed_deadline_is_no_schedule():
    """A schedule that only misses deadlines is none found in time, any other fault is an error."""
    late = build_instance("late", "jsp", ("M0",), [Job([Task({0: 7})], deadline=5)])
    made = finish(late, "s", 0, 0.1, schedule(), 5, log=[LogEntry(0.1, 7, 5)])
    assert (made.status, made.objective, made.schedule, made.log) == (Status.UNKNOWN, None, None, ())
    with pytest.raises(SolverError, match="lasts"):
        finish(late, "s", 0, 0.1, schedule(6), 5)
