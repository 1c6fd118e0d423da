"""A priority played through the AEC environment is the compiled rollout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marl
from graphs.layout import Sizes, pack, tensor_shapes
from graphs.schema import NUM_FEATURES
from marl.play import Bidder, play, play_on, priority_chooser
from problems import IllegalActionError, Instance
from problems.families import FAMILIES
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import Filter, compile_problem, schedule_of
from solvers.kinds import Kind
from solvers.priority import Priority, pack_network
from solvers.rollout import Runner


def network(seed: int, may_wait: bool, candidate_filter: Filter = Filter.ACTIVE) -> Priority:
    """Network with random parameters."""
    random, hidden = np.random.default_rng(seed), 4
    parameters = pack_network(
        random.normal(size=NUM_FEATURES),
        random.normal(size=hidden),
        random.normal(size=hidden),
        random.normal(size=(NUM_FEATURES, hidden)),
        may_wait=may_wait,
    )
    return Priority(Kind.NETWORK, parameters, candidate_filter)


def instance_of(family: str, seed: int) -> Instance:
    """Small instance of a family; job shops and cities of several sizes."""
    random = np.random.default_rng(seed)
    if family == "jsp":
        return random_job_shop(int(random.integers(2, 6)), int(random.integers(2, 5)), seed, low=0, high=9)
    if family == "mtsp":
        return random_multiple_tsp(int(random.integers(2, 9)), int(random.integers(1, 4)), seed)
    return FAMILIES[family].small_instance(seed)


def graph_network(seed: int, may_wait: bool) -> Priority:
    """Network over the agent-task graph with random parameters, and a random small network as its prior."""
    random, sizes = np.random.default_rng(seed), Sizes()
    tensors = {name: 0.3 * random.normal(size=shape) for name, shape in tensor_shapes(sizes).items()}
    return Priority(Kind.GRAPH, network(seed, may_wait).parameters, Filter.ACTIVE, pack(tensors, sizes))


PRIORITIES = {
    "network": lambda seed: network(seed, may_wait=False),
    "network that may wait": lambda seed: network(seed, may_wait=True),
    "non-delay network that may wait": lambda seed: network(seed, True, Filter.NON_DELAY),
    "graph network": lambda seed: graph_network(seed, may_wait=False),
    "graph network that may wait": lambda seed: graph_network(seed, may_wait=True),
}


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("name", sorted(PRIORITIES))
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), order=st.sampled_from(["index", "shuffled"]))
def test_the_environment_gives_the_schedule_of_the_rollout(family, name, seed, order):
    """Played by bid, whatever the order of asking, a network makes the very schedule of its compiled rollout."""
    instance, priority = instance_of(family, seed), PRIORITIES[name](seed)
    runner = Runner(compile_problem(instance))
    value = runner.sample(priority, 1)[0]
    env = marl.env(family, instance, candidate_filter=priority.candidate_filter, order=order)
    assert play(env, priority, seed=seed) == schedule_of(runner.best)
    assert env.episode.board.numbers[1] == value


def test_waiting_networks_do_wait():
    """The comparison above covers voluntary waiting: some random networks let time pass although they could begin."""
    longest = [
        play(marl.env("jsp", instance_of("jsp", seed)), network(seed, may_wait=wait)).end.max()
        for wait in (False, True)
        for seed in range(10)
    ]
    assert longest[:10] != longest[10:]


def test_the_environments_candidates_must_be_those_of_the_priority():
    """An environment with another candidate filter is refused; the message names the right one."""
    with pytest.raises(ValueError, match="the priority chooses from those of NON_DELAY"):
        play(marl.env("jsp", instance_of("jsp", 0)), Priority(Kind.SPT))


def test_a_chooser_of_ones_own_plays():
    """Anything that picks a row of the candidates can play."""
    env = marl.env("jsp", instance_of("jsp", 1))
    env.reset(seed=0)
    schedule = play_on(env, lambda problem, state, found, count: count - 1)
    assert len(schedule) == env.instance.num_tasks


def test_a_bidder_of_another_instance_is_refused():
    """A bidder knows one instance; after a reset to another one it says so."""
    env = marl.env("jsp", lambda seed: random_job_shop(3, 2, seed))
    env.reset(seed=0)
    bidder = Bidder(env, priority_chooser(env.episode.problem, network(0, False)))
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="another instance"):
        bidder.action()
