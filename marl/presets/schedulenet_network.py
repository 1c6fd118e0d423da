"""ScheduleNet's type-aware graph attention with the sizes of its table 3 (arXiv 2106.03051).

The text has no number of hidden-to-hidden rounds, no sizes of what goes from one network to the next, and no score of
waiting. Chosen here: one round; 32 everywhere; waiting is scored by the same network as an operation, with the machine
itself in the place of the operation and zeros in that of the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.utils import softmax

from marl.presets.schedulenet import NODE_FEATURES, NODE_KINDS, MachineGraph

WIDTH = 32
ACTOR = (256, 128)
KINDS = len(NODE_KINDS)
ACCESSIBLE, TARGET = NODE_FEATURES.index("is_accessible"), NODE_FEATURES.index("is_target")


class Interaction(nn.Module):
    """Multiplicative interaction: ``y = W(c) x + b(c)``, W and b being linear in an embedding c of a kind.

    Parameters
    ----------
    inputs, outputs
        Sizes of x and y.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.embed = multilayer(KINDS, (WIDTH,), WIDTH)
        self.weight = nn.Linear(WIDTH, inputs * outputs)
        self.bias = nn.Linear(WIDTH, outputs)
        nn.init.normal_(self.weight.weight, std=(inputs * WIDTH) ** -0.5)
        self.shape = (KINDS, inputs, outputs)

    def forward(self, rows: Tensor, kind: Tensor) -> Tensor:
        """Map each row, float32 [N, inputs], by the kind that goes with it, int64 [N]."""
        contexts = self.embed(torch.eye(KINDS))
        weights, biases = self.weight(contexts).view(self.shape), self.bias(contexts)
        out = rows.new_zeros(len(rows), self.shape[2])
        for number in range(KINDS):
            chosen = torch.nonzero(kind == number).squeeze(1)
            out = out.index_copy(0, chosen, rows[chosen] @ weights[number] + biases[number])
        return out


class TypeAwareAttention(nn.Module):
    """One layer: edges interact with the kind of their source, nodes with their own.

        u_ij = MI([h_i, h_j, h_ij], kind of j),   h'_ij = MLP(u_ij)
        alpha_ij = softmax of MLP(u_ij) over the edges into i from nodes of the kind of j
        m_i = concatenation over kinds k of the sum of alpha_ij h'_ij over j of kind k
        h'_i = MLP([h_i, MI(m_i, kind of i)])

    Parameters
    ----------
    node, edge
        Sizes of the rows that go in; 32 numbers per node and per edge come out.
    """

    def __init__(self, node: int, edge: int) -> None:
        super().__init__()
        self.mix_edge = Interaction(2 * node + edge, WIDTH)
        self.map_edge = multilayer(WIDTH, (WIDTH, WIDTH), WIDTH)
        self.attention = multilayer(WIDTH, (WIDTH, WIDTH), 1)
        self.mix_node = Interaction(KINDS * WIDTH, WIDTH)
        self.map_node = multilayer(node + WIDTH, (WIDTH, WIDTH), WIDTH)

    def forward(self, nodes: Tensor, edges: Tensor, edge_rows: Tensor, kind: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings of nodes [N, 32] and of edges [M, 32]."""
        source, target = edges
        mixed = self.mix_edge(torch.cat([nodes[target], nodes[source], edge_rows], dim=1), kind[source])
        told, group = self.map_edge(mixed), target * KINDS + kind[source]
        weight = softmax(self.attention(mixed), group, num_nodes=len(nodes) * KINDS)
        sums = told.new_zeros(len(nodes) * KINDS, WIDTH).index_add(0, group, weight * told)
        mixed_node = self.mix_node(sums.view(len(nodes), KINDS * WIDTH), kind)
        return self.map_node(torch.cat([nodes, mixed_node], dim=1)), told


class ScheduleNet(nn.Module):
    """Scores the operations that a machine can start now, and waiting.

    Parameters
    ----------
    rounds
        How often the hidden-to-hidden layer is applied.
    """

    def __init__(self, rounds: int = 1) -> None:
        super().__init__()
        self.rounds = rounds
        self.first = TypeAwareAttention(len(NODE_FEATURES), 1)
        self.again = TypeAwareAttention(WIDTH, WIDTH)
        self.actor = multilayer(3 * WIDTH, ACTOR, 1)

    def forward(self, graph: MachineGraph) -> tuple[Tensor, Tensor]:
        """Operations that can be started, int64 [K], and scores [K + 1] of them and, last, of waiting."""
        return self.score([graph])[0]

    def score(self, graphs: Sequence[MachineGraph]) -> list[tuple[Tensor, Tensor]]:
        """As `forward`, for several graphs at once."""
        sizes = [len(graph.rows) for graph in graphs]
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])  # node of each graph
        rows = torch.as_tensor(np.concatenate([graph.rows for graph in graphs]))
        kind = torch.as_tensor(np.concatenate([graph.kind for graph in graphs]))
        edges = torch.as_tensor(np.concatenate([g.edges + low for g, low in zip(graphs, first, strict=True)], axis=1))
        nodes, told = self.embed(rows, torch.as_tensor(np.concatenate([g.edge_rows for g in graphs])), edges, kind)
        source, target = edges
        options = torch.nonzero((rows[source, ACCESSIBLE] > 0) & (rows[target, TARGET] > 0)).squeeze(1)
        asked = torch.as_tensor(first + [graph.target for graph in graphs])
        starting = torch.cat([nodes[target[options]], nodes[source[options]], told[options]], dim=1)
        waiting = torch.cat([nodes[asked], nodes[asked], torch.zeros(len(graphs), WIDTH)], dim=1)
        scores = self.actor(torch.cat([starting, waiting])).squeeze(1)
        tasks = torch.as_tensor(np.concatenate([graph.task for graph in graphs]))[source[options]]
        counts = torch.bincount(torch.searchsorted(asked, target[options]), minlength=len(graphs)).tolist()
        of_graph = scores[: len(options)].split(counts)
        return [
            (own, torch.cat([found, wait]))
            for own, found, wait in zip(tasks.split(counts), of_graph, scores[len(options) :].split(1), strict=True)
        ]

    def embed(self, rows: Tensor, edge_rows: Tensor, edges: Tensor, kind: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings of nodes and edges after all layers."""
        nodes, told = self.first(rows, edges, edge_rows, kind)
        for _ in range(self.rounds):
            nodes, told = self.again(nodes, edges, told, kind)
        return nodes, told


def multilayer(inputs: int, hidden: Sequence[int], outputs: int) -> nn.Sequential:
    """Linear maps with a ReLU between two of them, none after the last."""
    layers: list[nn.Module] = []
    for low, high in pairwise([inputs, *hidden, outputs]):
        layers += [nn.Linear(low, high), nn.ReLU()]
    return nn.Sequential(*layers[:-1])
