"""Clip-REINFORCE: returns relative to the greedy policy, averaged weights, and it learns."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import greedy_mean, job_shops, prior_of

from graphs.layout import Sizes
from marl.algorithms import graph_training
from marl.algorithms.clip_reinforce import ClipReinforce, ClipReinforceConfig, with_returns
from solvers.kinds import Kind
from solvers.priority import Priority

SHOPS = job_shops()
CONFIG = ClipReinforceConfig(sizes=Sizes(width=8, head=8), decisions=40, rate=1e-2, workers=1)


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """Training instances are a few small job shops."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: SHOPS[seed % len(SHOPS)])


def make(config: ClipReinforceConfig = CONFIG) -> ClipReinforce:
    """An algorithm that starts nearly at random."""
    return ClipReinforce("jsp", 1, config, prior_of(log_duration=-0.2))


def test_it_learns():
    """Thirty steps on six small shops shorten the greedy schedules of the averaged policy."""
    algorithm = make()
    before = greedy_mean(algorithm.priority(), SHOPS)
    for _ in range(30):
        algorithm.step()
    assert greedy_mean(algorithm.priority(), SHOPS) < 0.85 * before


def test_returns_are_relative_to_the_greedy_policy_and_decay():
    """An episode as good as the greedy one teaches nothing; a decision with more tasks left counts less."""
    algorithm = make()
    values, parts, greedy = algorithm.play(SHOPS[0], 0)
    policy = Priority(Kind.GRAPH, algorithm.prior, algorithm.priority().candidate_filter, algorithm.network.flat())
    assert greedy == greedy_mean(policy, SHOPS[:1])
    assert len(values) == CONFIG.episodes
    same = with_returns(parts[:3], greedy, greedy, 0.9)
    assert all((part.weight == 0.0).all() for part in same)
    for part in with_returns(parts, 3 * greedy, greedy, 0.9):
        left = len(part.graph.nodes["task"])
        assert part.weight == pytest.approx(np.full(len(part.sizes), -2.0 * 0.9**left))


def test_the_average_follows_the_weights():
    """With keep = 0 the shipped policy is the present one, with keep = 1 the first one."""
    for keep in (0.0, 1.0):
        algorithm = make(ClipReinforceConfig(sizes=Sizes(width=8, head=8), keep=keep, episodes=2, workers=1))
        first = algorithm.network.flat()
        algorithm.step()
        wanted = algorithm.network.flat() if keep == 0.0 else first
        assert np.array_equal(algorithm.priority().network, wanted)
