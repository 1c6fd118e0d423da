"""How long a piece of a task takes on an agent.

Without waves a duration is known in advance. With waves (`problems.instance.Waves`) it is random, but a pure function
of the instance: every policy meets the same luck. All policies, rules and searches see is the expected duration, the
mean of what the piece will draw from. The exact definition, for a piece of stage s of job j, committed to executor e:

- ``piece`` k: how many pieces of the stage were committed before it. ``stage`` s: how many tasks of the job have a
  smaller number.
- ``wave``: fresh (0) if the last committed piece of e was of another job, or there was none; rest (2) if it was of the
  same stage; else first (1).
- ``n``: number of executors local to the job, e included. An executor is local to the job of its last committed piece.
  Where agents serve their stage (``Serves.STAGE``) it is local to the job whose pool it belongs to: from its arrival
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

from problems.simulator.arrays import Problem
from problems.simulator.jit import inlined


@inlined
def duration_of(problem: Problem, agent: int, task: int) -> int:
    """Duration of one piece of ``task`` on ``agent``; -1 where the agent is not eligible."""
    return problem.durations[task, agent]
