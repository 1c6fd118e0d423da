"""Agents that serve stages, as in the simulator of arXiv 1810.01963: one small case, worked by hand, per rule."""

from contextlib import suppress

import numpy as np
import pytest

from problems import IllegalActionError, Job, Objective, Opens, Serves, Task, UnsupportedError, build_instance
from problems.check import check
from problems.generators import random_spark
from problems.simulator import Filter, Simulator, compile_problem, replay
from problems.simulator.arrays import BOUND, LOCAL


def cluster(num_executors, *jobs, delay=2, **changes):
    """Jobs as (arrival, stages); a stage is (pieces, duration, parents)."""
    everyone = range(num_executors)
    rows = [
        Job(
            [Task(dict.fromkeys(everyone, duration), parents, pieces) for pieces, duration, *parents in stages],
            release=arrival,
            reveal=arrival,
        )
        for arrival, stages in jobs
    ]
    names = [f"executor_{number}" for number in everyone]
    switches = {"opens": Opens.DISPATCHED, "serves": Serves.STAGE, "moving_delay": delay} | changes
    return build_instance("cluster", "spark", names, rows, Objective.MEAN_FLOW_TIME, **switches)


def start(instance):
    return Simulator(instance, Filter.FULL)


def rows(simulator):
    """Task, agent, start, end of each piece, in the order in which they began."""
    table = simulator.schedule()
    assert check(simulator.instance, table).valid or not simulator.done
    return list(zip(*(column.tolist() for column in (table.task, table.agent, table.start, table.end)), strict=True))


def test_reset_asks_for_all_executors():
    """Decision point d: at the start all executors are asked, one after the other, and begin after the moving delay."""
    simulator = start(cluster(3, (0, [(3, 4)])))
    for agent in range(3):
        assert (simulator.now, simulator.candidates()) == (0, [(agent, 0)])
        simulator.commit(agent, 0)
    assert simulator.done
    assert rows(simulator) == [(0, 0, 2, 6), (0, 1, 2, 6), (0, 2, 2, 6)]


def test_an_executor_serves_its_stage_without_being_asked():
    """Executor: it takes the next piece of its stage while there is any, with no move in between."""
    simulator = start(cluster(1, (0, [(3, 4)])))
    simulator.commit(0, 0)
    assert simulator.done
    assert rows(simulator) == [(0, 0, 2, 6), (0, 0, 6, 10), (0, 0, 10, 14)]


def waiting_child():
    """Three pieces on two executors, then a child: executor 1 runs out at 6, executor 0 works until 10."""
    simulator = start(cluster(2, (0, [(3, 4), (2, 3, 0)])))
    simulator.commit(0, 0)
    simulator.commit(1, 0)
    return simulator


def test_a_round_covers_executors_that_still_work():
    """Decision point a: when a stage runs out, all executors on it get orders; the one that works leaves as it ends."""
    simulator = waiting_child()
    assert (simulator.now, simulator.candidates()) == (6, [(1, 1)])
    simulator.commit(1, 1)
    assert (simulator.now, simulator.candidates()) == (6, [(0, 1)])


def test_children_of_dispatched_parents_are_candidates_and_executors_wait_for_them():
    """Job, candidates: a stage is offered once its parents are saturated, and runs once all their pieces have ended."""
    simulator = waiting_child()
    simulator.commit(1, 1)
    assert rows(simulator) == [(0, 0, 2, 6), (0, 1, 2, 6), (0, 0, 6, 10)]
    simulator.commit(0, 1)
    assert simulator.now == 10
    assert rows(simulator)[3:] == [(1, 0, 10, 13)]


def test_a_changed_frontier_asks_all_free_executors_of_the_job():
    """Decision point b: a stage that can start now leads to a round about the job's pool, oldest member first."""
    simulator = waiting_child()
    simulator.commit(1, 1)
    simulator.commit(0, 1)
    # Executor 0 fulfils its order at 10 and starts the child at once; only executor 1 is in the pool.
    assert simulator.candidates() == [(1, 1)]
    simulator.commit(1, 1)
    assert rows(simulator)[3:] == [(1, 0, 10, 13), (1, 1, 10, 13)]


def test_an_arrival_asks_executors_of_no_job():
    """Decision point c: a new job is offered to the executors in no job's pool only, at its arrival."""
    simulator = start(cluster(2, (0, [(1, 9)]), (5, [(2, 1)])))
    simulator.commit(0, 0)
    # Nothing is left for executor 1, so it stays idle until the second job arrives.
    assert (simulator.now, simulator.candidates()) == (5, [(1, 1)])
    simulator.commit(1, 1)
    assert rows(simulator) == [(0, 0, 2, 11), (1, 1, 7, 8), (1, 1, 8, 9)]


