"""Type-aware graph attention: messages that depend on the types of both ends, weighed within each relation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import softmax

from graphs.layout import INCOMING
from graphs.schema import EDGE_FEATURES, EDGE_TYPES, NODE_TYPES


class TypeAwareGraphAttention(MessagePassing):
    """One round of messages over an agent-task graph, after ScheduleNet (arXiv 2106.03051).

    For an edge from j to i of relation r, the multiplicative interaction of [h_i, h_j, h_ij] with the embedding of a
    discrete r is one linear map per relation, which splits into a map of each end and a small map of the edge:

        u_ij = relu(S_r h_j + T_r h_i + E_r h_ij + b_r)
        alpha_ij = softmax over the edges of r that lead to i of (a_r . u_ij)
        m_i = concatenation over r of sum_j alpha_ij u_ij
        h'_i = h_i + V relu(U [h_i, m_i] + c) + d, with U, V, c, d by type of node

    The sum over an empty relation is 0, so every node keeps a finite embedding.

    Parameters
    ----------
    width
        Numbers per node embedding.
    messages
        False sets all m_i to 0.
    """

    def __init__(self, width: int, messages: bool = True) -> None:
        super().__init__(aggr="sum", node_dim=0)
        self.messages = messages
        self.source = _by_relation(width, width)
        self.target = _by_relation(width, width)
        self.bias = nn.ParameterDict({relation: nn.Parameter(torch.zeros(width)) for _, relation, _ in EDGE_TYPES})
        self.attention = nn.ParameterDict(
            {relation: _uniform(width, limit=1 / math.sqrt(width)) for _, relation, _ in EDGE_TYPES}
        )
        self.edge = nn.ParameterDict(
            {
                relation: _uniform(len(names), width, limit=1 / math.sqrt(max(len(names), 1)))
                for relation, names in EDGE_FEATURES.items()
            }
        )
        self.update_maps = nn.ModuleDict(
            {node: Affine((1 + len(INCOMING[node])) * width, width) for node in NODE_TYPES}
        )
        self.output = nn.ModuleDict({node: Affine(width, width) for node in NODE_TYPES})

    def forward(
        self, nodes: Mapping[str, Tensor], edges: Mapping[str, Tensor], edge_rows: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """New embeddings by type of node.

        Parameters
        ----------
        nodes : dict of float32 [N, D]
            By type of node.
        edges : dict of int64 [2, M]
            Source and target by relation.
        edge_rows : dict of float32 [M, F]
            By relation.

        Raises
        ------
        KeyError
            If a type of node or a relation is missing; one without members is given as an empty tensor.
        """
        sums = self.sums_of(nodes, edges, edge_rows)
        return {
            node: nodes[node]
            + self.output[node](torch.relu(self.update_maps[node](torch.cat([nodes[node], *sums[node]], dim=1))))
            for node in NODE_TYPES
        }

    def sums_of(
        self, nodes: Mapping[str, Tensor], edges: Mapping[str, Tensor], edge_rows: Mapping[str, Tensor]
    ) -> dict[str, list[Tensor]]:
        """What each node is told, by type: float32 [N, D] of each relation that leads to it; see `forward`."""
        sums: dict[str, list[Tensor]] = {node: [] for node in NODE_TYPES}
        for source, relation, target in EDGE_TYPES:
            sums[target].append(
                self._messages(relation, nodes[source], nodes[target], edges[relation], edge_rows[relation])
            )
        return sums

    def _messages(self, relation: str, source: Tensor, target: Tensor, edges: Tensor, edge_rows: Tensor) -> Tensor:
        if not self.messages or edges.shape[1] == 0:
            return torch.zeros_like(target)
        ends = (source @ self.source[relation], target @ self.target[relation] + self.bias[relation])
        sizes = (len(source), len(target))
        edge = edge_rows @ self.edge[relation]
        return self.propagate(edges, size=sizes, ends=ends, edge=edge, attention=self.attention[relation])

    def message(
        self,
        ends_i: Tensor,
        ends_j: Tensor,
        edge: Tensor,
        attention: Tensor,
        index: Tensor,
        size_i: int | None,
    ) -> Tensor:
        """Weighted messages of one relation, float32 [M, D]."""
        mixed = torch.relu(ends_j + ends_i + edge)
        weights = softmax(mixed @ attention, index, num_nodes=size_i)
        return weights.unsqueeze(1) * mixed


class Affine(nn.Module):
    """``x W + b`` with W stored as [inputs, outputs], as the compiled forward reads it.

    Parameters
    ----------
    inputs, outputs
        Sizes.
    zero
        Whether W starts at zero; the bias always does.
    bias
        Whether there is one.
    """

    def __init__(self, inputs: int, outputs: int, zero: bool = False, bias: bool = True) -> None:
        super().__init__()
        self.weight = _uniform(inputs, outputs, limit=0.0 if zero else 1 / math.sqrt(inputs))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """Linear map of the rows of ``x``."""
        product = x @ self.weight
        return product if self.bias is None else product + self.bias


def _by_relation(inputs: int, outputs: int) -> nn.ParameterDict:
    limit = 1 / math.sqrt(inputs)
    return nn.ParameterDict({relation: _uniform(inputs, outputs, limit=limit) for _, relation, _ in EDGE_TYPES})


def _uniform(*shape: int, limit: float) -> nn.Parameter:
    return nn.Parameter((2.0 * torch.rand(shape) - 1.0) * limit)
