"""The interval model with resources, operators, moving delays and reveals, against every active schedule."""

from __future__ import annotations

import numpy as np
import pytest
from active_schedules import least_objective
from small_proofs import assert_complete_hint, solve

from problems import Changeover, Instance, Job, Objective, Resources, Task, build_instance
from problems.measure import integer_objective
from solvers import Status
from solvers.cpsat.choose import ModelKind, choose_model

OBJECTIVES = (Objective.MAKESPAN, Objective.MEAN_FLOW_TIME, Objective.TOTAL_WEIGHTED_TARDINESS)


def random_resources(rng: np.random.Generator, num_tasks: int, kind: str) -> Resources | None:
    """A tool that tasks share, a capacity of setups, named operators, or all of these."""
    if kind == "none":
        return None
    tool, setups = kind in ("tool", "all"), kind in ("setups", "all")
    serves = rng.integers(0, 2, (2, 2)).astype(bool) if kind in ("operators", "all") else np.zeros((0, 2), bool)
    task_use = np.stack([rng.integers(0, 3, num_tasks) * tool, np.zeros(num_tasks)], axis=1)
    changeover_use = np.stack([rng.integers(0, 2, 2) * tool, rng.integers(0, 2, 2) * setups], axis=1)
    return Resources(np.array([2, 1]), task_use, changeover_use, serves)


def tiny(seed: int, kind: str) -> Instance:
    """Three jobs with four tasks on two agents, with setups, resources of a kind, and all dates there are."""
    rng = np.random.default_rng(seed)
    jobs = []
    for size in (1, 2, 1):
        tasks = [
            Task({k: int(rng.integers(0, 5)) for k in rng.permutation(2)[: rng.integers(1, 3)]}) for _ in range(size)
        ]
        release, due = int(rng.integers(0, 4)), int(rng.integers(0, 8))
        jobs.append(Job(tasks, release=release, reveal=int(rng.integers(0, release + 1)), due=due))
    changeover = Changeover(
        rng.integers(0, 4, (2, 3, 3)),
        np.arange(2),
        rng.integers(0, 3, 4),
        rng.integers(-1, 3, 2),
        False,
        bool(seed % 2),
    )
    return build_instance(
        "tiny",
        "custom",
        "AB",
        jobs,
        OBJECTIVES[seed % 3],
        changeover=changeover if seed % 5 else None,
        moving_delay=int(rng.integers(0, 3)) * (seed % 3 == 0),
        resources=random_resources(rng, 4, kind),
        agent_available=rng.integers(0, 3, 2),
    )


@pytest.mark.parametrize("kind", ["none", "tool", "setups", "operators", "all"])
def test_resources_agree_with_every_active_schedule(kind: str):
    """Every use of resources, with reveals, moving delays and setups, against an oracle of its own."""
    for seed in range(12):
        instance = tiny(seed, kind)
        assert choose_model(instance) is ModelKind.INTERVALS
        result = solve(instance)
        assert result.status is Status.OPTIMAL and result.schedule is not None
        assert integer_objective(instance, result.schedule) == least_objective(instance), seed


@pytest.mark.parametrize("kind", ["none", "tool", "setups", "operators", "all"])
def test_complete_hints_are_accepted(kind: str):
    """A hint covers every variable, those of changeovers and operators too, and breaks no constraint."""
    for seed in range(4):
        assert_complete_hint(tiny(seed, kind))
