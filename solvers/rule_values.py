"""What dispatching rules think of a candidate, in compiled code; the rules are listed in `solvers.kinds`."""

from __future__ import annotations

import numpy as np

from problems.simulator.arrays import (
    DUE,
    HEAD,
    JOB,
    MEAN_CHANGEOVER,
    MEAN_DURATION,
    NONE,
    NOW,
    PAIR_AGENT,
    PAIR_HI,
    PAIR_LO,
    READY,
    RELEASE,
    SHORTEST,
    TAIL,
    TAIL_TASKS,
    WEIGHT,
    Problem,
    State,
)
from problems.simulator.candidates import AGENT, BEGIN, END, START, TASK, Candidates
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.placement import earliest_end
from solvers.kinds import ATCS, EFT, FDD_MWKR, FIFO, LPT, MOR, MWKR, NEAREST, PAIR, SPT, SPT_TWKR, SST

SLOWEST_PAIR = 1.5
"""``PAIR`` avoids agents where a task takes more than this many times its shortest duration."""

SMALLEST_VALUE = 1e-9
"""Values of rules below this count as this in logarithms."""

ATCS_DUE_SCALE = 4.5
"""K1 of ATCS for tight and equal due dates; its K2 is then 1 / (2 sqrt(mean changeover / mean duration))."""

TIE_SHARE = 1e-6
"""Weight of what decides between equal values."""


@inlined
def rule_value(problem: Problem, state: State, found: Candidates, row: int, kind: int) -> tuple[float, float]:
    """Sign and non-negative value of a dispatching rule; the score is their product."""
    task = found.table[row, TASK]
    duration = float(found.table[row, END] - found.table[row, START])
    shortest = float(problem.tasks[task, SHORTEST])
    work = duration + problem.tasks[task, TAIL]
    if kind == PAIR:
        return -1.0, duration / max(shortest, SMALLEST_VALUE) * duration / max(work, SMALLEST_VALUE)
    if kind == SPT_TWKR:
        return -1.0, duration / max(work, 1e-9)
    if kind == SPT:
        return -1.0, duration
    if kind == LPT:
        return 1.0, duration
    if kind == MOR:
        return 1.0, float(problem.tasks[task, TAIL_TASKS])
    if kind == MWKR:
        return 1.0, shortest + problem.tasks[task, TAIL]
    if kind == FIFO:
        return -1.0, float(state.tasks[task, READY])
    if kind == FDD_MWKR:
        release = problem.jobs[problem.tasks[task, JOB], RELEASE]
        due = float(release + problem.tasks[task, HEAD] + problem.tasks[task, SHORTEST])
        return -1.0, due / max(work, 1e-9)
    changeover = float(found.table[row, START] - found.table[row, BEGIN])
    if kind == NEAREST:
        return -1.0, changeover
    if kind == SST:
        return -1.0, changeover + TIE_SHARE * duration
    if kind == EFT:
        return -1.0, float(found.table[row, END])
    if kind == ATCS:
        return 1.0, _atcs(problem, problem.tasks[task, JOB], duration, changeover, state.clock[NOW])
    return 1.0, 0.0


@jit
def _atcs(problem: Problem, job: int, duration: float, changeover: float, now: int) -> float:
    mean, mean_changeover = problem.means[MEAN_DURATION], problem.means[MEAN_CHANGEOVER]
    exponent = 0.0
    if problem.jobs[job, DUE] != NONE:
        slack = max(problem.jobs[job, DUE] - duration - now, 0.0)
        exponent += slack / max(ATCS_DUE_SCALE * mean, SMALLEST_VALUE)
    if mean_changeover > 0.0:
        exponent += changeover * 2.0 * np.sqrt(mean_changeover / max(mean, SMALLEST_VALUE)) / mean_changeover
    return problem.jobs[job, WEIGHT] / max(duration, 1.0) * np.exp(-exponent)


@inlined
def is_left_to_others(problem: Problem, state: State, found: Candidates, row: int, kind: int) -> bool:
    """Whether the rule does not let this agent have the task: a better one will be asked."""
    if kind == PAIR:
        duration = found.table[row, END] - found.table[row, START]
        return duration > SLOWEST_PAIR * problem.tasks[found.table[row, TASK], SHORTEST]
    return kind == EFT and _ends_earlier_elsewhere(problem, state, found, row)


@jit
def _ends_earlier_elsewhere(problem: Problem, state: State, found: Candidates, row: int) -> bool:
    task = found.table[row, TASK]
    for pair in range(problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]):
        agent = problem.pairs[pair, PAIR_AGENT]
        if agent != found.table[row, AGENT] and earliest_end(problem, state, agent, task) < found.table[row, END]:
            return True
    return False
