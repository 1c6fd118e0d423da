import numpy as np
import pytest

from problems import NO_STATE, Changeover, IllegalActionError, Job, Objective, Task, build_instance
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import Filter, Simulator, replay
from problems.simulator.candidates import next_event


def shop(*jobs, **switches):
    """Job shop from lists of (machine, duration)."""
    machines = 1 + max(machine for job in jobs for machine, _ in job)
    rows = [Job([Task({machine: time}) for machine, time in job]) for job in jobs]
    return build_instance("shop", "jsp", [f"machine_{k}" for k in range(machines)], rows, **switches)


def setups(matrix, durations, home=NO_STATE, needs_task=False, returns=False, releases=None):
    """One machine, one task per job, changeovers between all of them."""
    releases = releases or [0] * len(durations)
    jobs = [Job([Task({0: time})], release=release) for time, release in zip(durations, releases, strict=True)]
    changeover = Changeover(
        np.array([matrix]), np.array([0]), np.arange(len(durations)), np.array([home]), returns, needs_task
    )
    return build_instance("setups", "upms", ["machine_0"], jobs, changeover=changeover)


def play(simulator, choose):
    """Commit what ``choose`` picks from the candidates until all is done."""
    while not simulator.done:
        simulator.commit(*choose(simulator.candidates()))
    return simulator


def test_commit_waits_for_machine_and_predecessor():
    """A task starts when both its machine and its predecessor are done."""
    simulator = Simulator(shop([(0, 3), (1, 2)], [(1, 4), (0, 1)]), Filter.FULL)
    for agent, task in [(0, 0), (1, 2), (1, 1), (0, 3)]:
        simulator.commit(agent, task)
    schedule = simulator.schedule()
    assert dict(zip(schedule.task, schedule.start, strict=True)) == {0: 0, 2: 0, 1: 4, 3: 4}
    assert simulator.objective() == 6


@pytest.mark.parametrize(
    ("agent", "task", "reason"),
    [(0, 1, "predecessor"), (1, 0, "not eligible"), (5, 0, "no such agent"), (-1, 0, "no such agent"), (0, 9, "task")],
)
def test_illegal_commitments_change_nothing(agent, task, reason):
    """An illegal action raises, names the reason, and leaves the state as it was."""
    simulator = Simulator(shop([(0, 3), (0, 2)], [(1, 4)]))
    before = [array.copy() for array in simulator.state]
    with pytest.raises(IllegalActionError, match=reason):
        simulator.commit(agent, task)
    assert all(np.array_equal(old, new) for old, new in zip(before, simulator.state, strict=True))


def test_a_task_cannot_be_done_twice():
    """Committed tasks are refused."""
    simulator = Simulator(shop([(0, 3), (1, 2)]))
    simulator.commit(0, 0)
    with pytest.raises(IllegalActionError, match="done"):
        simulator.commit(0, 0)


def test_release_and_reveal_are_two_things():
    """A released-later job that is revealed can be reserved; a hidden one is not a candidate."""
    known = build_instance("known", "jsp", ["machine_0"], [Job([Task({0: 2})], release=5)])
    assert Simulator(known, Filter.FULL).candidates() == [(0, 0)]
    jobs = [Job([Task({0: 2})], release=5, reveal=5), Job([Task({0: 9})])]
    hidden = Simulator(build_instance("hidden", "jsp", ["machine_0"], jobs), Filter.FULL)
    assert hidden.candidates() == [(0, 1)]
    with pytest.raises(IllegalActionError, match="revealed"):
        hidden.commit(0, 0)
    hidden.commit(0, 1)
    assert hidden.candidates() == [(0, 0)]
    assert hidden.now == 9


def test_changeovers_count_from_home_and_in_order():
    """Initial and asymmetric setups: setup[from][to] lies before each task."""
    matrix = [[0, 7, 2], [1, 0, 5], [4, 6, 0]]
    simulator = Simulator(setups(matrix, [10, 10, 10], home=1), Filter.FULL)
    for task in (0, 2, 1):
        simulator.commit(0, task)
    schedule = simulator.schedule()
    assert schedule.start.tolist() == [1, 13, 29]
    assert schedule.changeover_start.tolist() == [0, 11, 23]
    assert schedule.changeover_end.tolist() == [1, 13, 29]


