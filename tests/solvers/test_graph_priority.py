"""The network over the agent-task graph as a priority."""

from __future__ import annotations

import numpy as np
import pytest

from graphs.layout import Sizes, initial_tensors, pack, without_messages
from graphs.schema import CANDIDATE_FEATURES, NUM_FEATURES
from problems.check import check
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import Filter, compile_problem, schedule_of
from solvers.kinds import Kind
from solvers.priority import Priority, pack_network
from solvers.rollout import Runner

INSTANCES = [random_job_shop(6, 4, seed=1), random_multiple_tsp(12, 3, seed=2)]


def prior(may_wait: bool = False) -> np.ndarray:
    """Some small network."""
    random = np.random.default_rng(0)
    linear, hidden = random.normal(size=NUM_FEATURES), random.normal(size=(NUM_FEATURES, 8))
    linear[CANDIDATE_FEATURES.index("is_wait")] = -2.0  # waiting is rare
    return pack_network(0.1 * linear, np.zeros(8), random.normal(size=8), 0.1 * hidden, may_wait=may_wait)


def network(trained: bool, seed: int = 0) -> np.ndarray:
    """First weights, or some in which the heads count, too."""
    tensors = initial_tensors(Sizes(), seed)
    if trained:
        random = np.random.default_rng(seed)
        for name in ("actor_out.weight", "wait_out.weight"):
            tensors[name] = random.normal(size=tensors[name].shape).astype(np.float32)
    return pack(tensors, Sizes())


@pytest.mark.parametrize("may_wait", [False, True])
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_an_untrained_network_adds_nothing_to_its_prior(instance, may_wait):
    """With zero heads, greedy and sampled episodes are those of the small network, number for number."""
    parameters = prior(may_wait)
    small = Priority(Kind.NETWORK, parameters, Filter.ACTIVE)
    large = Priority(Kind.GRAPH, parameters, Filter.ACTIVE, network(trained=False))
    runner = Runner(compile_problem(instance))
    assert runner.sample(large, 20, seed=3).tolist() == runner.sample(small, 20, seed=3).tolist()


@pytest.mark.parametrize("may_wait", [False, True])
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_schedules_are_valid_and_repeatable(instance, may_wait):
    """Sampled schedules pass the checker, depend on the network, and the same seed gives the same objectives."""
    priority = Priority(Kind.GRAPH, prior(may_wait), Filter.ACTIVE, network(trained=True))
    runner = Runner(compile_problem(instance))
    values = runner.sample(priority, 30, seed=4)
    report = check(instance, schedule_of(runner.best))
    assert report.valid
    assert runner.sample(priority, 30, seed=4).tolist() == values.tolist()
    assert Runner(compile_problem(instance)).sample(priority, 30, seed=4).tolist() == values.tolist()
    silent = Priority(Kind.GRAPH, prior(may_wait), Filter.ACTIVE, without_messages(priority.network))
    assert runner.sample(silent, 30, seed=4).tolist() != values.tolist()


def test_one_runner_serves_many_networks():
    """Changing the priority between calls never reuses what another network has seen."""
    problem = compile_problem(INSTANCES[0])
    priorities = [Priority(Kind.GRAPH, prior(), Filter.ACTIVE, network(True, seed)) for seed in range(3)]
    expected = [Runner(problem).sample(priority, 10).tolist() for priority in priorities]
    runner = Runner(problem)
    assert [runner.sample(priority, 10).tolist() for priority in priorities] == expected


def test_pilot_with_a_network_is_no_worse_than_greedy():
    """The pilot method works on graph priorities, and its schedule is valid."""
    problem = compile_problem(INSTANCES[0])
    priority = Priority(Kind.GRAPH, prior(), Filter.ACTIVE, network(trained=True))
    runner = Runner(problem)
    value = runner.pilot(priority)
    assert check(INSTANCES[0], schedule_of(runner.best)).objective == value
    assert value <= Runner(problem).sample(priority)[0]


def test_a_graph_priority_needs_a_network():
    """A graph priority without weights is refused by name."""
    with pytest.raises(ValueError, match="needs a network"):
        Priority(Kind.GRAPH, prior(), Filter.ACTIVE)
