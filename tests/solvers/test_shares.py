"""Rules that share executors among jobs: what each chooses on a small cluster, worked by hand."""

import pytest

from problems import UnsupportedError
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.generators import random_job_shop, random_spark
from problems.simulator import compile_problem, schedule_of
from solvers.budget import Budget
from solvers.registry import get_entry, get_solver
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority
from solvers.tuning import sweep_alpha, tuned_alpha

PRESETS = ("default", "decima")


def job(*stages, edges=(), arrival=0):
    """Stages as (pieces, duration)."""
    return SparkJob([SparkStage(pieces, duration) for pieces, duration in stages], edges, arrival=arrival)


def first_tasks(rule, jobs, num_executors, preset, moving_delay=1):
    """Task that each executor does first, by executor."""
    instance = spark_cluster("shares", jobs, num_executors, preset, moving_delay=moving_delay)
    runner = Runner(compile_problem(instance))
    runner.sample(rule_priority(rule))
    table = schedule_of(runner.best)
    return [int(table.task[table.agent == agent][0]) for agent in range(num_executors)]


LARGE, SMALL, MIDDLE = job((6, 10)), job((2, 5)), job((3, 10))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("rule", "tasks"),
    [
        ("fifo", [0, 0, 0, 0]),
        ("sjf-cp", [1, 1, 2, 2]),
        ("sjf", [1, 1, 2, 2]),
        ("fair", [0, 1, 2, 0]),
    ],
)
def test_each_rule_fills_its_job_first(preset, rule, tasks):
    """Jobs of work 60, 10 and 30 for four executors: by arrival, by work, or in turn."""
    assert first_tasks(rule, [LARGE, SMALL, MIDDLE], 4, preset) == tasks


@pytest.mark.parametrize("preset", PRESETS)
def test_weights_share_by_powers_of_work(preset):
    """Of two jobs, one with twice the work gets twice the executors with alpha = 1, and half with alpha = -1."""
    jobs = [job((9, 20)), job((9, 10))]
    assert first_tasks("naive-weighted-fair", jobs, 6, preset).count(0) == 4
    assert first_tasks("weighted-fair:-1", jobs, 6, preset).count(0) == 2
    assert first_tasks("weighted-fair:0", jobs, 6, preset) == first_tasks("fair", jobs, 6, preset)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_longer_path_of_a_job_goes_first(preset):
    """Within a job, of two stages that can start the one on the critical path is served first."""
    forked = job((1, 5), (1, 4), (1, 9), edges=[(1, 2)])
    assert first_tasks("sjf-cp", [forked], 1, preset) == [1]


@pytest.mark.parametrize("preset", PRESETS)
def test_executors_keep_to_their_job_under_fair_shares(preset):
    """An executor leaves its job only when the job has no candidates, even if it has more than its share."""
    instance = spark_cluster("keep", [job((4, 10), (4, 10)), job((9, 10), arrival=5)], 2, preset, moving_delay=1)
    runner = Runner(compile_problem(instance))
    runner.sample(rule_priority("fair"))
    table = schedule_of(runner.best)
    assert table.end[table.task < 2].max() == 41
    assert table.start[table.task == 2].min() == 42


@pytest.mark.parametrize("preset", PRESETS)
def test_tetris_packs_what_fits(preset):
    """Of two jobs with the same work, the stage that occupies more of the free executors goes first."""
    assert first_tasks("tetris", [job((1, 40)), job((4, 10))], 4, preset)[0] == 1


@pytest.mark.parametrize("name", ["weighted-fair:x", "weighted-fair:inf", "weighted-fair:", "fair:1"])
def test_weights_must_be_numbers(name):
    """Only weighted-fair takes a number, and nothing but a finite one."""
    with pytest.raises(UnsupportedError, match="takes"):
        get_entry(name)


@pytest.mark.parametrize("preset", PRESETS)
def test_names_of_results_hold_the_weight(preset):
    """A result says which exponent it was made with, also under pilot."""
    instance = random_spark(2, 2, 1, preset=preset, fixed=True, max_stages=2, max_tasks=2)
    for name in ("weighted-fair:-0.5", "pilot:weighted-fair:-0.5"):
        assert get_solver(name)(instance, Budget(), 0).solver == name


def test_rules_of_jobs_do_not_break_on_job_shops():
    """A rule meant for clusters still gives a checked schedule of any other instance."""
    assert get_solver("sjf-cp")(random_job_shop(4, 3, 1), Budget(), 0).checked


def test_the_tuned_exponent_has_the_smallest_mean():
    """Tuning picks the exponent of the smallest mean over the instances it is given, the one nearest to 0 on a tie."""
    instances = [random_spark(6, 4, seed, preset="decima", max_stages=3, max_tasks=6) for seed in range(3)]
    alphas = (-1.0, 0.0, 1.0)
    means = sweep_alpha(instances, alphas)
    assert means[alphas.index(tuned_alpha(instances, alphas))] == means.min()
    assert tuned_alpha(instances[:1] * 2, (-0.0, 0.0)) == 0.0
