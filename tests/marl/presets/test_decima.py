"""The preset decima: features, actions, reward and the graph network."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

from marl.presets.decima_network import DecimaNetwork, dags_of
from marl.presets.registry import make_preset
from problems.check import check
from problems.errors import UnsupportedError
from problems.families import spark_cluster
from problems.families.spark import SparkJob, SparkStage
from problems.generators import random_spark

CHAIN = SparkJob([SparkStage(3, duration=4), SparkStage(2, duration=3)], [(0, 1)])
DIAMOND = SparkJob([SparkStage(1, duration=1) for _ in range(5)], [(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)])


def cluster(*jobs, executors=2, preset="decima"):
    """Jobs on a cluster with a moving delay of 2, a second being 1."""
    return spark_cluster("cluster", jobs, executors, preset, moving_delay=2, scale=1)


def random_cluster(seed):
    """Small clusters with random durations, every other one a stream."""
    interval = 4000.0 if seed % 2 else None
    return random_spark(2 + seed % 3, 2 + seed % 4, seed, "decima", interval, max_stages=5, max_tasks=6)


def test_the_first_observation_is_about_executors_that_belong_to_no_job():
    """Both executors are asked: 2 / 20; no job has any; work 3 x 4 and 2 x 3 of 100 s; 3 and 2 of 200 pieces."""
    seen, _ = make_preset("decima", cluster(CHAIN)).reset(seed=0)
    job = [0, -2, 2 / 20]
    np.testing.assert_allclose(seen["jobs"], [job])
    np.testing.assert_allclose(seen["stages"], [[*job, 0.12, 3 / 200], [*job, 0.06, 2 / 200]], rtol=1e-6)
    assert seen["stage_mask"].tolist() == [1, 0] and seen["limit_mask"].tolist() == [[1, 1]]
    assert seen["is_present"].tolist() == [1] and seen["is_unended"].tolist() == [1, 1]


def test_a_limit_of_one_leaves_the_other_executor_idle():
    """One executor arrives at 2 and does three pieces until 14; then it is asked, at its job; the other one is not."""
    env = make_preset("decima", cluster(CHAIN))
    env.reset(seed=0)
    seen, reward, done, *_ = env.step(0)
    assert reward == pytest.approx(-14 / 100) and not done
    job = [1 / 20, 2, 1 / 20]
    np.testing.assert_allclose(seen["jobs"], [job])
    np.testing.assert_allclose(seen["stages"], [[*job, 0, 0], [*job, 0.06, 2 / 200]], rtol=1e-6)
    assert seen["is_unended"].tolist() == [0, 1] and seen["stage_mask"].tolist() == [0, 1]
    assert np.flatnonzero(env.action_masks()).tolist() == [2, 3]
    _, reward, done, _, info = env.step(3)
    assert done and reward == pytest.approx(-6 / 100) and info == {"objective": 20}


def test_limits_up_to_what_a_job_has_are_masked():
    """Two jobs, three executors: once two are ordered to the first job, only a limit of 3 gives it another one."""
    env = make_preset(
        "decima", cluster(SparkJob([SparkStage(2, duration=9), SparkStage(9, duration=9)]), CHAIN, executors=3)
    )
    env.reset(seed=0)
    seen, *_ = env.step(3 * 0 + 1)
    assert seen["limit_mask"].tolist() == [[0, 0, 1], [1, 1, 1]]
    np.testing.assert_allclose(seen["jobs"], [[2 / 20, -2, 1 / 20], [0, -2, 1 / 20]], rtol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_random_episodes_end_with_a_checked_schedule_worth_the_return(seed):
    """Every observation lies in its space; the return is minus the sum of completion times in 100 s."""
    instance = random_cluster(seed)
    env, random = make_preset("decima", instance), np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    returned, done, info = 0.0, False, {}
    while not done:
        assert env.observation_space.contains(seen)
        owner = instance.task_job
        masks = seen["stage_mask"][:, None] & seen["limit_mask"][owner]
        np.testing.assert_array_equal(env.action_masks(), masks.ravel() == 1)
        seen, reward, done, _, info = env.step(random.choice(np.flatnonzero(masks)))
        returned += reward
    report = check(instance, env.schedule())
    assert report.valid and report.objective == info["objective"]
    assert returned == pytest.approx(-instance.num_jobs * info["objective"] / 100)


def test_the_network_has_the_published_size():
    """The authors' code has 4,770 parameters."""
    assert sum(parameter.numel() for parameter in DecimaNetwork().parameters()) == 4770


def test_messages_go_from_children_to_parents():
    """A stage's embedding is its own plus g of the sum of f over its children's, which hold their children's."""
    instance, network = cluster(DIAMOND), DecimaNetwork()
    rows = torch.rand(5, 5)
    embedded = network.embed(rows, dags_of(instance))

    def expected(stage):
        own = network.raise_rows(rows[stage])
        after = [child for parent, child in DIAMOND.edges if parent == stage]
        return own + network.receive(sum(network.send(expected(child)) for child in after)) if after else own

    torch.testing.assert_close(embedded, torch.stack([expected(stage) for stage in range(5)]))


def test_probabilities_are_of_legal_actions_only():
    """The probabilities of all actions sum to 1, those of illegal ones are nil, and gradients reach every weight."""
    instance = random_cluster(4)
    env, network = make_preset("decima", instance), DecimaNetwork()
    seen, _ = env.reset(seed=0)
    logs = network.log_probability(seen, dags_of(instance))
    chances = logs.exp().detach().numpy()
    assert chances[env.action_masks()].sum() == pytest.approx(1.0, abs=1e-5)
    assert chances[~env.action_masks()].max() < 1e-8
    logs[int(np.flatnonzero(env.action_masks())[0])].backward()
    assert all(weight.grad is not None for weight in network.parameters())


def test_jobs_that_are_not_there_change_no_score():
    """A job that has not arrived has no say: the scores are those of the cluster without it."""
    late = SparkJob([SparkStage(5, duration=7)], arrival=1000)
    both, alone = cluster(CHAIN, late), cluster(CHAIN)
    network, scores = DecimaNetwork(), []
    for instance in (both, alone):
        seen, _ = make_preset("decima", instance).reset(seed=0)
        scores.append(network(seen, dags_of(instance))[0][:2])
    torch.testing.assert_close(*scores)


@pytest.mark.filterwarnings("ignore:.*(render_mode|spec|infinity|Box).*")
def test_gymnasium_accepts_the_environment():
    """The checker of Gymnasium, which knows no masks, finds nothing wrong."""
    check_env(make_preset("decima", cluster(CHAIN), illegal="replace"), skip_render_check=True)


def test_executors_that_decide_after_each_piece_are_refused():
    """The formulation has no meaning under the other preset; the message says how to make the cluster."""
    with pytest.raises(UnsupportedError, match="preset='decima'"):
        make_preset("decima", cluster(CHAIN, preset="default"))
