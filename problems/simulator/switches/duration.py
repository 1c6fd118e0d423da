"""How long a piece of a task takes on an agent.

Without waves a duration is known in advance. With waves (`problems.instance.Waves`) it is random, but a pure function
of the instance: every policy meets the same luck. All policies, rules and searches see is the expected duration, the
mean of what the piece will draw from. The exact definition, for a piece of stage s of job j, committed to executor e:

- ``piece`` k: how many pieces of the stage were committed before it. ``stage`` s: how many tasks of the job have a
  smaller number.
- ``wave``: fresh (0) if the last committed piece of e was of another job, or there was none; rest (2) if it was of the
  same stage; else first (1). Where agents serve their stage (``Serves.STAGE``) it is also fresh if e was in a pool or
  moved since that piece; a table of pieces does not tell, so there a first piece may be a fresh one.
- ``n``: number of executors local to the job, e included. An executor is local to the job of its last committed piece.
  Where agents serve their stage it is local to the job whose pool it belongs to: from its arrival
  there until it is sent away or the job ends. A table of pieces does not tell that n; there a piece may have taken the
  duration of any level.
- A level is *measured* for a stage if the stage has samples there, in any wave.
- ``level`` under ``BetweenLevels.BELOW``: the largest measured level <= n; if there is none, the smallest measured one.
  Under ``INVERTED``: let l be the largest level <= n and r the smallest level >= n, measured or not (the first level
  for both if n is below it, the last one if n is above it). If l = r it is l; else it is l where
  ``1 + draw(r - l; 3, 0) <= n - l``, and r elsewhere. A level that is not measured gives way to the largest
  measured one.
- ``source``: the wave whose samples are drawn from, at that level. The first that has any of: fresh, first, rest for a
  fresh piece; first, fresh, rest for a first one; rest, first, fresh for one of the rest.
- The duration is sample number ``draw(number of samples; source, index of the level)``, counted from 0, plus
  ``warm_up`` if the piece is fresh and the source is not. A stage without any samples takes its expected duration.
- ``draw(m; a, b)`` is ``((h >> 32) * m) >> 32``, where h starts as ``mix(seed + G)`` and becomes
  ``mix(h + G * (v + 1))`` for v = j, s, k, a, b in turn, all in 64 unsigned bits; G = 0x9E3779B97F4A7C15, ``mix`` as in
  `problems.simulator.random`.

The expected duration is the mean of the samples of the source, plus the same warm-up, rounded to the nearest integer,
halves up; under ``INVERTED`` the two means weighted by (n - l) / (r - l) and the rest.
"""

from __future__ import annotations

import numpy as np

