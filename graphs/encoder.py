"""The agent-task network in torch: the same function as `graphs.compiled`, with gradients, over many graphs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from graphs.arrays import GraphArrays
from graphs.attention import Affine, TypeAwareGraphAttention
from graphs.layout import Sizes, initial_tensors, pack, sizes_of, unpack
from graphs.schema import EDGE_FEATURES, EDGE_TYPES, NODE_FEATURES, NODE_TYPES, NUM_FEATURES

NO_TASK = -1


@dataclass(frozen=True)
class Graphs:
    """Agent-task graphs joined into one: nodes of a graph follow those of the graph before.

    Attributes
    ----------
    nodes : dict of float32 [N, F]
        By type of node.
    edges : dict of int64 [2, M]
        By relation.
    edge_rows : dict of float32 [M, F]
        By relation.
    first : dict of int64 [G]
        First node of each graph, by type of node.
    """

    nodes: dict[str, Tensor]
    edges: dict[str, Tensor]
    edge_rows: dict[str, Tensor]
    first: dict[str, np.ndarray]


def join(graphs: Sequence[GraphArrays], device: torch.device | str = "cpu") -> Graphs:
    """Join graphs of any families, in this order; empty types and relations stay."""
    counts = {node: np.array([len(graph.nodes[node]) for graph in graphs]) for node in NODE_TYPES}
    first = {node: np.cumsum(count) - count for node, count in counts.items()}
    edges = {}
    for source, relation, target in EDGE_TYPES:
        offsets = np.stack([first[source], first[target]], axis=1)[:, :, None]  # [G, 2, 1]
        parts = [graph.edges[relation] + offset for graph, offset in zip(graphs, offsets, strict=True)]
        edges[relation] = torch.as_tensor(np.concatenate(parts, axis=1), device=device)
    return Graphs(
        nodes={node: _stack([graph.nodes[node] for graph in graphs], device) for node in NODE_TYPES},
        edges=edges,
        edge_rows={name: _stack([graph.edge_rows[name] for graph in graphs], device) for name in EDGE_FEATURES},
        first=first,
    )


def _stack(parts: Sequence[np.ndarray], device: torch.device | str) -> Tensor:
    return torch.as_tensor(np.concatenate(parts), device=device)


class AgentTaskNetwork(nn.Module):
    """Scores of candidates and of waiting, from the agent-task graph.

    Embeddings of nodes by type, `Sizes.layers` rounds of `TypeAwareGraphAttention`, an actor head over agent, task and
    the candidate's own features, and a head over the agent for waiting. The last layer of both heads starts at zero:
    an untrained network adds nothing to the prior.

    Parameters
    ----------
    sizes
        Widths and numbers of layers.
    seed
        Of the first weights.
    """

    def __init__(self, sizes: Sizes | None = None, seed: int = 0) -> None:
        super().__init__()
        self.sizes = sizes or Sizes()
        width, head = self.sizes.width, self.sizes.head
        self.embed = nn.ModuleDict({node: Affine(len(names), width) for node, names in NODE_FEATURES.items()})
        self.layers = nn.ModuleList(
            TypeAwareGraphAttention(width, self.sizes.messages) for _ in range(self.sizes.layers)
        )
        self.actor_agent = Affine(width, head)
        self.actor_task = Affine(width, head, bias=False)
        self.actor_row = Affine(NUM_FEATURES, head, bias=False)
        self.actor_out = Affine(head, 1, zero=True)
        self.wait_agent = Affine(width, head)
        self.wait_out = Affine(head, 1, zero=True)
        self._load(initial_tensors(self.sizes, seed))

    def scale_rows(self, spread: np.ndarray) -> None:
        """Divide the weights of candidate features by the features' size, float64 [F]; for a network not trained yet.

        Features much larger than the rest would decide alone whether a hidden unit is ever active.
        """
        with torch.no_grad():
            weight = self.actor_row.weight
            weight.div_(torch.from_numpy(spread).to(weight).unsqueeze(1))

    def embeddings(self, graphs: Graphs) -> dict[str, Tensor]:
        """Embeddings of all nodes after the last layer, float32 [N, D] by type of node."""
        nodes = {node: torch.relu(self.embed[node](graphs.nodes[node])) for node in NODE_TYPES}
        for layer in self.layers:
            nodes = layer(nodes, graphs.edges, graphs.edge_rows)
        return nodes

    def forward(self, graphs: Graphs, agents: Tensor, tasks: Tensor, rows: Tensor) -> Tensor:
        """Scores of options, to be added to the prior; float32 [K].

        Parameters
        ----------
        graphs
            The graphs that the options are in.
        agents : int64 [K]
            Node of the agent.
        tasks : int64 [K]
            Node of the task, -1 for waiting.
        rows : float32 [K, F]
            Features of the candidate; not used for waiting.
        """
        return self.scores(self.embeddings(graphs), agents, tasks, rows)

    def scores(self, nodes: dict[str, Tensor], agents: Tensor, tasks: Tensor, rows: Tensor) -> Tensor:
        """`forward` with the embeddings given; float32 [K]."""
        chosen = nodes["agent"][agents]
        wait = self.wait_out(torch.relu(self.wait_agent(chosen)))
        is_task = tasks != NO_TASK
        hidden = self.actor_agent(chosen) + self.actor_row(rows)
        hidden = hidden + self.actor_task(nodes["task"])[tasks.clamp(min=0)]
        score = self.actor_out(torch.relu(hidden))
        return torch.where(is_task.unsqueeze(1), score, wait).squeeze(1)

    def flat(self) -> np.ndarray:
        """Weights for the compiled forward, float32 [*]; see `graphs.layout.pack`."""
        tensors = {_flat_name(name): tensor.detach().cpu().numpy() for name, tensor in self.state_dict().items()}
        return pack(tensors, self.sizes)

    def load_flat(self, flat: np.ndarray) -> None:
        """Take over weights of the same sizes.

        Raises
        ------
        ValueError
            If they are of other sizes.
        """
        if (saved := sizes_of(flat)) != self.sizes:
            raise ValueError(f"the weights were saved with {saved}; asked for {self.sizes}")
        self._load(unpack(flat))

    def _load(self, tensors: dict[str, np.ndarray]) -> None:
        state = self.state_dict()
        self.load_state_dict(
            {name: torch.from_numpy(tensors[_flat_name(name)]).reshape(old.shape) for name, old in state.items()}
        )


def _flat_name(name: str) -> str:
    return name.replace("update_maps", "update")
