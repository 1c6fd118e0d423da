import pytest

from problems import InstanceError, Job, Task, build_instance
from problems.simulator import replay


def two_by_two():
    """Two jobs with opposite routes."""
    jobs = [Job([Task({0: 3}), Task({1: 2})]), Job([Task({1: 2}), Task({0: 4})])]
    return build_instance("shop", "jsp", ["machine_0", "machine_1"], jobs)


def test_replay_starts_everything_as_early_as_the_plan_allows():
    """Times follow from the orders alone."""
    schedule = replay(two_by_two(), [[0, 3], [2, 1]])
    assert dict(zip(schedule.task.tolist(), schedule.start.tolist(), strict=True)) == {0: 0, 2: 0, 1: 3, 3: 3}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([[3, 0], [1, 2]], "cannot go on"),
        ([[0], [2, 1]], "leaves out job 2, task 2"),
        ([[0, 3, 0], [2, 1]], "cannot go on"),
        ([[0, 2], [3, 1]], "not eligible"),
        ([[0, 3]], "1 agents"),
    ],
)
def test_replay_refuses_impossible_plans(plan, message):
    """Circular orders, missing, repeated and misplaced tasks are named."""
    with pytest.raises(InstanceError, match=message):
        replay(two_by_two(), plan)


def test_replay_waits_for_jobs_that_are_revealed_late():
    """A plan made with hindsight is replayed although the simulator hides a job until its reveal."""
    jobs = [Job([Task({0: 2})], release=5, reveal=5), Job([Task({0: 1})])]
    schedule = replay(build_instance("late", "jsp", ["machine_0"], jobs), [[0, 1]])
    assert schedule.start.tolist() == [5, 7]
