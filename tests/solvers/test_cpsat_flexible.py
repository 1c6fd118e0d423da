"""CP-SAT on flexible job shops, and on dates in all shops: right values on small cases from the field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_proofs import assert_complete_hint, brute_force, optimum, solve

from problems import Instance, InstanceError, Job, Objective, Task, build_instance
from problems.families import flexible_job_shop, parallel_machines
from problems.generators import brandimarte_like
from problems.measure import integer_objective
from solvers import Budget, Status, get_solver
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.cpsat.hints import best_rule_schedule

DUE = Objective.TOTAL_WEIGHTED_TARDINESS


def test_machines_in_no_operation():
    """Machines that nobody uses do no harm (C11)."""
    instance = flexible_job_shop("C11", [[{0: 3}, {1: 2}], [{1: 4}]], 4)
    result = solve(instance)
    assert (result.status, result.objective) == (Status.OPTIMAL, 6)


def test_operation_without_a_machine_is_refused():
    """What no machine can do never reaches the solver; the message names it (C17, C19)."""
    with pytest.raises(InstanceError, match="job 1, task 2"):
        flexible_job_shop("C17", [[{0: 3}, {}], [{0: 4, 1: 2}]], 2)
    with pytest.raises(InstanceError, match="job 2"):
        parallel_machines("C19", np.array([[3, 4], [-1, -1], [2, 5]]), np.ones((2, 3, 3)))


def test_releases_bind_and_may_be_far_away():
    """Release dates count on flexible shops and parallel machines too (C14)."""
    shop = flexible_job_shop("late", [[{0: 2, 1: 5}, {1: 3}], [{0: 4}, {1: 1}]], 2, releases=[0, 1000])
    assert optimum(shop) == 1005
    line = parallel_machines("late", np.array([[4, 3], [2, 4]]), None, releases=[0, 1000])
    assert choose_model(line) is ModelKind.INTERVALS
    assert optimum(line) == 1002


def random_operation(rng: np.random.Generator) -> dict[int, int]:
    """Durations on one machine or on two."""
    return {int(k): int(rng.integers(1, 6)) for k in rng.permutation(2)[: rng.integers(1, 3)]}


@pytest.mark.parametrize("setups", [False, True], ids=["plain", "setups"])
@pytest.mark.parametrize("objective", [Objective.MAKESPAN, DUE])
def test_flexible_shops_agree_with_brute_force(objective: Objective, setups: bool):
    """Alternatives, setups by machine, due dates and weights, against the replay of every plan."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        jobs = [[random_operation(rng) for _ in range(2)] for _ in range(2)]
        times = rng.integers(0, 4, (2, 4, 4)) if setups else None
        instance = flexible_job_shop("tiny", jobs, 2, setups=times).replace(
            objective=objective, job_due=rng.integers(-1, 8, 2), job_weight=rng.integers(1, 4, 2)
        )
        result = solve(instance)
        assert result.status is Status.OPTIMAL and result.schedule is not None
        assert integer_objective(instance, result.schedule) == brute_force(instance)
        assert_complete_hint(instance)


def test_deadlines_force_the_slow_machine():
    """A deadline sends the short job to the fast machine and the other one to the slow; one too early is infeasible."""
    jobs = [Job([Task({0: 2, 1: 9})], deadline=2), Job([Task({0: 3, 1: 4})])]
    assert optimum(build_instance("d", "upms", "ab", jobs, Objective.TOTAL_COMPLETION_TIME)) == 2 + 4
    late = [Job([Task({0: 2, 1: 9})], deadline=1), jobs[1]]
    assert solve(build_instance("d", "upms", "ab", late)).status is Status.INFEASIBLE


def test_pilot_hints_where_there_is_a_choice():
    """Flexible shops get the schedule of pilot as a hint: never worse than the rule that it rolls out."""
    instance = brandimarte_like(6, 4, 1)
    hint = best_rule_schedule(instance, ModelKind.INTERVALS, None, 0)
    pilot = get_solver("pilot:pair")(instance, Budget(), 0)
    assert hint is not None and pilot.objective is not None
    assert integer_objective(instance, hint) <= pilot.objective


@pytest.mark.shared
def test_mk01(shared: Path):
    """The smallest of Brandimarte's instances is proved in seconds: 40."""
    from problems.formats import read_instance

    instance: Instance = read_instance(shared / "bench" / "fjsp" / "brandimarte" / "mk01.fjs")
    result = solve(instance, 60.0, workers=2)
    assert (result.status, result.objective) == (Status.OPTIMAL, 40)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["I_6_2_S_1-9_1", "I_8_4_S_1-124_1", "I_12_5_S_1-49_2"])
def test_small_public_machines(shared: Path, name: str):
    """Small public instances with setups are proved at their best-known value."""
    from problems.bounds import best_known
    from problems.formats import read_instance

    path = shared / "bench" / "upms" / "sdst_small" / f"{name}.txt"
    instance = read_instance(path, family="upms")
    best = best_known(instance, folders=[path.parent], path=path)
    result = solve(instance, 60.0, workers=2)
    assert best is not None and (result.status, result.objective) == (Status.OPTIMAL, best.upper)
