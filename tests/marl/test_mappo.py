"""MAPPO: teams in the Parallel environment, the critic, advantages, and it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tiny import greedy_mean, job_shops, prior_of

from graphs.encoder import join
from graphs.layout import Sizes
from graphs.schema import NUM_FEATURES
from marl.algorithms import graph_training
from marl.algorithms.critic import Critic
from marl.algorithms.mappo import Mappo, MappoConfig, advantages
from marl.algorithms.team import WAIT, Team, prior_scores
from problems.generators import random_job_shop, random_multiple_tsp, vallada_ruiz
from solvers.priority import network_score, pack_network

SHOPS = job_shops()
CONFIG = MappoConfig(sizes=Sizes(width=8, head=8), epochs=4, rate=1e-2)


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """Training instances are a few small job shops."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: SHOPS[seed % len(SHOPS)])


def make(config: MappoConfig = CONFIG) -> Mappo:
    """An algorithm that starts nearly at random."""
    return Mappo("jsp", 1, config, prior_of(log_duration=-0.2))


def test_it_learns():
    """Twelve steps on six small shops raise the return of the teams and shorten the greedy schedules."""
    algorithm = make()
    before = greedy_mean(algorithm.priority(), SHOPS)
    returns = [algorithm.step()["train/return"] for _ in range(12)]
    assert np.mean(returns[-4:]) > np.mean(returns[:4]) + 0.05
    assert greedy_mean(algorithm.priority(), SHOPS) < 0.9 * before


@pytest.mark.parametrize(
    "instance",
    [random_job_shop(4, 3, 1), random_multiple_tsp(12, 3, 2), vallada_ruiz(12, 3, 9, 3)],
    ids=lambda one: one.name,
)
def test_a_team_plays_to_the_end(instance):
    """Options are legal, waiting is among them where the prior may wait, and rewards sum to minus the objective."""
    random, team, total, waits = np.random.default_rng(0), Team(instance, prior_of(may_wait=True)), 0.0, 0
    while not team.done:
        part = team.look()
        if part is None:
            team.act([])
        else:
            low = np.cumsum(part.sizes) - part.sizes
            places = random.integers(part.sizes)
            waits += int((part.tasks[low + places] == WAIT).sum())
            assert len(np.unique(part.agents[low])) == len(part.sizes)
            assert part.tasks.max() < len(part.graph.nodes["task"])
            team.act(places)
        total += team.reward
    assert waits > 0
    assert -total == pytest.approx(team.objective, rel=1e-3)


def test_a_prior_that_never_waits_keeps_its_team_from_waiting():
    """Waiting is no option beside candidates."""
    team = Team(random_job_shop(4, 3, 1), prior_of())
    while not team.done:
        part = team.look()
        assert part is None or (part.tasks != WAIT).all()
        team.act([] if part is None else np.zeros(len(part.sizes), int))


def test_prior_scores_are_those_of_the_small_network():
    """The scores of many rows at once equal the compiled score of each."""
    random = np.random.default_rng(1)
    parameters = pack_network(
        random.normal(size=20), random.normal(size=5), random.normal(size=5), random.normal(size=(20, 5)), first=3
    )
    rows = random.normal(size=(7, NUM_FEATURES)).astype(np.float32)
    expected = [network_score(parameters, row.astype(float), np.zeros(256)) for row in rows]
    assert prior_scores(parameters, rows) == pytest.approx(np.array(expected))


def test_advantages_between_trust_in_values_and_in_rewards():
    """By hand: lambda 0 gives one-step errors, lambda 1 what was got less the value."""
    values, rewards = np.array([-3.0, -1.0, -2.0]), np.array([-1.0, 0.0, -1.5])
    assert advantages(values, rewards, 0.0) == pytest.approx([1.0, -1.0, 0.5])
    assert advantages(values, rewards, 1.0) == pytest.approx([0.5, -0.5, 0.5])
    assert advantages(values, rewards, 0.5) == pytest.approx([1.0 - 0.375, -0.75, 0.5])


def test_the_critic_sees_each_graph_alone():
    """The value of a graph does not depend on the graphs it is joined with."""
    critic = Critic(Sizes(width=8, head=8), 3)
    graphs = [Team(instance, prior_of()).look().graph for instance in (SHOPS[0], random_multiple_tsp(6, 2, 1))]
    with torch.no_grad():
        together = critic(join(graphs))
        alone = torch.cat([critic(join([graph])) for graph in graphs])
    assert together.shape == (2,) and torch.allclose(together, alone, atol=1e-5)
    assert abs(float(together[0] - together[1])) > 1e-4
