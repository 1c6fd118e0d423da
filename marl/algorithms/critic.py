"""A centralised critic: what a team can still expect, from the whole graph."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from graphs.encoder import AgentTaskNetwork, Graphs
from graphs.layout import Sizes
from graphs.schema import NODE_TYPES


class Critic(nn.Module):
    """Values from the mean embeddings of the graph's agents, tasks and jobs.

    Parameters
    ----------
    sizes
        Of its network.
    seed
        Of the first weights.
    """

    def __init__(self, sizes: Sizes, seed: int) -> None:
        super().__init__()
        self.network = AgentTaskNetwork(sizes, seed)
        torch.manual_seed(seed)
        width = len(NODE_TYPES) * sizes.width
        self.head = nn.Sequential(nn.Linear(width, sizes.head), nn.ReLU(), nn.Linear(sizes.head, 1))

    def forward(self, graphs: Graphs) -> Tensor:
        """Value of each graph, float32 [G]."""
        nodes = self.network.embeddings(graphs)
        pooled = [_mean_by_graph(nodes[kind], graphs.first[kind]) for kind in NODE_TYPES]
        return self.head(torch.cat(pooled, dim=1)).squeeze(1)


def _mean_by_graph(nodes: Tensor, first: np.ndarray) -> Tensor:
    """Mean of the rows of each graph, float32 [G, D]; 0 where it has none."""
    counts = torch.from_numpy(np.diff(np.append(first, len(nodes))))
    graph = torch.repeat_interleave(torch.arange(len(first)), counts)
    sums = torch.zeros(len(first), nodes.shape[1]).index_add(0, graph, nodes)
    return sums / counts.clamp(min=1).unsqueeze(1)
