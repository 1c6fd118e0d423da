"""Search of routes and loads: repeated insertion, then ruin and recreate with falling temperature."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat

import numpy as np

from problems.instance import Instance
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.local_search.clock import Clock, Plan
from solvers.local_search.ruin import begin_ruin, new_ruin_memory, ruin_and_recreate
from solvers.registry import get_solver
from solvers.sequences import Legs, legs_of, load_routes, longest_of, plan_of

CHANGES = 100_000
"""Changes of one search without a time limit."""

CHANGES_BETWEEN_LOOKS = 200_000
"""Changes times tasks between two looks at the clock: some milliseconds."""

HOT, COLD = 0.01, 0.0003
"""First and last temperature as a share of the length at the start."""

SAMPLES = 64
"""Insertions of which the best is a start."""

SHARE_OF_STARTS = 0.1
"""Part of the time limit that goes to making a start."""


def search_sequences(
    instance: Instance, budget: Budget, seed: int, starts: Sequence[Schedule], bound: int, clock: Clock
) -> tuple[Plan, list[tuple[float, int]]]:
    """The best plan of some searches, and when it became so good; see `solvers.local_search.solve`.

    With a time limit each worker makes one search, which cools down as the time passes.
    """
    count = budget.workers if clock.limited else budget.samples
    first = list(starts[:count])
    limits = replace(budget, samples=SAMPLES)
    if budget.time_limit is not None:
        limits = replace(limits, time_limit=SHARE_OF_STARTS * budget.time_limit)
    while len(first) < count and not (first and clock.over(SHARE_OF_STARTS)):
        schedule = get_solver("insertion")(instance, limits, seed + len(first)).schedule
        assert schedule is not None  # what is searched here has no deadlines to miss
        first.append(schedule)
    plans = [first[number % len(first)].sequences(instance.num_agents) for number in range(count)]
    legs = legs_of(instance)
    with ThreadPoolExecutor(budget.workers) as pool:
        found = list(
            pool.map(_search_one, repeat(legs), plans, repeat(seed), range(count), repeat(bound), repeat(clock))
        )
    log = [entry for _, _, entries in found for entry in entries]
    return min(found, key=lambda one: one[0])[1], log


def _search_one(
    legs: Legs, plan: Plan, seed: int, number: int, bound: int, clock: Clock
) -> tuple[int, Plan, list[tuple[float, int]]]:
    """Longest length, plan and improvements of one search from ``plan``."""
    num_tasks = sum(map(len, plan))
    memory, costs = new_ruin_memory(num_tasks, len(plan)), np.zeros(2)
    load_routes(legs, memory.routes, plan)
    begin_ruin(memory, costs, seed, number)
    scale, stride, done = float(costs[0]), max(1, CHANGES_BETWEEN_LOOKS // num_tasks), 0
    log = [(clock.seconds(), int(longest_of(memory.best)))]
    while log[-1][1] > bound and not clock.over() and (clock.limited or done < CHANGES):
        progress = clock.progress() if clock.limited else done / CHANGES
        ruin_and_recreate(legs, memory, costs, stride, scale * HOT * (COLD / HOT) ** progress)
        log.append((clock.seconds(), int(longest_of(memory.best))))
        done += stride
    return log[-1][1], plan_of(memory.best), log
