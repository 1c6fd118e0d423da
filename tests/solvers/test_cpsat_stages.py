"""The stages model: schedules of large clusters, and no claim that it cannot keep."""

from __future__ import annotations

import pytest
from small_proofs import solve

from benchmarks.clusters import tiny_cluster
from problems.check import check
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.generators import random_spark
from problems.measure import integer_objective
from solvers import Budget, Status
from solvers.cpsat.choose import MOST_MOVING_PIECES, MOST_PIECES, ModelKind, choose_model
from solvers.cpsat.engine import AnytimeLog, run
from solvers.cpsat.solve import solve_cpsat
from solvers.cpsat.stages import MOST_ALLOTMENTS, StagesModel, allotments


@pytest.mark.parametrize(("delay", "most"), [(0, MOST_PIECES), (3, MOST_MOVING_PIECES)])
def test_number_of_pieces_decides(delay: int, most: int):
    """Each piece has a start while there are few enough of them; fewer where agents have to move."""
    for pieces, kind in ((most, ModelKind.PIECES), (most + 1, ModelKind.STAGES)):
        jobs = [SparkJob([SparkStage(pieces, 1)])]
        assert choose_model(spark_cluster("n", jobs, 2, moving_delay=delay)) is kind


def test_large_cluster_has_a_schedule_and_a_bound():
    """A large cluster gets a checked schedule, from a rule or from CP-SAT, and the cheap bound."""
    instance = random_spark(3, 10, 0, fixed=True, sizes=(2, 5), max_stages=6)
    assert choose_model(instance) is ModelKind.STAGES
    result = solve(instance, 4.0, workers=2)
    assert result.status is Status.FEASIBLE
    assert result.lower_bound is not None and result.objective is not None
    assert 0 < result.lower_bound < result.objective < 4 * result.lower_bound
    assert {entry.bound for entry in result.log} == {result.lower_bound}
    hinted = solve_cpsat(instance, Budget(2.0, workers=2), 0, hint=result.schedule)
    assert hinted.objective is not None and hinted.objective <= result.objective


@pytest.mark.parametrize("seed", range(6))
def test_model_proves_nothing_but_its_schedules_are_valid(seed: int):
    """Its optimum lies at or above the true one and is not called optimal; the replay is as good as it says."""
    instance = tiny_cluster(seed, 9, 2, 3 * (seed % 2), stream=seed % 3 == 0)
    outcome = run(StagesModel(instance), instance, Budget(20.0), 0, AnytimeLog(instance, 0.0))
    assert (outcome.status, outcome.bound) == (Status.FEASIBLE, None)
    assert outcome.schedule is not None and outcome.objective is not None
    assert check(instance, outcome.schedule).valid
    assert integer_objective(instance, outcome.schedule) <= outcome.objective
    best = solve(instance)
    assert best.schedule is not None and best.status is Status.OPTIMAL
    assert integer_objective(instance, best.schedule) <= integer_objective(instance, outcome.schedule)


def test_no_better_solution_is_not_infeasible():
    """Where the model has nothing as good as what is known, that is no proof that nothing exists."""
    instance = tiny_cluster(1, 9, 2, 0)
    outcome = run(StagesModel(instance, 1), instance, Budget(20.0), 0, AnytimeLog(instance, 0.0))
    assert (outcome.status, outcome.schedule) == (Status.UNKNOWN, None)


def test_allotments_are_the_least_for_their_waves():
    """One agent more than needed for a number of waves would only be idle in the last one."""
    assert allotments(7, 10) == [1, 2, 3, 4, 7]
    assert allotments(7, 3) == [1, 2, 3]
    assert allotments(1, 5) == [1]
    many = allotments(1000, 50)
    assert (len(many), many[0], many[-1]) == (MOST_ALLOTMENTS, 1, 50)
