"""The load model: right values on small cases, all its features against every plan, plans that replay exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from ortools.sat.python import cp_model
from small_proofs import assert_complete_hint, brute_force, optimum, solve

from problems import Changeover, Instance, Job, Task, build_instance
from problems.generators import vallada_ruiz
from problems.measure import integer_objective
from solvers import Budget, Status
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.cpsat.loads import LoadsModel

Matrix = Sequence[Sequence[int]]


def machines(
    durations: Matrix, setups: Sequence[Matrix] | None = None, initial: Matrix | None = None, **more: object
) -> Instance:
    """Unrelated parallel machines: ``durations[job][machine]``, -1 where it cannot; ``setups[machine][from][to]``."""
    jobs = [Job([Task({k: time for k, time in enumerate(row) if time >= 0})]) for row in durations]
    n, m = len(durations), len(durations[0])
    changeover = None
    if setups is not None:
        times = np.zeros((m, n + 1, n + 1), np.int64)
        times[:, :n, :n] = setups
        if initial is not None:
            times[:, n, :n] = initial
        changeover = Changeover(times, np.arange(m), np.arange(n), np.full(m, -1 if initial is None else n))
    return build_instance("machines", "upms", [f"M{k}" for k in range(m)], jobs, changeover=changeover, **more)


C16_DURATIONS = [[4, 3], [2, 4], [4, 4], [3, 5]]
C16_SETUPS = [
    [[0, 6, 7, 8], [6, 0, 9, 8], [1, 9, 0, 8], [4, 6, 3, 0]],
    [[0, 4, 6, 4], [8, 0, 4, 8], [5, 0, 0, 6], [9, 5, 0, 0]],
]
C16_INITIAL = [[4, 5, 5, 6], [2, 1, 6, 6]]
ONES = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("instance", "value"),
    [
        (machines([[4, 9, 9, 9], [9, 5, 9, 9]], [[[0, 3], [2, 0]]] * 4), 5),
        (machines(C16_DURATIONS, C16_SETUPS, C16_INITIAL), 16),
        (machines(C16_DURATIONS, C16_SETUPS), 11),
        (machines(C16_DURATIONS), 7),
        (machines(C16_DURATIONS, np.transpose(C16_SETUPS, (0, 2, 1)), C16_INITIAL), 14),
        (machines([[-1, 12000], [3, 4], [5, -1]], [ONES, ONES]), 12000),
        (machines([[9999, 12000], [3, 4], [5, 9999]], [ONES, ONES]), 10003),
        (machines([[3, 4], [3, 4], [3, 4]]), 6),
        (machines([[3, 1], [3, 1]], agent_available=np.array([0, 9])), 6),
        (machines([[3, 1], [3, 1]], agent_available=np.array([0, 9]), setups=[[[0, 9], [9, 0]]] * 2), 10),
        (machines([[2**33 + 1, 2**33], [2**32, 2**32]]), 2**33),
    ],
    ids=[
        "idle machines (C11)",
        "initial and asymmetric setups (C16)",
        "no initial setups (C16)",
        "no setups (C16)",
        "setups read the wrong way (C16)",
        "forbidden (C19)",
        "a large number is a time (C19)",
        "alike jobs",
        "late machine",
        "late machine with setups",
        "above 2^32",
    ],
)
def test_parallel_machines(instance: Instance, value: int):
    """Small cases, some of which other programs got wrong, have their exact optimum."""
    assert choose_model(instance) is ModelKind.LOADS
    result = solve(instance)
    assert (result.status, result.objective, result.lower_bound) == (Status.OPTIMAL, value, value)


def test_nobody_works():
    """Without tasks nobody does anything, and late agents do not count."""
    instance = build_instance("none", "upms", ("a", "b"), [], agent_available=np.array([3, 4]))
    assert optimum(instance) == 0


def tiny(seed: int, setups: bool) -> Instance:
    """Four jobs on two machines, with eligibility, late machines, and maybe setups from home and back."""
    rng = np.random.default_rng(seed)
    durations = rng.integers(0, 9, (4, 2))
    for job in range(4):
        if rng.integers(3) == 0:
            durations[job, rng.integers(2)] = -1
    available = rng.integers(0, 6, 2) * rng.integers(0, 2)
    if not setups:
        return machines(durations.tolist(), agent_available=available)
    homes, returns = rng.integers(-1, 3, 2), bool(rng.integers(2))
    homes = np.maximum(homes, 0) if returns else homes
    changeover = Changeover(rng.integers(0, 9, (2, 3, 3)), np.arange(2), rng.integers(0, 3, 4), homes, returns)
    return machines(durations.tolist(), agent_available=available).replace(changeover=changeover)


@pytest.mark.parametrize("setups", [False, True], ids=["plain", "setups"])
def test_load_model_agrees_with_brute_force(setups: bool):
    """Every feature of the load model, against the replay of every possible plan."""
    for seed in range(25):
        instance = tiny(seed, setups)
        result = solve(instance)
        assert result.status is Status.OPTIMAL and result.schedule is not None
        assert integer_objective(instance, result.schedule) == brute_force(instance)


@pytest.mark.parametrize("setups", [False, True], ids=["plain", "setups"])
def test_complete_hints_are_accepted(setups: bool):
    """A hint covers every variable and breaks no constraint."""
    for seed in range(3):
        assert_complete_hint(tiny(seed, setups))


def test_pairs_that_are_too_long_have_no_arc():
    """With a makespan known, tasks that are longer than that together do not follow each other; the optimum stays."""
    instance = machines(C16_DURATIONS, C16_SETUPS, C16_INITIAL)
    arcs = [sum(map(len, LoadsModel(instance, upper).circuits.arcs.values())) for upper in (None, 16, 12)]
    assert arcs[0] == 2 * (4 + 4 + 12) and arcs[0] > arcs[1] > arcs[2]
    hint = solve(instance).schedule
    assert solve(instance, hint=hint).objective == 16


def test_many_arcs_are_not_probed():
    """Probing would take most of the time on large instances."""
    for jobs, level in ((10, 2), (40, 0)):
        parameters = cp_model.CpSolver().parameters
        LoadsModel(vallada_ruiz(jobs, 4, 49, 0)).configure(parameters, Budget(), False)
        assert parameters.cp_model_probing_level == level
