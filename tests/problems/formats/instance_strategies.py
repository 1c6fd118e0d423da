"""Hypothesis strategies for instances that use every switch, and for schedules of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from problems import (
    NO_STATE,
    NO_TIME,
    BetweenLevels,
    Changeover,
    Instance,
    Objective,
    Opens,
    Resources,
    Schedule,
    Serves,
    Waves,
)
from problems.families import flexible_job_shop, parallel_machines

times = st.integers(0, 10**6)
names = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6)
coordinates = st.floats(-1e6, 1e6, allow_nan=False)


def array(values: Any, *shape: int) -> np.ndarray:
    return np.array(values, np.int64).reshape(shape or (-1,))


def pointer(rows: list[list[int]]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)


@st.composite
def column(draw: st.DrawFn, size: int, values: st.SearchStrategy[int]) -> np.ndarray:
    return array(draw(st.lists(values, min_size=size, max_size=size)))


@st.composite
def changeovers(draw: st.DrawFn, A: int, T: int, S: int) -> Changeover:
    K = draw(st.integers(1, 2))
    returns = draw(st.booleans())
    return Changeover(
        times=array(draw(column(K * S * S, times)), K, S, S),
        agent_matrix=draw(column(A, st.integers(0, K - 1))),
        task_state=draw(column(T, st.integers(0, S - 1))),
        agent_home=draw(column(A, st.integers(0 if returns else NO_STATE, S - 1))),
        returns=returns,
        needs_task=draw(st.booleans()),
    )


@st.composite
def wave_tables(draw: st.DrawFn, T: int) -> Waves:
    levels = sorted(draw(st.sets(st.integers(1, 100), min_size=1, max_size=2)))
    cells = [draw(st.lists(times, max_size=2)) for _ in range(T * 3 * len(levels))]
    samples = array([value for cell in cells for value in cell])
    seed, between = draw(st.integers(-(2**63), 2**63 - 1)), draw(st.sampled_from(BetweenLevels))
    return Waves(array(levels), pointer(cells), samples, draw(times), seed, between)


@st.composite
def resource_tables(draw: st.DrawFn, A: int, T: int) -> Resources:
    R, W = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    capacity = draw(column(R, st.integers(1, 5)))

    def use(rows: int) -> np.ndarray:
        return array([[draw(st.integers(0, int(limit))) for limit in capacity] for _ in range(rows)], rows, R)

    serves = np.array(draw(st.lists(st.booleans(), min_size=W * A, max_size=W * A)), np.bool_).reshape(W, A)
    return Resources(capacity, use(T), use(A), serves)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Instances in which every switch may be on; tasks of a job need not lie together."""
    A, J = draw(st.integers(1, 3)), draw(st.integers(0, 3))
    task_job = draw(st.lists(st.integers(0, J - 1), max_size=5)) if J else []
    T = len(task_job)
    eligible = [sorted(draw(st.sets(st.integers(0, A - 1), min_size=1))) for _ in range(T)]
    before = [draw(st.lists(st.integers(0, task - 1), max_size=2, unique=True)) if task else [] for task in range(T)]
    S = draw(st.integers(1, 3))
    changeover = draw(st.none() | changeovers(A, T, S))
    places = draw(st.none() | st.lists(st.tuples(coordinates, coordinates), min_size=S, max_size=S))
    optional = times | st.just(NO_TIME)
    return Instance(
        name=draw(names),
        family=draw(st.sampled_from(["custom", "jsp", "spark"])),
        objective=draw(st.sampled_from(Objective)),
        agent_names=tuple(draw(st.lists(names, min_size=A, max_size=A, unique=True))),
        agent_available=draw(column(A, times)),
        job_names=tuple(draw(st.lists(names, min_size=J, max_size=J))),
        job_release=draw(column(J, times)),
        job_reveal=draw(column(J, times)),
        job_due=draw(column(J, optional)),
        job_deadline=draw(column(J, optional)),
        job_weight=draw(column(J, st.integers(0, 9))),
        task_job=array(task_job),
        task_pieces=draw(column(T, st.integers(1, 3))),
        eligible_ptr=pointer(eligible),
        eligible_agent=array([agent for row in eligible for agent in row]),
        eligible_duration=draw(column(sum(map(len, eligible)), times)),
        predecessor_ptr=pointer(before),
        predecessor_task=array([task for row in before for task in row]),
        changeover=changeover,
        moving_delay=draw(times),
        waves=draw(st.none() | wave_tables(T)),
        resources=draw(st.none() | resource_tables(A, T)),
        opens=draw(st.sampled_from(Opens)),
        serves=draw(st.sampled_from(Serves)),
        retire=draw(st.booleans()),
        coordinates=None if places is None or changeover is None else np.array(places, np.float64),
        scale=draw(st.sampled_from([1, 3, 10, 10_000])),
    )


