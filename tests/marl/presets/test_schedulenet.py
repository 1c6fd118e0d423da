"""The preset schedulenet: its features, its attention, and play with its network."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import marl
from marl.presets.schedulenet import NODE_FEATURES, NODE_KINDS, machine_graph
from marl.presets.schedulenet_network import WIDTH, ScheduleNet, TypeAwareAttention
from problems.check import check
from problems.errors import UnsupportedError
from problems.families import job_shop
from problems.generators import brandimarte_like, random_job_shop

TWO_BY_TWO = job_shop("two", [[(0, 3), (1, 2)], [(1, 2), (0, 4)]], 2)
UNIT = 11 / 4
"""Mean duration."""


def env_after(actions, **options):
    """Environment after some actions."""
    env = marl.env("jsp", TWO_BY_TWO, candidate_filter="non-delay", **options)
    env.reset(seed=0)
    for action in actions:
        env.step(action)
    return env


def test_the_first_graph():
    """Machine 0 is asked: job 0 can start there now; job 1 begins elsewhere; each operation has its duration."""
    graph = machine_graph(env_after([]).episode, 0)
    assert graph.kind.tolist() == [1, 1, 3, 4, 3, 4] and graph.task.tolist() == [-1, -1, 0, 1, 2, 3]
    expected = np.zeros((6, 11))
    expected[:2, 0], expected[0, 1], expected[2, 4:6] = 1, 1, 1
    expected[2:, 7], expected[2:, 9] = np.array([3, 2, 2, 4]) / UNIT, 1
    np.testing.assert_allclose(graph.rows, expected, rtol=1e-6)


def test_edges_join_machines_operations_and_jobs():
    """Machines with what they can process, both ways; the two operations of a job; the two machines."""
    graph = machine_graph(env_after([]).episode, 0)
    pairs = set(map(tuple, graph.edges.T.tolist()))
    processes = {(0, 2), (1, 3), (1, 4), (0, 5)}
    assert set(map(tuple, graph.edges.T[graph.edge_rows[:, 0] == 1].tolist())) == processes
    back = {(task, machine) for machine, task in processes}
    assert pairs == processes | back | {(2, 3), (3, 2), (4, 5), (5, 4), (0, 1), (1, 0)}
    assert len(pairs) == graph.edges.shape[1]


def test_a_busy_machine_and_what_it_processes():
    """After job 0 has started on machine 0, both are assigned for 3 more; machine 1 is asked about job 1."""
    graph = machine_graph(env_after([0]).episode, 1)
    assert [NODE_KINDS[kind] for kind in graph.kind[[0, 2, 4]]] == [
        "assigned-agent",
        "assigned-task",
        "processable-task",
    ]
    np.testing.assert_allclose(graph.rows[0], [1, 0, 1, 0, 0, 0, 0, 0, 3 / UNIT, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(graph.rows[2], [0, 0, 1, 0, 0, 0, 0, 3 / UNIT, 3 / UNIT, 1, 0], rtol=1e-6)
    assert graph.rows[4, 4:6].tolist() == [1, 1] and graph.rows[1, 1] == 1


def test_operations_that_have_ended_are_gone_and_waiting_is_counted():
    """At time 3 two operations are left; job 1 has waited for 1 and is half done."""
    graph = machine_graph(env_after([0, 1]).episode, 0)
    assert graph.task.tolist() == [-1, -1, 1, 3]
    np.testing.assert_allclose(graph.rows[3], [0, 0, 0, 0, 1, 1, 1 / UNIT, 4 / UNIT, 0, 0.5, 0.5], rtol=1e-6)
    np.testing.assert_allclose(graph.rows[2], [0, 0, 0, 0, 0, 0, 0, 2 / UNIT, 0, 0.5, 0.5], rtol=1e-6)


def test_attention_is_weighed_within_each_kind_of_source():
    """The layer equals the formula, written out edge by edge."""
    graph = machine_graph(env_after([0]).episode, 1)
    layer = TypeAwareAttention(len(NODE_FEATURES), 1)
    rows, kind = torch.as_tensor(graph.rows), torch.as_tensor(graph.kind)
    edges, edge_rows = torch.as_tensor(graph.edges), torch.as_tensor(graph.edge_rows)
    nodes, told = layer(rows, edges, edge_rows, kind)
    for target in range(len(rows)):
        messages = []
        for source_kind in range(len(NODE_KINDS)):
            into = [e for e in range(edges.shape[1]) if edges[1, e] == target and kind[edges[0, e]] == source_kind]
            total = torch.zeros(WIDTH)
            if into:
                mixed = [
                    layer.mix_edge(
                        torch.cat([rows[target], rows[edges[0, e]], edge_rows[e]])[None], kind[edges[0, e]][None]
                    )
                    for e in into
                ]
                weights = torch.softmax(torch.stack([layer.attention(row)[0, 0] for row in mixed]), 0)
                total = sum(weight * layer.map_edge(row)[0] for weight, row in zip(weights, mixed, strict=True))
                torch.testing.assert_close(told[into[0]], layer.map_edge(mixed[0])[0])
            messages.append(total)
        own = layer.mix_node(torch.cat(messages)[None], kind[target][None])[0]
        torch.testing.assert_close(nodes[target], layer.map_node(torch.cat([rows[target], own])))


@pytest.mark.parametrize("seed", range(4))
def test_the_network_plays_whole_episodes(seed):
    """It scores exactly the operations that are legal; its choices end in a valid schedule."""
    torch.manual_seed(seed)
    instance, network = random_job_shop(4, 3, seed, low=1, high=9), ScheduleNet()
    env = marl.env("jsp", instance, candidate_filter="non-delay", order="shuffled")
    env.reset(seed=seed)
    while env.agents:
        _, _, done, _, info = env.last(observe=False)
        if done:
            env.step(None)
            continue
        machine = env.possible_agents.index(env.agent_selection)
        tasks, scores = network(machine_graph(env.episode, machine))
        slots = [env.episode.slot_of(machine, int(task)) for task in tasks]
        assert sorted(slots) == np.flatnonzero(info["action_mask"][:-1]).tolist()
        best = int(scores.argmax()) if info["action_mask"][-1] else int(scores[:-1].argmax())
        env.step([*slots, env.slots][best])
    assert check(instance, env.schedule()).valid


def test_gradients_reach_every_weight():
    """All parts of the network take part in the scores."""
    network = ScheduleNet()
    _, scores = network(machine_graph(env_after([0]).episode, 1))
    torch.log_softmax(scores, 0)[0].backward()
    unused = [name for name, weight in network.named_parameters() if weight.grad is None]
    assert unused == []


def test_flexible_shops_are_refused_by_name():
    """The features have no place for a choice of machines."""
    env = marl.env("fjsp", brandimarte_like(3, 2, 0), candidate_filter="non-delay")
    env.reset()
    with pytest.raises(UnsupportedError, match="choice of machines"):
        machine_graph(env.episode, 0)
