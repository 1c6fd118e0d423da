"""The agent-task graph as flat arrays: room for the compiled encoder, and copies without spare room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphs.schema import EDGE_FEATURES, EDGE_TYPES, NODE_FEATURES, NODE_TYPES, NUM_NEIGHBOURS
from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import (
    HAS_CHANGEOVER,
    PAIR_HI,
    PAIR_LO,
    PLACE,
    SHORTEST,
    TAIL_TASKS,
    UNIT,
    Problem,
)
from problems.simulator.candidates import FAR

Float32Array = npt.NDArray[np.float32]

# Rows of Graph.ranges, by type of node; its columns.
ON_AGENT, ON_TASK, ON_JOB = range(3)
FIRST_NODE, END_NODE = 0, 1
# Graph.edge_ptr: kinds of edges; a relation and its reverse are one kind.
PAIRS, MEMBERS, PRECEDENCES, NEAR = range(4)
# Graph.numbers
BOUND, TARGET, MEAN_WEIGHT = range(3)
# Graph.agent_totals
OPEN_TASKS, ALL_TASKS, WORK = range(3)
NUM_FIXED = 4
"""Columns of task rows that never change."""

NUM_ROW_COLUMNS = max(len(names) for names in NODE_FEATURES.values())
NUM_EDGE_COLUMNS = max(len(names) for names in EDGE_FEATURES.values())
TINY = 1e-3
"""Durations below this share of the mean are taken as this share in logarithms."""


class Graph(NamedTuple):
    """The agent-task graph of one state, in room for any state of its problem.

    Nodes are numbered through: first all agents, from ``A`` on the remaining tasks, from ``A + T`` on their jobs.

    Attributes
    ----------
    ranges : int64 [3, 2]
        First node and end of the nodes of each type.
    rows : float32 [A + T + J, F]
        Features of each node, named in `graphs.schema.NODE_FEATURES`; types with fewer leave the rest 0.
    edge_ptr : int64 [5]
        Where pairs, members, precedences and near tasks begin in ``edges``, and where the last ones end.
    edges : int64 [M, 2]
        Two nodes: agent and task of eligible pairs, task and job of members, earlier and later task of
        precedences, a near task and the one that it is near to.
    edge_rows : float32 [M, 7]
        Features of each edge, named in `graphs.schema.EDGE_FEATURES`; kinds with fewer leave the rest 0.
    tasks, jobs : int64 [T], [J]
        Task and job of each node of these types, in order.
    task_node, job_node : int64 [T], [J]
        Node of each task and job, -1 where it is not in the graph.
    numbers : float64 [3]
        lb; expected longest route; mean weight of the jobs.
    early : int64 [T]
        Earliest start of each task, as far as its job tells.
    job_base : int64 [J]
        Earliest start of a job's open tasks less the shortest work before them.
    agent_totals : int64 [A, 3]
        Open tasks, all tasks, and shares of work that each agent may still get.
    closing : float64 [A]
        Length of each agent's route if it went home now.
    fixed : float32 [T, 4]
        The features of each task that never change.
    neighbours : int32 [T, T - 1]
        Other tasks by distance; [1, 0] where there are no changeovers.
    """

    ranges: IntArray
    rows: Float32Array
    edge_ptr: IntArray
    edges: IntArray
    edge_rows: Float32Array
    tasks: IntArray
    jobs: IntArray
    task_node: IntArray
    job_node: IntArray
    numbers: FloatArray
    early: IntArray
    job_base: IntArray
    agent_totals: IntArray
    closing: FloatArray
    fixed: Float32Array
    neighbours: npt.NDArray[np.int32]


def new_graph(problem: Problem) -> Graph:
    """Room for the graph of any state of ``problem``."""
    num_tasks, num_agents = problem.durations.shape
    num_near = NUM_NEIGHBOURS * num_tasks if problem.flags[HAS_CHANGEOVER] else 0
    num_jobs, num_nodes = len(problem.jobs), num_agents + num_tasks + len(problem.jobs)
    num_edges = len(problem.pairs) + num_tasks + len(problem.successors) + num_near
    return Graph(
        ranges=np.zeros((len(NODE_TYPES), 2), np.int64),
        rows=np.zeros((num_nodes, NUM_ROW_COLUMNS), np.float32),
        edge_ptr=np.zeros(5, np.int64),
        edges=np.zeros((num_edges, 2), np.int64),
        edge_rows=np.zeros((num_edges, NUM_EDGE_COLUMNS), np.float32),
        tasks=np.zeros(num_tasks, np.int64),
        jobs=np.zeros(num_jobs, np.int64),
        task_node=np.zeros(num_tasks, np.int64),
        job_node=np.zeros(num_jobs, np.int64),
        numbers=np.zeros(3),
        early=np.zeros(num_tasks, np.int64),
        job_base=np.zeros(num_jobs, np.int64),
        agent_totals=np.zeros((num_agents, 3), np.int64),
        closing=np.zeros(num_agents),
        fixed=_fixed_features(problem),
        neighbours=_neighbours(problem),
    )


def _fixed_features(problem: Problem) -> Float32Array:
    duration = problem.tasks[:, SHORTEST] / problem.means[UNIT]
    num_pairs = problem.tasks[:, PAIR_HI] - problem.tasks[:, PAIR_LO]
    columns = (duration, np.log(np.maximum(duration, TINY)), np.log1p(problem.tasks[:, TAIL_TASKS]), np.log(num_pairs))
    return np.stack(columns, axis=1).astype(np.float32)


def _neighbours(problem: Problem) -> npt.NDArray[np.int32]:
    """Other tasks of each task, nearest first under the shortest of the changeover matrices."""
    if not problem.flags[HAS_CHANGEOVER] or len(problem.tasks) == 0:
        return np.zeros((1, 0), np.int32)
    places = problem.tasks[:, PLACE]
    between = problem.changeover[:, places][:, :, places].min(axis=0)
    np.fill_diagonal(between, FAR)
    return np.ascontiguousarray(np.argsort(between, axis=1, kind="stable")[:, :-1].astype(np.int32))


class GraphArrays(NamedTuple):
    """One graph as plain arrays without spare room, keyed as in `graphs.schema`.

    Attributes
    ----------
    nodes : dict of float32 [N, F]
        Features by type of node.
    edges : dict of int64 [2, M]
        Source and target by relation, each numbered within its type of node.
    edge_rows : dict of float32 [M, F]
        Features by relation.
    """

    nodes: dict[str, Float32Array]
    edges: dict[str, IntArray]
    edge_rows: dict[str, Float32Array]


RELATION_KINDS = {
    "can_do": (PAIRS, 0),
    "has": (MEMBERS, 1),
    "precedes": (PRECEDENCES, 0),
    "follows": (PRECEDENCES, 1),
    "near": (NEAR, 0),
    "near_to": (NEAR, 1),
    "done_by": (PAIRS, 1),
    "part_of": (MEMBERS, 0),
}
"""Kind of edge of each relation, and the column of ``edges`` that holds its sources."""


def arrays_of(graph: Graph) -> GraphArrays:
    """Copy of what ``graph`` holds at present."""
    rows = np.concatenate([graph.rows[first:end] for first, end in graph.ranges])
    return assemble(graph.ranges, rows, graph.edge_ptr, graph.edges, graph.edge_rows)


def assemble(
    ranges: IntArray, rows: Float32Array, edge_ptr: IntArray, edges: IntArray, edge_rows: Float32Array
) -> GraphArrays:
    """Plain arrays of a graph; as `Graph`, but ``rows`` has no spare rows between the types of nodes."""
    ends = np.cumsum(ranges[:, END_NODE] - ranges[:, FIRST_NODE])
    parts = np.split(rows[: ends[-1]], ends[:-1])
    nodes = {
        name: part[:, : len(features)].copy()
        for part, (name, features) in zip(parts, NODE_FEATURES.items(), strict=True)
    }
    first = dict(zip(NODE_TYPES, ranges[:, FIRST_NODE], strict=True))
    by_relation, rows_by_relation = {}, {}
    for source, relation, target in EDGE_TYPES:
        kind, side = RELATION_KINDS[relation]
        low, high = edge_ptr[kind], edge_ptr[kind + 1]
        pairs = edges[low:high]
        by_relation[relation] = np.stack([pairs[:, side] - first[source], pairs[:, 1 - side] - first[target]])
        rows_by_relation[relation] = edge_rows[low:high, : len(EDGE_FEATURES[relation])].copy()
    return GraphArrays(nodes, by_relation, rows_by_relation)
