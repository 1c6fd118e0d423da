"""Ruin and recreate: every task stays in a plan, lengths stay true, results are reproducible and never worse."""

from __future__ import annotations

import numpy as np
import pytest

from problems.check import check
from problems.families.upms import parallel_machines
from problems.generators import random_multiple_tsp
from problems.instance import Instance
from problems.measure import integer_objective, objective_value
from problems.simulator import replay
from solvers import Budget, get_solver
from solvers.cpsat.solve import solve_cpsat
from solvers.local_search.ruin import begin_ruin, new_ruin_memory, ruin_and_recreate
from solvers.local_search.solve import is_supported, solve_local_search
from solvers.sequences import legs_of, load_routes, longest_of, plan_of


def machines(num_jobs: int, num_machines: int, seed: int) -> Instance:
    """Parallel machines with setups; one job cannot go to the last machine."""
    random = np.random.default_rng(seed)
    durations = random.integers(1, 20, (num_jobs, num_machines))
    durations[0, -1] = -1
    return parallel_machines(f"machines-{seed}", durations, random.integers(0, 15, (num_machines, num_jobs, num_jobs)))


@pytest.mark.parametrize("instance", [random_multiple_tsp(12, 3, 5), machines(12, 3, 5)], ids=["routes", "loads"])
def test_changes_keep_all_tasks_and_true_lengths(instance: Instance):
    """After each of many changes the plan replays to the length that the search believes, the best one too."""
    legs, memory, costs = legs_of(instance), new_ruin_memory(instance.num_tasks, instance.num_agents), np.zeros(2)
    start = get_solver("insertion")(instance, Budget(), 0).schedule
    load_routes(legs, memory.routes, start.sequences(instance.num_agents))
    assert longest_of(memory.routes) == integer_objective(instance, start)
    begin_ruin(memory, costs, 3, 0)
    seen = set()
    for _ in range(40):
        ruin_and_recreate(legs, memory, costs, 1, 50.0)
        for routes in (memory.routes, memory.best):
            schedule = replay(instance, plan_of(routes))
            assert check(instance, schedule).valid
            assert longest_of(routes) == integer_objective(instance, schedule)
        assert costs[1] <= costs[0]
        seen.add(str(plan_of(memory.routes)))
    assert len(seen) > 5


@pytest.mark.parametrize("instance", [random_multiple_tsp(7, 2, 3), machines(7, 3, 2)], ids=["routes", "loads"])
def test_small_optima_are_reached(instance: Instance):
    """On small instances the search finds the optimum, never less."""
    optimum = solve_cpsat(instance, Budget(30), 0, hint=None).objective
    assert solve_local_search(instance, Budget(samples=2), 0).objective == pytest.approx(optimum, abs=1e-5)


def test_seed_decides_whatever_the_number_of_workers():
    """Without a time limit one thread and two find the same plan, as good as the insertions at least."""
    instance = random_multiple_tsp(25, 3, 1)
    one, two = (solve_local_search(instance, Budget(samples=2, workers=workers), 4) for workers in (1, 2))
    assert one.schedule == two.schedule
    assert one.objective <= get_solver("insertion")(instance, Budget(samples=64), 4).objective


def test_never_worse_than_the_schedule_it_starts_from():
    """A start comes back at least as good, even if there is no time."""
    instance = machines(20, 4, 7)
    start = solve_local_search(instance, Budget(samples=1), 0).schedule
    again = solve_local_search(instance, Budget(time_limit=0.0), 5, starts=[start])
    assert again.objective <= objective_value(instance, start)


def test_what_waits_is_not_supported():
    """Loads do not tell when agents end that have to wait; routes with several depots are not known either."""
    assert is_supported(machines(5, 2, 0)) and is_supported(random_multiple_tsp(5, 2, 0))
    assert not is_supported(machines(5, 2, 0).replace(job_release=np.arange(5)))
