"""What is known of jobs, and when an open task may be chosen."""

from __future__ import annotations

from problems.simulator.arrays import HAS_WAVES, NOW, NUM_REVEALED, OPENS_EARLY, RANK, RIPE, Problem, State
from problems.simulator.jit import inlined


@inlined
def is_revealed(problem: Problem, state: State, job: int) -> bool:
    """Whether agents know of ``job``. In a belief the clock goes on, but no job is revealed."""
    return problem.jobs[job, RANK] < state.clock[NUM_REVEALED]


@inlined
def is_ripe(problem: Problem, state: State, task: int) -> bool:
    """Whether an open task may be chosen.

    Where durations are random, nobody knows when the predecessors will end. So a task is offered when they have ended;
    where tasks open early, already when all their pieces are dispatched, and an agent that takes it then waits.
    """
    if problem.flags[HAS_WAVES] == 0 or problem.flags[OPENS_EARLY] == 1:
        return True
    return state.tasks[task, RIPE] <= state.clock[NOW]
