import numpy as np
import pytest

from problems import NO_STATE, Changeover, Job, Resources, Task, build_instance
from problems.check import check
from problems.schedule import NO_RESOURCE
from problems.simulator import Filter, Simulator
from problems.simulator.candidates import next_event


def resources(num_tasks, num_agents, capacity=(), task_use=None, changeover_use=None, serves=None):
    """Resources of which all that is not given is 0."""
    count = len(capacity)
    return Resources(
        capacity=np.array(capacity, np.int64),
        task_use=np.zeros((num_tasks, count), np.int64) if task_use is None else np.array(task_use),
        changeover_use=np.zeros((num_agents, count), np.int64) if changeover_use is None else np.array(changeover_use),
        operator_serves=np.zeros((0, num_agents), bool) if serves is None else np.array(serves, bool),
    )


def machines(durations, setup=0, releases=None, needs_task=False, **uses):
    """Like machines, a first setup of the same length before each task, one task per job."""
    num_tasks, num_agents = len(durations), 2
    releases = releases or [0] * num_tasks
    everywhere = [
        Job([Task({0: time, 1: time})], release=release) for time, release in zip(durations, releases, strict=True)
    ]
    times = np.full((1, num_tasks + 1, num_tasks + 1), setup)
    home = np.full(num_agents, num_tasks if setup else NO_STATE)
    changeover = Changeover(times, np.zeros(num_agents, int), np.arange(num_tasks), home, needs_task=needs_task)
    return build_instance(
        "machines", "custom", ["machine_0", "machine_1"], everywhere, changeover=changeover,
        resources=resources(num_tasks, num_agents, **uses),
    )  # fmt: skip


def rows(simulator):
    """Agent, changeover start, start, end, operator of each row by task."""
    table = simulator.schedule()
    columns = (table.agent, table.changeover_start, table.start, table.end, table.resource)
    return dict(zip(table.task.tolist(), zip(*(column.tolist() for column in columns), strict=True), strict=True))


def test_changeovers_take_turns_at_one_operator():
    """The second machine's setup waits for the only operator, its task for the setup."""
    simulator = Simulator(machines([3, 4], setup=2, serves=[[1, 1]]), Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(1, 1)
    assert rows(simulator) == {0: (0, 0, 2, 5, 0), 1: (1, 2, 4, 8, 0)}


def test_an_operator_serves_only_its_machines():
    """Machine 1 takes the operator that can serve it, though the first one is idle."""
    simulator = Simulator(machines([3, 4], setup=2, serves=[[1, 0], [0, 1]]), Filter.FULL)
    simulator.commit(1, 1)
    simulator.commit(0, 0)
    assert rows(simulator) == {0: (0, 0, 2, 5, 0), 1: (1, 0, 2, 6, 1)}


def test_changeovers_share_a_capacity():
    """Changeovers that use a resource of capacity 1 follow each other without naming an operator."""
    simulator = Simulator(machines([3, 4], setup=2, capacity=[1], changeover_use=[[1], [1]]), Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(1, 1)
    assert rows(simulator) == {0: (0, 0, 2, 5, NO_RESOURCE), 1: (1, 2, 4, 8, NO_RESOURCE)}


def test_tasks_share_a_capacity():
    """A task waits until enough units are back, not merely until one is."""
    simulator = Simulator(machines([3, 5], capacity=[3], task_use=[[2], [2]]), Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(1, 1)
    assert rows(simulator)[1] == (1, 3, 3, 8, NO_RESOURCE)


def test_a_gap_before_a_later_use_is_filled():
    """A resource that is reserved later serves a shorter task before."""
    instance = machines([3, 2], releases=[4, 0], capacity=[1], task_use=[[1], [1]])
    simulator = Simulator(instance, Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(1, 1)
    assert rows(simulator)[1] == (1, 0, 0, 2, NO_RESOURCE)


def test_a_gap_that_is_too_short_is_not_filled():
    """A use must fit as a whole: it may not run into a reservation."""
    instance = machines([3, 5], releases=[4, 0], capacity=[1], task_use=[[1], [1]])
    simulator = Simulator(instance, Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(1, 1)
    assert rows(simulator)[1] == (1, 7, 7, 12, NO_RESOURCE)


def test_the_end_of_a_setup_is_an_event():
    """Who waits is asked again when the operator comes free, though no machine does."""
    simulator = Simulator(machines([3, 4], setup=2, serves=[[1, 1]]), Filter.NON_DELAY)
    assert simulator.candidates() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    simulator.commit(0, 0)
    assert next_event(simulator.problem, simulator.state) == 2
    assert simulator.candidates() == [(1, 1)]
    assert simulator.now == 2


@pytest.mark.parametrize("seed", range(12))
def test_random_episodes_pass_the_checker(seed):
    """Whatever is committed in whatever order, no resource is used twice."""
    random = np.random.default_rng(seed)
    count = 8
    instance = machines(
        random.integers(0, 9, count).tolist(),
        setup=int(random.integers(1, 5)),
        releases=random.integers(0, 12, count).tolist(),
        needs_task=bool(seed % 2),
        capacity=[2, 1],
        task_use=random.integers(0, [3, 2], (count, 2)),
        changeover_use=random.integers(0, [3, 2], (2, 2)),
        serves=random.integers(0, 2, (2, 2)),
    )
    for candidate_filter in Filter:
        simulator = Simulator(instance, candidate_filter)
        while not simulator.done:
            choices = simulator.candidates()
            simulator.commit(*choices[random.integers(len(choices))])
        assert check(instance, simulator.schedule()).violations == ()
