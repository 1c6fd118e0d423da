"""Rules, bounds and CP-SAT on every family: nothing contradicts the checker or each other."""

from __future__ import annotations

import re

import pytest
from dressing import CASES, PATIENT, SEEDS, dressed, plain, rules

from problems.check import check
from problems.errors import UnsupportedError
from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit, integer_objective
from problems.simulator import replay
from solvers import Budget, Result, Status
from solvers.registry import get_solver

families = pytest.mark.parametrize("family", CASES)
RULES = [(family, rule) for family in CASES for rule in rules(family)]


def run(rule: str, instance: Instance, seed: int) -> Result:
    """Result of a rule, whose schedule the checker accepts and values the same."""
    result = get_solver(rule)(instance, Budget(), seed)
    assert result.schedule is not None
    report = check(instance, result.schedule)
    assert report.valid and report.objective == result.objective, report.violations
    return result


def optimum(instance: Instance) -> Result:
    """Proved optimum, by one worker."""
    result = get_solver("cp-sat")(instance, PATIENT, 0)
    assert result.status is Status.OPTIMAL, (instance.name, result.status)
    return result


@pytest.mark.parametrize(("family", "rule"), RULES)
def test_rules_make_valid_schedules_above_the_bound(family: str, rule: str):
    """The checker accepts what each rule makes, and no objective lies below the lower bound."""
    for seed in SEEDS:
        instance = plain(family, seed)
        result = run(rule, instance, seed)
        assert result.schedule is not None
        assert integer_objective(instance, result.schedule) >= lower_bound(instance)


@families
def test_rules_respect_every_switch(family: str):
    """With all switches on, dispatch rules still make valid schedules above the bound."""
    for seed in SEEDS:
        instance = dressed(family, seed)
        result = run("random", instance, seed)
        assert result.schedule is not None
        assert integer_objective(instance, result.schedule) >= lower_bound(instance)


@families
@pytest.mark.parametrize("seed", range(3))
def test_optima_replay_exactly_and_no_rule_beats_them(family: str, seed: int):
    """The plan of a proved optimum, replayed, is worth exactly the optimum; bounds lie below it and rules above.

    A plan does not say who gets a scarce resource first, so where there are any its replay may be worth less.
    """
    instance = plain(family, seed)
    best = optimum(instance)
    assert best.schedule is not None and best.objective is not None
    again = replay(instance, best.schedule.sequences(instance.num_agents))
    assert check(instance, again).valid
    worth = integer_objective(instance, best.schedule)
    assert integer_objective(instance, again) == worth or instance.resources is not None
    assert in_source_unit(instance, lower_bound(instance)) <= best.objective
    for rule in rules(family):
        found = run(rule, instance, seed).objective
        assert found is not None and found >= best.objective - best.tolerance


@families
@pytest.mark.parametrize("seed", range(1, 3))
def test_cp_sat_knows_every_switch_or_refuses_by_name(family: str, seed: int):
    """With all switches on CP-SAT proves a schedule that no random one beats, or names the switch it does not know."""
    instance = dressed(family, seed).replace(task_pieces=plain(family, seed).task_pieces)
    try:
        best = optimum(instance)
    except UnsupportedError as error:
        assert re.search(r"\((changeover|moving_delay|resources|job_reveal|job_deadline)\)", str(error))
        return
    assert best.schedule is not None and check(instance, best.schedule).objective == best.objective
    found = get_solver("random")(instance, Budget(samples=50), seed)
    assert found.objective is not None and best.objective is not None and found.objective >= best.objective
