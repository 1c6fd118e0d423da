"""The torch network: batches of mixed families, empty types, views of a graph."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
import torch
from graph_states import instances
from torch_geometric.data import Batch

from graphs.attention import TypeAwareGraphAttention
from graphs.encoder import AgentTaskNetwork, join
from graphs.hetero import graph_of, to_hetero, to_networkx
from graphs.layout import Sizes, initial_tensors, open_network, pack, sizes_of, unpack
from graphs.schema import EDGE_TYPES, NODE_TYPES
from problems.build import Job, Task, build_instance
from problems.simulator import compile_problem, new_state


def diamond() -> object:
    """Precedence that is not a chain, eligible on two agents."""
    tasks = [Task({0: 2, 1: 3}), Task({0: 4}, after=(0,)), Task({1: 1}, after=(0,)), Task({0: 2, 1: 2}, after=(1, 2))]
    return build_instance(name="diamond", family="spark", agent_names=["a", "b"], jobs=[Job(tasks=tasks)])


def graphs():
    """One graph of each family at time 0."""
    problems = [compile_problem(instance) for instance in [*instances(), diamond()]]
    return [graph_of(problem, new_state(problem)) for problem in problems]


def test_batches_of_families_in_any_order():
    """Embeddings of each graph are the same alone and in batches of mixed families, whatever the order."""
    network, singles = AgentTaskNetwork(seed=3), graphs()
    alone = [network.embeddings(join([graph])) for graph in singles]
    for order in itertools.islice(itertools.permutations(range(len(singles))), 0, None, 17):
        batch = join([singles[number] for number in order])
        together = network.embeddings(batch)
        for place, number in enumerate(order):
            for node in NODE_TYPES:
                first = int(batch.first[node][place])
                found = together[node][first : first + len(singles[number].nodes[node])]
                assert torch.allclose(found, alone[number][node], atol=1e-6)


def test_hetero_data_batches_like_join():
    """The torch-geometric view keeps every type in a batch of mixed families, and holds the same numbers."""
    singles = graphs()
    batch, joined = Batch.from_data_list([to_hetero(graph) for graph in singles]), join(singles)
    assert batch.node_types == list(NODE_TYPES)
    assert batch.edge_types == list(EDGE_TYPES)
    for node in NODE_TYPES:
        assert torch.equal(batch[node].x, joined.nodes[node])
    for edge_type in EDGE_TYPES:
        assert torch.equal(batch[edge_type].edge_index, joined.edges[edge_type[1]])
        assert torch.equal(batch[edge_type].edge_attr, joined.edge_rows[edge_type[1]])


def test_networkx_view():
    """The networkx view has every node and every edge under its relation."""
    graph = graphs()[0]
    view = to_networkx(graph)
    assert view.number_of_nodes() == sum(len(rows) for rows in graph.nodes.values())
    for source, relation, target in EDGE_TYPES:
        found = [(tail, head) for tail, head, key in view.edges(keys=True) if key == relation]
        expected = [((source, tail), (target, head)) for tail, head in graph.edges[relation].T.tolist()]
        assert sorted(found) == sorted(expected)


def test_nodes_without_edges_stay_finite():
    """With no edge at all, embeddings are finite and every type is in the result."""
    layer = TypeAwareGraphAttention(8)
    nodes = {node: torch.randn(3, 8) for node in NODE_TYPES}
    edges = {relation: torch.zeros((2, 0), dtype=torch.int64) for _, relation, _ in EDGE_TYPES}
    rows = {relation: torch.zeros((0, len(layer.edge[relation]))) for _, relation, _ in EDGE_TYPES}
    result = layer(nodes, edges, rows)
    assert set(result) == set(NODE_TYPES)
    assert all(torch.isfinite(embedding).all() for embedding in result.values())


def test_a_missing_relation_is_refused():
    """A graph that lacks a relation is an error, not a silent zero."""
    graph = graphs()[0]
    del graph.edges["near"]
    layer = AgentTaskNetwork().layers[0]
    with pytest.raises(KeyError, match="near"):
        layer(
            {node: torch.zeros(len(graph.nodes[node]), 16) for node in NODE_TYPES},
            {relation: torch.from_numpy(edges) for relation, edges in graph.edges.items()},
            {relation: torch.from_numpy(rows) for relation, rows in graph.edge_rows.items()},
        )


def test_attention_is_a_softmax_within_each_relation():
    """The message of a lone edge has weight 1; of several equal sources each has the same share."""
    layer = TypeAwareGraphAttention(8)
    source, target = torch.randn(1, 8).repeat(4, 1), torch.randn(1, 8)
    one = torch.tensor([[0], [0]])
    many = torch.tensor([[0, 1, 2, 3], [0, 0, 0, 0]])
    rows = torch.zeros((4, 0))
    lone = layer._messages("part_of", source, target, one, rows[:1])
    shared = layer._messages("part_of", source, target, many, rows)
    expected = torch.relu(source[:1] @ layer.source["part_of"] + target @ layer.target["part_of"])
    assert torch.allclose(lone, expected, atol=1e-6)
    assert torch.allclose(shared, expected, atol=1e-6)


def test_flat_weights_round_trip():
    """Named tensors, flat array and torch module hold the same numbers and tell their sizes."""
    sizes = Sizes(width=24, layers=3, head=8, messages=False)
    tensors = initial_tensors(sizes, seed=1)
    flat = pack(tensors, sizes)
    assert sizes_of(flat) == sizes
    assert all(np.array_equal(tensors[name], tensor) for name, tensor in unpack(flat).items())
    network = AgentTaskNetwork(sizes, seed=2)
    network.load_flat(flat)
    assert np.array_equal(network.flat(), flat)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda flat: flat[:-1], "needs"),
        (lambda flat: flat[:0][:3], "no network"),
        (lambda flat: np.concatenate([[9.0], flat[1:]]).astype(np.float32), "layout 9"),
    ],
)
def test_unfit_flat_weights_are_refused(change, message):
    """A cut, empty or newer array is refused in a sentence."""
    sizes = Sizes()
    flat = change(pack(initial_tensors(sizes, seed=1), sizes))
    with pytest.raises(ValueError, match=message):
        sizes_of(flat) and open_network(flat)


def test_other_sizes_are_refused():
    """Weights of another width are refused by name."""
    flat = AgentTaskNetwork(Sizes(width=8)).flat()
    with pytest.raises(ValueError, match="width=8"):
        AgentTaskNetwork(Sizes(width=16)).load_flat(flat)
    with pytest.raises(ValueError, match="multiple of 8"):
        Sizes(width=12)


def test_compiled_side_imports_no_torch():
    """Priorities, rollouts and the compiled network work without torch, torch-geometric and networkx."""
    code = (
        "import sys, graphs, graphs.compiled, graphs.hetero, solvers.rollout; "
        "bad = {'torch', 'torch_geometric', 'networkx', 'ortools'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
