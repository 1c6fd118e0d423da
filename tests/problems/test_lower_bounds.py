"""The cheap lower bound: what it counts, and that it is never above an optimum."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest

from problems import Changeover, Instance, Job, Objective, Schedule, Task, Waves, build_instance
from problems.bounds import lower_bound
from problems.check import check
from problems.families import job_shop, multiple_tsp
from problems.generators import random_job_shop, random_multiple_tsp
from problems.measure import integer_objective


def shop(**switches: Any) -> Instance:
    """Two jobs: 3 on a then 2 on b; 4 on b then 1 on a or 2 on b."""
    jobs = [Job([Task({0: 3}), Task({1: 2})]), Job([Task({1: 4}), Task({0: 1, 1: 2})])]
    return build_instance("shop", "custom", ("a", "b"), jobs, **switches)


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({}, 6),
        ({"job_release": np.array([0, 5])}, 10),
        ({"job_reveal": np.array([4, 0])}, 9),
        ({"agent_available": np.array([0, 6])}, 12),
        ({"objective": Objective.MEAN_FLOW_TIME}, 11),
        ({"objective": Objective.MEAN_FLOW_TIME, "job_release": np.array([0, 5])}, 10),
        ({"objective": Objective.TOTAL_COMPLETION_TIME, "job_weight": np.array([1, 10])}, 56),
        ({"objective": Objective.TOTAL_WEIGHTED_TARDINESS, "job_due": np.array([-1, 3])}, 2),
        ({"objective": Objective.LONGEST_ROUTE}, 0),
        ({"task_pieces": np.array([1, 1, 3, 1])}, 14),
    ],
)
def test_bounds_by_hand(switches: dict[str, Any], expected: int) -> None:
    """Paths, loads, releases, reveals, availability, pieces and sums count as computed by hand."""
    assert lower_bound(shop().replace(**switches)) == expected


def test_heads_and_tails_of_a_machine() -> None:
    """The load of a machine lies between its least head and its least tail."""
    assert lower_bound(job_shop("s", [[(0, 2), (1, 5), (0, 3)], [(0, 4), (1, 5), (0, 1)]], 2)) == 13


def test_shared_work() -> None:
    """Work that all agents share is divided among them, rounded up."""
    jobs = [Job([Task({0: 3, 1: 4})]) for _ in range(3)]
    assert lower_bound(build_instance("u", "custom", ("a", "b"), jobs)) == 5


def test_nothing_to_do() -> None:
    """No jobs, empty jobs and zero durations have their natural bounds (C13)."""
    assert lower_bound(job_shop("s", [], 3)) == 0
    assert lower_bound(job_shop("s", [[], [(0, 3)]], 1)) == 3
    assert lower_bound(job_shop("s", [[]], 1, releases=[4])) == 4
    assert lower_bound(job_shop("s", [[(0, 0)], [(0, 0)]], 1)) == 0
    assert lower_bound(multiple_tsp("t", [[0, 0]], 2)) == 0


def machines() -> Instance:
    """Three jobs of 2, 3 and 4 on either of two machines, with setups of 5 at least between them."""
    jobs = [Job([Task({0: time, 1: time})]) for time in (2, 3, 4)]
    times = np.full((1, 4, 4), 5) + np.arange(4)[:, None]
    changeover = Changeover(times, np.zeros(2), np.arange(3), np.full(2, -1))
    return build_instance("m", "upms", ("a", "b"), jobs, changeover=changeover)


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({}, 7),
        ({"agent_available": np.array([4, 3])}, 10),
        ({"moving_delay": 2}, 10),
        ({"task_pieces": np.array([1, 1, 3])}, 16),
    ],
    ids=["setups", "late machines", "moves", "pieces"],
)
def test_least_setups_count(switches: dict[str, Any], expected: int) -> None:
    """All tasks but one on each machine pay for the least setup that can lead to them, and each job for a move.

    Setups to the jobs take 6, 5 and 5 at least, so three jobs need 9 and 5 for the third: 14 on two machines.
    """
    assert lower_bound(machines().replace(**switches)) == expected


def test_setups_of_a_machine_that_must_do_all() -> None:
    """Between n tasks that only one machine can do lie n - 1 setups."""
    jobs = [Job([Task({0: 1})]) for _ in range(4)]
    changeover = Changeover(np.full((1, 4, 4), 10), np.zeros(1), np.arange(4), np.full(1, -1))
    assert lower_bound(build_instance("one", "upms", ("a",), jobs, changeover=changeover)) == 34


def test_pieces_of_a_task_follow_each_other() -> None:
    """The setup of a task to itself counts where it has several pieces."""
    jobs = [Job([Task({0: 1}, pieces=3)]), Job([Task({0: 1})])]
    changeover = Changeover(np.array([[[0, 9], [9, 9]]]), np.zeros(1), np.arange(2), np.full(1, -1))
    assert lower_bound(build_instance("p", "custom", ("a",), jobs, changeover=changeover)) == 4


def cluster(works: list[int], num_agents: int, arrivals: list[int], delay: int = 0) -> Instance:
    """One stage of pieces of length 1 for each job."""
    jobs = [
        Job([Task(dict.fromkeys(range(num_agents), 1), pieces=work)], release=time, reveal=time)
        for work, time in zip(works, arrivals, strict=True)
    ]
    names = [f"e{number}" for number in range(num_agents)]
    return build_instance("c", "spark", names, jobs, Objective.MEAN_FLOW_TIME, moving_delay=delay)


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        (cluster([4, 6, 2], 2, [0, 0, 0]), 1 + 3 + 6),
        (cluster([4, 6, 2], 2, [0, 0, 1]), 2 + 2 + 6),
        (cluster([8, 2], 2, [0, 1]), 5 + 1),
        (cluster([4, 6, 2], 2, [0, 0, 0], delay=3), 4 + 6 + 11),
        (cluster([1, 1, 1], 5, [0, 4, 4]), 3),
    ],
    ids=["batch", "stream", "short one goes first", "moves", "more executors than work"],
)
def test_shortest_remaining_work_first(instance: Instance, expected: int) -> None:
    """Flow times on a cluster are bounded by one fast machine that prefers the least remaining work."""
    assert lower_bound(instance) == expected


def test_order_of_ends_meets_due_dates_and_weights() -> None:
    """On one machine the k-th end is paired with the k-th due date, or with the k-th largest weight."""
    jobs = [Job([Task({0: 4})], due=due, weight=weight) for due, weight in ((4, 2), (-1, 9), (5, 3), (4, 5))]
    instance = build_instance("late", "custom", ("a",), jobs, Objective.TOTAL_WEIGHTED_TARDINESS)
    assert lower_bound(instance) == 2 * (0 + 4 + 7)
    instance = instance.replace(objective=Objective.TOTAL_COMPLETION_TIME)
    assert lower_bound(instance) == 9 * 4 + 5 * 8 + 3 * 12 + 2 * 16


def test_random_durations_count_at_their_least() -> None:
    """With measured durations the least measurement of a task is used."""
    instance = build_instance("w", "custom", ("a",), [Job([Task({0: 9})]), Job([Task({0: 5})])])
    waves = Waves(np.array([1]), np.array([0, 2, 2, 3, 3, 3, 3]), np.array([7, 4, 8]))
    assert lower_bound(instance.replace(waves=waves)) == 9


def test_large_durations_are_exact() -> None:
    """Durations beyond 2^31 are added exactly (C10)."""
    instance = job_shop("s", [[(0, 3 * 10**9), (1, 5)], [(1, 2500000001), (0, 7)], [(0, 1), (1, 3 * 10**9)]], 2)
    assert lower_bound(instance) == 5500000006


def semi_active(instance: Instance, order: tuple[int, ...]) -> Schedule:
    """Job shop schedule that starts each job's next operation as early as earlier ones of ``order`` allow."""
    machine_free, job_free = [0] * instance.num_agents, instance.job_release.tolist()
    begun = [0] * instance.num_jobs
    rows = []
    for job in order:
        task = int(np.flatnonzero(instance.task_job == job)[begun[job]])
        agents, durations = instance.eligible(task)
        start = max(job_free[job], machine_free[agents[0]])
        job_free[job] = machine_free[agents[0]] = start + int(durations[0])
        begun[job] += 1
        rows.append((task, int(agents[0]), start, job_free[job]))
    return Schedule.from_times(*(np.array(column) for column in zip(*rows, strict=True)))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "objective",
    [Objective.MAKESPAN, Objective.MEAN_FLOW_TIME, Objective.TOTAL_COMPLETION_TIME, Objective.TOTAL_WEIGHTED_TARDINESS],
)
def test_no_schedule_of_a_small_shop_is_better(seed: int, objective: Objective) -> None:
    """The bound is at most the best of all semi-active schedules, enumerated."""
    random = np.random.default_rng(seed)
    instance = random_job_shop(3, 2, seed, high=9).replace(
        objective=objective,
        job_release=random.integers(0, 6, 3),
        job_weight=random.integers(1, 4, 3),
        job_due=random.integers(0, 15, 3),
    )
    best = min(
        integer_objective(instance, semi_active(instance, order)) for order in set(permutations([0, 0, 1, 1, 2, 2]))
    )
    assert check(instance, semi_active(instance, (0, 1, 2, 0, 1, 2))).valid
    assert 0 <= lower_bound(instance) <= best


