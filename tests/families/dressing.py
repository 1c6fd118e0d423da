"""Instances that the tests of all families share: as the registry gives them, and with more switches on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from problems.build import Job, Task, build_instance
from problems.families import FAMILIES
from problems.instance import NO_STATE, Changeover, Instance, IntArray, Opens, Resources, Serves, Waves
from problems.objective import Objective
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.registry import get_solver

SEEDS = range(6)

PATIENT = Budget(600.0, workers=1)
"""Time enough to prove a small optimum after compiling the rules that hint it."""

CUSTOM = "custom"
CASES = (*sorted(FAMILIES), CUSTOM)
"""Every family, and instances of none."""


def plain(family: str, seed: int) -> Instance:
    """Small instance of a family, as the registry gives it, or one of no family."""
    return custom(seed) if family == CUSTOM else FAMILIES[family].small_instance(seed)


def rules(family: str) -> tuple[str, ...]:
    """Rules that the registry names for a family; general ones for instances of none."""
    return ("spt", "fifo", "mwkr", "random") if family == CUSTOM else FAMILIES[family].rules


def custom(seed: int) -> Instance:
    """Three unlike machines, jobs whose tasks form a diamond, setups, due dates, weights and a resource.

    The objective is total weighted tardiness.
    """
    random = np.random.default_rng(seed)
    jobs = [
        Job(
            [Task(_durations(random), after) for after in ([], [0], [0], [1, 2])],
            due=int(random.integers(5, 20)),
            weight=int(random.integers(1, 4)),
        )
        for _ in range(2)
    ]
    setups = Changeover(
        times=random.integers(0, 4, (1, 2, 2)),
        agent_matrix=np.zeros(3, np.int64),
        task_state=random.integers(0, 2, 8),
        agent_home=np.full(3, NO_STATE),
    )
    crane = Resources(np.array([2]), random.integers(0, 2, (8, 1)), np.ones((3, 1)), np.zeros((0, 3), bool))
    return build_instance(
        f"custom-{seed}",
        CUSTOM,
        ("saw", "press", "oven"),
        jobs,
        Objective.TOTAL_WEIGHTED_TARDINESS,
        changeover=setups,
        resources=crane,
    )


def _durations(random: np.random.Generator) -> dict[int, int]:
    """Durations on two of three machines."""
    return {int(machine): int(random.integers(1, 8)) for machine in random.choice(3, 2, replace=False)}


def dressed(family: str, seed: int) -> Instance:
    """The same with releases, reveals, deadlines, weights, availability, moves, setups, pieces and resources.

    A small instance of any family can carry all of them. Where agents return, changeovers use no resource; where odd
    seeds find changeovers, these need their task.
    """
    instance, random = plain(family, seed), np.random.default_rng(seed)
    unit = _unit(instance)
    times = _job_times(instance, random, unit)
    pieces = instance.task_pieces.copy()
    pieces[int(random.integers(instance.num_tasks))] += 1
    changes: dict[str, Any] = {
        **times,
        "agent_available": random.integers(0, unit + 1, instance.num_agents),
        "moving_delay": instance.moving_delay or unit,
        "changeover": _changeover(instance, random, unit, needs_task=bool(seed % 2)),
        "task_pieces": pieces if instance.waves is None else instance.task_pieces,
    }
    full = instance.replace(name=f"{instance.name}-dressed", **changes)
    return full.replace(resources=_resources(full))


def measured(family: str, seed: int) -> Instance:
    """The small instance with two pieces of each task, moves, and random durations measured at one level.

    For odd seeds agents that are all alike serve their task until no piece is left.
    """
    instance, random = plain(family, seed).replace(resources=None), np.random.default_rng(seed)
    alike = instance.changeover is None and bool(np.all(instance.durations == instance.durations[:, :1]))
    serves = seed % 2 == 1 and alike
    samples = random.integers(1, 2 * _unit(instance), instance.num_tasks * 9)
    return instance.replace(
        name=f"{instance.name}-measured",
        moving_delay=instance.moving_delay or 1,
        task_pieces=np.maximum(instance.task_pieces, 2),
        waves=Waves(np.array([1]), np.arange(0, len(samples) + 1, 3), samples, warm_up=1, seed=seed),
        serves=Serves.STAGE if serves else Serves.PIECE,
        opens=Opens.DISPATCHED if serves else Opens.FINISHED,
    )


def _unit(instance: Instance) -> int:
    """A time of the size of a duration or changeover."""
    longest = int(instance.durations.max())
    if instance.changeover is not None:
        longest = max(longest, int(instance.changeover.times.max()))
    return max(longest, 2)


def _job_times(instance: Instance, random: np.random.Generator, unit: int) -> dict[str, IntArray]:
    release = random.integers(1, 2 * unit, instance.num_jobs)
    reveal = np.where(random.random(instance.num_jobs) < 0.5, release, 0)
    horizon = 8 * unit * (instance.num_pieces + 2)
    return {
        "job_release": np.maximum(instance.job_release, release),
        "job_reveal": np.maximum(instance.job_reveal, reveal),
        "job_due": random.integers(0, 4 * unit, instance.num_jobs),
        "job_deadline": np.full(instance.num_jobs, horizon),
        "job_weight": random.integers(1, 4, instance.num_jobs),
    }


def _changeover(instance: Instance, random: np.random.Generator, unit: int, needs_task: bool) -> Changeover:
    """The instance's own changeovers, or setups between three states of tasks."""
    if instance.changeover is not None:
        return replace(instance.changeover, needs_task=needs_task)
    return Changeover(
        times=random.integers(1, unit + 1, (1, 3, 3)),
        agent_matrix=np.zeros(instance.num_agents, np.int64),
        task_state=random.integers(0, 3, instance.num_tasks),
        agent_home=np.full(instance.num_agents, NO_STATE),
        needs_task=needs_task,
    )


def _resources(instance: Instance) -> Resources:
    """One resource that tasks and changeovers share, and two operators of whom one serves the first agent only."""
    assert instance.changeover is not None
    tied = 0 if instance.changeover.returns else 1
    serves = np.zeros((2 * tied, instance.num_agents), bool)
    serves[:1], serves[1:, 0] = True, True
    return Resources(
        capacity=np.array([max(1, instance.num_agents - 1)]),
        task_use=np.ones((instance.num_tasks, 1), np.int64),
        changeover_use=np.full((instance.num_agents, 1), tied),
        operator_serves=serves,
    )


def schedule_by(rule: str, instance: Instance, seed: int = 0) -> Schedule:
    """Schedule that a rule makes."""
    schedule = get_solver(rule)(instance, Budget(), seed).schedule
    assert schedule is not None, f"{rule} finds no schedule of {instance.name}"
    return schedule
