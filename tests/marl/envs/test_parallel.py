"""The Parallel environment: simultaneous choices, conflicts, waiting, the end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import LARGEST, MAKERS, masked, play_parallel

import marl
from problems import IllegalActionError
from problems.check import check
from problems.families import FAMILIES, job_shop, multiple_tsp

families = pytest.mark.parametrize("family", sorted(FAMILIES))
TWO_BY_TWO = job_shop("two", [[(0, 3), (1, 2)], [(1, 2), (0, 4)]], 2)
SQUARE = multiple_tsp("square", np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), 3)


@families
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), candidate_filter=st.sampled_from(["non-delay", "active", "full"]))
def test_random_episodes_end_with_a_checked_schedule_worth_minus_the_return(family, seed, candidate_filter):
    """Every masked episode ends with a schedule the checker accepts; each agent's return is exactly minus its value."""
    env = marl.parallel_env(family, MAKERS[family], candidate_filter=candidate_filter, **LARGEST)
    _, infos = env.reset(seed=seed)
    returns, infos = play_parallel(env, infos, seed)
    report = check(env.instance, env.schedule())
    assert report.valid
    assert {info["objective"] for info in infos.values()} == {report.objective}
    assert set(returns.values()) == {-report.objective}


def test_busy_agents_have_only_wait():
    """An agent whose commitment runs on may only wait, and sees no candidates."""
    env = marl.parallel_env("jsp", job_shop("busy", [[(0, 5)], [(1, 2)], [(1, 2)]], 2))
    env.reset()
    observations, _, _, _, infos = env.step({"machine_0": 0, "machine_1": 1})
    assert env.now == 2
    assert [infos[name]["action_mask"].tolist() for name in env.agents] == [[0, 0, 0, 1], [0, 0, 1, 1]]
    assert not observations["machine_0"]["candidates"][:-1].any()


def test_on_a_conflict_the_lowest_index_wins_and_the_losers_are_asked_again():
    """Of agents that want the same city the lowest index gets it; the others choose again at the same instant."""
    env = marl.parallel_env("mtsp", SQUARE)
    env.reset()
    _, _, _, _, infos = env.step({"salesman_0": 0, "salesman_1": 2, "salesman_2": 2})
    assert [infos[name].get("lost") for name in env.agents] == [None, None, True]
    schedule = env.schedule()
    assert schedule.agent.tolist() == [0, 1] and schedule.task.tolist() == [0, 2] and env.now == 0
    masks = [infos[name]["action_mask"].tolist() for name in env.agents]
    assert masks == [[0, 0, 0, 1], [0, 0, 0, 1], [0, 1, 0, 1]]
    _, _, _, _, infos = env.step({"salesman_0": 3, "salesman_1": 3, "salesman_2": 1})
    assert not any("lost" in info for info in infos.values())
    assert env.agents == [] and infos["salesman_0"]["objective"] == pytest.approx(2 * 2**0.5)


def test_when_everybody_waits_time_goes_on():
    """Without a commitment the clock moves to the next event; who waited is asked again there."""
    instance = job_shop("three", [[(0, 2), (1, 1)], [(1, 2), (0, 1)], [(0, 1), (1, 3)]], 2)
    env = marl.parallel_env("jsp", instance)
    env.reset()
    env.step({"machine_0": 2, "machine_1": 3})
    assert env.now == 0
    _, _, _, _, infos = env.step({"machine_0": 3, "machine_1": 3})
    assert env.now == 1 and infos["machine_1"]["action_mask"].tolist() == [0, 1, 1, 1]


def test_not_everybody_can_wait_for_ever():
    """Where no event will come, the asked agent of the lowest index has to choose."""
    env = marl.parallel_env("mtsp", SQUARE)
    _, infos = env.reset()
    assert [int(info["action_mask"][-1]) for info in infos.values()] == [0, 1, 1]
    with pytest.raises(IllegalActionError, match="salesman_0 may not wait now"):
        env.step(dict.fromkeys(env.agents, 3))


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"machine_0": 0}, "machine_1 has no action"),
        ({"machine_0": 0, "machine_1": 1, "machine_7": 2}, "there is no agent 'machine_7'"),
        ({"machine_0": 0, "machine_1": 0}, "machine_1 may not choose slot 0"),
        ({"machine_0": 0, "machine_1": None}, "action None is no integer"),
        ({"machine_0": 0, "machine_1": 5}, "action 5 is out of range"),
    ],
)
def test_illegal_steps_change_nothing(actions, message):
    """A missing, unknown or illegal action is refused by name, and no other agent's choice is carried out."""
    env = marl.parallel_env("jsp", TWO_BY_TWO)
    env.reset()
    with pytest.raises(IllegalActionError, match=message):
        env.step(actions)
    assert len(env.schedule()) == 0 and env.now == 0
    env.step({"machine_0": 0, "machine_1": 1})
    _, rewards, terminations, _, infos = env.step({"machine_0": 1, "machine_1": 0})
    assert all(terminations.values()) and infos["machine_1"]["objective"] == 7
    assert rewards == {"machine_0": -4.0, "machine_1": -4.0} and env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_max_steps_truncates():
    """At the limit all living agents are truncated, not terminated, and no objective is claimed."""
    env = marl.parallel_env("jsp", TWO_BY_TWO, max_steps=1)
    env.reset()
    _, _, terminations, truncations, infos = env.step({"machine_0": 0, "machine_1": 1})
    assert not any(terminations.values()) and all(truncations.values()) and env.agents == []
    assert not any("objective" in info for info in infos.values())
    env = marl.parallel_env("jsp", TWO_BY_TWO, max_steps=2)
    env.reset()
    env.step({"machine_0": 0, "machine_1": 1})
    _, _, terminations, truncations, _ = env.step({"machine_0": 1, "machine_1": 0})
    assert all(terminations.values()) and not any(truncations.values())


def test_without_tasks_the_first_step_ends():
    """An instance without tasks ends with the first step."""
    env = marl.parallel_env("jsp", job_shop("none", [], 2))
    env.reset()
    _, rewards, terminations, _, infos = env.step({"machine_0": 0, "machine_1": 0})
    assert all(terminations.values()) and set(rewards.values()) == {0.0} and infos["machine_0"]["gap"] == 0.0


@families
def test_agents_that_an_instance_lacks_may_be_given_actions(family):
    """Wrappers that act for all possible agents can play padded instances."""
    env = marl.parallel_env(family, FAMILIES[family].small_instance(0), agents=5)
    _, infos = env.reset(seed=0)
    random = np.random.default_rng(0)
    while env.agents:
        masks = {name: info["action_mask"] for name, info in infos.items()}
        _, _, _, _, infos = env.step(
            {name: masked(random, masks[name]) if name in masks else env.slots for name in env.possible_agents}
        )
    assert check(env.instance, env.schedule()).valid


def test_order_of_asking_is_refused():
    """Where all choose at once an order of asking means nothing."""
    with pytest.raises(TypeError, match="order= has no meaning"):
        marl.parallel_env("jsp", TWO_BY_TWO, order="index")
