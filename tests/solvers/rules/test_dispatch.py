import pytest

from problems import Job, Task, UnsupportedError, build_instance
from problems.generators import random_job_shop, random_multiple_tsp, taillard
from solvers.budget import Budget
from solvers.registry import DISPATCH_RULES, get_solver


@pytest.mark.parametrize("rule", DISPATCH_RULES)
def test_every_rule_solves_both_families(rule):
    """Each rule of the registry gives a checked schedule, and more samples are never worse."""
    for instance in (random_job_shop(6, 4, 1), random_multiple_tsp(8, 3, 1)):
        one = get_solver(rule)(instance, Budget(), 0)
        many = get_solver(rule)(instance, Budget(samples=30), 0)
        assert one.checked
        assert many.objective <= one.objective


def test_published_values_on_taillard():
    """The rules reproduce known makespans of ta01 (ties may move a published value by a little)."""
    assert get_solver("spt")(taillard("ta01"), Budget(), 0).objective == 1462
    assert get_solver("mwkr")(taillard("ta01"), Budget(), 0).objective == 1491


def test_pilot_beats_its_rule():
    """Pilot with a rule is at least as good as the rule, and names the rule."""
    instance = random_job_shop(10, 5, 4)
    result = get_solver("pilot:mwkr")(instance, Budget(), 0)
    assert result.solver == "pilot:mwkr"
    assert result.objective <= get_solver("mwkr")(instance, Budget(), 0).objective


@pytest.mark.parametrize("samples", [2, 64, 65, 200])
def test_workers_change_nothing_but_the_time(samples):
    """The best of K samples is one and the same schedule for 1, 2 and 3 workers."""
    instance = random_job_shop(8, 5, 3)
    results = [get_solver("spt-twkr")(instance, Budget(samples=samples, workers=k), 1) for k in (1, 2, 3)]
    assert results[0].schedule == results[1].schedule == results[2].schedule


def test_a_time_limit_ends_sampling():
    """With a tiny limit the first, greedy episode still counts."""
    instance = random_job_shop(15, 15, 2)
    result = get_solver("spt-twkr")(instance, Budget(time_limit=1e-6, samples=10**6), 0)
    assert result.objective == get_solver("spt-twkr")(instance, Budget(), 0).objective


def test_a_time_limit_ends_pilot():
    """With a tiny limit pilot tries few decisions, and is still at least as good as its rule."""
    instance = taillard("ta31")
    limited = get_solver("pilot")(instance, Budget(time_limit=1e-6), 0)
    assert limited.objective <= get_solver("spt-twkr")(instance, Budget(), 0).objective
    assert limited.objective > get_solver("pilot")(instance, Budget(), 0).objective


def test_the_simulator_refuses_what_it_does_not_know():
    """A feature without a switch is refused by name, not ignored."""
    instance = build_instance("r", "custom", ["machine_0"], [Job([Task({0: 1})])], retire=True)
    with pytest.raises(UnsupportedError, match="retire"):
        get_solver("spt")(instance, Budget(), 0)
