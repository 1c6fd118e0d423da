"""Ablations: every variant learns and plays, and torch plays as the compiled forward does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import marl.spread
from benchmarks import ablations
from benchmarks.ablated_networks import OneSoftmax, PlainAttention, SummedRelations
from benchmarks.ablations import VARIANTS, Ablated, Variant, best_row, play
from graphs.arrays import Float32Array
from graphs.attention import TypeAwareGraphAttention
from graphs.encoder import Graphs, join
from graphs.hetero import graph_of
from graphs.layout import Sizes
from graphs.schema import NODE_TYPES
from marl.algorithms import graph_training
from problems.check import check
from problems.generators import random_hurink
from problems.simulator import compile_problem, new_state, schedule_of
from solvers.guided import rows_of
from solvers.rollout import Runner

SHOPS = [random_hurink(5, 3, seed, "rdata") for seed in range(4)]
CONFIG = replace(
    ablations.CONFIG, sizes=Sizes(width=8, head=8), instances=2, decisions=12, share=1.0, rate=3e-2, guided_steps=1
)


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """All instances are small flexible shops."""
    for module in (graph_training, marl.spread, ablations):
        monkeypatch.setattr(module, "training_instance", lambda family, seed: SHOPS[seed % len(SHOPS)])


def weights(algorithm: Ablated) -> Float32Array:
    return graph_training.flatten(algorithm.network.parameters())


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_every_variant_learns_and_plays(variant):
    """Two steps, the second one on its own decisions, change the weights; its schedules are valid."""
    algorithm = Ablated(variant, config=CONFIG)
    before = weights(algorithm)
    losses = [algorithm.step()["losses/cross_entropy"] for _ in range(2)]
    assert np.isfinite(losses).all() and min(losses) > 0.0
    assert np.abs(weights(algorithm) - before).max() > 1e-3
    for shop in SHOPS[:2]:
        assert check(shop, schedule_of(play(compile_problem(shop), algorithm))).valid


@pytest.mark.parametrize("variant", [VARIANTS[0], VARIANTS[1], VARIANTS[7], VARIANTS[8]], ids=lambda one: one.name)
def test_torch_plays_as_the_compiled_forward_does(variant):
    """What both know they schedule alike, row for row."""
    algorithm = Ablated(variant, config=CONFIG)
    for _ in range(3):
        algorithm.step()
    for shop in SHOPS:
        runner = Runner(compile_problem(shop))
        runner.sample(algorithm.priority())
        assert rows_of(play(runner.problem, algorithm)).tolist() == rows_of(runner.best).tolist()


def test_graphs_are_encoded_when_the_variant_says(monkeypatch):
    """Once an episode, less often than at each decision, or in between."""
    encoded = []
    real = ablations.encode
    monkeypatch.setattr(ablations, "encode", lambda *given: encoded.append(1) or real(*given))
    counts = {}
    for when in ("once", "instant", "decision"):
        algorithm = Ablated(Variant(when, encoded=when), config=CONFIG)
        encoded.clear()
        play(compile_problem(SHOPS[0]), algorithm)
        counts[when] = len(encoded)
        recorded = [len(part.sizes) for part in algorithm.label(SHOPS[0], 0)]
        assert len(recorded) > 0 and (when != "decision" or max(recorded) == 1)
    assert counts["once"] == 1 < counts["instant"] < counts["decision"]


def graph() -> Graphs:
    problem = compile_problem(SHOPS[0])
    return join([graph_of(problem, new_state(problem))])


def told(layer: TypeAwareGraphAttention) -> dict[str, list[torch.Tensor]]:
    """What a layer tells the nodes of a graph."""
    seen = graph()
    torch.manual_seed(1)
    nodes = {node: torch.randn(len(seen.nodes[node]), 8) for node in NODE_TYPES}
    return layer.sums_of(nodes, seen.edges, seen.edge_rows)


def test_one_softmax_is_one_over_all_relations():
    """It changes nothing where one relation leads to a node, and weighs less where there are several."""
    usual, one = TypeAwareGraphAttention(8), OneSoftmax(8)
    one.load_state_dict(usual.state_dict())
    expected, found = told(usual), told(one)
    for node in ("agent", "job"):
        assert torch.allclose(found[node][0], expected[node][0], atol=1e-6)
    for less, more in zip(found["task"], expected["task"], strict=True):
        assert (less <= more + 1e-6).all()
    assert sum(map(torch.Tensor.sum, found["task"])) < 0.9 * sum(map(torch.Tensor.sum, expected["task"]))


def test_summed_relations_are_the_sum_of_those_that_are_concatenated():
    """One block per type of node, the sum of the blocks with the same weights."""
    usual, summed = TypeAwareGraphAttention(8), SummedRelations(8)
    kept = {name: tensor for name, tensor in usual.state_dict().items() if not name.startswith("update_maps")}
    summed.load_state_dict(kept, strict=False)
    for node, (found,) in told(summed).items():
        assert torch.allclose(found, sum(told(usual)[node]), atol=1e-6)


def test_plain_attention_passes_messages():
    """A task's features reach its neighbours of any type, and no others."""
    seen, layer = graph(), PlainAttention(8)
    nodes = {node: torch.randn(len(seen.nodes[node]), 8) for node in NODE_TYPES}
    moved = {**nodes, "task": nodes["task"].clone()}
    moved["task"][0] += 1.0
    before, after = (layer(given, seen.edges, seen.edge_rows) for given in (nodes, moved))
    for relation, node in (("done_by", "agent"), ("part_of", "job")):
        reached = set(seen.edges[relation][1][seen.edges[relation][0] == 0].tolist())
        changed = (before[node] - after[node]).abs().amax(dim=1) > 1e-7
        assert set(torch.nonzero(changed).flatten().tolist()) == reached


def test_equal_scores_go_to_the_lowest_task_that_ends_first():
    """As in compiled code; rows no better than waiting count only where nobody may wait."""
    table = np.array([[0, 2, 0, 0, 5], [0, 1, 0, 0, 7], [1, 1, 0, 0, 6], [2, 1, 0, 0, 6]])
    scores, waiting = np.array([3.0, 3.0, 3.0, 3.0]), np.array([0.0, 0.0, 3.0, 0.0])
    assert best_row(table, scores, waiting, may_wait=False) == 2
    assert best_row(table, scores, waiting, may_wait=True) == 3
    assert best_row(table, scores, scores, may_wait=True) == -1


def test_a_row_tells_minutes_steps_and_error():
    """The mean ratio with its standard error, and the time that it has had."""
    first, row = ablations.rows(1e-6, VARIANTS[:1], 4, CONFIG)
    assert first.what.startswith("tuned without reservations: ")
    assert (
        row.what.startswith("as it is, 1e-06 minutes (1 steps") and "4 held-out instances, standard error" in row.what
    )
    assert row.command.endswith("--only ablations --minutes 1e-06")
    assert row.passed is None and 0.5 < float(row.measured) < 2.0
