"""Random durations by wave and level: their definition, and that nobody sees one before it is revealed."""

from contextlib import suppress

import numpy as np
import pytest

from problems import BetweenLevels, IllegalActionError, Job, Objective, Task, Waves, build_instance
from problems.check import check
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.generators import random_spark
from problems.simulator import Filter, Simulator, compile_problem, schedule_of
from problems.simulator.candidates import END, START, TASK
from problems.simulator.waves import FIRST, FRESH, REST
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

PRESETS = ("default", "decima")


def stage(num_tasks, **waves):
    """A stage with one sample per wave and level, or a list of them."""
    samples = {
        wave: {level: cell if isinstance(cell, list) else [cell] for level, cell in levels.items()}
        for wave, levels in waves.items()
    }
    return SparkStage(num_tasks, samples=samples)


def lengths(instance, choices):
    """Durations of the pieces that ``choices`` of (agent, task) lead to."""
    simulator = Simulator(instance, Filter.FULL)
    for agent, task in choices:
        assert (agent, task) in simulator.candidates()
        simulator.commit(agent, task)
    table = simulator.schedule()
    return (table.end - table.start).tolist()


def test_waves_follow_what_the_executor_did_last():
    """Wave: fresh after another job or none, rest after the same stage, first after another stage of the job."""
    one = stage(2, fresh={5: 10}, first={5: 20}, rest={5: 30})
    jobs = [SparkJob([one, one]), SparkJob([one])]
    order = [(0, 0), (0, 0), (0, 1), (0, 2), (0, 1)]
    assert lengths(spark_cluster("waves", jobs, 1), order) == [10, 30, 20, 10, 10]


def test_executors_that_waited_in_a_pool_are_fresh():
    """Wave, decima: an executor sent early to a stage of its own job waits in the pool and is fresh when it starts."""
    parent, child = stage(3, fresh={5: 40}, rest={5: 40}), stage(2, fresh={5: 40}, first={5: 7})
    instance = spark_cluster("pool", [SparkJob([parent, child], [(0, 1)])], 2, "decima", moving_delay=0)
    # Executor 1 runs out at 40 and waits; executor 0 works on the last piece until 80 and goes on at once.
    assert lengths(instance, [(0, 0), (1, 0), (1, 1), (0, 1), (1, 1)]) == [40, 40, 40, 7, 40]


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ({"first": {5: 20}, "rest": {5: 30}}, [20 + 7, 30, 20]),
        ({"fresh": {5: 10}, "rest": {5: 30}}, [10, 30, 10]),
        ({"fresh": {5: 10}, "first": {5: 20}}, [10, 20, 20]),
        ({"rest": {5: 30}}, [30 + 7, 30, 30]),
    ],
)
def test_empty_waves_fall_back(samples, expected):
    """Waves without samples: fresh takes first plus the warm-up, rest takes first, first takes fresh."""
    two = [stage(2, **samples), stage(1, **samples)]
    instance = spark_cluster("fallback", [SparkJob(two, [(0, 1)])], 1, warm_up=7)
    assert lengths(instance, [(0, 0), (0, 0), (0, 1)]) == expected


def test_the_level_is_the_largest_measured_one_up_to_the_number_of_executors():
    """Level, clean: the largest measured level not above the executors local to the job, else the smallest."""
    levels = {2: 20, 3: 30}
    instance = spark_cluster("levels", [SparkJob([stage(4, fresh=levels)])], 4)
    assert lengths(instance, [(agent, 0) for agent in range(4)]) == [20, 20, 30, 30]
    other = SparkJob([stage(1, fresh={2: 20}), stage(1, fresh={1: 10, 3: 30})])
    gaps = spark_cluster("gaps", [other], 4)
    assert lengths(gaps, [(0, 0), (1, 1)]) == [20, 10]


def test_an_executor_is_local_to_the_job_of_its_last_piece():
    """Level: an executor counts for its job until it begins a piece of another one."""
    jobs = [SparkJob([stage(4, fresh={1: 10, 2: 20}, rest={1: 11, 2: 22})]), SparkJob([stage(1, fresh={1: 100})])]
    instance = spark_cluster("local", jobs, 2, moving_delay=0)
    order = [(0, 0), (1, 0), (0, 0), (1, 1), (0, 0)]
    assert lengths(instance, order) == [10, 20, 22, 100, 11]


