"""The pieces model: tiny clusters are proved, their optima replayed, and every feature agrees with every plan."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from small_proofs import Plan, assert_complete_hint, optimum, solve

from benchmarks.clusters import tiny_cluster
from problems import Instance, InstanceError, Job, Objective, Task, UnsupportedError, build_instance
from problems.check import check
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.lower_bounds import lower_bound
from problems.measure import integer_objective
from problems.simulator import replay
from solvers import Status
from solvers.cpsat.choose import ModelKind, choose_model


def every_plan(instance: Instance) -> Iterator[Plan]:
    """Every order of all pieces on every agent."""

    def grow(left: list[int], plan: Plan) -> Iterator[Plan]:
        if not any(left):
            yield plan
        for task in (task for task, pieces in enumerate(left) if pieces):
            for agent in range(len(plan)):
                fewer = [pieces - (other == task) for other, pieces in enumerate(left)]
                yield from grow(fewer, [[*order, task] if k == agent else order for k, order in enumerate(plan)])

    seen = set()
    for plan in grow(instance.task_pieces.tolist(), [[] for _ in range(instance.num_agents)]):
        key = tuple(map(tuple, plan))
        if key not in seen:
            seen.add(key)
            yield plan


def best_plan(instance: Instance) -> int:
    """Least integer objective of all plans, replayed."""
    values = []
    for plan in every_plan(instance):
        try:
            schedule = replay(instance, plan)
        except InstanceError:
            continue
        if check(instance, schedule).valid:
            values.append(integer_objective(instance, schedule))
    return min(values)


def mini(seed: int, objective: Objective, delay: int) -> Instance:
    """Two jobs with five pieces at most on two agents, with dates of all kinds."""
    rng = np.random.default_rng(seed)
    jobs = []
    for shape in ([None, None], [None, []]):
        tasks = [Task(dict.fromkeys(range(2), int(rng.integers(1, 6))), after) for after in shape]
        release = int(rng.integers(0, 4))
        reveal, due = int(rng.integers(0, release + 1)), int(rng.integers(0, 9))
        jobs.append(Job(tasks, release=release, reveal=reveal, due=due, weight=int(rng.integers(1, 4))))
    instance = build_instance("mini", "custom", "AB", jobs, objective, moving_delay=delay)
    available = rng.integers(0, 3, 2) if delay == 0 else np.full(2, rng.integers(0, 3))
    pieces = np.ones(4, np.int64)
    pieces[rng.integers(4)] = 2
    return instance.replace(task_pieces=pieces, agent_available=available)


@pytest.mark.parametrize("delay", [0, 2], ids=["at once", "moves"])
@pytest.mark.parametrize("objective", [o for o in Objective if o is not Objective.LONGEST_ROUTE])
def test_pieces_model_agrees_with_brute_force(objective: Objective, delay: int):
    """Every feature of the pieces model, against the replay of every possible plan."""
    for seed in range(3):
        instance = mini(seed, objective, delay)
        assert choose_model(instance) is ModelKind.PIECES
        result = solve(instance)
        assert result.status is Status.OPTIMAL and result.schedule is not None
        assert integer_objective(instance, result.schedule) == best_plan(instance)


@pytest.mark.parametrize("delay", [0, 2], ids=["at once", "moves"])
def test_complete_hints_are_accepted(delay: int):
    """A hint covers every variable and breaks no constraint."""
    for seed in range(3):
        assert_complete_hint(mini(seed, Objective.MEAN_FLOW_TIME, delay))


@pytest.mark.parametrize(
    ("seed", "pieces", "executors", "delay", "stream"),
    [(1, 16, 3, 0, False), (5, 18, 4, 0, False), (2, 16, 3, 0, True), (3, 15, 2, 0, True), (4, 9, 2, 3, False)],
)
def test_tiny_clusters_are_proved(seed: int, pieces: int, executors: int, delay: int, stream: bool):
    """Mean flow times of tiny clusters are proved, and a replay of the schedule gives exactly that value."""
    instance = tiny_cluster(seed, pieces, executors, delay, stream)
    result = solve(instance, 60.0, workers=2)
    assert result.status is Status.OPTIMAL and result.schedule is not None
    again = replay(instance, result.schedule.sequences(executors))
    assert integer_objective(instance, again) == round(result.objective * instance.num_jobs)
    assert lower_bound(instance) <= integer_objective(instance, again)


def test_a_job_ends_with_its_last_sink():
    """Several final stages and an isolated one: the job is complete when all are (C29)."""
    stages = [SparkStage(1, 2), SparkStage(1, 3), SparkStage(2, 5), SparkStage(1, 9)]
    instance = spark_cluster("C29", [SparkJob(stages, [(0, 1), (0, 2)])], 2, moving_delay=0, scale=1)
    assert optimum(instance) == optimum(instance.replace(objective=Objective.MAKESPAN)) == 12


def test_a_move_can_cost_more_than_waiting():
    """One executor stays with the job it is at, where each move takes longer than the pieces."""
    jobs = [SparkJob([SparkStage(2, 1)]), SparkJob([SparkStage(2, 1)])]
    for executors, value in ((1, (12 + 24) / 2), (2, 12)):
        instance = spark_cluster("moves", jobs, executors, moving_delay=10, scale=1)
        assert optimum(instance) == value


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"eligible_duration": np.array([1, 2, 1, 1])}, "differ"),
        ({"eligible_duration": np.array([0, 0, 1, 1])}, "without length"),
        ({"agent_available": np.array([0, 1]), "moving_delay": 3}, "agent_available"),
        ({"serves": "stage"}, "serves"),
        ({"opens": "dispatched"}, "opens"),
    ],
)
def test_what_the_pieces_model_does_not_know_is_refused(changes: dict[str, object], word: str):
    """Clusters beyond the model are refused by name, random durations and the preset of the paper among them."""
    stages = [SparkStage(2, 1), SparkStage(1, 1)]
    instance = spark_cluster("s", [SparkJob(stages, [(0, 1)])], 2, moving_delay=0)
    with pytest.raises(UnsupportedError, match=word):
        choose_model(instance.replace(**changes))


def test_random_durations_are_never_called_optimal():
    """With measured durations there is no exact model."""
    stage = SparkStage(2, samples={"rest": {2: [3, 4]}, "fresh": {2: [5]}})
    with pytest.raises(UnsupportedError, match="waves"):
        choose_model(spark_cluster("w", [SparkJob([stage])], 2))
