"""The evolution strategy learns, and nothing but its seed matters."""

import numpy as np
import pytest

import marl.algorithms.evolution as evolution
from marl.instances import VALIDATION_SEED, training_instance, validation_instances
from marl.recipes import RECIPES, recipe_of
from problems.generators import random_job_shop
from problems.simulator import compile_problem
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

SMALL = evolution.EvolutionConfig(hidden=4, pairs=16, instances=20, steps=100, workers=2)


@pytest.fixture
def small(monkeypatch):
    """Job shops of 6x6."""
    monkeypatch.setattr(evolution, "training_instance", lambda family, seed: random_job_shop(6, 6, seed))


def held_out_ratio(priority):
    """Mean objective on unseen 6x6 shops, relative to the rule."""
    runners = [Runner(compile_problem(random_job_shop(6, 6, 10**7 + k))) for k in range(100)]
    rule = [runner.sample(Priority(Kind.SPT_TWKR))[0] for runner in runners]
    return float(np.mean([runner.sample(priority)[0] / value for runner, value in zip(runners, rule, strict=True)]))


def test_the_search_starts_from_the_rule(small):
    """Before the first step the policy is about as good as the rule that its linear weights spell."""
    assert held_out_ratio(evolution.EvolutionStrategy("jsp", 0, SMALL).priority()) == pytest.approx(1.0, abs=0.03)


@pytest.mark.slow
def test_a_short_search_beats_the_rule(small):
    """A hundred steps make the policy clearly better than the rule on instances it has not seen."""
    search = evolution.EvolutionStrategy("jsp", 0, SMALL)
    for _ in range(100):
        search.step()
    assert held_out_ratio(search.priority()) < 0.98


def test_same_seed_same_parameters(small):
    """Two searches of one seed agree to the bit, whatever the number of threads; another seed differs."""
    searches = [
        evolution.EvolutionStrategy("jsp", seed, evolution.EvolutionConfig(hidden=2, pairs=3, instances=2, workers=w))
        for seed, w in ((1, 1), (1, 2), (2, 1))
    ]
    for search in searches:
        search.step()
    assert np.array_equal(searches[0].mean, searches[1].mean)
    assert not np.array_equal(searches[0].mean, searches[2].mean)


@pytest.mark.parametrize("family", RECIPES)
def test_training_and_validation_instances_never_meet(family):
    """Validation seeds lie far above any training seed, and the instances repeat."""
    assert VALIDATION_SEED > 1000 * 10**9
    assert validation_instances(family, 2) == validation_instances(family, 2)
    assert training_instance(family, 3) != training_instance(family, 9)


@pytest.mark.parametrize("family", RECIPES)
def test_a_search_starts_near_the_rule_of_its_recipe(family):
    """The first weights name known features, and the first policy finishes instances about as well as the rule."""
    search = evolution.EvolutionStrategy(family, 1, SMALL)
    assert np.isfinite(search.mean).all()
    instance = validation_instances(family, 1)[0]
    runner = Runner(compile_problem(instance))
    reference = runner.sample(rule_priority(recipe_of(instance.family).rule))[0]
    assert runner.sample(search.priority())[0] < 2 * reference


def test_one_failing_policy_does_not_set_the_direction():
    """Objectives are in units of their spread on the instance; what is far off counts as five; equal ones as 0."""
    values = np.array([[1.0, 3.0, 1.0, 3.0], [100.0, 300.0, 100.0, 300.0], [7.0, 7.0, 7.0, 7.0]])
    assert evolution._standardised(values).tolist() == [[-1, 1, -1, 1], [-1, 1, -1, 1], [0, 0, 0, 0]]
    failing = evolution._standardised(np.array([[10.0, 11.0, 12.0, 13.0, 10.0**9]]))
    assert failing.tolist() == [[-2, -1, 0, 1, 5]]
