"""When a task becomes available to the agents."""

from __future__ import annotations

from problems.simulator.arrays import JOB, NOW, REVEAL, Problem, State
from problems.simulator.jit import jit


@jit
def is_revealed(problem: Problem, state: State, task: int) -> bool:
    """Whether agents know of the task's job at the present instant."""
    return problem.jobs[problem.tasks[task, JOB], REVEAL] <= state.clock[NOW]