@st.composite
def bound_jobs(draw: st.DrawFn, instance: Instance) -> Instance:
    """The same instance with due dates, deadlines, weights, reveal dates and another objective."""
    J = instance.num_jobs
    return instance.replace(
        objective=draw(st.sampled_from([Objective.MAKESPAN, Objective.TOTAL_WEIGHTED_TARDINESS])),
        job_reveal=draw(column(J, times)),
        job_due=draw(column(J, times | st.just(NO_TIME))),
        job_deadline=draw(column(J, times | st.just(NO_TIME))),
        job_weight=draw(column(J, st.integers(0, 9))),
        agent_available=draw(column(instance.num_agents, times)),
    )


@st.composite
def flexible_job_shops(draw: st.DrawFn, scales: tuple[int, ...] = (1, 4, 10)) -> Instance:
    """Flexible job shops with or without setups and release dates."""
    M = draw(st.integers(1, 3))
    operation = st.dictionaries(st.integers(0, M - 1), times, min_size=1)
    jobs = draw(st.lists(st.lists(operation, max_size=3), max_size=3))
    T = sum(map(len, jobs))
    setups = array(draw(column(M * T * T, times)), M, T, T) if draw(st.booleans()) else None
    releases = draw(st.none() | st.lists(times, min_size=len(jobs), max_size=len(jobs)))
    made = flexible_job_shop(draw(names), jobs, M, setups, releases, draw(st.sampled_from(scales)))
    return draw(bound_jobs(made)) if draw(st.booleans()) else made


@st.composite
def parallel_machine_shops(draw: st.DrawFn, scales: tuple[int, ...] = (1, 4, 10)) -> Instance:
    """Parallel machines with or without setups, initial setups, operators, a setup capacity and release dates."""
    M, N = draw(st.integers(1, 3)), draw(st.integers(0, 4))
    rows = st.lists(times | st.just(-1), min_size=M, max_size=M).filter(lambda row: max(row) >= 0)
    durations = array([draw(rows) for _ in range(N)], N, M)
    setups = array(draw(column(M * N * N, times)), M, N, N) if draw(st.booleans()) else None
    initial = array(draw(column(M * N, times)), M, N) if draw(st.booleans()) else None
    resources: dict[str, Any] = {}
    if setups is not None or initial is not None:
        served = st.lists(st.lists(st.booleans(), min_size=M, max_size=M), min_size=1, max_size=3)
        resources["operators"] = draw(st.none() | served)
        resources["setup_capacity"] = draw(st.none() | st.integers(1, 3))
    releases = draw(st.none() | st.lists(times, min_size=N, max_size=N))
    scale = draw(st.sampled_from(scales))
    made = parallel_machines(draw(names), durations, setups, initial, releases, scale=scale, **resources)
    return draw(bound_jobs(made)) if draw(st.booleans()) else made


@st.composite
def schedules(draw: st.DrawFn, instance: Instance) -> Schedule:
    """Tables whose rows name tasks and agents of the instance, otherwise arbitrary."""
    N = draw(st.integers(0, 4)) if instance.num_tasks else 0
    wide = st.integers(-(10**9), 10**12)
    return Schedule(
        task=draw(column(N, st.integers(0, max(0, instance.num_tasks - 1)))),
        piece=draw(column(N, st.integers(0, 3))),
        agent=draw(column(N, st.integers(0, instance.num_agents - 1))),
        start=draw(column(N, wide)),
        end=draw(column(N, wide)),
        changeover_start=draw(column(N, wide)),
        changeover_end=draw(column(N, wide)),
        resource=draw(column(N, st.integers(-1, 3))),
    )