from problems.simulator.arrays import (
    BOUND,
    HAS_WAVES,
    IS_BELIEF,
    IS_INVERTED,
    JOB,
    LAST,
    LOCAL,
    NONE,
    PHASE,
    PIECES,
    PIECES_LEFT,
    SEED,
    SERVES_STAGE,
    STAGE,
    WARM_UP,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit
from problems.simulator.random import mix
from problems.simulator.switches.service import RUNNING
from problems.simulator.waves import FIRST, FRESH, REST

_STEP = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_LEVEL = 3
"""Stands in the place of the wave where a level is drawn."""


@inlined
def duration_of(problem: Problem, state: State, agent: int, task: int) -> int:
    """Expected duration of a piece of ``task`` that ``agent`` commits to now; -1 if the agent is not eligible."""
    if problem.flags[HAS_WAVES] == 0:
        return problem.durations[task, agent]
    return problem.expected[task, wave_of(problem, state, agent, task), local_executors(problem, state, agent, task)]


@jit
def realised_duration(problem: Problem, state: State, agent: int, task: int) -> int:
    """What the next piece of ``task`` will take on ``agent``; known to nobody before it is committed.

    In a belief all durations are expected ones.
    """
    if problem.flags[HAS_WAVES] == 0 or problem.flags[IS_BELIEF] == 1:
        return duration_of(problem, state, agent, task)
    piece = problem.tasks[task, PIECES] - state.tasks[task, PIECES_LEFT]
    level = _level(problem, task, piece, local_executors(problem, state, agent, task))
    if level == NONE:
        return problem.durations[task, agent]
    wave = wave_of(problem, state, agent, task)
    source = _source(problem, task, wave, level)
    cell = _cell(problem, task, source, level)
    first, count = problem.sample_ptr[cell], problem.sample_ptr[cell + 1] - problem.sample_ptr[cell]
    sample = problem.samples[first + _draw(problem, count, task, piece, source, level)]
    return sample + problem.flags[WARM_UP] if wave == FRESH and source != FRESH else sample


@inlined
def wave_of(problem: Problem, state: State, agent: int, task: int) -> int:
    """Wave of the next piece of ``task`` on ``agent``."""
    last = state.agents[agent, LAST]
    if problem.flags[SERVES_STAGE] == 1 and state.servers[agent, PHASE] != RUNNING:
        return FRESH
    if last == NONE or problem.tasks[last, JOB] != problem.tasks[task, JOB]:
        return FRESH
    return REST if last == task else FIRST


@inlined
def local_executors(problem: Problem, state: State, agent: int, task: int) -> int:
    """Executors local to the job of ``task`` once ``agent`` is one of them."""
    job = problem.tasks[task, JOB]
    return state.jobs[job, LOCAL] + (1 if state.agents[agent, BOUND] != job else 0)


@jit
def _level(problem: Problem, task: int, piece: int, executors: int) -> int:
    """Index of the level of a piece among ``executors`` local ones; -1 if the stage has no samples."""
    below, smallest, largest = NONE, NONE, NONE
    for level in range(len(problem.levels)):
        if _is_measured(problem, task, level):
            smallest = level if smallest == NONE else smallest
            largest = level
            below = level if problem.levels[level] <= executors else below
    if problem.flags[IS_INVERTED] == 0:
        return below if below != NONE else smallest
    level = _drawn_level(problem, task, piece, executors)
    return level if _is_measured(problem, task, level) else largest


@inlined
def _drawn_level(problem: Problem, task: int, piece: int, executors: int) -> int:
    """Level left or right of ``executors``; the nearer it is to the right one, the more often the left one is taken."""
    low, last = 0, len(problem.levels) - 1
    while low < last and problem.levels[low + 1] <= executors:
        low += 1
    if low == last or problem.levels[low] >= executors:
        return low
    width = problem.levels[low + 1] - problem.levels[low]
    is_low = 1 + _draw(problem, width, task, piece, _LEVEL, 0) <= executors - problem.levels[low]
    return low if is_low else low + 1


@jit
def _draw(problem: Problem, count: int, task: int, piece: int, wave: int, level: int) -> int:
    """Number from 0 to ``count`` - 1, the same for the same piece, wave and level."""
    bits = mix(np.uint64(problem.flags[SEED]) + _STEP)
    for value in (problem.tasks[task, JOB], problem.tasks[task, STAGE], piece, wave, level):
        bits = mix(bits + _STEP * np.uint64(value + 1))
    return int(np.int64(((bits >> _HALF) * np.uint64(count)) >> _HALF))


@inlined
def _source(problem: Problem, task: int, wave: int, level: int) -> int:
    """Wave whose samples are drawn from."""
    if _has_samples(problem, task, wave, level):
        return wave
    other = FIRST if wave != FIRST else FRESH
    if _has_samples(problem, task, other, level):
        return other
    return REST if wave != REST else FRESH


@inlined
def _has_samples(problem: Problem, task: int, wave: int, level: int) -> bool:
    cell = _cell(problem, task, wave, level)
    return problem.sample_ptr[cell + 1] > problem.sample_ptr[cell]


@inlined
def _cell(problem: Problem, task: int, wave: int, level: int) -> int:
    """Place of the samples of a wave at a level."""
    return (task * 3 + wave) * len(problem.levels) + level


@inlined
def _is_measured(problem: Problem, task: int, level: int) -> bool:
    """Whether the stage has samples at the level, in any wave."""
    for wave in range(3):
        if _has_samples(problem, task, wave, level):
            return True
    return False
