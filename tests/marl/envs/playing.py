"""Ways to play an environment that the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import marl
from problems.families import FAMILIES
from problems.generators import (
    brandimarte_like,
    random_job_shop,
    random_multiple_tsp,
    random_spark,
    vallada_ruiz,
    with_operators,
)
from problems.instance import Instance


def small_job_shop(seed: int) -> Instance:
    """Job shop of 2 to 4 jobs on 2 or 3 machines; zero durations occur."""
    return random_job_shop(2 + seed % 3, 2 + seed % 2, seed, low=0, high=9)


def small_multiple_tsp(seed: int) -> Instance:
    """Up to 7 cities for 1 to 3 salesmen."""
    return random_multiple_tsp(2 + seed % 6, 1 + seed % 3, seed)


def small_flexible_job_shop(seed: int) -> Instance:
    """Flexible job shop of 2 to 4 jobs on 2 or 3 machines."""
    return brandimarte_like(2 + seed % 3, 2 + seed % 2, seed, operations=(1, 3), low=0, high=9)


def small_parallel_machines(seed: int) -> Instance:
    """Up to 7 jobs with setups on 1 to 3 machines, every other time with one operator for all setups."""
    instance = vallada_ruiz(2 + seed % 6, 1 + seed % 3, 49, seed)
    return with_operators(instance, 1, seed) if seed % 4 < 2 else instance


def small_spark(seed: int) -> Instance:
    """One or two jobs of up to 4 stages for 2 or 3 executors; both presets, fixed and random times, some streams."""
    preset, interval = ("default", "decima")[seed % 2], (None, 5000.0)[seed // 2 % 2]
    sizes = {"fixed": seed // 4 % 2 == 0, "max_stages": 4, "max_tasks": 3}
    return random_spark(1 + seed % 2, 2 + seed % 2, seed, preset, interval, **sizes)


MAKERS = {name: family.small_instance for name, family in FAMILIES.items()} | {
    "fjsp": small_flexible_job_shop,
    "jsp": small_job_shop,
    "mtsp": small_multiple_tsp,
    "spark": small_spark,
    "upms": small_parallel_machines,
}
"""Small instances of several sizes by family."""

LARGEST = {"slots": 8, "agents": 3}
"""Spaces that all instances of `MAKERS` fit."""


def make_both(family: str, *args: Any, **options: Any) -> list[Any]:
    """The AEC and the Parallel environment with the same options."""
    return [marl.env(family, *args, **options), marl.parallel_env(family, *args, **options)]


def masked(random: np.random.Generator, mask: np.ndarray, wait: bool = True) -> int:
    """A legal action; without ``wait`` waiting is chosen only where nothing else is legal."""
    legal = np.flatnonzero(mask if wait or not mask[:-1].any() else mask[:-1])
    return int(random.choice(legal))


def play_aec(env: Any, seed: int, wait: bool = True) -> tuple[dict[str, float], dict[str, Any]]:
    """Masked random episode from the present state: the sum of rewards over ``last()`` per agent, and the last info."""
    random = np.random.default_rng(seed)
    returns = dict.fromkeys(env.agents, 0.0)
    info: dict[str, Any] = {}
    while env.agents:
        name = env.agent_selection
        _, reward, terminated, truncated, info = env.last(observe=False)
        returns[name] += reward
        env.step(None if terminated or truncated else masked(random, info["action_mask"], wait))
    return returns, info


def play_parallel(env: Any, infos: dict[str, Any], seed: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Masked random episode after a reset: the sum of rewards per agent, and the last infos."""
    random = np.random.default_rng(seed)
    returns = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        actions = {name: masked(random, infos[name]["action_mask"]) for name in env.agents}
        _, rewards, _, _, infos = env.step(actions)
        for name, reward in rewards.items():
            returns[name] += reward
    return returns, infos


def play_actions(env: Any, actions: list[int]) -> dict[str, Any]:
    """Reset, play ``actions`` to the end of the episode; the last info."""
    env.reset(seed=0)
    for action in actions:
        env.step(action)
    info = env.last()[4]
    while env.agents:
        env.step(None)
    return info
