"""The network of `policy` as a torch module, where gradients or the module itself are asked for."""

from __future__ import annotations

from graphs.encoder import AgentTaskNetwork
from graphs.layout import sizes_of
from solvers.priority import Priority


def torch_network(priority: Priority) -> AgentTaskNetwork:
    """The network of a graph priority as a torch module, with the same weights."""
    network = AgentTaskNetwork(sizes_of(priority.network))
    network.load_flat(priority.network)
    return network
