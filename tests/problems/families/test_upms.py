"""Building unrelated parallel machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from problems import NO_STATE, InstanceError
from problems.families import parallel_machines

DURATIONS = np.array([[4, 3], [2, 4], [4, -1]])  # [n, m]
SETUPS = np.arange(18).reshape(2, 3, 3)  # [m, n, n]


def test_jobs_are_tasks_with_setups_per_machine() -> None:
    """Job i is task i, -1 forbids a machine, and the first job of a machine needs no setup unless one is given."""
    instance = parallel_machines("u", DURATIONS, SETUPS, releases=[0, 1, 2], scale=10)
    assert instance.durations.tolist() == DURATIONS.tolist()
    assert (instance.family, instance.scale, instance.num_jobs, instance.num_tasks) == ("upms", 10, 3, 3)
    assert instance.agent_names == ("machine_0", "machine_1")
    assert instance.job_release.tolist() == [0, 1, 2]
    changeover = instance.changeover
    assert changeover is not None and instance.resources is None
    assert changeover.times.tolist() == SETUPS.tolist()
    assert changeover.agent_home.tolist() == [NO_STATE, NO_STATE]
    assert not changeover.returns and not changeover.needs_task


@pytest.mark.parametrize("setups", [SETUPS, None])
def test_initial_setups_are_a_home_state(setups: Any) -> None:
    """With initial setups each machine starts in a state of its own, from which they are counted (C16)."""
    initial = np.array([[1, 2, 3], [4, 5, 6]])
    changeover = parallel_machines("u", DURATIONS, setups, initial).changeover
    assert changeover is not None
    assert changeover.agent_home.tolist() == [3, 3]
    assert changeover.times[:, 3, :3].tolist() == initial.tolist()
    assert changeover.times[:, :3, :3].tolist() == (SETUPS if setups is not None else np.zeros((2, 3, 3))).tolist()


def test_without_setups_there_are_no_changeovers() -> None:
    """R||Cmax has no changeovers at all."""
    assert parallel_machines("u", DURATIONS, None).changeover is None


def test_operators_and_capacity_bind_setups() -> None:
    """Operators are named workers with machines; a capacity is one resource of which each setup uses one unit."""
    operators = np.array([[True, False], [True, True], [False, True]])
    resources = parallel_machines("u", DURATIONS, SETUPS, operators=operators).resources
    assert resources is not None
    assert resources.operator_serves.tolist() == operators.tolist()
    assert len(resources.capacity) == 0
    resources = parallel_machines("u", DURATIONS, SETUPS, setup_capacity=2).resources
    assert resources is not None
    assert resources.capacity.tolist() == [2]
    assert resources.changeover_use.tolist() == [[1], [1]]
    assert resources.task_use.tolist() == [[0], [0], [0]]
    assert resources.operator_serves.shape == (0, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"durations": np.array([[1, 1], [-1, -1], [1, 1]])}, "job 2, task 1 has no eligible agent"),
        ({"durations": np.array([[1, 1], [-2, 1], [1, 1]])}, "durations hold -2; use -1"),
        ({"durations": np.array([1, 2])}, r"durations have shape \(2,\); expected \(n, m\)"),
        ({"setups": np.zeros((3, 3, 2))}, r"setups has shape \(3, 3, 2\); expected \(2, 3, 3\)"),
        ({"setups": -SETUPS}, "changeover.times must not be negative"),
        ({"initial_setups": np.zeros((3, 2))}, r"initial_setups has shape \(3, 2\); expected \(2, 3\)"),
        ({"releases": [1]}, "releases has 1 entries; expected one per job: 3"),
        ({"operators": np.ones((1, 3))}, r"operators have shape \(1, 3\); expected \(W, 2\)"),
        ({"setup_capacity": 0}, "setup_capacity is 0; expected at least 1"),
        ({"setups": None, "setup_capacity": 1}, "bind setups, of which there are none"),
    ],
)
def test_mistakes_are_refused(change: dict[str, Any], message: str) -> None:
    """A job that no machine can process (C19), wrong shapes and numbers out of range are refused."""
    with pytest.raises(InstanceError, match=message):
        parallel_machines(**({"name": "u", "durations": DURATIONS, "setups": SETUPS} | change))