def test_unsaturated_counts_orders_and_moves():
    """Candidates: pieces begun, ordered and moved to make a stage saturated; then it is offered no more."""
    simulator = start(cluster(3, (0, [(1, 4)]), (0, [(1, 4)])))
    simulator.commit(0, 0)
    assert simulator.candidates() == [(1, 1)]
    with pytest.raises(IllegalActionError, match="not asked"):
        simulator.commit(1, 0)
    with pytest.raises(IllegalActionError, match="not asked"):
        simulator.commit(0, 1)


@pytest.mark.parametrize(("limit", "given"), [(1, 1), (2, 2), (5, 3)])
def test_a_limit_gives_a_job_as_many_executors_as_it_lacks(limit, given):
    """Action: executors given are min(demand, limit - executors of the job, executors of the round)."""
    simulator = start(cluster(4, (0, [(3, 4)]), (0, [(9, 4)])))
    simulator.commit(0, 0, limit)
    assert simulator.candidates() == [(given, 1)]
    simulator.commit(given, 1, 9)
    assert [agent for task, agent, _, _ in rows(simulator) if task == 0][:given] == list(range(given))


@pytest.mark.parametrize(("limit", "child_at_8"), [(2, []), (3, [(2, 1, 8, 11)])])
def test_a_limit_does_not_count_the_round_itself(limit, child_at_8):
    """Action: executors of the round that are of the job are free to be given to it again; others of the job count."""
    simulator = start(cluster(3, (0, [(3, 4), (1, 9), (5, 3, 0)]), delay=0))
    simulator.commit(0, 1)
    simulator.commit(1, 0)
    simulator.commit(2, 0)
    # At 4 executor 2 runs out and executor 1 has just begun the last piece; executor 0 works elsewhere in the job.
    assert (simulator.now, simulator.candidates()) == (4, [(2, 2)])
    simulator.commit(2, 2, limit)
    # Limit 2 leaves room for executor 2 alone, limit 3 for executor 1 as well, which starts at once when it ends.
    assert (simulator.now, simulator.candidates()) == (8, [(2, 2)])
    assert [row for row in rows(simulator) if row[0] == 2] == child_at_8


def test_a_chosen_stage_is_no_candidate_for_the_rest_of_the_round():
    """Candidates: a stage that was given its limit is not offered again in the round."""
    simulator = start(cluster(3, (0, [(9, 4)]), (0, [(9, 4)])))
    simulator.commit(0, 0, 1)
    assert simulator.candidates() == [(1, 1)]


def test_a_limit_that_gives_nothing_is_refused():
    """Mask: a limit must exceed the executors that the job already has."""
    simulator = start(cluster(2, (0, [(9, 4)]), (0, [(9, 4)])))
    with pytest.raises(IllegalActionError, match="limit"):
        simulator.commit(0, 0, 0)
    simulator.commit(0, 0)
    with pytest.raises(IllegalActionError, match="limit"):
        simulator.commit(1, 0, 1)


def test_idle_executors_wait_for_the_next_event():
    """None: executors told nothing stay idle in their pool, and are asked again when their job's frontier changes."""
    simulator = start(cluster(2, (0, [(1, 4), (2, 3, 0)]), delay=0))
    simulator.commit(0, 0)
    assert simulator.candidates() == [(1, 1)]
    simulator.wait(1)
    # Executor 1 belongs to no job, so the end of the first stage asks executor 0 alone.
    assert simulator.candidates() == [(0, 1)]
    assert simulator.now == 4
    simulator.commit(0, 1)
    assert rows(simulator) == [(0, 0, 0, 4), (1, 0, 4, 7), (1, 0, 7, 10)]


def test_a_move_takes_the_delay_and_leaves_the_old_job():
    """Moving delay: an executor sent to another job is local to neither until it arrives, the delay later."""
    simulator = start(cluster(1, (0, [(1, 4)]), (0, [(1, 5)])))
    simulator.commit(0, 0)
    assert (simulator.now, simulator.candidates()) == (6, [(0, 1)])
    simulator.commit(0, 1)
    schedule = simulator.schedule()
    assert schedule.start.tolist() == [2, 8]
    assert schedule.changeover_start.tolist() == [0, 6]
    assert schedule.changeover_end.tolist() == [2, 8]


def late_arrival(pieces, *others):
    """Executor 1 moves to stage 0 from 5 to 9; by then executor 0 has taken its last piece and gone on to stage 1."""
    simulator = start(cluster(2, (0, [(3, 1), (pieces, 5)]), (0, [(1, 1)]), *others, delay=4))
    simulator.commit(0, 0)
    simulator.commit(1, 2)
    assert (simulator.now, simulator.candidates()[0]) == (5, (1, 0))
    simulator.commit(1, 0)
    assert (simulator.now, simulator.candidates()[0]) == (7, (0, 1))
    simulator.commit(0, 1)
    return simulator


