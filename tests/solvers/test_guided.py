"""Episodes that stay close to a schedule."""

import numpy as np
import pytest

from marl.policies.shipped import shipped_priority
from problems.check import check
from problems.families import FAMILIES
from problems.generators import random_job_shop
from problems.instance import NO_TIME
from problems.measure import integer_objective
from problems.reversal import is_reversible, reversed_instance
from problems.simulator import compile_problem
from problems.simulator.simulator import schedule_from_rows
from solvers import Budget
from solvers.guided import play_backwards, play_rows, rows_of
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.registry import get_solver
from solvers.rollout import Runner
from solvers.rules.dispatch import RULE_TEMPERATURE


def small(family: str, seed: int):
    """Small instance of a family."""
    return FAMILIES[family].small_instance(seed)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_all_rows_played_again_are_the_schedule(family):
    """Played to its end, a schedule of the policy is repeated row by row; a shorter beginning is what it was."""
    runner = Runner(compile_problem(small(family, 1)))
    priority = shipped_priority("tuned", family)
    runner.sample(priority, 5, 3)
    plan = rows_of(runner.best)
    for count in (len(plan), len(plan) // 2):
        played = play_rows(runner.problem, runner.state, int(priority.candidate_filter), runner.work, plan, count)
        assert played == count
        assert np.array_equal(rows_of(runner.state), plan[:count])


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_samples_are_valid_and_never_worse_with_more_of_them(family):
    """The checker accepts what guided samples find; more samples of one seed are at least as good."""
    instance = small(family, 2)
    values = []
    for samples in (1, 7, 8, 31, 32, 33, 120):
        result = get_solver("spt-twkr" if family != "mtsp" else "nearest")(instance, Budget(samples=samples), 5)
        report = check(instance, result.schedule)
        assert report.valid and report.objective == result.objective
        values.append(result.objective)
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("samples", [5, 100, 131])
def test_the_number_of_workers_does_not_matter(samples):
    """One worker and three find the same schedule of a shop."""
    instance = random_job_shop(10, 8, 3)
    found = [get_solver("spt-twkr")(instance, Budget(samples=samples, workers=workers), 7) for workers in (1, 3)]
    assert found[0].schedule == found[1].schedule


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", [name for name in sorted(FAMILIES) if is_reversible(small(name, 0))])
def test_a_schedule_played_backwards_is_valid_and_no_longer(family, seed):
    """The checker accepts it for the reversed instance; its rows can be repeated; back again it is no longer still."""
    instance = small(family, seed)
    turned, priority = reversed_instance(instance), shipped_priority("tuned", family)
    runners = Runner(compile_problem(instance)), Runner(compile_problem(turned))
    value, rows = int(runners[0].sample(priority, 3, seed).min()), rows_of(runners[0].best)
    for runner, each in zip(reversed(runners), (turned, instance), strict=True):
        shorter, rows = play_backwards(runner, priority, rows)
        assert shorter <= value
        assert integer_objective(each, schedule_from_rows(rows)) == shorter
        assert check(each, schedule_from_rows(rows)).valid
        filter_ = int(priority.candidate_filter)
        assert play_rows(runner.problem, runner.state, filter_, runner.work, rows, len(rows)) == len(rows)
        value = shorter


def test_both_directions_beat_one_on_shops():
    """Two samples, forwards and backwards without noise, are better than the rule alone on some of ten shops."""
    better = 0
    for seed in range(10):
        instance = random_job_shop(8, 6, seed)
        once, twice = (get_solver("spt-twkr")(instance, Budget(samples=samples), 0) for samples in (1, 2))
        backwards = Runner(compile_problem(reversed_instance(instance))).sample(Priority(Kind.SPT_TWKR))
        assert twice.objective <= min(once.objective, int(backwards[0]))
        better += twice.objective < once.objective
    assert better > 0


def test_guided_samples_beat_free_ones_on_shops():
    """Of 400 samples of a rule on six 10x10 shops, guided ones find shorter schedules than independent ones."""
    ratios = []
    for seed in range(6):
        instance = random_job_shop(10, 10, seed)
        free = int(Runner(compile_problem(instance)).sample(Priority(Kind.SPT_TWKR), 400, 7, RULE_TEMPERATURE).min())
        result = get_solver("spt-twkr")(instance, Budget(samples=400), 7)
        assert result.objective is not None
        ratios.append(result.objective / free)
    assert np.mean(ratios) < 1.0


@pytest.mark.parametrize("seed", range(4))
def test_samples_that_keep_a_deadline_are_preferred(seed):
    """With more samples no schedule is lost: a shorter one that misses a deadline does not take its place."""
    shop = random_job_shop(8, 4, seed)
    rule = get_solver("spt")
    ends = np.zeros(shop.num_jobs, np.int64)
    first = rule(shop, Budget(), 0).schedule
    np.maximum.at(ends, shop.task_job[first.task], first.end)
    deadline = np.full(shop.num_jobs, NO_TIME)
    tightest = int(np.argmin(ends))
    deadline[tightest] = ends[tightest]
    instance = shop.replace(job_deadline=deadline)
    found = [rule(instance, Budget(samples=samples), 0) for samples in (1, 4, 64, 300)]
    assert all(result.schedule is not None and check(instance, result.schedule).valid for result in found)
    assert [result.objective for result in found] == sorted((result.objective for result in found), reverse=True)
