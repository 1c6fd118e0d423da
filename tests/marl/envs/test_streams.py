"""Streams of jobs: nothing unrevealed is seen, and few slots go to the oldest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test
from playing import make_both, masked, play_aec, play_parallel

import marl
from marl.play import Bidder, priority_chooser
from problems import IllegalActionError, Instance, InstanceError, Job, Objective, Task, build_instance
from problems.check import check
from solvers.kinds import Kind
from solvers.priority import Priority

AGENTS = ("one", "two")


def fork(arrival: int, times: tuple[int, int, int] = (1, 2, 2)) -> Job:
    """A job of three stages, the last two after the first, revealed on arrival."""
    everyone = [dict.fromkeys(range(len(AGENTS)), time) for time in times]
    tasks = [Task(everyone[0]), Task(everyone[1], after=[0]), Task(everyone[2], after=[0])]
    return Job(tasks, release=arrival, reveal=arrival)


def stream(arrivals: list[int], **options: Any) -> Instance:
    jobs = [fork(arrival) for arrival in arrivals]
    return build_instance("stream", "custom", AGENTS, jobs, Objective.MEAN_FLOW_TIME, **options)


@settings(max_examples=40, deadline=None)
@given(
    arrivals=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    slots=st.integers(1, 4),
    seed=st.integers(0, 99),
    candidate_filter=st.sampled_from(["non-delay", "active", "full"]),
)
def test_streams_are_played_to_the_end_with_any_number_of_slots(arrivals, slots, seed, candidate_filter):
    """With fewer slots than stages every episode still ends with a checked schedule and its exact return."""
    instance = stream([0, *arrivals, 9], scale=7)
    for env in make_both("custom", instance, slots=slots, candidate_filter=candidate_filter):
        infos = env.reset(seed=seed)
        returns, info = play_aec(env, seed) if infos is None else play_parallel(env, infos[1], seed)
        outcome = info if infos is None else info[env.possible_agents[0]]
        report = check(instance, env.schedule())
        assert report.valid and report.objective == outcome["objective"]
        assert set(returns.values()) == {-outcome["objective"]}


def test_slots_go_to_the_oldest_and_the_rest_is_counted():
    """Slots hold the oldest candidates by reveal, the others are counted in the info, and choosing means that stage."""
    jobs = [Job([Task({0: 3})], release=1, reveal=1), Job([Task({0: 5})]), Job([Task({0: 7})]), Job([Task({0: 9})])]
    env = marl.env("custom", build_instance("ages", "custom", ["a"], jobs), slots=2)
    env.reset()
    info = env.last()[4]
    assert info["action_mask"].tolist() == [1, 1, 1] and info["hidden"] == 1
    env.step(1)
    assert env.schedule().task.tolist() == [2]
    assert env.now == 7 and env.last()[4]["hidden"] == 1
    env.step(1)
    assert env.schedule().task.tolist() == [2, 3]
    env.step(1)
    assert env.schedule().task.tolist() == [2, 3, 0] and env.last()[4]["hidden"] == 0
    assert env.last()[4]["action_mask"].tolist() == [1, 0, 0]


def test_rows_of_slots_by_age_are_those_of_fixed_slots():
    """The row of a candidate is the same whether its slot is fixed or goes by age."""
    instance = stream([0, 0, 2])
    wide, narrow = marl.env("custom", instance), marl.env("custom", instance, slots=2)
    for env in (wide, narrow):
        env.reset(seed=0)
    shown = wide.last()[0]["candidates"]
    assert np.array_equal(narrow.last()[0]["candidates"], shown[[0, 3, -1]])
    assert "hidden" not in wide.last()[4] and narrow.last()[4]["hidden"] == 0


def test_no_slot_at_all_is_refused():
    """A stream needs one slot; an instance known from the start needs all of them."""
    with pytest.raises(InstanceError, match="needs 1 slots, the environment has 0"):
        marl.env("custom", stream([0, 3]), slots=0)
    with pytest.raises(InstanceError, match="needs 6 slots, the environment has 5"):
        marl.env("custom", stream([0, 0]), slots=5)


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each")
def test_pettingzoo_accepts_streams():
    """PettingZoo's tests pass for a stream with few slots."""
    instance = stream([0, 1, 4, 4, 8])
    api_test(marl.env("custom", instance, slots=2), num_cycles=60)
    parallel_api_test(marl.parallel_env("custom", instance, slots=2), num_cycles=60)


def test_a_bid_for_a_hidden_candidate_is_refused():
    """A policy that looks at all candidates is told when its choice has no slot, with the remedy."""
    jobs = [Job([Task({0: time})]) for time in (9, 8, 1)] + [Job([Task({0: 1})], release=1, reveal=1)]
    env = marl.env("custom", build_instance("hidden", "custom", ["a"], jobs), slots=2, candidate_filter="non-delay")
    env.reset()
    bidder = Bidder(env, priority_chooser(env.episode.problem, Priority(Kind.SPT)))
    with pytest.raises(IllegalActionError, match="make it with more slots"):
        bidder.action()


@pytest.mark.parametrize("arrivals", [[40, 50], [40, 90], [60, 50]])
@pytest.mark.parametrize("times", [(5, 10, 10), (9, 1, 15)])
def test_nothing_unrevealed_is_seen(arrivals, times):
    """Until a job is revealed, observations do not depend on when it comes and how long its stages are.

    Only the mean of all durations is fixed here: it is the unit in which features are measured.
    """

    def seen(arrivals: list[int], times: tuple[int, int, int]) -> list[Any]:
        jobs = [fork(0, (10, 12, 12)), *(fork(arrival, times) for arrival in arrivals)]
        env = marl.env("custom", build_instance("s", "custom", AGENTS, jobs, Objective.MEAN_FLOW_TIME))
        env.reset(seed=0)
        random, log = np.random.default_rng(0), []
        while env.now < 40:
            observation, _, _, _, info = env.last()
            log += [observation["candidates"][:3], observation["candidates"][-1]]
            log += [observation["agent"], observation["global"]]
            env.step(masked(random, info["action_mask"], wait=False))
        return log

    expected = seen([40, 50], (8, 8, 9))
    assert len(expected) >= 12
    for ours, other in zip(seen(arrivals, times), expected, strict=True):
        assert np.array_equal(ours, other)
