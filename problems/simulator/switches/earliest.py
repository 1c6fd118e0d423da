"""When an agent can begin, start and end a task, given all earlier commitments."""

from __future__ import annotations

from problems.simulator.arrays import FREE, NEEDS_TASK, NOW, READY, Problem, State
from problems.simulator.jit import jit
from problems.simulator.switches.changeover import changeover_time
from problems.simulator.switches.duration import duration_of


@jit
def earliest(problem: Problem, state: State, agent: int, task: int) -> tuple[int, int, int]:
    """Begin of the changeover, start and end of processing if ``agent`` commits to ``task`` now.

    A changeover is anticipatory: it begins at once, while the task is not ready yet, unless the instance says
    that it needs the task.
    """
    free = max(state.agents[agent, FREE], state.clock[NOW])
    ready = state.tasks[task, READY]
    time = changeover_time(problem, state, agent, task)
    begin = max(free, ready) if problem.flags[NEEDS_TASK] else free
    start = max(begin + time, ready)
    return begin, start, start + duration_of(problem, agent, task)