def test_a_late_arrival_takes_a_stage_of_its_job_that_can_start():
    """Backup: if the stage has filled up during the move, an unsaturated stage of the job that can start is next."""
    assert rows(late_arrival(2))[5:] == [(1, 1, 9, 14)]


def test_a_late_arrival_moves_on_where_its_job_needs_nobody():
    """Backup: else it moves again, to the first candidate of any job, unasked."""
    simulator = late_arrival(1, (0, [(1, 3)]))
    assert rows(simulator)[5:] == [(3, 1, 13, 16)]
    assert simulator.schedule().changeover_start.tolist()[5:] == [9]


def test_a_late_arrival_stays_where_nobody_needs_it():
    """Backup: else it stays idle in the pool of the job that it came to, until the job ends."""
    simulator = late_arrival(1, (10, [(2, 3)]))
    # It belongs to the first job at 10, so the second one is not offered to it before 12, when executor 0 is free.
    assert (simulator.now, simulator.candidates()) == (12, [(0, 3)])


def test_an_order_to_a_stage_that_ran_out_leads_to_other_work():
    """Backup: an executor whose order comes too late looks for work itself."""
    simulator = start(cluster(3, (0, [(3, 2), (4, 1)]), (4, [(9, 5)]), delay=0))
    for agent, task in ((0, 0), (1, 0), (2, 1)):
        simulator.commit(agent, task)
    # At 2 executor 1 runs out, and executor 0 has begun the last piece. Two pieces of stage 1 are left for both.
    assert (simulator.now, simulator.candidates()) == (2, [(1, 1)])
    simulator.commit(1, 1)
    simulator.commit(0, 1)
    # Executor 2 takes the last one before executor 0 is free, at 4.
    assert (simulator.now, simulator.candidates()) == (4, [(1, 2)])
    simulator.commit(1, 2)
    simulator.commit(2, 2)
    assert (2, 0, 4, 9) in rows(simulator)


def test_a_finished_job_frees_its_executors():
    """Job end: its executors belong to no job any more and move to the next job."""
    simulator = start(cluster(2, (0, [(2, 4)]), (9, [(2, 1)])))
    simulator.commit(0, 0)
    simulator.commit(1, 0)
    assert (simulator.now, simulator.candidates()) == (9, [(0, 1)])
    assert simulator.state.agents[:, BOUND].tolist() == [-1, -1]
    assert simulator.state.jobs[:, LOCAL].tolist() == [0, 0]
    simulator.commit(0, 1)
    simulator.commit(1, 1)
    assert rows(simulator)[2:] == [(1, 0, 11, 12), (1, 1, 11, 12)]


def test_same_seed_same_schedule():
    """RNG: durations depend on the instance's seed alone."""

    def play(seed):
        simulator = start(random_spark(3, 4, seed, preset="decima", max_stages=4, max_tasks=6))
        while not simulator.done:
            simulator.commit(*simulator.candidates()[-1])
        return simulator.schedule()

    assert play(3) == play(3)
    assert play(3) != play(4)


@pytest.mark.parametrize("seed", range(1, 5))
def test_any_choices_give_a_valid_schedule(seed):
    """Whatever is chosen, orders, waits and limits lead to a schedule that the checker accepts."""
    instance = random_spark(4, 5, seed, preset="decima", max_stages=5, max_tasks=9, interval=4000.0)
    simulator = start(instance)
    turn = seed
    while found := simulator.candidates():
        turn = turn * 48271 % 2147483647
        agent, task = found[turn % len(found)]
        if turn % 5 == 0:
            with suppress(IllegalActionError):
                simulator.wait(agent)
        elif turn % 5 == 1:
            with suppress(IllegalActionError):
                simulator.commit(agent, task, turn % 4)
        else:
            simulator.commit(agent, task)
    assert check(instance, simulator.schedule()).valid


@pytest.mark.parametrize(
    ("changes", "feature"),
    [
        ({"opens": Opens.FINISHED}, "open late"),
        ({"agent_available": np.array([1, 0])}, "time 0"),
    ],
)
def test_what_stages_do_not_go_with_is_refused(changes, feature):
    """Serving stages goes with like executors, early opening and arrivals that are reveals; the rest is refused."""
    instance = cluster(2, (0, [(1, 1)])).replace(**changes)
    with pytest.raises(UnsupportedError, match=feature):
        compile_problem(instance)


def test_plans_cannot_be_replayed_in_rounds():
    """A plan says what agents do, not which orders they get: replay refuses it by name."""
    with pytest.raises(UnsupportedError, match="replay"):
        replay(cluster(1, (0, [(1, 1)])), [[0]])
