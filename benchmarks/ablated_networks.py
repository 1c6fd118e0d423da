"""The network over the agent-task graph with one part of its attention taken away; see `benchmarks.ablations`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch_geometric.nn import TransformerConv
from torch_geometric.utils import softmax

from graphs.attention import Affine, TypeAwareGraphAttention
from graphs.encoder import AgentTaskNetwork
from graphs.layout import Sizes
from graphs.schema import EDGE_FEATURES, EDGE_TYPES, NODE_TYPES, PAIR_FEATURES

HEADS = 4
"""Of plain attention."""


class OneSoftmax(TypeAwareGraphAttention):
    """One softmax over all edges that lead to a node, where `TypeAwareGraphAttention` has one per relation.

    Messages are still summed by relation and the sums concatenated.
    """

    def sums_of(
        self, nodes: Mapping[str, Tensor], edges: Mapping[str, Tensor], edge_rows: Mapping[str, Tensor]
    ) -> dict[str, list[Tensor]]:
        """See `TypeAwareGraphAttention.sums_of`."""
        return {node: self._told(node, nodes, edges, edge_rows) for node in NODE_TYPES}

    def _told(
        self, node: str, nodes: Mapping[str, Tensor], edges: Mapping[str, Tensor], edge_rows: Mapping[str, Tensor]
    ) -> list[Tensor]:
        mixed, strengths, ends = [], [], []
        for source, relation, target in EDGE_TYPES:
            if target == node:
                first, end = edges[relation]
                sent = (nodes[source] @ self.source[relation])[first]
                own = (nodes[node] @ self.target[relation] + self.bias[relation])[end]
                mixed.append(torch.relu(sent + own + edge_rows[relation] @ self.edge[relation]))
                strengths.append(mixed[-1] @ self.attention[relation])
                ends.append(end)
        weights = softmax(torch.cat(strengths), torch.cat(ends), num_nodes=len(nodes[node]))
        parts = weights.split([len(end) for end in ends])
        return [
            torch.zeros_like(nodes[node]).index_add(0, end, part.unsqueeze(1) * message)
            for end, part, message in zip(ends, parts, mixed, strict=True)
        ]


class SummedRelations(TypeAwareGraphAttention):
    """The sums of the relations added up, where `TypeAwareGraphAttention` concatenates them."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.update_maps = nn.ModuleDict({node: Affine(2 * width, width) for node in NODE_TYPES})

    def sums_of(
        self, nodes: Mapping[str, Tensor], edges: Mapping[str, Tensor], edge_rows: Mapping[str, Tensor]
    ) -> dict[str, list[Tensor]]:
        """One sum, float32 [N, D], by type of node."""
        told = super().sums_of(nodes, edges, edge_rows)
        return {node: [torch.stack(parts).sum(dim=0)] for node, parts in told.items()}


class PlainAttention(nn.Module):
    """Attention of scaled dot products that knows no types: one set of weights for all nodes and all edges.

    The layer of a graph transformer (arXiv 2009.03509) on all nodes and edges together. Features of edges are told to
    it, in columns of their own for pairs and for near tasks; the relation is not. Around it, nodes are updated as in
    `TypeAwareGraphAttention`.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attend = TransformerConv(
            width, width // HEADS, heads=HEADS, edge_dim=len(PAIR_FEATURES) + 1, root_weight=False
        )
        self.update, self.output = Affine(2 * width, width), Affine(width, width)

    def forward(
        self, nodes: Mapping[str, Tensor], edges: Mapping[str, Tensor], edge_rows: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """See `TypeAwareGraphAttention.forward`."""
        counts = [len(nodes[node]) for node in NODE_TYPES]
        first = {node: sum(counts[:place]) for place, node in enumerate(NODE_TYPES)}
        every = torch.cat([nodes[node] for node in NODE_TYPES])
        links = torch.cat(
            [edges[name] + torch.tensor([[first[source]], [first[target]]]) for source, name, target in EDGE_TYPES],
            dim=1,
        )
        rows = torch.cat([_in_common_columns(edge_rows[name]) for _, name, _ in EDGE_TYPES])
        told = self.attend(every, links, rows)
        every = every + self.output(torch.relu(self.update(torch.cat([every, told], dim=1))))
        return dict(zip(NODE_TYPES, every.split(counts), strict=True))


def _in_common_columns(rows: Tensor) -> Tensor:
    """Features of edges: those of pairs first, then the distance of near tasks, zeros elsewhere."""
    before = len(PAIR_FEATURES) if rows.shape[1] == len(EDGE_FEATURES["near"]) else 0
    return nn.functional.pad(rows, (before, len(PAIR_FEATURES) + 1 - before - rows.shape[1]))


def with_layers(layer: Callable[[int], nn.Module], sizes: Sizes, seed: int) -> AgentTaskNetwork:
    """The network of ``sizes`` with other layers, each made by ``layer`` from the width."""
    network = AgentTaskNetwork(sizes, seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network.layers = nn.ModuleList(layer(sizes.width) for _ in range(sizes.layers))
    return network