def test_inverted_levels_prefer_the_wrong_neighbour():
    """Level, decima: between 10 and 20, 19 executors take level 10 nine times out of ten; at a level it is that one."""
    levels = {10: 10, 20: 20}
    job = SparkJob([stage(2000, fresh=levels, first=levels, rest=levels)])
    instance = spark_cluster("inverted", [job], 19, "decima", moving_delay=0)
    runner = Runner(compile_problem(instance))
    runner.sample(rule_priority("fifo"))
    table = schedule_of(runner.best)
    late = (table.end - table.start)[19:]
    assert 0.87 < float((late == 10).mean()) < 0.93
    assert set((table.end - table.start)[:10].tolist()) == {10}


def test_a_level_that_a_stage_lacks_gives_way_to_its_largest():
    """Level absent, decima: the largest level that the stage has."""
    jobs = [SparkJob([stage(3, fresh={5: 50, 10: 100})]), SparkJob([stage(3, fresh={2: 20})])]
    instance = spark_cluster("absent", jobs, 1, "decima", moving_delay=0)
    assert set(lengths(instance, [(0, 0), (0, 1)])) == {100, 20}


def test_samples_are_drawn_uniformly():
    """Draws: each sample of a cell comes up about equally often, and another seed gives other ones."""
    job = SparkJob([stage(3000, fresh={1: 1}, first={1: 1}, rest={1: [100, 200, 300]})])

    def durations(seed):
        runner = Runner(compile_problem(spark_cluster("draws", [job], 1, "decima", seed=seed)))
        runner.sample(rule_priority("fifo"))
        table = schedule_of(runner.best)
        return (table.end - table.start)[1:]

    counts = np.unique(durations(1), return_counts=True)[1]
    assert (np.abs(counts - 1000) < 100).all()
    assert (durations(1) == durations(1)).all() and (durations(1) != durations(2)).any()


def test_expected_durations_are_means_of_what_is_drawn_from():
    """Expected: the mean of the source's samples, warm-up included, halves up; two levels are weighted."""
    one = SparkJob([stage(1, first={10: [10, 13], 20: [30]}, rest={10: [4]})])
    plain = compile_problem(spark_cluster("means", [one], 20, warm_up=100)).expected[0]
    assert (plain[FRESH, 10], plain[FIRST, 10], plain[REST, 10]) == (112, 12, 4)
    assert (plain[FRESH, 20], plain[FIRST, 20], plain[REST, 20], plain[FIRST, 3]) == (130, 30, 30, 12)
    inverted = compile_problem(spark_cluster("means", [one], 20, "decima")).expected[0]
    assert (inverted[FIRST, 10], inverted[FIRST, 19], inverted[FIRST, 20]) == (12, round(0.9 * 11.5 + 0.1 * 30), 30)


def test_stages_without_samples_take_their_expected_duration():
    """No samples: the duration that the instance states, in every wave."""
    waves = Waves(np.array([5]), np.zeros(4, np.int64), np.zeros(0), between=BetweenLevels.BELOW)
    jobs = [Job([Task({0: 8}, pieces=2)])]
    instance = build_instance("bare", "spark", ["executor_0"], jobs, Objective.MEAN_FLOW_TIME, waves=waves)
    assert lengths(instance, [(0, 0), (0, 0)]) == [8, 8]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(1, 4))
def test_the_checker_recomputes_every_duration(preset, seed):
    """Whatever agents choose, wait or reserve, the checker finds the durations that were realised."""
    instance = random_spark(3, 4, seed, preset=preset, max_stages=4, max_tasks=6, interval=3000.0)
    simulator, turn = Simulator(instance, Filter.FULL), seed
    while found := simulator.candidates():
        turn = turn * 48271 % 2147483647
        agent, task = found[turn % len(found)]
        if turn % 4 == 0:
            with suppress(IllegalActionError):
                simulator.wait(agent)
        else:
            simulator.commit(agent, task)
    report = check(instance, simulator.schedule())
    assert report.valid, report.violations[:2]
    assert report.objective == pytest.approx(simulator.objective() / 1000 / 3)


def test_candidates_show_expected_durations():
    """Rows: the end of a candidate is its start plus the expected duration, whatever will happen."""
    job = SparkJob([stage(2, fresh={1: [100, 300]}, rest={1: [10, 20]})])
    simulator = Simulator(spark_cluster("rows", [job], 1, moving_delay=0), Filter.NON_DELAY)
    assert simulator.candidates() == [(0, 0)]
    row = simulator._found.table[0]
    assert (row[TASK], row[END] - row[START]) == (0, 200)
