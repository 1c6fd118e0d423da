"""When an agent can begin, start and end a task, given all earlier commitments."""

from __future__ import annotations

from problems.simulator.arrays import FREE, NEEDS_TASK, NOW, READY, Problem, State
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.changeover import changeover_time
from problems.simulator.switches.duration import duration_of


@inlined
def earliest_start(problem: Problem, state: State, agent: int, ready: int, changeover: int) -> int:
    """Earliest start of a task that is ready at ``ready``, after a changeover of that length.

    A changeover is anticipatory: it begins at once, while the task is not ready yet, unless the instance says
    that it needs the task.
    """
    free = max(state.agents[agent, FREE], state.clock[NOW])
    if problem.flags[NEEDS_TASK]:
        return max(free, ready) + changeover
    return max(free + changeover, ready)


@jit
def earliest_end(problem: Problem, state: State, agent: int, task: int) -> int:
    """Earliest end of one piece of ``task`` on ``agent``, busy or free."""
    time = changeover_time(problem, state, agent, task)
    start = earliest_start(problem, state, agent, state.tasks[task, READY], time)
    return start + duration_of(problem, agent, task)
