"""Small instances of both families and random states of them."""

from __future__ import annotations

import numpy as np

from graphs.context import prepare
from graphs.features import fill_row
from problems.generators import random_job_shop, random_multiple_tsp
from problems.instance import Instance
from problems.simulator import Filter, Problem, State, compile_problem, new_state
from problems.simulator.candidates import AGENT, TASK, next_decision
from problems.simulator.engine import commit
from solvers.rollout import Work, new_work


def instances() -> list[Instance]:
    """Two sizes of each family."""
    return [
        random_job_shop(4, 3, seed=1),
        random_job_shop(8, 5, seed=2),
        random_multiple_tsp(6, 2, seed=3),
        random_multiple_tsp(15, 4, seed=4),
    ]


def random_state(problem: Problem, seed: int, share: float) -> tuple[State, Work, int]:
    """State after random commitments of a share of the tasks, its candidates and their number."""
    random, state, work = np.random.default_rng(seed), new_state(problem), new_work(problem)
    for _ in range(int(share * len(problem.tasks))):
        count = next_decision(problem, state, int(Filter.ACTIVE), work.found)
        row = int(random.integers(count))
        commit(problem, state, int(work.found.table[row, AGENT]), int(work.found.table[row, TASK]))
    return state, work, next_decision(problem, state, int(Filter.ACTIVE), work.found)


def feature_rows(problem: Problem, state: State, work: Work, count: int) -> np.ndarray:
    """Features of all candidates, float64 [count, F]."""
    prepare(problem, state, work.found, count, work.context)
    rows = np.zeros((count, len(work.features)))
    for row in range(count):
        fill_row(problem, state, work.found, row, work.context, rows[row])
    return rows


def random_states() -> list[tuple[Problem, State, Work, int]]:
    """States of both families, early and late, each with a choice."""
    states = []
    for number, instance in enumerate(instances()):
        problem = compile_problem(instance)
        for share in (0.0, 0.3, 0.6, 0.85):
            state, work, count = random_state(problem, number, share)
            states.append((problem, state, work, count))
    return states
