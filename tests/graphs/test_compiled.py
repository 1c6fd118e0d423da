"""The two executors of the network agree."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from graph_states import feature_rows, random_states

from graphs.arrays import ON_AGENT, ON_TASK, arrays_of, new_graph
from graphs.compiled import actor_score, embed, finish_tasks, look
from graphs.encode import encode
from graphs.encoder import AgentTaskNetwork, join
from graphs.layout import Sizes, open_network, without_messages
from graphs.room import new_room
from problems.simulator.arrays import NOW
from problems.simulator.candidates import AGENT, TASK

TOLERANCE = 1e-4


def random_network(sizes: Sizes, seed: int) -> AgentTaskNetwork:
    """A network none of whose weights is zero."""
    network = AgentTaskNetwork(sizes, seed)
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return network


@pytest.mark.parametrize("sizes", [Sizes(), Sizes(width=8, layers=1, head=24), Sizes(width=24, layers=3, head=8)])
def test_scores_equal_torch(sizes):
    """Compiled scores of candidates and of waiting equal those of torch on random states of both families."""
    network = random_network(sizes, seed=5)
    compiled = open_network(network.flat())
    for problem, state, work, count in random_states():
        graph = new_graph(problem)
        room = new_room(graph, sizes)
        look(problem, state, compiled, graph, room)
        rows = feature_rows(problem, state, work, count)
        agents, tasks = work.found.table[:count, AGENT], work.found.table[:count, TASK]
        found = [
            actor_score(compiled, graph, room, int(agent), int(task), row)
            for agent, task, row in zip(agents, tasks, rows, strict=True)
        ]
        nodes = graph.task_node[tasks] - graph.ranges[ON_TASK, 0]
        with torch.no_grad():
            expected = network(
                join([arrays_of(graph)]),
                torch.from_numpy(agents.copy()),
                torch.from_numpy(nodes),
                torch.from_numpy(rows.astype(np.float32)),
            ).numpy()
            num_agents = len(room.wait)
            waiting = network(
                join([arrays_of(graph)]),
                torch.arange(num_agents),
                torch.full((num_agents,), -1),
                torch.zeros(num_agents, rows.shape[1]),
            ).numpy()
        assert np.abs(found - expected).max() < TOLERANCE
        assert np.abs(room.wait - waiting).max() < TOLERANCE
        best = np.sort(expected)[-2:]
        assert len(best) < 2 or best[1] - best[0] < TOLERANCE or np.argmax(found) == np.argmax(expected)


@pytest.mark.parametrize("messages", [True, False])
def test_all_embeddings_equal_torch(messages):
    """Every task's last layer, not only that of open tasks, equals torch; also with messages set to zero."""
    network = random_network(Sizes(messages=messages), seed=6)
    compiled = open_network(network.flat())
    for problem, state, _, _ in random_states():
        graph = new_graph(problem)
        room = new_room(graph, network.sizes)
        encode(problem, state, graph)
        embed(compiled, graph, room)
        room.wanted[:] = 1
        finish_tasks(compiled, graph, room)
        with torch.no_grad():
            expected = network.embeddings(join([arrays_of(graph)]))
        first, end = graph.ranges[ON_TASK]
        assert np.abs(room.final[first:end] - expected["task"].numpy()).max() < TOLERANCE
        assert np.abs(room.nodes[: graph.ranges[ON_AGENT, 1]] - expected["agent"].numpy()).max() < TOLERANCE


def test_tasks_finished_one_by_one_are_the_same():
    """Computing the last layer of a task later, because it opened within the instant, gives the same embedding."""
    network = random_network(Sizes(), seed=7)
    compiled = open_network(network.flat())
    for problem, state, _, _ in random_states():
        graph = new_graph(problem)
        room = new_room(graph, network.sizes)
        encode(problem, state, graph)
        embed(compiled, graph, room)
        first, end = (int(node) for node in graph.ranges[ON_TASK])
        room.wanted[:] = 1
        finish_tasks(compiled, graph, room)
        together = room.final[first:end].copy()
        room.final[:] = np.nan
        for node in range(first, end):
            room.wanted[:] = 0
            room.wanted[node] = 1
            finish_tasks(compiled, graph, room)
        assert np.array_equal(room.final[first:end], together)


def test_an_instant_is_encoded_once():
    """A second look at the same instant keeps the embeddings; a later instant or another episode is encoded anew."""
    network = random_network(Sizes(), seed=8)
    compiled = open_network(network.flat())
    problem, state, _, _ = random_states()[1]
    graph = new_graph(problem)
    room = new_room(graph, network.sizes)
    look(problem, state, compiled, graph, room)
    room.wait[:] = 7.0
    look(problem, state, compiled, graph, room)
    assert (room.wait == 7.0).all()
    state.clock[NOW] += 1
    look(problem, state, compiled, graph, room)
    assert (room.wait != 7.0).all()


def test_messages_matter_and_can_be_silenced():
    """Setting the messages to zero changes scores, and the flag travels in the flat array."""
    network = random_network(Sizes(), seed=9)
    problem, state, _, _ = random_states()[1]
    graph = new_graph(problem)
    room = new_room(graph, network.sizes)
    look(problem, state, open_network(network.flat()), graph, room)
    loud = room.wait.copy()
    room.key[:] = -1
    look(problem, state, open_network(without_messages(network.flat())), graph, room)
    assert np.abs(loud - room.wait).max() > 1e-3
