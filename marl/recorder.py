"""Decisions recorded in compiled code: what the policy saw, what its options were, and which one was taken.

Either a finished schedule is played again commitment by commitment (`record`), or the policy itself plays
(`record_rollout`). At a share of the decisions that are a choice, the graph of the instant, the features and prior
scores of all options, and the option that was taken are written to a tape.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphs.arrays import END_NODE, FIRST_NODE, ON_TASK, Float32Array, Graph, GraphArrays, assemble
from graphs.compiled import forget
from graphs.context import prepare
from graphs.encode import encode
from graphs.features import fill_row, fill_wait_row
from graphs.schema import NUM_FEATURES
from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import (
    NONE,
    NOW,
    NUM_ROWS,
    Problem,
    State,
)
from problems.simulator.candidates import AGENT, FAR, TASK, next_decision, next_event
from problems.simulator.engine import objective_value, reset
from problems.simulator.jit import jit
from problems.simulator.random import seed_stream, uniform
from solvers.guided import follow, planned_row
from solvers.kinds import GRAPH
from solvers.priority import MAY_WAIT, network_score
from solvers.rollout import Work, decide

# Tape.counts
NUM_GRAPHS, NUM_NODES, NUM_EDGES, NUM_CHOICES, NUM_OPTIONS, NUM_DECISIONS = range(6)


class Tape(NamedTuple):
    """Recorded decisions of one episode.

    Attributes
    ----------
    counts : int64 [6]
        Graphs, nodes, edges, choices and options written so far; decisions that were a choice, written or not.
    instants : int64 [G]
        When each graph was seen, in integer time.
    ranges, edge_ptr : int64 [G, 3, 2], [G, 5]
        Of each graph, as in `graphs.arrays.Graph`.
    rows, edges, edge_rows : float32 [N, F], int64 [M, 2], float32 [M, 6]
        The same of all graphs, one after the other without spare room.
    graph, option_end, chosen : int64 [C]
        Of each choice: its graph, the end of its options, the option that was taken.
    agents, tasks : int64 [K]
        Agent and task node (numbered among the tasks) of each option; task -1 for waiting.
    features, prior : float32 [K, F], [K]
        Of each option; features of waiting are 0.
    """

    counts: IntArray
    instants: IntArray
    ranges: IntArray
    edge_ptr: IntArray
    rows: Float32Array
    edges: IntArray
    edge_rows: Float32Array
    graph: IntArray
    option_end: IntArray
    chosen: IntArray
    agents: IntArray
    tasks: IntArray
    features: Float32Array
    prior: Float32Array


def new_tape(problem: Problem, graph: Graph, decisions: int) -> Tape:
    """Room for ``decisions`` decisions of ``problem``."""
    num_agents = problem.durations.shape[1]
    nodes, edges = decisions * len(graph.rows), decisions * len(graph.edges)
    choices, options = decisions * num_agents, decisions * (len(problem.pairs) + num_agents)
    return Tape(
        counts=np.zeros(6, np.int64),
        instants=np.zeros(decisions, np.int64),
        ranges=np.zeros((decisions, 3, 2), np.int64),
        edge_ptr=np.zeros((decisions, 5), np.int64),
        rows=np.zeros((nodes, graph.rows.shape[1]), np.float32),
        edges=np.zeros((edges, 2), np.int64),
        edge_rows=np.zeros((edges, graph.edge_rows.shape[1]), np.float32),
        graph=np.zeros(choices, np.int64),
        option_end=np.zeros(choices, np.int64),
        chosen=np.zeros(choices, np.int64),
        agents=np.zeros(options, np.int64),
        tasks=np.zeros(options, np.int64),
        features=np.zeros((options, NUM_FEATURES), np.float32),
        prior=np.zeros(options, np.float32),
    )


@jit
def record(
    problem: Problem,
    state: State,
    plan: IntArray,
    candidate_filter: int,
    parameters: FloatArray,
    work: Work,
    graph: Graph,
    share: float,
    seed: int,
    tape: Tape,
) -> int:
    """Play ``plan`` (rows of a finished state, int64 [N, 6]) again and write to ``tape``; returns the rows played.

    Fewer than N are played where the plan does something that the filter does not allow. A decision is recorded with
    probability ``share``, as long as there is room. ``parameters`` are those of the small network, the prior.
    """
    seed_stream(work.stream, seed, 0)
    reset(problem, state)
    tape.counts[:] = 0
    instant, recorded = NONE, 0
    while state.clock[NUM_ROWS] < len(plan):
        count = next_decision(problem, state, candidate_filter, work.found)
        row = planned_row(work.found.table, count, plan[state.clock[NUM_ROWS]])
        may_wait = parameters[MAY_WAIT] > 0.0 and next_event(problem, state) < FAR
        if count == 0 or (row == NONE and not may_wait):
            break
        if count > 1 or may_wait:
            tape.counts[NUM_DECISIONS] += 1
            if state.clock[NOW] != instant:
                encode(problem, state, graph)
                instant = state.clock[NOW]
            if uniform(work.stream) < share and recorded < len(tape.ranges):
                record_decision(problem, state, count, row, may_wait, parameters, work, graph, tape)
                recorded += 1
        follow(problem, state, count, row, work)
    return state.clock[NUM_ROWS]


@jit
def record_rollout(
    problem: Problem,
    state: State,
    candidate_filter: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    graph: Graph,
    temperature: float,
    share: float,
    seed: int,
    number: int,
    picks: np.ndarray,
    tape: Tape,
) -> int:
    """Play rollout ``number`` of ``seed`` by a learned priority and write to ``tape``; returns the objective.

    It is the rollout that `solvers.rollout.sample` plays; number 0 is greedy. ``kind`` is that of the network over the
    graph or of the small network; ``work`` has a network in either case, and ``graph`` is its graph. A decision is
    recorded with probability ``share``, as long as there is room; ``picks`` (uint64 [1]) is room for the stream that
    decides which.
    """
    seed_stream(work.stream, seed, number)
    seed_stream(picks, number, seed)
    reset(problem, state)
    forget(work.room)  # type: ignore[arg-type]  # there is one where there is a network
    tape.counts[:] = 0
    instant, recorded, heat = NONE, 0, temperature if number > 0 else 0.0
    while True:
        count = next_decision(problem, state, candidate_filter, work.found)
        if count == 0:
            return objective_value(problem, state)
        may_wait = parameters[MAY_WAIT] > 0.0 and next_event(problem, state) < FAR
        row = decide(problem, state, count, kind, parameters, work, heat)
        if count > 1 or may_wait:
            tape.counts[NUM_DECISIONS] += 1
            if kind != GRAPH and state.clock[NOW] != instant:
                encode(problem, state, graph)
                instant = state.clock[NOW]
            if uniform(picks) < share and recorded < len(tape.ranges):
                record_decision(problem, state, count, row, may_wait, parameters, work, graph, tape)
                recorded += 1
        follow(problem, state, count, row, work)


@jit
def record_decision(
    problem: Problem,
    state: State,
    count: int,
    row: int,
    may_wait: bool,
    parameters: FloatArray,
    work: Work,
    graph: Graph,
    tape: Tape,
) -> None:
    """Write that the candidate ``row`` is chosen, or (-1) that all asked agents wait.

    ``graph`` is that of the instant; it is written, too, if it is not on the tape yet.
    """
    graphs = tape.counts[NUM_GRAPHS]
    if graphs == 0 or tape.instants[graphs - 1] != state.clock[NOW]:
        _record_graph(graph, tape)
        tape.instants[graphs] = state.clock[NOW]
    _record_choice(problem, state, count, row, may_wait, parameters, work, graph, tape)


@jit
def _record_graph(graph: Graph, tape: Tape) -> None:
    number, node, edge = tape.counts[NUM_GRAPHS], tape.counts[NUM_NODES], tape.counts[NUM_EDGES]
    for kind in range(len(graph.ranges)):
        for end in range(2):
            tape.ranges[number, kind, end] = graph.ranges[kind, end]
        for source in range(graph.ranges[kind, FIRST_NODE], graph.ranges[kind, END_NODE]):
            for column in range(graph.rows.shape[1]):
                tape.rows[node, column] = graph.rows[source, column]
            node += 1
    for kind in range(len(graph.edge_ptr)):
        tape.edge_ptr[number, kind] = graph.edge_ptr[kind]
    for source in range(graph.edge_ptr[len(graph.edge_ptr) - 1]):
        tape.edges[edge, 0], tape.edges[edge, 1] = graph.edges[source, 0], graph.edges[source, 1]
        for column in range(graph.edge_rows.shape[1]):
            tape.edge_rows[edge, column] = graph.edge_rows[source, column]
        edge += 1
    tape.counts[NUM_GRAPHS], tape.counts[NUM_NODES], tape.counts[NUM_EDGES] = number + 1, node, edge


@jit
def _record_choice(
    problem: Problem,
    state: State,
    count: int,
    row: int,
    may_wait: bool,
    parameters: FloatArray,
    work: Work,
    graph: Graph,
    tape: Tape,
) -> None:
    """One choice among all candidates and waiting; or, where all agents wait, one choice of each agent."""
    prepare(problem, state, work.found, count, work.context)
    first_task = graph.ranges[ON_TASK, FIRST_NODE]
    previous = NONE
    for candidate in range(count):
        agent, task = work.found.table[candidate, AGENT], work.found.table[candidate, TASK]
        if row == NONE and previous != NONE and agent != previous:
            _record_wait(problem, state, previous, True, parameters, work, tape)
        previous = agent
        fill_row(problem, state, work.found, candidate, work.context, work.features)
        option = tape.counts[NUM_OPTIONS]
        tape.agents[option], tape.tasks[option] = agent, graph.task_node[task] - first_task
        tape.prior[option] = network_score(parameters, work.features, work.context.hidden)
        for column in range(NUM_FEATURES):
            tape.features[option, column] = work.features[column]
        if candidate == row:
            tape.chosen[tape.counts[NUM_CHOICES]] = option
        tape.counts[NUM_OPTIONS] += 1
    if row == NONE:
        _record_wait(problem, state, previous, True, parameters, work, tape)
    else:
        if may_wait:
            _record_wait(problem, state, work.found.table[row, AGENT], False, parameters, work, tape)
        _end_choice(tape)


@jit
def _record_wait(
    problem: Problem, state: State, agent: int, is_chosen: bool, parameters: FloatArray, work: Work, tape: Tape
) -> None:
    """The option that ``agent`` waits; if it is taken, the agent's choice ends with it."""
    fill_wait_row(problem, state, agent, work.context, work.features)
    option = tape.counts[NUM_OPTIONS]
    tape.agents[option], tape.tasks[option] = agent, NONE
    tape.prior[option] = network_score(parameters, work.features, work.context.hidden)
    tape.features[option, :] = 0.0
    tape.counts[NUM_OPTIONS] += 1
    if is_chosen:
        tape.chosen[tape.counts[NUM_CHOICES]] = option
        _end_choice(tape)


@jit
def _end_choice(tape: Tape) -> None:
    choice = tape.counts[NUM_CHOICES]
    tape.graph[choice], tape.option_end[choice] = tape.counts[NUM_GRAPHS] - 1, tape.counts[NUM_OPTIONS]
    tape.counts[NUM_CHOICES] += 1


def graphs_on(tape: Tape) -> list[GraphArrays]:
    """The recorded graphs."""
    graphs, node, edge = [], 0, 0
    for number in range(tape.counts[NUM_GRAPHS]):
        ranges, edge_ptr = tape.ranges[number], tape.edge_ptr[number]
        rows, edges, edge_rows = tape.rows[node:], tape.edges[edge:], tape.edge_rows[edge:]
        graphs.append(assemble(ranges, rows, edge_ptr, edges, edge_rows))
        node += int((ranges[:, END_NODE] - ranges[:, FIRST_NODE]).sum())
        edge += int(edge_ptr[-1])
    return graphs
