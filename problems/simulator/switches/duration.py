"""How long a piece of a task takes on an agent."""

from __future__ import annotations

from problems.simulator.arrays import Problem
from problems.simulator.jit import inlined


@inlined
def duration_of(problem: Problem, agent: int, task: int) -> int:
    """Duration of one piece of ``task`` on ``agent``; -1 where the agent is not eligible."""
    return problem.durations[task, agent]
