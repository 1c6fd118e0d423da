"""Imitation: labels that the policy can reach, what is lost, and it learns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny import greedy_mean, job_shops, prior_of

from graphs.layout import Sizes
from marl.algorithms import graph_training
from marl.algorithms.imitation import Imitation, ImitationConfig, follow
from problems.check import check
from problems.generators import random_hurink, random_job_shop, random_multiple_tsp, random_spark
from problems.measure import integer_objective
from problems.simulator import compile_problem
from problems.simulator.arrays import ROW_AGENT
from problems.simulator.simulator import schedule_from_rows
from solvers.budget import Budget
from solvers.local_search.solve import solve_local_search

SHOPS = job_shops()
CONFIG = ImitationConfig(sizes=Sizes(width=8, head=8), instances=3, decisions=30, rate=1e-2, workers=1)


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """Training instances are a few small job shops."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: SHOPS[seed % len(SHOPS)])


def make(may_wait: bool = False, config: ImitationConfig = CONFIG) -> Imitation:
    """An algorithm that starts nearly at random."""
    return Imitation("jsp", 1, config, prior_of(may_wait=may_wait, log_duration=-0.2, is_wait=-3.0))


def test_it_learns():
    """Twelve steps on six small shops lower the cross-entropy and shorten the greedy schedules."""
    algorithm = make()
    before = greedy_mean(algorithm.priority(), SHOPS)
    metrics = [algorithm.step() for _ in range(12)]
    losses = [values["losses/cross_entropy"] for values in metrics]
    assert np.mean(losses[-4:]) < 0.9 * np.mean(losses[:4])
    assert greedy_mean(algorithm.priority(), SHOPS) < 0.87 * before
    assert max(values["train/lost_instances"] for values in metrics) == 0.0
    assert max(values["train/lost_decisions"] for values in metrics) == 0.0


INSTANCES = [random_job_shop(6, 5, 1), random_hurink(6, 4, 2, "rdata"), random_multiple_tsp(12, 3, 3)]


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.name)
def test_a_followed_plan_is_a_schedule_of_the_policy(instance):
    """Following the plan of a local search gives a valid schedule, all of which can be recorded."""
    found = solve_local_search(instance, Budget(), 1).schedule
    value, rows = follow(compile_problem(instance), found, may_wait=True)
    schedule = schedule_from_rows(rows)
    assert check(instance, schedule).valid and value == integer_objective(instance, schedule)
    # Job shops, too, may be followed with waiting: then nothing is lost.
    assert value <= integer_objective(instance, found)
    label = make(may_wait=True)._label(instance, 1)
    assert label.unrecorded == 0.0 and not label.lost
    assert label.best <= label.pilot


def test_labels_are_choices_of_one_agent():
    """The options of a recorded decision are those of the agent that commits, and waiting."""
    waits = 0
    for part in make(may_wait=True)._label(random_multiple_tsp(12, 3, 3), 1).parts:
        low = 0
        for size in part.sizes:
            cut = slice(low, low + size)
            assert len(set(part.agents[cut].tolist())) == 1
            waits += int((part.tasks[cut] < 0).sum())
            low += size
    assert waits > 0


def test_a_plan_that_needs_waiting_is_lost_without_it():
    """An agent all of whose candidates are planned elsewhere cannot follow unless it may wait."""
    instance = random_hurink(4, 3, 1, "vdata")
    problem, found = compile_problem(instance), solve_local_search(instance, Budget(), 1).schedule
    first = np.array([instance.eligible(task)[0][0] for task in found.task])
    few = found.from_times(found.task, first, found.start, found.end)
    value, rows = follow(problem, few, may_wait=False)
    assert value == 0 and rows is None
    value, rows = follow(problem, few, may_wait=True)
    assert check(instance, schedule_from_rows(rows)).valid and set(rows[:, ROW_AGENT]) == set(first)


def test_instances_without_a_label_are_lost():
    """Where agents serve stages, or pilot would take too long, nothing is recorded and the share lost says so."""
    stages = random_spark(2, 2, 1, preset="decima", max_stages=3, max_tasks=4)
    for instance, config in ((stages, CONFIG), (SHOPS[0], replace(CONFIG, largest=19))):
        label = make(config=config)._label(instance, 1)
        assert label.lost and label.unrecorded == 1.0 and label.parts == []


def test_pilot_alone_is_enough():
    """Without searches, and where local search knows nothing of the problem, pilot is imitated."""
    label = make(config=ImitationConfig(searches=0))._label(SHOPS[0], 1)
    assert label.best == label.pilot and np.isnan(label.followed) and label.parts
    spark = make(may_wait=True)._label(random_spark(2, 2, 1, preset="default", max_stages=3, max_tasks=4), 1)
    assert spark.best == spark.pilot and spark.unrecorded == 0.0 and spark.parts
