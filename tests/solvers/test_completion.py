"""Completions: who follows one gets no less than it planned, who does not is planned for from where they are."""

from __future__ import annotations

import numpy as np
import pytest

from marl.algorithms.dagger import ALL_WAIT, planned_row
from problems.check import check
from problems.errors import UnsupportedError
from problems.generators import random_hurink, random_job_shop, random_multiple_tsp, random_spark, vallada_ruiz
from problems.instance import Instance
from problems.measure import integer_objective
from problems.simulator import Filter, compile_problem, schedule_of
from problems.simulator.arrays import new_state
from problems.simulator.candidates import FAR, new_candidates, next_decision, next_event
from problems.simulator.engine import reset
from solvers.budget import Budget
from solvers.guided import follow
from solvers.local_search.completion import NO_TASK, completion_of
from solvers.registry import get_solver
from solvers.rollout import new_work
from solvers.rules.dispatch import rule_priority

SEQUENCES = [random_multiple_tsp(25, 3, 1), vallada_ruiz(18, 4, 49, 2), vallada_ruiz(9, 3, 124, 3)]
SHOPS = [random_hurink(6, 4, 2, "rdata"), random_hurink(8, 4, 3, "vdata")]
JOB_SHOPS = [random_job_shop(6, 5, 1), random_job_shop(10, 10, 2)]


def play(instance: Instance, strays: float, may_wait: bool = True) -> int:
    """Objective of following a completion, but at a share of the decisions a random candidate is taken."""
    problem, random = compile_problem(instance), np.random.default_rng(1)
    plan = completion_of(instance, problem, rule_priority("pair"))
    state, work, found = new_state(problem), new_work(problem), new_candidates(problem)
    work = work._replace(found=found)
    reset(problem, state)
    while (count := next_decision(problem, state, int(Filter.ACTIVE), found)) > 0:
        can_wait = may_wait and next_event(problem, state) < FAR
        row = planned_row(found.table[:count], plan.first_tasks(state), can_wait, random)
        if row is None or random.random() < strays:
            row = int(random.integers(count))
        follow(problem, state, count, row, work)
    schedule = schedule_of(state)
    assert check(instance, schedule).valid
    return integer_objective(instance, schedule)


@pytest.mark.parametrize("instance", SEQUENCES, ids=lambda one: one.name)
def test_following_is_at_least_as_good_as_insertion(instance: Instance):
    """The first plan is insertion's, and no step makes it longer."""
    insertion = get_solver("insertion")(instance, Budget(), 0)
    assert play(instance, 0.0) <= integer_objective(instance, insertion.schedule)


@pytest.mark.parametrize("instance", SHOPS, ids=lambda one: one.name)
def test_following_a_shop_is_better_than_its_rule(instance: Instance):
    """Tabu search improves what the rule plans, and it can be followed where agents may wait."""
    rule = get_solver("pair")(instance, Budget(), 0)
    assert play(instance, 0.0) < integer_objective(instance, rule.schedule)


def test_job_shops_are_followed_without_waiting():
    """Where nothing can be done but to work on, what the plan would do is mostly among the candidates."""
    rules = [get_solver("spt-twkr")(instance, Budget(), 0).schedule for instance in JOB_SHOPS]
    reached = [play(instance, 0.0, may_wait=False) for instance in JOB_SHOPS]
    assert sum(reached) < sum(map(integer_objective, JOB_SHOPS, rules))


@pytest.mark.parametrize("instance", [*SEQUENCES, *SHOPS, *JOB_SHOPS], ids=lambda one: one.name)
def test_who_strays_gets_a_new_plan(instance: Instance):
    """With a fifth of the decisions at random the schedule is valid, and better than one that is all random."""
    assert play(instance, 0.2) < play(instance, 1.0)


def test_what_is_told_first():
    """Each agent is told a task that is left and that it can do, or none; no task is told twice."""
    instance = vallada_ruiz(9, 3, 124, 3)
    problem = compile_problem(instance)
    state = new_state(problem)
    reset(problem, state)
    first = completion_of(instance, problem, rule_priority("pair")).first_tasks(state)
    told = first[first != NO_TASK]
    assert len(first) == 3 and len(set(told.tolist())) == len(told) > 0
    table = np.array([[0, 5], [1, 6], [0, 7]])
    assert planned_row(table, np.array([7, 9]), False, np.random.default_rng(0)) == 2
    assert planned_row(table, np.array([8, 9]), True, np.random.default_rng(0)) == ALL_WAIT
    assert planned_row(table, np.array([8, 9]), False, np.random.default_rng(0)) is None


def test_other_problems_are_refused():
    """The message names what local search does not know."""
    instance = random_spark(2, 2, 1, preset="decima", max_stages=3, max_tasks=4)
    with pytest.raises(UnsupportedError, match="no completion: local search does not support"):
        completion_of(instance, compile_problem(instance), rule_priority("fair"))
