"""The agent-task graph of a state."""

from __future__ import annotations

import numpy as np
import pytest
from graph_states import instances, random_states

from graphs.arrays import GraphArrays
from graphs.hetero import graph_of
from graphs.schema import EDGE_FEATURES, EDGE_TYPES, NODE_FEATURES, NUM_NEIGHBOURS, PAIR_FEATURES
from problems.build import Job, Task, build_instance
from problems.families.jsp import job_shop
from problems.generators import random_spark
from problems.simulator import Simulator, compile_problem, new_state
from problems.simulator.pieces import advance


def column(graph: GraphArrays, node: str, name: str) -> list[float]:
    """One named feature of all nodes of a type."""
    return graph.nodes[node][:, NODE_FEATURES[node].index(name)].tolist()


def test_graph_of_a_small_shop():
    """Nodes, edges and features of a two-job shop at time 0, worked out by hand."""
    problem = compile_problem(job_shop("two", [[(0, 4), (1, 2)], [(1, 3)]], num_machines=2))
    graph = graph_of(problem, new_state(problem))
    assert graph.edges["can_do"].tolist() == [[0, 1, 1], [0, 1, 2]]
    assert graph.edges["part_of"].tolist() == [[0, 1, 2], [0, 0, 1]]
    assert graph.edges["precedes"].tolist() == [[0], [1]]
    assert graph.edges["follows"].tolist() == [[1], [0]]
    assert graph.edges["near"].shape == (2, 0)
    # lb = 6 (job 0), P = 3
    assert column(graph, "task", "duration") == pytest.approx([4 / 3, 2 / 3, 1.0])
    assert column(graph, "task", "early") == pytest.approx([0.0, 4 / 6, 0.0])
    assert column(graph, "task", "path") == pytest.approx([1.0, 1.0, 0.5])
    assert column(graph, "task", "is_open") == [1.0, 0.0, 1.0]
    assert column(graph, "agent", "load") == pytest.approx([4 / 6, 5 / 6])
    assert column(graph, "job", "work_left") == pytest.approx([1.0, 0.5])
    assert graph.edge_rows["can_do"][:, PAIR_FEATURES.index("finish")] == pytest.approx([1.0, 1.0, 0.5])


def test_done_tasks_and_finished_jobs_leave_the_graph():
    """After a commitment its task is gone with its edges; a job without tasks left is gone, too."""
    simulator = Simulator(job_shop("two", [[(0, 4), (1, 2)], [(1, 3)]], num_machines=2))
    simulator.commit(1, 2)
    graph = graph_of(simulator.problem, simulator.state)
    assert [len(graph.nodes[node]) for node in ("agent", "task", "job")] == [2, 2, 1]
    assert graph.edges["done_by"].tolist() == [[0, 1], [0, 1]]
    assert column(graph, "agent", "free_in") == pytest.approx([0.0, 3 / 6])


def test_what_is_not_revealed_is_not_seen():
    """A job that is not revealed changes nothing in the graph: as if it did not exist."""

    def shop(jobs):
        return build_instance(name="shop", family="jsp", agent_names=["m"], jobs=jobs)

    known = Job(tasks=[Task({0: 5})])
    alone = compile_problem(shop([known]))
    both = compile_problem(shop([known, Job(tasks=[Task({0: 5})], release=9, reveal=9)]))
    state = new_state(both)
    before, expected = graph_of(both, state), graph_of(alone, new_state(alone))
    for node, rows in expected.nodes.items():
        assert np.array_equal(before.nodes[node], rows)
    for relation, edges in expected.edges.items():
        assert np.array_equal(before.edges[relation], edges)
        assert np.array_equal(before.edge_rows[relation], expected.edge_rows[relation])
    advance(both, state, 9)
    assert len(graph_of(both, state).nodes["task"]) == 2


@pytest.mark.parametrize("instance", instances(), ids=lambda instance: instance.name)
def test_every_type_is_present(instance):
    """All types of nodes and edges are in every graph with their widths, empty where unused."""
    problem = compile_problem(instance)
    graph = graph_of(problem, new_state(problem))
    assert {name: rows.shape[1] for name, rows in graph.nodes.items()} == {
        name: len(features) for name, features in NODE_FEATURES.items()
    }
    for _, relation, _ in EDGE_TYPES:
        assert graph.edges[relation].shape == (2, len(graph.edge_rows[relation]))
        assert graph.edge_rows[relation].shape[1] == len(EDGE_FEATURES[relation])


def test_alike_agents_are_linked_only_if_free_and_to_open_tasks():
    """Executors of Spark: an edge for each free one and each open stage, none for those that work."""
    simulator = Simulator(random_spark(4, 5, 3, preset="decima", max_stages=4))
    for _ in range(3):
        simulator.commit(*simulator.candidates()[0])
    graph = graph_of(simulator.problem, simulator.state)
    free, is_open = np.array(column(graph, "agent", "is_free")), np.array(column(graph, "task", "is_open"))
    expected = [[agent, task] for task in np.flatnonzero(is_open) for agent in np.flatnonzero(free)]
    assert 0 < len(expected) < len(free) * len(is_open)
    assert graph.edges["can_do"].T.tolist() == expected


def test_nearest_remaining_neighbours():
    """Each task hears its nearest remaining ones, checked against a sort of all distances."""
    for problem, state, _, _ in random_states()[8:]:
        graph = graph_of(problem, state)
        left = np.flatnonzero(state.tasks[:, 0] > 0)
        for node, task in enumerate(left):
            others = np.delete(left, node)
            distances = np.sort(problem.changeover[0, problem.tasks[task, 2], problem.tasks[others, 2]])
            heard = graph.edge_rows["near"][graph.edges["near"][1] == node, 0] * problem.means[0]
            assert heard == pytest.approx(distances[:NUM_NEIGHBOURS], rel=1e-5)


def test_all_numbers_are_finite_and_small():
    """Features of all random states are finite and of moderate size."""
    for problem, state, _, _ in random_states():
        graph = graph_of(problem, state)
        for rows in [*graph.nodes.values(), *graph.edge_rows.values()]:
            assert np.isfinite(rows).all()
            assert np.abs(rows).max(initial=0.0) < 20
