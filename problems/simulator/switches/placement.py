"""When an agent begins, starts and ends a task, given all earlier commitments.

A changeover is anticipatory: it begins at once, while the task is not ready yet, unless the instance says that it
needs the task. Where changeovers or tasks use resources, each is placed at the earliest time from then on at which
its agent and all it uses are free for its whole length.
"""

from __future__ import annotations

from problems.simulator.arrays import (
    FREE,
    HAS_RESOURCES,
    NEEDS_TASK,
    NONE,
    NOW,
    NUM_USES,
    READY,
    USE_END,
    USE_RESOURCE,
    USE_START,
    USE_UNITS,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.changeover import changeover_time
from problems.simulator.switches.duration import duration_of


@inlined
def placement(
    problem: Problem, state: State, agent: int, task: int, ready: int, changeover: int
) -> tuple[int, int, int]:
    """Begin of a changeover of that length, start of ``task``, ready at ``ready``, and the operator (-1: none)."""
    free = max(state.agents[agent, FREE], state.clock[NOW])
    if problem.flags[HAS_RESOURCES]:
        return _place_on_resources(problem, state, agent, task, free, ready, changeover)
    if problem.flags[NEEDS_TASK]:
        begin = max(free, ready)
        return begin, begin + changeover, NONE
    start = max(free + changeover, ready)
    return free if changeover > 0 else start, start, NONE


@jit
def earliest_end(problem: Problem, state: State, agent: int, task: int) -> int:
    """Earliest end of one piece of ``task`` on ``agent``, busy or free."""
    time = changeover_time(problem, state, agent, task)
    _, start, _ = placement(problem, state, agent, task, state.tasks[task, READY], time)
    return start + duration_of(problem, state, agent, task)


@jit
def _place_on_resources(
    problem: Problem, state: State, agent: int, task: int, free: int, ready: int, changeover: int
) -> tuple[int, int, int]:
    begin, operator = max(free, ready) if problem.flags[NEEDS_TASK] else free, NONE
    if changeover > 0:
        begin, operator = _place_changeover(problem, state, agent, begin, changeover)
    start = max(begin + changeover, ready)
    duration = duration_of(problem, state, agent, task)
    moved = duration > 0
    while moved:
        moved = False
        for resource in range(problem.task_use.shape[1]):
            later = _free_from(problem, state, resource, problem.task_use[task, resource], start, duration)
            moved |= later > start
            start = later
    return begin if changeover > 0 else start, start, operator


@jit
def _place_changeover(problem: Problem, state: State, agent: int, begin: int, length: int) -> tuple[int, int]:
    """Earliest time from ``begin`` on at which an operator and all resources are free, and that operator."""
    operator, moved = NONE, True
    num_resources = problem.changeover_use.shape[1]
    while moved:
        moved = False
        for resource in range(num_resources):
            later = _free_from(problem, state, resource, problem.changeover_use[agent, resource], begin, length)
            moved |= later > begin
            begin = later
        operator, first = NONE, begin
        for candidate in range(len(problem.serves)):
            if problem.serves[candidate, agent]:
                later = _free_from(problem, state, num_resources + candidate, 1, begin, length)
                if operator == NONE or later < first:
                    operator, first = candidate, later
        moved |= first > begin
        begin = first
    return begin, operator


@jit
def _free_from(problem: Problem, state: State, resource: int, units: int, begin: int, length: int) -> int:
    """Earliest time from ``begin`` on at which ``units`` of a resource are free for ``length`` > 0."""
    if units == 0:
        return begin
    while True:
        later = _conflict_end(problem, state, resource, units, begin, begin + length)
        if later == NONE:
            return begin
        begin = later


@jit
def _conflict_end(problem: Problem, state: State, resource: int, units: int, begin: int, end: int) -> int:
    """If the resource is short at some instant from ``begin`` to ``end``: when it next gets a unit back; else -1.

    Use rises only where a use starts, so it is enough to look there and at ``begin``.
    """
    for number in range(NONE, state.clock[NUM_USES]):
        instant = begin
        if number != NONE:
            instant = state.uses[number, USE_START]
            if state.uses[number, USE_RESOURCE] != resource or instant <= begin or instant >= end:
                continue
        used, first_end = 0, NONE
        for other in range(state.clock[NUM_USES]):
            if state.uses[other, USE_RESOURCE] != resource:
                continue
            if state.uses[other, USE_START] <= instant < state.uses[other, USE_END]:
                used += state.uses[other, USE_UNITS]
                if first_end == NONE or state.uses[other, USE_END] < first_end:
                    first_end = state.uses[other, USE_END]
        if used + units > problem.capacity[resource]:
            return first_end
    return NONE


@jit
def record_uses(
    problem: Problem,
    state: State,
    agent: int,
    task: int,
    begin: int,
    changed: int,
    start: int,
    end: int,
    operator: int,
) -> None:
    """Note what a changeover from ``begin`` to ``changed`` and a task from ``start`` to ``end`` use."""
    _forget_past(state)
    num_resources = problem.task_use.shape[1]
    for resource in range(num_resources):
        _record(state, resource, begin, changed, problem.changeover_use[agent, resource])
        _record(state, resource, start, end, problem.task_use[task, resource])
    if operator != NONE:
        _record(state, num_resources + operator, begin, changed, 1)


@jit
def _record(state: State, resource: int, start: int, end: int, units: int) -> None:
    if units == 0 or end == start:
        return
    number = state.clock[NUM_USES]
    state.uses[number, USE_RESOURCE], state.uses[number, USE_UNITS] = resource, units
    state.uses[number, USE_START], state.uses[number, USE_END] = start, end
    state.clock[NUM_USES] = number + 1


@jit
def _forget_past(state: State) -> None:
    """Drop uses that are over: nothing is placed before the present instant."""
    kept = 0
    for number in range(state.clock[NUM_USES]):
        if state.uses[number, USE_END] > state.clock[NOW]:
            for column in range(4):
                state.uses[kept, column] = state.uses[number, column]
            kept += 1
    state.clock[NUM_USES] = kept
