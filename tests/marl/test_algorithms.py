"""What every training algorithm promises, whatever it is: finite numbers, exact resume, a policy that schedules."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from marl.policies.auction import TEMPERATURE, Bids
from marl.recipes import PRESET_RECIPES, RECIPES
from marl.training import ALGORITHMS, make_algorithm, weights_of
from problems.check import check
from problems.errors import UnknownNameError, UnsupportedError
from problems.generators import random_job_shop, random_multiple_tsp, random_spark
from problems.simulator import compile_problem, schedule_of
from solvers import Budget
from solvers.auction.solve import solve_by_auction
from solvers.priority import Priority
from solvers.rollout import Runner

TINY = {
    "jsp": lambda seed: random_job_shop(4, 3, seed),
    "mtsp": lambda seed: random_multiple_tsp(5, 2, seed),
    "spark": lambda seed: random_spark(3, 2, seed, preset="decima", max_stages=3, max_tasks=4),
}
PRESET_FAMILIES = {"schedulenet": "jsp", "decima": "spark"}
NAMES = [(policy, name) for policy, others in ALGORITHMS.items() for name in others]


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Training instances are tiny."""
    for family, instance in TINY.items():
        recipe = replace(RECIPES[family], instance=instance)
        monkeypatch.setitem(RECIPES, family, recipe)
    for preset, family in PRESET_FAMILIES.items():
        monkeypatch.setitem(PRESET_RECIPES, preset, lambda family=family: RECIPES[family])


def make(policy: str, name: str, seed: int = 3):
    """An algorithm with its usual settings, for a family that it knows."""
    family = "mtsp" if policy == "auction" else "spark" if "decima" in (policy, name) else "jsp"
    return make_algorithm(SimpleNamespace(policy=policy, algorithm=name, family=family, seed=seed)), family


def stored(state):
    """A state as a checkpoint gives it back."""
    arrays = {name: np.array(value) for name, value in state.items()}
    return {name: value.item() if value.ndim == 0 else value for name, value in arrays.items()}


@pytest.mark.parametrize(("policy", "name"), NAMES)
def test_a_resumed_run_goes_on_exactly(policy, name):
    """Three steps are the same as two, a checkpoint and one more."""
    straight, _ = make(policy, name)
    first, _ = make(policy, name)
    resumed, _ = make(policy, name)
    metrics = [straight.step() for _ in range(3)]
    assert all(np.isfinite(list(values.values())).all() for values in metrics)
    for _ in range(2):
        first.step()
    resumed.load_state(stored(first.state()))
    assert resumed.step() == metrics[2]
    expected, found = straight.state(), resumed.state()
    assert expected.keys() == found.keys()
    assert all(np.array_equal(expected[key], found[key]) for key in expected)


@pytest.mark.parametrize(("policy", "name"), NAMES)
def test_the_policy_of_an_algorithm_schedules(policy, name):
    """After a step, the policy as it would be shipped makes a schedule that the checker accepts."""
    algorithm, family = make(policy, name)
    before = weights_of(algorithm.priority())
    algorithm.step()
    policy, instance = algorithm.priority(), TINY[family](77)
    after = weights_of(policy)
    assert check(instance, greedy_schedule(policy, instance)).valid
    assert before.keys() == after.keys()
    assert not all(np.array_equal(before[name], after[name]) for name in before)


def greedy_schedule(policy, instance):
    """Of a priority, of bids, or of a network that plays by itself."""
    if isinstance(policy, Bids):
        return solve_by_auction(instance, Budget(), 0, "auction", policy.parameters, TEMPERATURE).schedule
    if not isinstance(policy, Priority):
        (played,) = policy.play(policy.model, instance, [0], 0)
        assert played.value == policy.greedy(instance)
        return played.schedule
    runner = Runner(compile_problem(instance))
    runner.sample(policy)
    return schedule_of(runner.best)


def test_an_unknown_algorithm_is_answered_with_all_there_are():
    """The message lists every algorithm with the policy that it trains."""
    with pytest.raises(UnknownNameError) as refused:
        make("tuned", "mappo")
    assert all(f"{name} ({policy})" in str(refused.value) for policy, name in NAMES)


def test_decima_is_for_spark_only():
    """Another family is refused by name."""
    with pytest.raises(UnsupportedError, match="spark only, not 'jsp'"):
        make_algorithm(SimpleNamespace(policy="policy", algorithm="decima", family="jsp", seed=0))
