"""The environments against the tests of others: PettingZoo's own, Gymnasium's spaces, TorchRL."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from playing import LARGEST, MAKERS, make_both, masked

import marl
from problems.families import FAMILIES
from problems.simulator.arrays import TASKS_LEFT

pytestmark = pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each")
families = pytest.mark.parametrize("family", sorted(FAMILIES))


def options(family: str, **more: Any) -> dict[str, Any]:
    return {"instance": MAKERS[family], **LARGEST, **more}


@families
@pytest.mark.parametrize("order", ["index", "shuffled"])
@pytest.mark.parametrize("candidate_filter", ["non-delay", "active", "full"])
def test_pettingzoo_api_test(family, order, candidate_filter):
    """PettingZoo's test of AEC environments passes for every order of asking and candidate filter."""
    api_test(marl.env(family, order=order, candidate_filter=candidate_filter, **options(family)), num_cycles=60)


@families
@pytest.mark.parametrize("candidate_filter", ["non-delay", "active", "full"])
def test_pettingzoo_parallel_api_test(family, candidate_filter):
    """PettingZoo's test of parallel environments passes for every candidate filter, without a warning."""
    instance = FAMILIES[family].small_instance(3)
    parallel_api_test(marl.parallel_env(family, instance, candidate_filter=candidate_filter), num_cycles=60)


@families
@pytest.mark.parametrize("order", ["index", "shuffled"])
def test_pettingzoo_seed_test(family, order):
    """PettingZoo's seed test passes with and without random order of asking."""
    seed_test(partial(marl.env, family, order=order, **options(family)), num_cycles=60)


@families
def test_pettingzoo_parallel_seed_test(family):
    """PettingZoo's parallel seed test passes; it samples without masks, so illegal actions are replaced."""
    parallel_seed_test(partial(marl.parallel_env, family, illegal="replace", **options(family)), num_cycles=60)


@families
@pytest.mark.parametrize("seed", range(6))
def test_spaces_contain_every_observation_of_all_agents(family, seed):
    """Each observation of each agent is finite, of the declared dtype and shape, inside one and the same space."""
    env = marl.env(family, **options(family))
    env.reset(seed=seed)
    random = np.random.default_rng(seed)
    space, actions = env.observation_space(env.agents[0]), env.action_space(env.agents[0])
    while env.agents:
        for name in env.possible_agents:
            assert env.observation_space(name) is space and env.action_space(name) is actions
            assert_inside(space, env.observe(name))
        _, _, terminated, truncated, info = env.last()
        assert info["action_mask"].any()
        env.step(None if terminated or truncated else masked(random, info["action_mask"]))


@families
@pytest.mark.parametrize("seed", range(6))
def test_spaces_contain_every_parallel_observation(family, seed):
    """Each observation of the parallel environment is finite and inside one and the same space, to the very end."""
    env = marl.parallel_env(family, **options(family))
    observations, infos = env.reset(seed=seed)
    random = np.random.default_rng(seed)
    while env.agents:
        for name in env.agents:
            assert_inside(env.observation_space(name), observations[name])
            assert np.array_equal(infos[name]["action_mask"], observations[name]["action_mask"])
        actions = {name: masked(random, infos[name]["action_mask"]) for name in env.agents}
        observations, _, _, _, infos = env.step(actions)
    for name, observation in observations.items():
        assert_inside(env.observation_space(name), observation)


def assert_inside(space: Any, observation: dict[str, np.ndarray]) -> None:
    assert space.contains(observation)
    assert observation["action_mask"].dtype == np.int8 and observation["action_mask"].any()
    for key in ("candidates", "agent", "global"):
        assert observation[key].dtype == np.float32
        assert np.isfinite(observation[key]).all()


@families
def test_state_lies_in_its_space(family):
    """The shared state fits the declared space for every size of instance."""
    for env in make_both(family, **options(family)):
        for seed in range(6):
            env.reset(seed=seed)
            assert env.state_space.contains(env.state())


@families
def test_graph_shows_the_present_state(family):
    """`graph()` is a torch-geometric graph of the present state: what is done has left it."""
    pytest.importorskip("torch_geometric")
    for env in make_both(family, FAMILIES[family].small_instance(0)):
        env.reset(seed=0)
        assert env.graph()["task"].x.shape[0] == env.instance.num_tasks
        assert env.graph()["agent"].x.shape[0] == env.instance.num_agents
    env = marl.env(family, FAMILIES[family].small_instance(0))
    env.reset(seed=0)
    while env.episode.state.clock[TASKS_LEFT] == env.instance.num_tasks:
        env.step(int(env.last()[4]["action_mask"].argmax()))
    assert env.graph()["task"].x.shape[0] == env.instance.num_tasks - 1


@families
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_registry_makes_the_environments(family, kind):
    """`pettingzoo.make` knows every family in both registries."""
    made = pettingzoo.make(kind, f"makespan/{family}-v0", instance=FAMILIES[family].small_instance(0))
    expected = pettingzoo.AECEnv if kind == "aec" else pettingzoo.ParallelEnv
    assert isinstance(made, expected)
    made.reset(seed=0)
    assert made.agents == [f"{FAMILIES[family].agent_label}_{number}" for number in range(len(made.agents))]


@families
@pytest.mark.parametrize("kind", ["env", "parallel_env"])
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL")
def test_torchrl_runs_a_masked_random_rollout(family, kind):
    """TorchRL's wrapper plays whole masked episodes, and the rewards it collects add up to minus the objective."""
    torchrl = pytest.importorskip("torchrl.envs.libs.pettingzoo")
    env = getattr(marl, kind)(family, FAMILIES[family].small_instance(1))
    wrapped = torchrl.PettingZooWrapper(env=env, use_mask=True, seed=0)
    rollout = wrapped.rollout(300)
    assert rollout["next", "done"][-1].all() and not rollout["next", "truncated"].any()
    for group in wrapped.group_map:
        returned = rollout["next", group, "reward"].sum(0)
        assert np.allclose(returned.numpy(), -env.episode.outcome()["objective"], rtol=1e-5)


def test_importing_the_environments_imports_nothing_heavy():
    """`import marl` needs not even PettingZoo; making and playing an environment needs no torch."""
    code = (
        "import sys, marl\n"
        "assert 'pettingzoo' not in sys.modules and 'gymnasium' not in sys.modules\n"
        "env = marl.env('jsp', generator='random', generator_options={'num_jobs': 2, 'num_machines': 2})\n"
        "env.reset(seed=0); env.last()\n"
        "heavy = {'torch', 'ortools', 'wandb', 'networkx', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
