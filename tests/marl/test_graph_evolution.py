"""Evolution of the network over the graph: it starts at the prior, learns, and nothing but its seed matters."""

from dataclasses import replace

import numpy as np
import pytest
from tiny import greedy_mean, job_shops, prior_of

from graphs.layout import Sizes, tensor_shapes, unpack
from graphs.schema import NUM_FEATURES
from marl.algorithms import evolution
from marl.algorithms.graph_evolution import INSIDE, GraphEvolution, GraphEvolutionConfig, GraphSpace
from marl.spread import SMALLEST_SPREAD, graph_spread
from problems.generators import random_job_shop
from solvers.kinds import Kind
from solvers.priority import Priority

CONFIG = GraphEvolutionConfig(pairs=12, rate=0.05, averaging=0.8, workers=1)
POOR = prior_of(log_duration=-0.2)
"""A prior that leaves much to learn."""


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """Training instances are a few 5x4 job shops."""
    monkeypatch.setattr(evolution, "training_instance", lambda family, seed: random_job_shop(5, 4, seed % 6))


def test_the_search_starts_exactly_at_the_prior():
    """Before the first step, every schedule is that of the prior."""
    policy = GraphEvolution("jsp", 1, CONFIG, POOR).priority()
    shops = job_shops()
    assert policy.kind is Kind.GRAPH
    assert greedy_mean(policy, shops) == greedy_mean(Priority(Kind.NETWORK, POOR, policy.candidate_filter), shops)


def test_twenty_steps_beat_the_prior():
    """Twenty steps make the greedy schedules of a few small shops clearly shorter than the prior's."""
    search, shops = GraphEvolution("jsp", 1, CONFIG, POOR), job_shops()
    before = greedy_mean(search.priority(), shops)
    for _ in range(20):
        search.step()
    assert greedy_mean(search.priority(), shops) < 0.97 * before


def test_same_seed_same_parameters():
    """Two searches of one seed agree to the bit, whatever the number of threads; another seed differs."""
    config = replace(CONFIG, pairs=3, instances=2)
    searches = [GraphEvolution("jsp", seed, replace(config, workers=w), POOR) for seed, w in ((1, 1), (1, 2), (2, 1))]
    for search in searches:
        search.step()
    assert np.array_equal(searches[0].mean, searches[1].mean)
    assert not np.array_equal(searches[0].mean, searches[2].mean)


def test_parameters_are_all_numbers_of_all_tensors():
    """Each parameter is a number of a tensor, and each number of a tensor follows one: none is lost or fixed."""
    sizes = Sizes(width=16, layers=2, head=8)
    space = GraphSpace("jsp", 1, sizes, POOR)
    shapes = tensor_shapes(sizes)
    count = sum(rows * columns for rows, columns in shapes.values())
    tensors = unpack(space.priority(np.arange(1.0, count + 1)).network)
    found = np.concatenate([tensor.ravel() for tensor in tensors.values()])
    assert sorted(found) == list(range(1, count + 1))


def test_directions_change_every_layer_alike():
    """The scale of a weight is the size of what it multiplies, times the root of how many are summed."""
    space = GraphSpace("jsp", 1, Sizes(width=8, layers=1, head=8), POOR)
    scale = unpack(space.priority(space.scale()).network)
    features, eight = graph_spread("jsp", 1)["task"], np.sqrt(8 / NUM_FEATURES)
    expected = features * np.sqrt(len(features) / NUM_FEATURES) / INSIDE
    assert np.allclose(scale["embed.task.weight"], expected[:, None])
    assert (features > SMALLEST_SPREAD).sum() > len(features) // 3
    assert np.allclose(scale["layers.0.source.done_by"], eight / INSIDE)
    assert np.allclose(scale["layers.0.attention.done_by"], eight / INSIDE)
    assert np.allclose(scale["actor_out.weight"], eight)
    assert len(np.unique(scale["actor_row.weight"])) > 8 and len(np.unique(scale["layers.0.edge.can_do"])) > 3
    assert np.allclose(scale["embed.task.bias"], 1 / INSIDE)