def best_route(instance: Instance) -> int:
    """Least longest route over all assignments and orders."""
    changeover, num_agents = instance.changeover, instance.num_agents
    assert changeover is not None
    best: dict[frozenset[int], list[int]] = {}
    tasks = range(instance.num_tasks)
    for chosen in product([False, True], repeat=len(tasks)):
        group = frozenset(task for task in tasks if chosen[task])
        best[group] = [
            min((_length(changeover, agent, order) for order in permutations(group)), default=0)
            for agent in range(num_agents)
        ]
    values = []
    for owner in product(range(num_agents), repeat=len(tasks)):
        groups = [frozenset(task for task in tasks if owner[task] == agent) for agent in range(num_agents)]
        values.append(max(best[group][agent] for agent, group in enumerate(groups)))
    return min(values)


def _length(changeover: Changeover, agent: int, order: tuple[int, ...]) -> int:
    if not order:
        return 0
    times = changeover.times[changeover.agent_matrix[agent]]
    home = int(changeover.agent_home[agent])
    states = [home] * (home >= 0) + [int(changeover.task_state[task]) for task in order]
    states += [home] * changeover.returns
    return int(sum(times[a, b] for a, b in pairwise(states)))


@pytest.mark.parametrize("seed", range(10))
def test_no_tours_of_a_small_map_are_better(seed: int) -> None:
    """The bound is at most the best of all tours, enumerated, and half of it at least where one city is far."""
    instance = random_multiple_tsp(5, 2, seed)
    assert 0 < lower_bound(instance) <= best_route(instance)


