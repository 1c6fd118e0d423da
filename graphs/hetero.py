"""Views of a graph for other libraries, which are imported only when a view is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphs.arrays import GraphArrays, arrays_of, new_graph
from graphs.encode import encode
from graphs.schema import EDGE_TYPES, NODE_TYPES
from problems.simulator.arrays import Problem, State

if TYPE_CHECKING:
    import networkx
    from torch_geometric.data import HeteroData


def graph_of(problem: Problem, state: State) -> GraphArrays:
    """Agent-task graph of ``state``."""
    graph = new_graph(problem)
    encode(problem, state, graph)
    return arrays_of(graph)


def to_hetero(graph: GraphArrays) -> HeteroData:
    """The graph for torch-geometric.

    Every type of node and edge of `graphs.schema` has a store, an empty one where the graph has no member. So the
    graphs of all families batch in any order.
    """
    import torch
    from torch_geometric.data import HeteroData

    data = HeteroData()
    for node in NODE_TYPES:
        data[node].x = torch.from_numpy(graph.nodes[node])
    for edge_type in EDGE_TYPES:
        data[edge_type].edge_index = torch.from_numpy(graph.edges[edge_type[1]])
        data[edge_type].edge_attr = torch.from_numpy(graph.edge_rows[edge_type[1]])
    return data


def to_networkx(graph: GraphArrays) -> networkx.MultiDiGraph:
    """The graph for networkx: nodes are (type, number), keys of edges are relations, features lie under ``x``."""
    import networkx

    view = networkx.MultiDiGraph()
    for node in NODE_TYPES:
        view.add_nodes_from(((node, number), {"x": row}) for number, row in enumerate(graph.nodes[node]))
    for source, relation, target in EDGE_TYPES:
        rows = graph.edge_rows[relation]
        for (tail, head), row in zip(graph.edges[relation].T.tolist(), rows, strict=True):
            view.add_edge((source, tail), (target, head), key=relation, x=row)
    return view
