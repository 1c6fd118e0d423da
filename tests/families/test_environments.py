"""Environments of every family: PettingZoo's own tests, whole masked episodes, and the schedules of the solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dressing import CASES, dressed, plain, rules
from pettingzoo.test import api_test, parallel_api_test

import marl
from marl.envs.slots import num_slots
from marl.play import play
from problems.families import FAMILIES
from problems.instance import Instance
from solvers import Budget
from solvers.registry import DISPATCH_RULES, get_solver
from solvers.rules.dispatch import rule_priority

pytestmark = pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each")
families = pytest.mark.parametrize("family", CASES)
registered = pytest.mark.parametrize("family", sorted(FAMILIES))
SIZES = range(4)


def stream(family: str) -> dict[str, Any]:
    """Options of an environment of plain and dressed instances in turn, with room for the largest."""

    def make(seed: int) -> Instance:
        return (plain if seed % 2 else dressed)(family, seed // 2 % len(SIZES))

    instances = [make(seed) for seed in range(2 * len(SIZES))]
    slots, agents = max(map(num_slots, instances)), max(instance.num_agents for instance in instances)
    return {"family": family, "instance": make, "slots": slots, "agents": agents}


@registered
def test_pettingzoo_api_test(family: str):
    """PettingZoo's test of AEC environments passes over instances with and without all switches."""
    api_test(marl.env(**stream(family)), num_cycles=60)


@registered
def test_pettingzoo_parallel_api_test(family: str):
    """PettingZoo's test of parallel environments passes, without a warning, on an instance with all switches."""
    for instance in (plain(family, 3), dressed(family, 3)):
        parallel_api_test(marl.parallel_env(family, instance), num_cycles=60)


def record_aec(env: Any, seed: int) -> list[Any]:
    """What a masked random player sees in an episode, every observation, reward and mask."""
    env.reset(seed=seed)
    random, log = np.random.default_rng(seed), []
    while env.agents:
        observation, reward, terminated, truncated, info = env.last()
        log.append([env.agent_selection, reward, terminated, truncated, plain_values(observation), plain_values(info)])
        over = terminated or truncated
        env.step(None if over else int(random.choice(np.flatnonzero(info["action_mask"]))))
    return log


def record_parallel(env: Any, seed: int) -> list[Any]:
    """The same for all agents at once."""
    observations, infos = env.reset(seed=seed)
    random, log = np.random.default_rng(seed), [[plain_values(observations), plain_values(infos)]]
    while env.agents:
        masks = {name: np.flatnonzero(infos[name]["action_mask"]) for name in env.agents}
        observations, *rest, infos = env.step({name: int(random.choice(mask)) for name, mask in masks.items()})
        log.append([plain_values(observations), rest, plain_values(infos)])
    return log


def plain_values(value: Any) -> Any:
    """``value`` as lists, to compare it bit by bit."""
    if isinstance(value, dict):
        return {key: plain_values(entry) for key, entry in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


@families
def test_whole_masked_episodes_repeat(family: str):
    """Equal seeds give equal episodes to their end, in both kinds of environment; different seeds differ."""
    for make, record in ((marl.env, record_aec), (marl.parallel_env, record_parallel)):
        logs = [record(make(**stream(family)), seed) for seed in (6, 6, 7)]
        assert logs[0] == logs[1] != logs[2]


@families
def test_solve_is_the_episode_of_the_environment(family: str):
    """Each dispatch rule of a family makes the same schedule in `solve` and, by bid, in the AEC environment."""
    names = [rule for rule in rules(family) if rule in DISPATCH_RULES]
    assert names
    for rule in names:
        priority = rule_priority(rule)
        for seed in SIZES:
            for instance in (plain(family, seed), dressed(family, seed)):
                solved = get_solver(rule)(instance, Budget(), 0).schedule
                env = marl.env(family, instance, candidate_filter=priority.candidate_filter)
                assert play(env, priority, seed=0) == solved, (rule, instance.name)