@pytest.mark.parametrize("seed", range(20))
def test_no_routes_with_odd_changeovers_are_better(seed: int) -> None:
    """The same for asymmetric matrices per agent, other homes or none, and agents that do not return."""
    random = np.random.default_rng(seed)
    T, A, S, K = 4, 2, 4, 2
    returns = bool(seed % 2)
    changeover = Changeover(
        times=random.integers(0, 30, (K, S, S)),
        agent_matrix=random.integers(0, K, A),
        task_state=random.integers(0, S, T),
        agent_home=random.integers(0 if returns else -1, S, A),
        returns=returns,
    )
    jobs = [Job([Task({0: 1, 1: 1})]) for _ in range(T)]
    instance = build_instance("r", "custom", ("a", "b"), jobs, Objective.LONGEST_ROUTE, changeover=changeover)
    assert 0 <= lower_bound(instance) <= best_route(instance)


@pytest.mark.parametrize(
    ("places", "salesmen", "bound"),
    [
        ([[0, 0], [3, 4], [-8, -6], [0, 13]], 3, 26.0),
        ([[0, 0], [3, 4], [-8, -6], [0, 13]], 5, 26.0),
        ([[0, 0], [4, 0], [4, 3], [0, 9]], 2, 18.0),
        ([[0, 0], [0, 0], [1, 0], [1, 0], [0, 2], [0, 2]], 2, 4.0),
    ],
    ids=["C31 m=3", "C31 m=5", "C34", "C32"],
)
def test_farthest_city_there_and_back(places: list[list[float]], salesmen: int, bound: float) -> None:
    """Where one city decides, the bound is its tour: the way back counts (C34), idle salesmen do not (C31)."""
    instance = multiple_tsp("t", places, salesmen)
    assert instance.to_unit(lower_bound(instance)) == bound