@pytest.mark.parametrize(("needs_task", "start"), [(False, 20), (True, 25)])
def test_setups_are_anticipatory_unless_they_need_the_task(needs_task, start):
    """A setup of 5 before a task released at 20 is done by then, or begins then."""
    matrix = [[0, 5], [5, 0]]
    simulator = Simulator(setups(matrix, [3, 3], needs_task=needs_task, releases=[0, 20]), Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(0, 1)
    assert simulator.schedule().start.tolist() == [0, start]


def test_moving_delay_is_paid_when_the_job_changes():
    """An executor pays the delay for the first task of a job, not for the next one of the same job."""
    jobs = [Job([Task({0: 3}), Task({0: 3})]), Job([Task({0: 3})])]
    simulator = Simulator(build_instance("moves", "custom", ["executor_0"], jobs, moving_delay=2), Filter.FULL)
    for task in (0, 1, 2):
        simulator.commit(0, task)
    assert simulator.schedule().start.tolist() == [2, 5, 10]


def test_pieces_are_committed_one_by_one():
    """A stage of three pieces needs three commitments before its successor opens."""
    jobs = [Job([Task({0: 2, 1: 2}, pieces=3), Task({0: 1, 1: 1})])]
    simulator = Simulator(build_instance("stages", "custom", ["executor_0", "executor_1"], jobs), Filter.FULL)
    for agent in (0, 1, 0):
        assert (0, 1) not in simulator.candidates()
        simulator.commit(agent, 0)
    simulator.commit(1, 1)
    schedule = simulator.schedule()
    assert schedule.piece.tolist() == [0, 1, 2, 0]
    assert simulator.objective() == 5


def test_routes_return_to_the_depot():
    """The longest route counts the way home, and an idle agent has length 0."""
    coordinates = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]])
    from problems.families.mtsp import multiple_tsp

    simulator = Simulator(multiple_tsp("triangle", coordinates, 2, scale=1), Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(0, 1)
    assert simulator.objective() == 12


def test_waiting_costs_no_length():
    """An agent of a route problem that waits has the same route length as one that does not."""
    instance = random_multiple_tsp(6, 2, seed=3)
    simulator = Simulator(instance)
    simulator.candidates()
    simulator.wait(1)
    play(simulator, lambda pairs: pairs[0])
    plan = simulator.schedule().sequences(instance.num_agents)
    twin = Simulator(instance, Filter.FULL)
    for agent, order in enumerate(plan):
        for task in order:
            twin.commit(agent, task)
    assert twin.objective() == simulator.objective()


def test_waiting_is_refused_when_nothing_can_change():
    """The last free agent without a future event must act: no deadlock, no endless episode."""
    simulator = Simulator(shop([(0, 3)], [(1, 4)]))
    assert simulator.candidates() == [(0, 0), (1, 1)]
    simulator.wait(0)
    assert simulator.candidates() == [(1, 1)]
    with pytest.raises(IllegalActionError, match="no event"):
        simulator.wait(1)
    simulator.commit(1, 1)
    assert simulator.candidates() == [(0, 0)], "a commitment asks the waiting agent again"


def test_an_agent_that_waited_is_asked_at_the_next_event():
    """After everybody has waited or committed, the clock moves to the next end and asks again."""
    simulator = Simulator(shop([(0, 3)], [(1, 4)]))
    simulator.candidates()
    simulator.commit(1, 1)
    simulator.candidates()
    simulator.wait(0)
    assert next_event(simulator.problem, simulator.state) == 4
    assert simulator.candidates() == [(0, 0)]
    simulator.commit(0, 0)
    assert simulator.schedule().start.max() == 4, "it starts when it is decided, not in the past"


def best_over_all(simulator, waits=False):
    """Objective of the best episode, by exhaustive search."""
    if simulator.done:
        return simulator.objective()
    values = []
    for agent, task in simulator.candidates():
        twin = simulator.copy()
        twin.commit(agent, task)
        values.append(best_over_all(twin, waits))
    for agent in {agent for agent, _ in simulator.candidates()} if waits else ():
        twin = simulator.copy()
        try:
            twin.wait(agent)
        except IllegalActionError:
            continue
        values.append(best_over_all(twin, waits))
    return min(values)


def test_filters_reach_what_they_promise():
    """C22: the optimum 17 needs a reservation or a wait; non-delay schedules reach 21 at best."""
    instance = shop([(1, 5), (2, 5), (0, 5)], [(1, 6), (0, 1), (2, 5)])
    assert best_over_all(Simulator(instance, Filter.NON_DELAY)) == 21
    assert best_over_all(Simulator(instance, Filter.ACTIVE)) == 17
    assert best_over_all(Simulator(instance, Filter.NON_DELAY), waits=True) == 17
    assert best_over_all(Simulator(instance, Filter.FULL), waits=True) == 17


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("make", [lambda s: random_job_shop(5, 4, s), lambda s: random_multiple_tsp(8, 3, s)])
def test_replay_repeats_an_episode(make, seed):
    """The plan of any episode without voluntary waiting replays to the same schedule."""
    instance, random = make(seed), np.random.default_rng(seed)
    simulator = play(Simulator(instance), lambda pairs: pairs[random.integers(len(pairs))])
    assert replay(instance, simulator.schedule().sequences(instance.num_agents)) == simulator.schedule()


def test_copies_are_independent():
    """Committing in a copy leaves the original alone, and the copy can go on to the end."""
    simulator = Simulator(random_job_shop(4, 3, seed=1))
    for _ in range(5):
        simulator.commit(*simulator.candidates()[0])
    before = [array.copy() for array in simulator.state]
    play(simulator.copy(), lambda pairs: pairs[-1])
    assert all(np.array_equal(old, new) for old, new in zip(before, simulator.state, strict=True))


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (Objective.MAKESPAN, 9),
        (Objective.MEAN_FLOW_TIME, (4 - 1) + 9),
        (Objective.TOTAL_COMPLETION_TIME, 2 * 4 + 9),
        (Objective.TOTAL_WEIGHTED_TARDINESS, 2 * 1 + 0),
    ],
)
def test_objectives_by_hand(objective, expected):
    """Two jobs on one machine, ends 4 and 9, release 1, due 3, weights 2 and 1."""
    jobs = [Job([Task({0: 3})], release=1, due=3, weight=2), Job([Task({0: 5})])]
    instance = build_instance("sums", "custom", ["machine_0"], jobs, objective)
    simulator = Simulator(instance, Filter.FULL)
    simulator.commit(0, 0)
    simulator.commit(0, 1)
    assert simulator.objective() == expected
