"""Whole episodes in compiled code: one greedy or sampled rollout, many samples, the pilot method."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from graphs.arrays import Graph, new_graph
from graphs.compiled import forget
from graphs.context import Context, new_context
from graphs.layout import NO_NETWORK, OFFSETS, Float32Array, Network, open_network, sizes_of
from graphs.room import Room, new_room
from graphs.schema import NUM_FEATURES
from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import (
    COMPLETION,
    DEADLINE,
    FREE,
    HAS_WAVES,
    IS_DEDICATED,
    LOAD,
    MAKESPAN,
    NONE,
    OBJECTIVE,
    REVEAL,
    TAIL,
    TASKS_LEFT,
    Problem,
    State,
    belief_of,
    new_state,
)
from problems.simulator.candidates import AGENT, FAR, TASK, Candidates, Filter, collect, new_candidates, next_decision
from problems.simulator.engine import believe, commit, copy_state, objective_value, reset, wait
from problems.simulator.jit import inlined, jit
from problems.simulator.random import seed_stream
from solvers.kinds import GRAPH
from solvers.priority import Priority, choose, choose_by_graph

NO_OPTION = -1

MISSED = 2**61
"""Added to the objective of a schedule that misses a deadline; more than any objective, less than ``FAR``."""

PILOT_DECISIONS = 4
"""Decisions of the pilot method between two looks at the clock."""


class Work(NamedTuple):
    """What an episode needs besides its state.

    ``network``, ``graph`` and ``room`` are None unless the priority is a network over the graph. Compiled code is
    specialised on that: rules and the small network neither compile nor carry what they do not use.
    """

    found: Candidates
    context: Context
    features: FloatArray
    stream: np.ndarray
    network: Network | None
    graph: Graph | None
    room: Room | None


def new_work(problem: Problem, network: Float32Array = NO_NETWORK) -> Work:
    """Empty room for episodes of ``problem`` under priorities that carry ``network`` (float32 [*]).

    Raises
    ------
    ValueError
        If the network is of another version or length than it tells.
    """
    common = (new_candidates(problem), new_context(problem), np.zeros(NUM_FEATURES), np.zeros(1, np.uint64))
    if len(network) == 0:
        return Work(*common, None, None, None)
    graph = new_graph(problem)
    return Work(*common, open_network(network), graph, new_room(graph, sizes_of(network)))


@inlined
def decide(
    problem: Problem, state: State, count: int, kind: int, parameters: FloatArray, work: Work, temperature: float
) -> int:
    """Row of ``work.found`` that commits next, -1 if all asked agents rather wait; see `solvers.priority.choose`."""
    return _decide(problem, state, count, kind, parameters, work, work.network, temperature)


@jit
def _decide(
    problem: Problem,
    state: State,
    count: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    network: Network | None,
    temperature: float,
) -> int:
    if network is not None and kind == GRAPH:
        return choose_by_graph(
            problem,
            state,
            work.found,
            count,
            parameters,
            network,
            work.graph,  # type: ignore[arg-type]  # there is one where there is a network
            work.room,  # type: ignore[arg-type]
            work.context,
            work.features,
            temperature,
            work.stream,
        )
    return choose(
        problem, state, work.found, count, kind, parameters, work.context, work.features, temperature, work.stream
    )


@jit
def forget_room(room: Room | None) -> None:
    """A new episode begins: what was encoded is of another one."""
    if room is not None:
        forget(room)


@inlined
def makespan_bound(problem: Problem, state: State, agent: int, task: int) -> int:
    """Lower bound on the final makespan after ``agent`` committed to ``task``; 0 for other objectives."""
    if problem.flags[OBJECTIVE] != MAKESPAN:
        return 0
    bound = state.agents[agent, FREE] + problem.tasks[task, TAIL]
    if problem.flags[IS_DEDICATED]:
        bound = max(bound, state.agents[agent, FREE] + state.agents[agent, LOAD])
    return bound


@jit
def outcome(problem: Problem, state: State) -> int:
    """Objective of a finished schedule; more by `MISSED`, so that any other is better, if a job misses its deadline."""
    value = objective_value(problem, state)
    for job in range(len(state.jobs)):
        if problem.jobs[job, DEADLINE] != NONE and state.jobs[job, COMPLETION] > problem.jobs[job, DEADLINE]:
            return value + MISSED
    return value


@jit
def finish(
    problem: Problem,
    state: State,
    candidate_filter: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    temperature: float,
    cutoff: int,
) -> int:
    """Complete the schedule in ``state``; returns its `outcome`, or ``FAR`` once it cannot fall below ``cutoff``."""
    forget_room(work.room)
    while True:
        count = next_decision(problem, state, candidate_filter, work.found)
        if count == 0:
            return outcome(problem, state)
        row = decide(problem, state, count, kind, parameters, work, temperature)
        if row < 0:
            for other in range(count):
                wait(state, work.found.table[other, AGENT])
            continue
        agent, task = work.found.table[row, AGENT], work.found.table[row, TASK]
        commit(problem, state, agent, task)
        if cutoff < FAR and makespan_bound(problem, state, agent, task) >= cutoff:
            return FAR


@jit
def sample(
    problem: Problem,
    state: State,
    best: State,
    candidate_filter: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    temperature: float,
    seed: int,
    first: int,
    values: IntArray,
) -> int:
    """Rollouts ``first``, ``first`` + 1, ... of ``seed``, one per entry of ``values`` (int64 [K]); number 0 is greedy.

    ``best`` becomes the first best schedule; returns its objective.
    """
    best_value = FAR
    for number in range(len(values)):
        seed_stream(work.stream, seed, first + number)
        reset(problem, state)
        heat = temperature if first + number > 0 else 0.0
        values[number] = finish(problem, state, candidate_filter, kind, parameters, work, heat, FAR)
        if values[number] < best_value:
            best_value = values[number]
            copy_state(state, best)
    return best_value


@inlined
def _list_options(found: Candidates, count: int, options: IntArray) -> None:
    """Keep agent and task of each candidate: trials overwrite the table."""
    for row in range(count):
        options[row, 0], options[row, 1] = found.table[row, AGENT], found.table[row, TASK]


@inlined
def _find_option(options: IntArray, count: int, agent: int, task: int) -> int:
    for row in range(count):
        if options[row, 0] == agent and options[row, 1] == task:
            return row
    return NO_OPTION


@jit
def pilot(
    problem: Problem,
    state: State,
    trial: State,
    best: State,
    candidate_filter: int,
    options_filter: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    options: IntArray,
    value: int,
    decisions: int,
) -> int:
    """Pilot method, some ``decisions`` of it: complete every choice by the priority and take the best.

    The priority chooses among the candidates of ``candidate_filter``; tried are those of ``options_filter``, at least
    as many. The completion of the priority's own choice is known: it is the completion of the choice before. So only
    the others are tried, each until it cannot be better. The best complete schedule ends up in ``best``; returns its
    objective, which the next call is given as ``value`` (``FAR`` at the first). ``options`` is int64 [E, 2] room.
    """
    if value == FAR:
        copy_state(state, trial)
        value = finish(problem, trial, candidate_filter, kind, parameters, work, 0.0, FAR)
        copy_state(trial, best)
    for _ in range(decisions):
        count = next_decision(problem, state, candidate_filter, work.found)
        if count == 0:
            break
        _list_options(work.found, count, options)
        forget_room(work.room)
        own = decide(problem, state, count, kind, parameters, work, 0.0)
        if options_filter != candidate_filter:
            agent, task = options[own, 0], options[own, 1]
            count = collect(problem, state, options_filter, work.found)
            _list_options(work.found, count, options)
            own = NO_OPTION if own < 0 else _find_option(options, count, agent, task)
        chosen = own
        for option in range(count):
            if option == own:
                continue
            copy_state(state, trial)
            commit(problem, trial, options[option, 0], options[option, 1])
            if makespan_bound(problem, trial, options[option, 0], options[option, 1]) >= value:
                continue
            trial_value = finish(problem, trial, candidate_filter, kind, parameters, work, 0.0, value)
            if trial_value < value:
                chosen, value = option, trial_value
                copy_state(trial, best)
        if chosen < 0:
            for option in range(count):
                wait(state, options[option, 0])
        else:
            commit(problem, state, options[chosen, 0], options[chosen, 1])
    return value


@jit
def pilot_online(
    problem: Problem,
    belief: Problem,
    state: State,
    trial: State,
    candidate_filter: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    options: IntArray,
    decisions: int,
) -> None:
    """`pilot` where things are revealed as time goes on: each choice is completed in the belief of its moment.

    The priority's own choice is tried first, so that others must be better. ``state`` is left with what happened.
    """
    for _ in range(decisions):
        count = next_decision(problem, state, candidate_filter, work.found)
        if count == 0:
            return
        _list_options(work.found, count, options)
        forget_room(work.room)
        own = decide(problem, state, count, kind, parameters, work, 0.0)
        if own < 0:
            for option in range(count):
                wait(state, options[option, 0])
            continue
        chosen, value = own, FAR
        for number in range(count if count > 1 else 0):
            option = own if number == 0 else number - (number <= own)
            copy_state(state, trial)
            believe(problem, trial)
            commit(belief, trial, options[option, 0], options[option, 1])
            trial_value = finish(belief, trial, candidate_filter, kind, parameters, work, 0.0, value)
            if trial_value < value:
                chosen, value = option, trial_value
        commit(problem, state, options[chosen, 0], options[chosen, 1])


class Runner:
    """Runs episodes of one problem, reusing its room.

    Parameters
    ----------
    problem
        The compiled instance.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.state, self.best = new_state(problem), new_state(problem)
        self.work = new_work(problem)
        self.is_online = bool(problem.flags[HAS_WAVES]) or bool((problem.jobs[:, REVEAL] > 0).any())

    def make_room(self, priority: Priority) -> None:
        """Room for the network of a graph priority; one of the same sizes takes the place of the one before."""
        if priority.kind != GRAPH:
            return
        network = self.work.network
        if network is None or not np.array_equal(priority.network[:OFFSETS], network.layout[:OFFSETS]):
            self.work = new_work(self.problem, priority.network)
        else:
            np.copyto(network.weights, priority.network)

    def sample(
        self, priority: Priority, count: int = 1, seed: int = 0, temperature: float = 1.0, first: int = 0
    ) -> IntArray:
        """Objectives of ``count`` rollouts, int64 [count]; rollout number 0 is greedy. ``best`` holds the best."""
        values = np.zeros(count, np.int64)
        self.make_room(priority)
        sample(
            self.problem,
            self.state,
            self.best,
            int(priority.candidate_filter),
            int(priority.kind),
            priority.parameters,
            self.work,
            temperature,
            seed,
            first,
            values,
        )
        return values

    def pilot(self, priority: Priority, time_limit: float | None = None, options_filter: Filter | None = None) -> int:
        """Objective of the pilot method; ``best`` holds its schedule.

        Tried are the candidates of ``options_filter``, by default those of the priority.

        Once ``time_limit`` seconds are over, the decisions that are left are those of the priority.
        """
        started = time.perf_counter()
        reset(self.problem, self.state)
        self.make_room(priority)
        trial, options = new_state(self.problem), np.zeros((len(self.problem.pairs), 2), np.int64)
        if self.is_online:
            return self._pilot_online(priority, trial, options, started, time_limit)
        value = FAR
        while value == FAR or self.state.clock[TASKS_LEFT] > 0:
            value = int(
                pilot(
                    self.problem,
                    self.state,
                    trial,
                    self.best,
                    int(priority.candidate_filter),
                    int(priority.candidate_filter if options_filter is None else options_filter),
                    int(priority.kind),
                    priority.parameters,
                    self.work,
                    options,
                    value,
                    PILOT_DECISIONS,
                )
            )
            if time_limit is not None and time.perf_counter() - started >= time_limit:
                break
        return value

    def _pilot_online(
        self, priority: Priority, trial: State, options: IntArray, started: float, time_limit: float | None
    ) -> int:
        belief = belief_of(self.problem)
        arguments = int(priority.candidate_filter), int(priority.kind), priority.parameters, self.work
        while self.state.clock[TASKS_LEFT] > 0:
            pilot_online(self.problem, belief, self.state, trial, *arguments, options, PILOT_DECISIONS)
            if time_limit is not None and time.perf_counter() - started >= time_limit:
                break
        value = int(finish(self.problem, self.state, *arguments, 0.0, FAR))
        copy_state(self.state, self.best)
        return value
