"""How large the features of a family are, so that learning treats all of them alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphs.arrays import GraphArrays, arrays_of, new_graph
from graphs.context import prepare
from graphs.encode import encode
from graphs.features import fill_row, fill_wait_row
from graphs.schema import EDGE_FEATURES, NODE_FEATURES, NUM_FEATURES
from marl.instances import training_instance
from problems.instance import FloatArray, Instance
from problems.simulator import Filter, compile_problem
from problems.simulator.candidates import AGENT, TASK, next_decision
from problems.simulator.engine import commit
from solvers.rollout import Runner

SMALLEST_SPREAD = 0.05
"""Features that are nearly always 0 count as if they were this large."""

GRAPHS_PER_EPISODE = 8
"""About as many graphs of an episode are measured."""


def feature_spread(family: str, seed: int, may_wait: bool, count: int = 12) -> FloatArray:
    """Root mean square of each feature over candidates of random episodes; float64 [F]."""
    squares, rows = np.zeros(NUM_FEATURES), 0
    random = np.random.default_rng([seed, 4])
    for number in range(count):
        runner = Runner(compile_problem(training_instance(family, seed * 10**9 + number)))
        problem, state, work = runner.problem, runner.state, runner.work
        while (found := next_decision(problem, state, int(Filter.ACTIVE), work.found)) > 0:
            prepare(problem, state, work.found, found, work.context)
            row = int(random.integers(found))
            agent, task = int(work.found.table[row, AGENT]), int(work.found.table[row, TASK])
            fill_row(problem, state, work.found, row, work.context, work.features)
            squares += work.features**2
            if may_wait:
                fill_wait_row(problem, state, agent, work.context, work.features)
                squares += work.features**2
            rows += 1
            commit(problem, state, agent, task)
    return np.maximum(np.sqrt(squares / rows), SMALLEST_SPREAD)


def graph_spread(family: str, seed: int, count: int = 12) -> dict[str, FloatArray]:
    """Root mean square of each feature of nodes and edges, float64 [F] by type of node and by relation.

    Measured over graphs of episodes that always take the first candidate.
    """
    squares = {name: np.zeros(len(names)) for name, names in (NODE_FEATURES | EDGE_FEATURES).items()}
    rows = dict.fromkeys(squares, 0)
    for number in range(count):
        for graph in _graphs(training_instance(family, seed * 10**9 + number)):
            for name, features in (graph.nodes | graph.edge_rows).items():
                squares[name] += (features.astype(np.float64) ** 2).sum(axis=0)
                rows[name] += len(features)
    return {name: np.maximum(np.sqrt(squares[name] / max(rows[name], 1)), SMALLEST_SPREAD) for name in squares}


def _graphs(instance: Instance) -> Iterator[GraphArrays]:
    runner = Runner(compile_problem(instance))
    problem, state, found = runner.problem, runner.state, runner.work.found
    graph, every = new_graph(problem), max(len(state.tasks) // GRAPHS_PER_EPISODE, 1)
    step = 0
    while next_decision(problem, state, int(Filter.ACTIVE), found) > 0:
        if step % every == 0:
            encode(problem, state, graph)
            yield arrays_of(graph)
        commit(problem, state, int(found.table[0, AGENT]), int(found.table[0, TASK]))
        step += 1
