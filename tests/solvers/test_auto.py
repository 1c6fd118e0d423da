"""`auto`: samples first, local search and CP-SAT from there, one log, one true status."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import solvers.auto
from problems import Instance, Job, Task, UnsupportedError, build_instance
from problems.check import check
from problems.families import job_shop
from problems.families.upms import parallel_machines
from problems.generators import random_job_shop, random_multiple_tsp
from problems.measure import objective_value
from solvers import Budget, LogEntry, Result, Status, get_solver
from solvers.auto import SEARCH_SECONDS_PER_TASK, merged, solve_auto
from solvers.cpsat.solve import solve_cpsat
from solvers.local_search.solve import solve_local_search

FT06 = [
    [(2, 1), (0, 3), (1, 6), (3, 7), (5, 3), (4, 6)],
    [(1, 8), (2, 5), (4, 10), (5, 10), (0, 10), (3, 4)],
    [(2, 5), (3, 4), (5, 8), (0, 9), (1, 1), (4, 7)],
    [(1, 5), (0, 5), (2, 5), (3, 3), (4, 8), (5, 9)],
    [(2, 9), (1, 3), (4, 5), (5, 4), (0, 3), (3, 1)],
    [(1, 3), (3, 3), (5, 9), (0, 10), (4, 4), (2, 1)],
]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("limit", [None, 20.0])
def test_small_shop_is_proved(workers: int, limit: float | None):
    """With and without a limit, a small shop ends with a proof."""
    result = solve_auto(job_shop("ft06", FT06, 6), Budget(limit, workers=workers), 0)
    assert (result.status, result.objective, result.solver) == (Status.OPTIMAL, 55, "auto")


def test_small_tour_is_proved():
    """Routes take the same way."""
    instance = random_multiple_tsp(7, 2, 3)
    result = get_solver("auto")(instance, Budget(20.0), 0)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(solve_cpsat(instance, Budget(20.0), 0).objective, abs=1e-5)


@pytest.mark.parametrize("make", [lambda: random_job_shop(30, 15, 23), lambda: random_multiple_tsp(60, 4, 2)])
def test_no_time_still_gives_a_checked_schedule(make):
    """When CP-SAT gets no time, the samples are returned as feasible, with a valid bound."""
    instance = make()
    result = solve_auto(instance, Budget(0.01), 0)
    assert result.status is Status.FEASIBLE and result.schedule is not None
    assert check(instance, result.schedule).valid
    assert result.lower_bound is not None and 0 < result.lower_bound < result.objective


def test_never_worse_than_its_samples():
    """CP-SAT starts from the samples, so the result is at least as good, and the log tells it in order."""
    result = solve_auto(random_job_shop(12, 8, 5), Budget(3.0), 0)
    seconds, objectives, bounds = zip(*result.log, strict=True)
    assert list(seconds) == sorted(seconds) and seconds[-1] <= result.runtime_s + 0.01
    found = [value for value in objectives if value is not None]
    assert found == sorted(found, reverse=True) and found[-1] == result.objective
    assert bounds[-1] == result.lower_bound
    assert result.runtime_s < 6


def test_samples_get_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch):
    """Sampling may use a tenth of the limit, CP-SAT what is left."""
    seen: dict[str, Budget] = {}

    def sampler(instance: Instance, budget: Budget, seed: int) -> Result:
        seen["samples"] = budget
        return get_solver("spt-twkr")(instance, replace(budget, samples=1), seed)

    def exact(instance: Instance, budget: Budget, seed: int, **more: object) -> Result:
        seen["exact"] = budget
        return solve_cpsat(instance, budget, seed, **more)

    monkeypatch.setattr(solvers.auto, "get_solver", lambda name: sampler)
    monkeypatch.setattr(solvers.auto, "solve_cpsat", exact)
    solve_auto(random_job_shop(4, 4, 0), Budget(20.0), 0)
    assert seen["samples"].time_limit == pytest.approx(2.0)
    assert seen["exact"].time_limit is not None and 15 < seen["exact"].time_limit <= 20


def test_local_search_improves_what_cpsat_starts_from(monkeypatch: pytest.MonkeyPatch):
    """The hint is better than the samples, so CP-SAT may look for a bound, with most of the time on small shops."""
    seen: dict[str, object] = {}

    def search(instance: Instance, budget: Budget, seed: int, **more: object) -> Result:
        seen["budget"], seen["start"] = budget, more["starts"]
        return solve_local_search(instance, budget, seed, **more)

    def exact(instance: Instance, budget: Budget, seed: int, **more: object) -> Result:
        seen.update(more)
        return solve_cpsat(instance, budget, seed, **more)

    monkeypatch.setattr(solvers.auto, "solve_local_search", search)
    monkeypatch.setattr(solvers.auto, "solve_cpsat", exact)
    instance = random_job_shop(10, 10, 3)
    result = solve_auto(instance, Budget(6.0), 0)
    assert seen["budget"].time_limit == pytest.approx(100 * SEARCH_SECONDS_PER_TASK)
    start, hint = (objective_value(instance, schedule) for schedule in (*seen["start"], seen["hint"]))
    assert result.objective <= hint < start
    assert not seen["polish"]


def test_no_search_where_it_does_not_apply(monkeypatch: pytest.MonkeyPatch):
    """Local search knows no deadlines, so the samples of a shop that has some go to CP-SAT as they are."""
    monkeypatch.setattr(solvers.auto, "solve_local_search", None)
    assert solve_auto(random_job_shop(3, 2, 1).replace(job_deadline=np.full(3, 900)), Budget(5.0), 0).checked


def test_loads_are_sampled_by_insertion():
    """Machines with setups take the same way, and end with a proof."""
    durations, setups = np.array([[4, 9], [6, 3], [5, 5], [7, 8]]), np.full((2, 4, 4), 2)
    instance = parallel_machines("setups", durations, setups)
    result = solve_auto(instance, Budget(20.0), 0)
    assert result.status is Status.OPTIMAL
    assert result.objective == solve_cpsat(instance, Budget(20.0), 0, hint=None).objective


def test_merged_log_keeps_improvements_only():
    """Two logs on one clock become one that never gets worse."""
    first = [LogEntry(0.1, 90, None), LogEntry(0.3, 80, None)]
    second = [LogEntry(0.2, None, 50), LogEntry(0.4, 85, 40), LogEntry(0.5, 70, 60)]
    assert merged(first, second) == (
        LogEntry(0.1, 90, None),
        LogEntry(0.2, 90, 50),
        LogEntry(0.3, 80, 50),
        LogEntry(0.5, 70, 60),
    )


def test_what_cpsat_does_not_model_is_refused():
    """Without a model there is no bound to promise; the refusal comes before any sampling."""
    with pytest.raises(UnsupportedError, match="retire"):
        solve_auto(random_job_shop(3, 2, 0).replace(retire=True), Budget(1.0), 0)


@pytest.mark.parametrize(("deadline", "status"), [(3, Status.OPTIMAL), (2, Status.INFEASIBLE)])
def test_samples_that_miss_deadlines_do_not_end_the_run(deadline: int, status: Status):
    """Where every sample is late, CP-SAT alone finds the schedule or proves that there is none."""
    jobs = [Job([Task({0: 5})], weight=9), Job([Task({0: 3})], deadline=deadline), Job([Task({0: 2})], deadline=5)]
    result = solve_auto(build_instance("late", "custom", ("M",), jobs), Budget(10.0), 0)
    assert result.status is status
