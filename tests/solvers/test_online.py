"""Where jobs and durations are revealed as time goes on: no online policy or search sees one before."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from graphs.layout import Sizes, initial_tensors, pack
from graphs.schema import CANDIDATE_FEATURES, NUM_FEATURES
from problems import Instance, Schedule, Waves
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.generators import random_spark
from problems.simulator import Filter, compile_problem, schedule_of
from solvers.budget import Budget
from solvers.kinds import Kind
from solvers.priority import Priority, pack_network
from solvers.registry import get_solver
from solvers.result import finish
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

PRESETS = ("default", "decima")
POLICIES = ("fifo", "sjf", "sjf-cp", "fair", "weighted-fair", "tetris", "spt-twkr", "small", "graph")
PILOTS = ("pilot fair", "pilot small", "pilot graph")


@cache
def priority_of(policy: str) -> Priority:
    """A rule, or a network with random weights that looks at every feature and may wait."""
    if policy not in ("small", "graph"):
        return rule_priority(policy)
    random = np.random.default_rng(0)
    linear, hidden = 0.3 * random.normal(size=NUM_FEATURES), 0.3 * random.normal(size=(NUM_FEATURES, 8))
    linear[CANDIDATE_FEATURES.index("is_wait")] = -6.0  # waiting is rare
    parameters = pack_network(linear, np.zeros(8), random.normal(size=8), hidden, may_wait=True)
    if policy == "small":
        return Priority(Kind.NETWORK, parameters, Filter.ACTIVE)
    tensors = initial_tensors(Sizes(), 0)
    for name in ("actor_out.weight", "wait_out.weight"):
        tensors[name] = random.normal(size=tensors[name].shape).astype(np.float32)
    return Priority(Kind.GRAPH, parameters, Filter.ACTIVE, pack(tensors, Sizes()))


def solve(instance: Instance, policy: str) -> Schedule:
    runner = Runner(compile_problem(instance))
    if policy.startswith("pilot "):
        runner.pilot(priority_of(policy.removeprefix("pilot ")))
    else:
        runner.sample(priority_of(policy))
    return schedule_of(runner.best)


def rows_of(table: Schedule) -> list[tuple[int, ...]]:
    """Changeover start, start, agent and task of each piece, in the order in which they were committed."""
    columns = (table.changeover_start, table.start, table.agent, table.task)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def job(*stages: tuple[int, list[int], list[int]], edges=(), arrival=0) -> SparkJob:
    """Stages as (pieces, fresh samples, rest samples), all of one level."""
    tables = [SparkStage(pieces, samples={"fresh": {1: fresh}, "rest": {1: rest}}) for pieces, fresh, rest in stages]
    return SparkJob(tables, edges, arrival=arrival)


KNOWN = [job((3, [400, 900], [200, 700]), (2, [300], [300]), edges=[(0, 1)]), job((5, [800], [100, 300]))]
UNKNOWN = [
    job((1, [10], [10]), arrival=1500),
    job((9, [9000], [9000]), (9, [5000], [5000]), arrival=1500),
    job((3, [10], [10]), arrival=90_000),
]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("policy", POLICIES + PILOTS)
def test_no_decision_depends_on_jobs_before_they_come(preset: str, policy: str) -> None:
    """Whatever job comes, and whenever: everything until its arrival stays as it was."""
    instances = [spark_cluster("late", [*KNOWN, late], 3, preset, moving_delay=50) for late in UNKNOWN]
    before = [[row for row in rows_of(solve(instance, policy)) if row[0] < 1500] for instance in instances]
    assert before[0] == before[1] == before[2]
    assert len(before[0]) > 5


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("policy", POLICIES + PILOTS)
def test_no_decision_depends_on_a_duration_before_it_is_over(preset: str, policy: str) -> None:
    """Under another seed of the durations, all is the same until the first piece that ends at another time."""
    instance = random_spark(4, 4, 7, preset=preset, max_stages=4, max_tasks=6, interval=2000.0)
    assert instance.waves is not None
    tables = [solve(other, policy) for other in (instance, instance.replace(waves=reseeded(instance.waves)))]
    rows = [rows_of(table) for table in tables]
    same = next(k for k, (one, other) in enumerate(zip(*rows, strict=True)) if one != other)
    ends = [table.end[:same] for table in tables]
    shown = int(np.minimum(*ends)[ends[0] != ends[1]].min())
    assert min(rows[0][same][0], rows[1][same][0]) >= shown


def reseeded(waves: Waves) -> Waves:
    return Waves(waves.levels, waves.sample_ptr, waves.samples, waves.warm_up, waves.seed + 1, waves.between)


@pytest.mark.parametrize("preset", PRESETS)
def test_search_says_when_it_is_clairvoyant(preset):
    """The best of several episodes knows the future, as plans do, and says so; one episode and pilot do not."""
    instance = random_spark(2, 3, 5, preset=preset, max_stages=3, max_tasks=4)
    assert get_solver("fair")(instance, Budget(samples=4), 0).clairvoyant
    assert not get_solver("fair")(instance, Budget(), 0).clairvoyant
    assert not get_solver("pilot")(instance, Budget(), 0).clairvoyant
    schedule = get_solver("fair")(instance, Budget(), 0).schedule
    assert finish(instance, "a plan", 0, 0.0, schedule).clairvoyant
    fixed = random_spark(2, 3, 5, preset=preset, max_stages=3, max_tasks=4, fixed=True)
    assert not get_solver("fair")(fixed, Budget(samples=4), 0).clairvoyant
