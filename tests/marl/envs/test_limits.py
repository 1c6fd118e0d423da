"""Parallelism limits as part of a choice, where executors serve their stage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test
from playing import make_both, play_aec, play_parallel

import marl
from problems import Instance, InstanceError
from problems.check import check
from problems.families import spark_cluster
from problems.families.spark import SparkJob, SparkStage
from problems.generators import random_spark

FOUR_PIECES = SparkJob([SparkStage(4, duration=10)])
TWO_PIECES = SparkJob([SparkStage(2, duration=10)])


def cluster(*jobs: SparkJob, executors: int = 3) -> Instance:
    """Jobs under preset decima, without moving delays."""
    return spark_cluster("cluster", jobs, executors, "decima", moving_delay=0, scale=1)


def masks_and_agents(env: Any, actions: list[int]) -> tuple[list[list[int]], list[int]]:
    """Play ``actions`` after a reset; the masks seen, and the agents of the schedule at the end."""
    env.reset()
    masks = []
    for action in actions:
        masks.append(env.last()[4]["action_mask"].tolist())
        env.step(action)
    return masks, sorted(set(env.schedule().agent.tolist()))


def test_a_limit_is_the_number_of_executors_that_a_job_gets():
    """Under limit 2 two of three executors do the four pieces in 20, the third stays idle; under limit 4 all work."""
    env = marl.env("spark", cluster(FOUR_PIECES), limits=(1, 2, 4))
    masks, agents = masks_and_agents(env, [1])
    assert masks == [[1, 1, 1, 0]] and agents == [0, 1]
    assert env.last()[4]["objective"] == 20
    masks, agents = masks_and_agents(env, [0])
    assert agents == [0] and env.last()[4]["objective"] == 40
    masks, agents = masks_and_agents(env, [2])
    assert agents == [0, 1, 2] and env.last()[4]["objective"] == 20


def test_of_limits_that_mean_the_same_the_first_is_legal():
    """Two pieces take two executors at most, so limits 3 and 5 give no more than limit 2 and are masked."""
    env = marl.env("spark", cluster(TWO_PIECES), limits=(1, 2, 3, 5))
    masks, _ = masks_and_agents(env, [1])
    assert masks == [[1, 1, 0, 0, 0]]
    wide = marl.env("spark", cluster(TWO_PIECES), limits=(3, 5))
    assert masks_and_agents(wide, [0])[0] == [[1, 0, 0]]


def test_the_rest_of_a_round_goes_to_other_stages():
    """After two of three executors went to one job, the third may go to the other one or stay idle."""
    env = marl.env("spark", cluster(FOUR_PIECES, TWO_PIECES), limits=(1, 2))
    masks, _ = masks_and_agents(env, [1, 2])
    assert masks == [[1, 1, 1, 1, 0], [0, 0, 1, 0, 1]]
    assert env.schedule().agent.tolist()[:3] == [0, 1, 2]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), fixed=st.booleans(), interval=st.sampled_from([None, 4000.0]), slots=st.booleans())
def test_limited_episodes_end_with_a_checked_schedule_worth_minus_the_return(seed, fixed, interval, slots):
    """Masked random choices of stages and limits give checked schedules and exact returns, also with few slots."""
    instance = random_spark(2, 3, seed, "decima", interval, fixed=fixed, max_stages=4, max_tasks=4)
    room = {"slots": 6} if slots and np.any(instance.job_reveal > 0) else {}
    for env in make_both("spark", instance, limits=(1, 2, 3), **room):
        infos = env.reset(seed=seed)
        returns, info = play_aec(env, seed) if infos is None else play_parallel(env, infos[1], seed)
        outcome = info if infos is None else info[env.possible_agents[0]]
        report = check(instance, env.schedule())
        assert report.valid and report.objective == outcome["objective"]
        assert set(returns.values()) == {-outcome["objective"]}


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each")
def test_pettingzoo_accepts_limits():
    """PettingZoo's tests pass with limits."""
    instance = random_spark(2, 3, 1, "decima", max_stages=4, max_tasks=4)
    api_test(marl.env("spark", instance, limits=(1, 3)), num_cycles=60)
    parallel_api_test(marl.parallel_env("spark", instance, limits=(1, 3)), num_cycles=60)


@pytest.mark.parametrize("limits", [(2, 1), (0, 1), (1, 1), (1.5,)])
def test_limits_increase(limits):
    """Limits that are no increasing whole numbers are refused."""
    with pytest.raises(ValueError, match="expected increasing whole numbers from 1 on"):
        marl.env("spark", cluster(TWO_PIECES), limits=limits)


def test_limits_need_executors_that_serve_a_stage():
    """Where executors decide after each piece a limit means nothing, and is refused with the remedy."""
    instance = random_spark(2, 3, 1, "default", max_stages=4, max_tasks=4)
    with pytest.raises(InstanceError, match="decide after each piece, so limits= means nothing"):
        marl.env("spark", instance, limits=(1, 2))
