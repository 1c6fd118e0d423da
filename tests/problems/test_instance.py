"""The model: immutable arrays, views derived from them, equality and units."""

from __future__ import annotations

import numpy as np
import pytest

from problems import Changeover, Instance, InstanceError, Job, Task, build_instance


def diamond() -> Instance:
    """One job: task 0, then 1 and 2, then 3; two agents."""
    tasks = [Task({0: 3, 1: 5}), Task({1: 2}, after=[0]), Task({0: 4}, after=[0]), Task({0: 1}, after=[1, 2])]
    return build_instance("diamond", "custom", ("a", "b"), [Job(tasks, name="j")])


def test_counts_and_views() -> None:
    """Counts, the duration matrix and both sides of precedence follow from the arrays."""
    instance = diamond().replace(task_pieces=np.array([1, 2, 1, 3]))
    assert (instance.num_agents, instance.num_jobs, instance.num_tasks, instance.num_pieces) == (2, 1, 4, 7)
    assert instance.durations.tolist() == [[3, 5], [-1, 2], [4, -1], [1, -1]]
    assert [instance.predecessors(task).tolist() for task in range(4)] == [[], [0], [0], [1, 2]]
    pointer, follower = instance.successors
    assert [follower[pointer[task] : pointer[task + 1]].tolist() for task in range(4)] == [[1, 2], [3], [3], []]
    agents, durations = instance.eligible(0)
    assert (agents.tolist(), durations.tolist()) == ([0, 1], [3, 5])


def test_nothing_can_be_changed() -> None:
    """Arrays are copied in, typed and read-only, also in the switches and the derived views."""
    release = np.array([4.0])
    times = np.zeros((1, 1, 1), np.int32)
    home = np.zeros(2, np.int64)
    changeover = Changeover(times, home, np.zeros(4, np.int64), home)
    instance = diamond().replace(job_release=release, changeover=changeover)
    release[0], times[0, 0, 0] = 9, 9
    assert instance.job_release.tolist() == [4]
    assert instance.job_release.dtype == np.int64
    assert instance.changeover is not None
    assert instance.changeover.times.tolist() == [[[0]]]
    views = (instance.job_release, instance.changeover.times, instance.durations, *instance.successors)
    for array in views:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1
    with pytest.raises(AttributeError):
        instance.name = "other"  # type: ignore[misc]


def test_copies_are_validated() -> None:
    """A changed copy is checked like a new instance."""
    assert diamond().replace(scale=10).scale == 10
    with pytest.raises(InstanceError, match="scale is 0"):
        diamond().replace(scale=0)


def test_equality_is_by_content() -> None:
    """Equal data make equal instances with equal hashes; any difference shows."""
    home = np.zeros(2, np.int64)
    changeover = Changeover(np.zeros((1, 1, 1), np.int64), home, np.zeros(4, np.int64), home)
    assert diamond() == diamond()
    assert hash(diamond()) == hash(diamond())
    assert diamond() != "diamond"
    assert diamond().replace(changeover=changeover) != diamond()
    assert diamond().replace(changeover=changeover) == diamond().replace(changeover=changeover)
    for change in ({"name": "x"}, {"scale": 2}, {"retire": True}, {"job_release": np.array([1])}):
        assert diamond().replace(**change) != diamond()


def test_times_in_the_unit_of_the_source() -> None:
    """Integer times become ints where exact, else floats (C08)."""
    instance = diamond().replace(scale=4)
    assert instance.to_unit(17) == 4.25
    assert instance.to_unit(16) == 4 and isinstance(instance.to_unit(16), int)
    assert instance.to_unit(np.int64(-2)) == -0.5
    assert diamond().to_unit(33554433) == 33554433
