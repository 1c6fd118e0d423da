"""ScheduleNet's type-aware graph attention with the sizes of its table 3 (arXiv 2106.03051).

The text has no number of hidden-to-hidden rounds, no sizes of what goes from one network to the next, and no score of
waiting. Chosen here: one round; 32 everywhere; waiting is scored by the same network as an operation, with the machine
itself in the place of the operation and zeros in that of the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch_geometric.utils import softmax

from marl.presets.schedulenet import NODE_FEATURES, NODE_KINDS, MachineGraph

WIDTH = 32
ACTOR = (256, 128)
KINDS = len(NODE_KINDS)


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
        edges, kind = torch.as_tensor(graph.edges), torch.as_tensor(graph.kind)
        nodes, edge_rows = self.embed(graph, edges, kind)
        accessible = torch.as_tensor(graph.rows[:, NODE_FEATURES.index("is_accessible")])
        options = torch.nonzero((accessible[edges[0]] > 0) & (edges[1] == graph.target)).squeeze(1)
        task_nodes = edges[0][options]
        target = nodes[graph.target].expand(len(options), -1)
        rows = torch.cat([target, nodes[task_nodes], edge_rows[options]], dim=1)
        waiting = torch.cat([nodes[graph.target], nodes[graph.target], torch.zeros(WIDTH)])
        scores = self.actor(torch.cat([rows, waiting[None]])).squeeze(1)
        return torch.as_tensor(graph.task)[task_nodes], scores

    def embed(self, graph: MachineGraph, edges: Tensor, kind: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings of nodes and edges after all layers."""
        nodes, edge_rows = self.first(torch.as_tensor(graph.rows), edges, torch.as_tensor(graph.edge_rows), kind)
        for _ in range(self.rounds):
            nodes, edge_rows = self.again(nodes, edges, edge_rows, kind)
        return nodes, edge_rows


def multilayer(inputs: int, hidden: Sequence[int], outputs: int) -> nn.Sequential:
    """Linear maps with a ReLU between two of them, none after the last."""
    layers: list[nn.Module] = []
    for low, high in pairwise([inputs, *hidden, outputs]):
        layers += [nn.Linear(low, high), nn.ReLU()]
    return nn.Sequential(*layers[:-1])
