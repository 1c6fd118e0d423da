"""Same seed, same episode: instances, observations, rewards, masks, over whole episodes."""

from __future__ import annotations

import json
import random as python_random
from typing import Any

import numpy as np
import pytest
from playing import LARGEST, MAKERS, masked

import marl
from problems.families import FAMILIES

families = pytest.mark.parametrize("family", sorted(FAMILIES))
STEPS = 60


def generated(order: str = "index") -> Any:
    """Job shops of 4 jobs on 3 machines with durations from 1 to 9."""
    sizes = {"num_jobs": 4, "num_machines": 3, "low": 1, "high": 9}
    return marl.env("jsp", generator="random", generator_options=sizes, order=order)


def record_aec(env: Any, seed: int | None, steps: int = STEPS) -> list[Any]:
    """What a masked random player sees in ``steps`` steps, over as many episodes as they take."""
    env.reset(seed=seed)
    chooser, log = np.random.default_rng(0), []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        observation, reward, terminated, truncated, info = env.last()
        log.append([env.agent_selection, reward, terminated, plain(observation), plain(info)])
        log[-1].append(env.instance.eligible_duration.tolist())
        env.step(None if terminated or truncated else masked(chooser, info["action_mask"]))
    return log


def record_parallel(env: Any, seed: int | None, steps: int = STEPS) -> list[Any]:
    """The same for the Parallel environment."""
    observations, infos = env.reset(seed=seed)
    chooser, log = np.random.default_rng(0), []
    for _ in range(steps):
        if not env.agents:
            observations, infos = env.reset()
        actions = {name: masked(chooser, infos[name]["action_mask"]) for name in env.agents}
        observations, *rest, infos = env.step(actions)
        log.append([plain(observations), rest, plain(infos)])
    return log


def plain(value: Any) -> Any:
    """``value`` as lists, to compare it bit by bit."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("order", ["index", "shuffled"])
def test_equal_seeds_give_equal_episodes_and_others_differ(order):
    """C40: seed 7 twice gives the same instances, observations and rewards for 60 masked steps; seed 8 differs."""
    first, second, other = (record_aec(generated(order), seed) for seed in (7, 7, 8))
    assert first == second
    assert first[0][5] != other[0][5]


def test_reset_of_one_environment_repeats_itself():
    """A seed starts the stream anew, whatever was played before."""
    env = generated("shuffled")
    first = record_aec(env, 7)
    record_aec(env, 8, 25)
    assert record_aec(env, 7) == first


@families
def test_parallel_episodes_repeat_over_whole_masked_episodes(family):
    """Equal seeds give equal parallel episodes, step by step; PettingZoo's own test stops after one step."""
    make = {"family": family, "instance": MAKERS[family], **LARGEST}
    logs = [record_parallel(marl.parallel_env(**make), seed) for seed in (7, 7, 8)]
    assert logs[0] == logs[1] != logs[2]


def test_reset_without_a_seed_continues_the_stream():
    """`reset()` draws the next instance of the stream: new ones, and the same ones after the same seed."""
    env = generated()
    drawn = []
    for seed in (3, None, None, 3, None, None):
        env.reset(seed=seed)
        drawn.append(env.instance)
    assert drawn[:3] == drawn[3:]
    assert drawn[0] != drawn[1] != drawn[2]


def test_global_generators_neither_matter_nor_change():
    """C40: the global seeds of NumPy, random and torch do not change an episode, and an episode leaves them alone."""
    torch = pytest.importorskip("torch")
    quiet = record_aec(generated("shuffled"), 7)
    np.random.seed(123)
    python_random.seed(456)
    torch.manual_seed(789)
    before = (json.dumps(np.random.get_state()[1].tolist()), python_random.getstate(), torch.get_rng_state().tolist())
    assert record_aec(generated("shuffled"), 7) == quiet
    after = (json.dumps(np.random.get_state()[1].tolist()), python_random.getstate(), torch.get_rng_state().tolist())
    assert before == after


def test_one_instance_stays_the_same():
    """An environment of one instance plays it at every reset, whatever the seed."""
    env = marl.env("jsp", "ta01")
    env.reset(seed=1)
    first = env.instance
    env.reset(seed=2)
    assert env.instance is first


def test_the_seed_decides_the_order_of_asking():
    """On one instance, too, a seed repeats the shuffled order after anything else was played, and seeds differ."""
    env = marl.env("jsp", MAKERS["jsp"](5), order="shuffled")
    orders = []
    for seed in (7, 8, 7, 9):
        orders.append([entry[0] for entry in record_aec(env, seed, 20)])
    assert orders[0] == orders[2]
    assert len({tuple(order) for order in orders}) > 1
