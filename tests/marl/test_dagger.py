"""DAgger: labels are the planner's, it learns, and a share of the network is used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny import greedy_mean, prior_of

from graphs.layout import Sizes, scaled_heads, unpack
from marl.algorithms import graph_training
from marl.algorithms.choices import join_parts
from marl.algorithms.dagger import TEMPERATURES, Dagger, DaggerConfig
from problems.errors import UnsupportedError
from problems.generators import random_hurink, random_multiple_tsp, random_spark

SHOPS = [random_hurink(5, 3, seed, "rdata") for seed in range(6)]
CONFIG = DaggerConfig(sizes=Sizes(width=8, head=8), instances=4, decisions=20, share=1.0, rate=1e-2, workers=1)


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """Training instances are a few small flexible shops."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: SHOPS[seed % len(SHOPS)])


def make(config: DaggerConfig = CONFIG) -> Dagger:
    """An algorithm that starts nearly at random."""
    return Dagger("fjsp", 1, config, prior_of(may_wait=True, log_duration=-0.2, is_wait=-3.0))


def test_it_learns():
    """Twelve steps on six small shops lower the cross-entropy and shorten the greedy schedules."""
    algorithm = make()
    before = greedy_mean(algorithm.priority(), SHOPS)
    losses = [algorithm.step()["losses/cross_entropy"] for _ in range(12)]
    assert np.mean(losses[-4:]) < 0.95 * np.mean(losses[:4])
    assert greedy_mean(algorithm.priority(), SHOPS) < 0.97 * before


def test_labels_are_choices_of_one_agent():
    """The options of a label are those of one agent, some of them waiting; about as many as asked for."""
    algorithm = make(replace(CONFIG, decisions=12))
    parts = algorithm.label(random_multiple_tsp(12, 3, 3), 1)
    sizes = [size for part in parts for size in part.sizes]
    assert 4 <= len(sizes) <= 24
    assert any((part.tasks < 0).any() for part in parts)
    for part in parts:
        for agents in np.split(part.agents, np.cumsum(part.sizes)[:-1]):
            assert len(set(agents.tolist())) == 1


def test_the_temperature_explains_the_labels_best():
    """A prior that is ten times as sure of itself is divided by a higher temperature."""
    temperatures = []
    for factor in (1.0, 10.0):
        algorithm = Dagger("fjsp", 1, CONFIG, prior_of(may_wait=True, log_duration=-factor, is_wait=-3.0 * factor))
        parts = [part for seed, shop in enumerate(SHOPS) for part in algorithm.label(shop, seed)]
        temperatures.append(algorithm._best_temperature(parts))
        assert len(join_parts(parts).chosen) > 0
    assert temperatures[0] < temperatures[1] and set(temperatures) <= set(TEMPERATURES)


def test_a_share_of_the_network_is_used():
    """Only the last layers of the heads are scaled."""
    algorithm = make(replace(CONFIG, share=0.25))
    algorithm.step()
    full, used = unpack(algorithm.network.flat()), unpack(algorithm.priority().network)
    for name, tensor in full.items():
        factor = 0.25 if name.startswith(("actor_out", "wait_out")) else 1.0
        assert np.array_equal(used[name], np.float32(factor) * tensor)
    assert np.array_equal(scaled_heads(algorithm.network.flat(), 1.0), algorithm.network.flat())


def test_without_a_planner_nothing_is_learnt(monkeypatch):
    """Families that local search does not know are refused by name."""
    spark = random_spark(2, 2, 1, preset="decima", max_stages=3, max_tasks=4)
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: spark)
    with pytest.raises(UnsupportedError, match="no completion"):
        make().step()
