"""Priorities: how good a candidate looks, as (kind, parameters), evaluated by one compiled function.

A priority is data, not code: a compiled function that received another function as an argument would be compiled
anew in every process. So rules, rollouts, pilot and sampling all take a `Priority` and know no policy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from graphs.arrays import Graph
from graphs.compiled import actor_score, finish_tasks, is_ready, look
from graphs.context import MAX_HIDDEN, Context, prepare
from graphs.features import fill_row, fill_wait_row
from graphs.layout import NO_NETWORK, Float32Array, Network
from graphs.room import Room
from problems.instance import FloatArray
from problems.simulator.arrays import ARE_ALIKE, Problem, State
from problems.simulator.candidates import AGENT, END, FAR, TASK, Candidates, Filter, next_event
from problems.simulator.jit import inlined, jit
from problems.simulator.random import gumbel
from solvers.kinds import FIFO, NETWORK, PAIR, RANDOM, SJF, Kind
from solvers.rule_values import SMALLEST_VALUE, is_left_to_others, rule_value
from solvers.shares import choose_by_job

NO_PARAMETERS = np.zeros(1)

# The head of a network's parameters: first feature, number of features, hidden units, whether it may wait.
FIRST, WIDTH, HIDDEN, MAY_WAIT, HEADER = range(5)


@dataclass(frozen=True)
class Priority:
    """A priority and the candidates it chooses from.

    Attributes
    ----------
    kind
        Which function.
    parameters : float64 [*]
        Of weighted fair shares: alpha. Of a network: header, linear weights, hidden biases, output weights, hidden
        weights; see `pack_network`.
    candidate_filter
        Which tasks a free agent may choose.
    network : float32 [*]
        Of a graph priority: the network over the graph; see `graphs.layout.pack`.

    Raises
    ------
    ValueError
        If a graph priority has no network.
    """

    kind: Kind
    parameters: FloatArray = field(default_factory=lambda: NO_PARAMETERS)
    candidate_filter: Filter = Filter.NON_DELAY
    network: Float32Array = field(default_factory=lambda: NO_NETWORK)

    def __post_init__(self) -> None:
        if self.kind is Kind.GRAPH and len(self.network) == 0:
            raise ValueError("a graph priority needs a network; the small network alone is of kind NETWORK")


def pack_network(
    linear: FloatArray, bias: FloatArray, output: FloatArray, hidden: FloatArray, first: int = 0, may_wait: bool = False
) -> FloatArray:
    """Parameters of ``linear . x + output . relu(x hidden + bias)`` over features ``first`` and following.

    Parameters
    ----------
    linear : float64 [F]
    bias, output : float64 [H]
    hidden : float64 [F, H]
    first
        Index of the first feature used.
    may_wait
        Whether waiting competes with the candidates.
    """
    if len(bias) > MAX_HIDDEN:
        raise ValueError(f"a network may have {MAX_HIDDEN} hidden units, got {len(bias)}")
    header = np.array([first, len(linear), len(bias), float(may_wait)])
    return np.concatenate([header, linear, bias, output, hidden.ravel()])


@jit
def network_score(parameters: FloatArray, row: FloatArray, room: FloatArray) -> float:
    """Score of a feature row under packed network parameters; ``room`` holds the hidden units.

    The inner loop runs over hidden units, so that it is vectorised without reordering any sum.
    """
    first, width, hidden = int(parameters[FIRST]), int(parameters[WIDTH]), int(parameters[HIDDEN])
    biases, outputs = HEADER + width, HEADER + width + hidden
    weights = outputs + hidden
    score = 0.0
    for unit in range(hidden):
        room[unit] = parameters[biases + unit]
    for column in range(width):
        value = row[first + column]
        if value == 0.0:
            continue
        score += parameters[HEADER + column] * value
        # A slice, not a computed index: numba's test for negative ones would keep the loop from being vectorised.
        base = weights + column * hidden
        into = parameters[base : base + hidden]
        for unit in range(hidden):
            room[unit] += into[unit] * value
    for unit in range(hidden):
        score += parameters[outputs + unit] * max(room[unit], 0.0)
    return score


@inlined
def choose(
    problem: Problem,
    state: State,
    found: Candidates,
    count: int,
    kind: int,
    parameters: FloatArray,
    context: Context,
    features: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> int:
    """Row of the candidate that commits next, by highest bid; -1 if all asked agents rather wait.

    Equal scores go to the lowest task, then the agent that ends it first, then the lowest agent. With ``temperature``
    > 0, Gumbel noise of that size is added to every score (for rules, to its logarithm).
    """
    if kind == NETWORK:
        return _choose_by_network(problem, state, found, count, parameters, context, features, temperature, stream)
    if kind >= SJF or (kind == FIFO and problem.flags[ARE_ALIKE]):
        return choose_by_job(problem, state, found, count, kind, parameters, temperature, stream)
    best = _choose_by_rule(problem, state, found, count, kind, True, temperature, stream)
    if best < 0 and kind == PAIR:
        best = _choose_by_rule(problem, state, found, count, kind, False, temperature, stream)
    return best


@inlined
def _choose_by_rule(
    problem: Problem,
    state: State,
    found: Candidates,
    count: int,
    kind: int,
    leaves_to_others: bool,
    temperature: float,
    stream: np.ndarray,
) -> int:
    best, best_score = -1, -np.inf
    for row in range(count):
        if leaves_to_others and is_left_to_others(problem, state, found, row, kind):
            continue
        sign, value = rule_value(problem, state, found, row, kind)
        if kind == RANDOM:
            score = gumbel(stream)
        elif temperature > 0.0:
            score = sign * np.log(max(value, SMALLEST_VALUE)) + temperature * gumbel(stream)
        else:
            score = sign * value
        if score > best_score or (score == best_score and _comes_first(found, row, best)):
            best, best_score = row, score
    return best


@inlined
def _comes_first(found: Candidates, row: int, other: int) -> bool:
    if found.table[row, TASK] != found.table[other, TASK]:
        return found.table[row, TASK] < found.table[other, TASK]
    if found.table[row, END] != found.table[other, END]:
        return found.table[row, END] < found.table[other, END]
    return found.table[row, AGENT] < found.table[other, AGENT]


@jit
def _choose_by_network(
    problem: Problem,
    state: State,
    found: Candidates,
    count: int,
    parameters: FloatArray,
    context: Context,
    features: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> int:
    may_wait = parameters[MAY_WAIT] > 0.0 and next_event(problem, state) < FAR
    if count == 1 and not may_wait:
        return 0
    prepare(problem, state, found, count, context)
    best, best_score = -1, -np.inf
    if may_wait:
        _score_waiting(problem, state, found, count, parameters, context, features, temperature, stream)
    for row in range(count):
        fill_row(problem, state, found, row, context, features)
        score = network_score(parameters, features, context.hidden)
        if temperature > 0.0:
            score += temperature * gumbel(stream)
        if may_wait and score <= context.wait_score[found.table[row, AGENT]]:
            continue
        if score > best_score or (score == best_score and _comes_first(found, row, best)):
            best, best_score = row, score
    return best


@jit
def _score_waiting(
    problem: Problem,
    state: State,
    found: Candidates,
    count: int,
    parameters: FloatArray,
    context: Context,
    features: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> None:
    """Score of waiting for each asked agent, once per agent and decision."""
    context.wait_score[:] = np.inf
    for agent in range(len(context.wait_score)):
        if found.first_begin[agent] == FAR:
            continue
        fill_wait_row(problem, state, agent, context, features)
        score = network_score(parameters, features, context.hidden)
        if temperature > 0.0:
            score += temperature * gumbel(stream)
        context.wait_score[agent] = score


@jit
def choose_by_graph(
    problem: Problem,
    state: State,
    found: Candidates,
    count: int,
    parameters: FloatArray,
    network: Network,
    graph: Graph,
    room: Room,
    context: Context,
    features: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> int:
    """`choose` for graph priorities: the small network's score is the prior of the network over the graph.

    The graph is encoded once per instant, at the first decision that is a choice; the features of the candidates
    are always those of the present state.
    """
    may_wait = parameters[MAY_WAIT] > 0.0 and next_event(problem, state) < FAR
    if count == 1 and not may_wait:
        return 0
    prepare(problem, state, found, count, context)
    look(problem, state, network, graph, room)
    _look_at_candidates(found, count, network, graph, room)
    best, best_score = -1, -np.inf
    if may_wait:
        _score_waiting(problem, state, found, count, parameters, context, features, temperature, stream)
        for agent in range(len(context.wait_score)):
            context.wait_score[agent] += room.wait[agent]
    for row in range(count):
        agent, task = found.table[row, AGENT], found.table[row, TASK]
        fill_row(problem, state, found, row, context, features)
        score = network_score(parameters, features, context.hidden)
        score += actor_score(network, graph, room, agent, task, features)
        if temperature > 0.0:
            score += temperature * gumbel(stream)
        if may_wait and score <= context.wait_score[agent]:
            continue
        if score > best_score or (score == best_score and _comes_first(found, row, best)):
            best, best_score = row, score
    return best


@jit
def _look_at_candidates(found: Candidates, count: int, network: Network, graph: Graph, room: Room) -> None:
    """Compute the last layer of tasks that have opened since the instant was encoded."""
    missing = 0
    room.wanted[:] = 0
    for row in range(count):
        task = found.table[row, TASK]
        if not is_ready(graph, room, task):
            room.wanted[graph.task_node[task]] = 1
            missing += 1
    if missing > 0:
        finish_tasks(network, graph, room)
