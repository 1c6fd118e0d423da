"""Building an instance from jobs and tasks."""

from __future__ import annotations

import numpy as np
import pytest

from problems import NO_TIME, InstanceError, Job, Objective, Task, build_instance


def test_defaults() -> None:
    """A task follows the one before it; jobs are released at 0, weigh 1 and are named by number."""
    instance = build_instance("x", "custom", ["a"], [Job([Task({0: 1}), Task({0: 2}), Task({0: 3})]), Job([])])
    assert [instance.predecessors(task).tolist() for task in range(3)] == [[], [0], [1]]
    assert instance.job_names == ("1", "2")
    assert instance.objective is Objective.MAKESPAN
    for array, value in (
        (instance.job_release, 0),
        (instance.job_reveal, 0),
        (instance.job_due, NO_TIME),
        (instance.job_deadline, NO_TIME),
        (instance.job_weight, 1),
    ):
        assert array.tolist() == [value, value]
    assert instance.agent_available.tolist() == [0]


def test_everything_said_is_kept() -> None:
    """What jobs, tasks and switches say arrives in the arrays; agents of a task are sorted."""
    tasks = [Task({1: 7, 0: 5}, pieces=3), Task({1: 2}, after=[])]
    job = Job(tasks, name="j", release=1, reveal=2, due=30, deadline=40, weight=5)
    instance = build_instance(
        "x", "custom", ("a", "b"), [Job([Task({0: 9})]), job], agent_available=np.array([3, 4]), scale=10
    )
    assert instance.eligible(1)[0].tolist() == [0, 1]
    assert instance.eligible(1)[1].tolist() == [5, 7]
    assert instance.predecessors(2).tolist() == []
    assert instance.task_pieces.tolist() == [1, 3, 1]
    assert instance.task_job.tolist() == [0, 1, 1]
    columns = (instance.job_release, instance.job_reveal, instance.job_due, instance.job_deadline, instance.job_weight)
    assert [int(column[1]) for column in columns] == [1, 2, 30, 40, 5]
    assert instance.job_names == ("1", "j")
    assert instance.agent_available.tolist() == [3, 4]
    assert instance.scale == 10


def test_positions_count_within_the_job() -> None:
    """`after` counts within the job, whatever comes before it."""
    jobs = [Job([Task({0: 1})] * 2), Job([Task({0: 1}, after=[2]), Task({0: 1}, after=[0, 2]), Task({0: 1}, after=[])])]
    instance = build_instance("x", "custom", ("a",), jobs)
    assert [instance.predecessors(task).tolist() for task in range(2, 5)] == [[4], [2, 4], []]


@pytest.mark.parametrize("after", [[3], [-1]])
def test_unknown_positions_are_refused(after: list[int]) -> None:
    """A task cannot come after one that its job does not have (C28)."""
    with pytest.raises(InstanceError, match="job j, task 1 comes after unknown task"):
        build_instance("x", "custom", ("a",), [Job([Task({0: 1}, after=after)], name="j")])


def test_unknown_agents_and_switches_are_refused() -> None:
    """An agent that does not exist, a task that none can do, and a misspelt switch are refused."""
    with pytest.raises(InstanceError, match="eligible_agent holds 1"):
        build_instance("x", "custom", ("a",), [Job([Task({1: 1})])])
    with pytest.raises(InstanceError, match="job 1, task 1 has no eligible agent"):
        build_instance("x", "custom", ("a",), [Job([Task({})])])
    with pytest.raises(TypeError, match="chnageover"):
        build_instance("x", "custom", ("a",), [], chnageover=None)
