"""How large the features of a family are, so that learning treats all of them alike."""

from __future__ import annotations

import numpy as np

from graphs.context import prepare
from graphs.features import fill_row, fill_wait_row
from graphs.schema import NUM_FEATURES
from marl.instances import training_instance
from problems.instance import FloatArray
from problems.simulator import Filter, compile_problem
from problems.simulator.candidates import AGENT, TASK, next_decision
from problems.simulator.engine import commit
from solvers.rollout import Runner

SMALLEST_SPREAD = 0.05
"""Features that are nearly always 0 count as if they were this large."""


def feature_spread(family: str, seed: int, may_wait: bool, count: int = 12) -> FloatArray:
    """Root mean square of each feature over candidates of random episodes; float64 [F]."""
    squares, rows = np.zeros(NUM_FEATURES), 0
    random = np.random.default_rng([seed, 4])
    for number in range(count):
        runner = Runner(compile_problem(training_instance(family, seed * 10**9 + number)))
        problem, state, work = runner.problem, runner.state, runner.work
        while (found := next_decision(problem, state, int(Filter.ACTIVE), work.found)) > 0:
            prepare(problem, state, work.found, found, work.context)
            row = int(random.integers(found))
            agent, task = int(work.found.table[row, AGENT]), int(work.found.table[row, TASK])
            fill_row(problem, state, work.found, row, work.context, work.features)
            squares += work.features**2
            if may_wait:
                fill_wait_row(problem, state, agent, work.context, work.features)
                squares += work.features**2
            rows += 1
            commit(problem, state, agent, task)
    return np.maximum(np.sqrt(squares / rows), SMALLEST_SPREAD)
