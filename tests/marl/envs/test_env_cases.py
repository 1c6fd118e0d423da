"""Inputs from public bug reports about environments, with their right answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import make_both, masked, play_aec

import marl
from problems import IllegalActionError
from problems.check import check
from problems.families import job_shop

C22 = job_shop("C22", [[(1, 5), (2, 5), (0, 5)], [(1, 6), (0, 1), (2, 5)]], 3)
C37 = job_shop("C37", [[(0, 3), (1, 2)], [(1, 2), (0, 4)]], 2)
C38 = job_shop("C38", [[(0, 2), (1, 1)], [(1, 3)], [(1, 2)]], 3)
C41 = job_shop("C41", [[(0, 0), (1, 100_000)], [(1, 1), (0, 99_999)]], 2)
C43 = job_shop("C43", [[(0, 2), (1, 1)], [(1, 2), (0, 1)], [(0, 1), (1, 3)]], 2)


def reachable(env: Any, wait: bool = True) -> set[int]:
    """Objectives of all action sequences; without ``wait``, of those in which nobody waits."""
    found, prefixes = set(), [[]]
    while prefixes:
        prefix = prefixes.pop()
        env.reset()
        for action in prefix:
            env.step(action)
        _, _, terminated, _, info = env.last(observe=False)
        if terminated:
            found.add(info["objective"])
            continue
        mask = info["action_mask"] if wait else info["action_mask"][:-1]
        prefixes += [[*prefix, int(slot)] for slot in np.flatnonzero(mask)]
    return found


def test_c22_waiting_reaches_the_optimum():
    """Waiting reaches 17 from non-delay candidates, which without waiting stop at 21; reservations reach it too."""
    assert min(reachable(marl.env("jsp", C22, candidate_filter="non-delay"))) == 17
    assert min(reachable(marl.env("jsp", C22, candidate_filter="non-delay"), wait=False)) == 21
    assert min(reachable(marl.env("jsp", C22, candidate_filter="active"), wait=False)) == 17


def test_c37_legal_script_ends_at_seven():
    """The legal script of job indices gives makespan 7; machine 0 waits where the script turns to machine 1 first."""
    for script in ([0, 1, 1, 0], [0, 1, 2, 0, 1]):
        env = marl.env("jsp", C37)
        env.reset()
        for action in script:
            env.step(action)
        assert env.last()[4]["objective"] == 7


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (0, "machine_0 may not choose slot 0 now; its legal slots are 1, 2"),
        (5, "action 5 is out of range"),
        (-1, "action -1 is out of range"),
        (1.0, "action 1.0 is no integer"),
        (np.float32(1.0), "is no integer"),
        (True, "action True is no integer"),
        (None, "action None is no integer"),
        ("1", "action '1' is no integer"),
    ],
)
def test_c37_illegal_actions_leave_the_state_alone(action, message):
    """A finished job, a slot out of range, -1 and what is no integer raise; the episode goes on to 7."""
    env = marl.env("jsp", C37)
    env.reset()
    env.step(0)
    env.step(1)
    before = snapshot(env)
    with pytest.raises(IllegalActionError, match=message):
        env.step(action)
    assert snapshot(env) == before
    env.step(1)
    env.step(0)
    assert env.last()[4]["objective"] == 7


def snapshot(env: Any) -> list[Any]:
    state = [array.tolist() for array in env.episode.state]
    observation = {key: value.tolist() for key, value in env.last()[0].items()}
    return [state, observation, env.agent_selection, dict(env.rewards), env.last()[1], dict(env.terminations)]


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, np.array])
def test_c37_numpy_integers_are_integers(kind):
    """NumPy integers and zero-dimensional integer arrays are taken as the integers they are."""
    env = marl.env("jsp", C37)
    env.reset()
    for action in (0, 1, 1, 0):
        env.step(kind(action))
    assert env.last()[4]["objective"] == 7


def test_c38_agents_of_different_work_end_cleanly():
    """Machines with 1, 3 and 0 operations: one None step each, nobody acts again, the idle one never blocks."""
    env = marl.env("jsp", C38)
    assert min(reachable(env)) == 6
    for seed in range(20):
        env.reset(seed=seed)
        returns, info = play_aec(env, seed)
        assert env.agents == []
        assert set(returns.values()) == {-info["objective"]} and info["objective"] >= 6
        assert check(env.instance, env.schedule()).valid


def test_c38_each_agent_takes_one_none_step():
    """After the end the selection goes through every agent once, the idle one included."""
    env = marl.env("jsp", C38)
    env.reset(seed=0)
    random, left = np.random.default_rng(0), []
    for name in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            left.append(name)
            env.step(None)
        else:
            assert not left and name != "machine_2"
            env.step(masked(random, info["action_mask"]))
    assert sorted(left) == ["machine_0", "machine_1", "machine_2"]


def test_c41_extreme_durations_stay_finite_and_inside_the_space():
    """A zero duration beside 100000 gives finite float32 observations of constant shape inside one space object."""
    assert min(reachable(marl.env("jsp", C41))) == 100_001
    env = marl.env("jsp", C41)
    space = env.observation_space("machine_0")
    for seed in range(10):
        env.reset(seed=seed)
        random = np.random.default_rng(seed)
        for name in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            assert env.observation_space(name) is space and space.contains(observation)
            assert all(np.isfinite(value).all() for value in observation.values())
            env.step(None if terminated or truncated else masked(random, info["action_mask"]))


def test_c43_the_horizon_truncates():
    """With max_steps 2 living agents are truncated, not terminated, and makespan and gap are left out."""
    for env in make_both("jsp", C43, max_steps=2)[:1]:
        env.reset()
        env.step(0)
        env.step(1)
        _, _, terminated, truncated, info = env.last()
        assert truncated and not terminated
        assert env.truncations == {"machine_0": True, "machine_1": True} and not any(env.terminations.values())
        assert set(info) == {"action_mask"} and len(env.schedule()) == 2
        assert env.last()[0]["candidates"].any()
        env.step(None)
        env.step(None)
        assert env.agents == []


def test_c43_ending_on_the_limit_is_termination():
    """If the last operation falls on the limit, the agents are terminated; without a limit 6 is reached."""
    assert min(reachable(marl.env("jsp", C43))) == 6
    env = marl.env("jsp", C43, max_steps=6)
    env.reset(seed=0)
    _, info = play_aec(env, 0, wait=False)
    assert "objective" in info and len(env.schedule()) == 6
