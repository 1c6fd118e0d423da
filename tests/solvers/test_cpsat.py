"""CP-SAT: right values on small cases from the field, true statuses, plans that replay exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from ortools.sat.python import cp_model
from small_proofs import assert_complete_hint, brute_force, optimum, solve

from problems import Changeover, Instance, InstanceError, Job, Objective, Resources, Task, UnsupportedError
from problems.build import build_instance
from problems.families import job_shop, multiple_tsp
from problems.generators import random_job_shop, random_multiple_tsp
from problems.measure import integer_objective
from problems.schedule import Schedule
from problems.simulator import replay
from solvers import Budget, Status
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.cpsat.intervals import IntervalModel
from solvers.cpsat.solve import solve_cpsat

Route = Sequence[tuple[int, int]]


def shop(num_machines: int, *jobs: Route, **more: object) -> Instance:
    return job_shop("case", jobs, num_machines, **more)


def pairs(text: str) -> list[tuple[int, int]]:
    """One line of a standard job shop file."""
    numbers = [int(word) for word in text.split()]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


FT06 = [
    "2 1 0 3 1 6 3 7 5 3 4 6",
    "1 8 2 5 4 10 5 10 0 10 3 4",
    "2 5 3 4 5 8 0 9 1 1 4 7",
    "1 5 0 5 2 5 3 3 4 8 5 9",
    "2 9 1 3 4 5 5 4 0 3 3 1",
    "1 3 3 3 5 9 0 10 4 4 2 1",
]
C26 = shop(3, *map(pairs, ["0 2 1 2 2 2", "1 2 2 2 0 2", "2 2 0 2 1 2", "0 2 2 2 1 2"]))


@pytest.mark.parametrize(
    ("machines", "jobs", "value"),
    [
        (6, FT06, 55),
        (3, ["0 3 1 2 2 2", "0 2 2 1", "1 4"], 8),
        (2, ["0 2 1 3 0 2", "0 1 0 2 1 1", "1 2 0 1"], 8),
        (2, ["0 4", "1 2 0 0 1 2"], 6),
        (2, ["0 16777217 1 1", "1 3 0 16777216"], 33554433),
        (2, ["0 3000000000 1 5", "1 2500000001 0 7", "0 1 1 3000000000"], 5500000006),
        (1, ["0 7"], 7),
        (3, ["2 2 0 3 1 4"], 9),
        (1, ["0 2", "0 3", "0 4"], 9),
        (2, ["0 0 1 0", "1 0 0 0"], 0),
        (3, [], 0),
        (2, ["0 3", ""], 3),
        (3, ["1 6 0 4 2 4", "1 6 0 5 2 5", "1 4 2 3 0 5"], 24),
        (3, ["1 5 2 5 0 5", "1 6 0 1 2 5"], 17),
    ],
    ids=[
        "ft06",
        "ragged",
        "recirculation",
        "zero length",
        "above 2^24",
        "above 2^31",
        "1x1",
        "1x3",
        "3x1",
        "all zero",
        "no jobs",
        "empty job",
        "three jobs",
        "waiting",
    ],
)
def test_job_shops(machines: int, jobs: list[str], value: int):
    """Small job shops that other programs got wrong have their exact optimum, with gap 0."""
    result = solve(shop(machines, *map(pairs, jobs)))
    assert (result.status, result.objective, result.lower_bound, result.gap) == (Status.OPTIMAL, value, value, 0)


@pytest.mark.parametrize(
    ("jobs", "releases", "value"),
    [(["0 3 1 4", "1 2 0 3", "0 2 1 2"], [4, 0, 6], 13), (["0 2 1 3", "0 4 1 1"], [0, 1000], 1005)],
    ids=["binding", "far beyond the sum of durations"],
)
def test_releases(jobs: list[str], releases: list[int], value: int):
    """Release dates bind, and the horizon reaches beyond them."""
    assert optimum(shop(2, *map(pairs, jobs), releases=releases)) == value


def test_numbers_beyond_64_bits_are_refused():
    """Sums that overflow are called too large, never infeasible and never a wrapped value."""
    with pytest.raises(InstanceError, match="too large"):
        solve(shop(2, *map(pairs, ["0 4000000000000000000 1 4000000000000000000"] * 2)))


def test_numbers_too_large_for_cpsat_are_named():
    """A model that CP-SAT calls invalid is an error that says why."""
    jobs = [Job([Task({0: 0})], weight=0) for _ in range(60)]
    vast = Changeover(np.full((1, 2, 2), 2**54), np.zeros(1), np.ones(60), np.zeros(1))
    instance = build_instance("vast", "custom", ("A",), jobs, Objective.LONGEST_ROUTE, changeover=vast)
    with pytest.raises(InstanceError, match="numbers too large"):
        solve(instance)


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_value_depends_on_neither_workers_nor_seed(workers: int, seed: int):
    """The optimum is 10 for every number of workers and every seed."""
    result = solve(C26, workers=workers, seed=seed)
    assert (result.status, result.objective) == (Status.OPTIMAL, 10)


def test_one_worker_repeats_its_schedule():
    """One worker with one seed and no time cut gives the same schedule again; seeds of any size are taken."""
    first, second = (solve(C26, seed=2**40 + 5).schedule for _ in range(2))
    assert first == second


@pytest.mark.parametrize("limit", [0.0, 0.01])
def test_no_solution_in_time(limit: float):
    """Without a solution all that is reported is a bound: no objective, no gap, no schedule."""
    for hint in (None, "rule"):
        result = solve(random_job_shop(30, 15, seed=23), limit, hint=hint)
        assert (result.status, result.objective, result.gap, result.schedule) == (Status.UNKNOWN, None, None, None)
        assert result.lower_bound is not None and result.lower_bound > 0


def test_without_time_no_model_is_made(monkeypatch: pytest.MonkeyPatch):
    """A hint that has used up the time is returned with the cheap bound at once."""
    monkeypatch.setattr("solvers.cpsat.solve._formulate", lambda *_: pytest.fail("a model was made"))
    instance = random_job_shop(4, 3, 1)
    hint = job_by_job(instance)
    result = solve_cpsat(instance, Budget(0.0), 0, hint=hint)
    assert result.status is Status.FEASIBLE and result.schedule == hint
    assert result.lower_bound is not None and result.lower_bound > 0


def test_hint_is_an_incumbent_even_if_time_runs_out():
    """A known schedule is not lost when CP-SAT does not get round to it."""
    instance = random_job_shop(30, 15, seed=23)
    known = job_by_job(instance)
    result = solve(instance, 0.01, hint=known)
    assert result.status is Status.FEASIBLE
    assert result.objective is not None and result.objective <= integer_objective(instance, known)


def test_time_limit_gives_feasible_with_a_bound():
    """A cut run says feasible, with a bound below its value, and respects its limit."""
    result = solve(random_job_shop(15, 15, seed=25), 2.0)
    assert result.status is Status.FEASIBLE
    assert result.gap is not None and 0 < result.gap < 1
    assert result.runtime_s < 4


def test_large_shop_is_feasible_with_the_load_bound():
    """100x20 is loaded and solved in short time, and the bound is at least the machine load."""
    instance = random_job_shop(100, 20, seed=53)
    result = solve(instance, 8.0, hint=job_by_job(instance))
    load = max(np.bincount(instance.eligible_agent, instance.eligible_duration))
    assert result.objective is not None and result.lower_bound is not None
    assert load <= result.lower_bound <= result.objective


def job_by_job(instance: Instance) -> Schedule:
    """A poor valid schedule: every agent takes its tasks in order of their number."""
    plan: list[list[int]] = [[] for _ in range(instance.num_agents)]
    for task in range(instance.num_tasks):
        plan[int(instance.eligible(task)[0][0])].append(task)
    return replay(instance, plan)


def test_hints_do_not_change_the_optimum():
    """Good, poor and invalid hints all end at the same proved value."""
    instance = shop(6, *map(pairs, FT06))
    poor = job_by_job(instance)
    invalid = Schedule.from_times(poor.task, poor.agent, 0 * poor.start, poor.end - poor.start)
    best = solve(instance).schedule
    for hint in (poor, invalid, best, "rule"):
        result = solve(instance, None, hint=hint)
        assert (result.status, result.objective) == (Status.OPTIMAL, 55)


@pytest.mark.parametrize("make", [lambda: random_job_shop(5, 4, 1), lambda: random_multiple_tsp(5, 2, 1)])
def test_complete_hints_are_accepted_by_cpsat(make):
    """A hint covers every variable and breaks no constraint, so that CP-SAT can start from it."""
    assert_complete_hint(make())


def test_log_improves_and_ends_at_the_result():
    """The anytime log is ordered in time, only improves, and agrees with the result."""
    result = solve(random_job_shop(10, 10, seed=3), 3.0)
    seconds, objectives, bounds = zip(*result.log, strict=True)
    assert list(seconds) == sorted(seconds)
    found = [value for value in objectives if value is not None]
    assert found == sorted(found, reverse=True) and found[-1] == result.objective
    known = [value for value in bounds if value is not None]
    assert known == sorted(known) and known[-1] == result.lower_bound


def tours(places: Sequence[tuple[float, float]], salesmen: int, scale: int = 10_000) -> Instance:
    """Depot first."""
    return multiple_tsp("case", np.array(places, np.float64), salesmen, scale)


C31 = [(0, 0), (3, 4), (-8, -6), (0, 13)]
C35 = [(0.5, 0.5), (0.1, 0.2), (0.9, 0.3), (0.4, 0.95), (0.15, 0.8), (0.7, 0.75)]


@pytest.mark.parametrize(
    ("places", "salesmen", "value"),
    [
        (C31, 2, 27.486832981),
        (C31, 3, 26.0),
        (C31, 5, 26.0),
        ([(0, 0), (0, 0), (1, 0), (1, 0), (0, 2), (0, 2)], 2, 4.0),
        ([(0, 0), (4, 0), (4, 3), (0, 9)], 2, 18.0),
        (C35, 2, 1.75343937),
        ([(0, 0)], 2, 0.0),
        ([(0, 0), (3, 4)], 1, 10.0),
        ([(0, 0), (3, 4)], 3, 10.0),
        ([(0, 0), (0, 0)], 2, 0.0),
    ],
    ids=["m=2", "m=3", "m=5", "duplicates", "return", "unit square", "no city", "one city", "idle", "all at home"],
)
def test_routes(places: list[tuple[float, float]], salesmen: int, value: float):
    """Minmax tours have their real optimum, within the stated tolerance, and visit every city once."""
    instance = tours(places, salesmen)
    result = solve(instance)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(value, abs=1e-6)
    assert result.tolerance == len(places) / 10_000
    assert result.lower_bound is not None and value - result.tolerance <= result.lower_bound <= value + 1e-9


def test_routes_with_asymmetric_times_and_no_return():
    """Directions matter, and routes that end at the last city do not pay the way home."""
    times = np.array([[[0, 9, 1], [9, 0, 9], [9, 2, 0]]])
    one = Changeover(times, np.zeros(1), np.array([1, 2]), np.zeros(1))
    jobs = [Job([Task({0: 5})]), Job([Task({0: 5})])]
    assert optimum(build_instance("open", "custom", ("A",), jobs, Objective.LONGEST_ROUTE, changeover=one)) == 3
    back = Changeover(times, np.zeros(1), np.array([1, 2]), np.zeros(1), returns=True)
    assert optimum(build_instance("back", "custom", ("A",), jobs, Objective.LONGEST_ROUTE, changeover=back)) == 12


def flexible(seed: int, objective: Objective, setups: bool) -> Instance:
    """Tiny random problem with eligibility, releases, due dates, weights, late agents, a small DAG and maybe setups."""
    rng = np.random.default_rng(seed)
    jobs = []
    for shape in ([None, None], [None, [], [0, 1]]):
        tasks = []
        for after in shape:
            agents = rng.permutation(2)[: rng.integers(1, 3)]
            tasks.append(Task({int(agent): int(rng.integers(0, 6)) for agent in agents}, after))
        dates = {"release": int(rng.integers(0, 4)), "due": int(rng.integers(0, 8)), "weight": int(rng.integers(1, 4))}
        jobs.append(Job(tasks, **dates))
    changeover = None
    if setups:
        times, homes = rng.integers(0, 5, (2, 3, 3)), rng.integers(-1, 3, 2)
        extra = bool(rng.integers(2)) and homes.min() >= 0
        changeover = Changeover(times, np.arange(2), rng.integers(0, 3, 5), homes, extra, bool(rng.integers(2)))
    available = rng.integers(0, 3, 2)
    return build_instance("tiny", "custom", "AB", jobs, objective, agent_available=available, changeover=changeover)


@pytest.mark.parametrize("setups", [False, True], ids=["plain", "setups"])
@pytest.mark.parametrize("objective", [o for o in Objective if o is not Objective.LONGEST_ROUTE])
def test_interval_model_agrees_with_brute_force(objective: Objective, setups: bool):
    """Every feature of the interval model, against the replay of every possible plan."""
    for seed in range(4):
        instance = flexible(seed, objective, setups)
        result = solve(instance)
        assert result.status is Status.OPTIMAL and result.schedule is not None
        assert integer_objective(instance, result.schedule) == brute_force(instance)


def test_deadlines():
    """A deadline can force the costlier order, and an impossible one is proved infeasible."""
    jobs = [Job([Task({0: 5})], weight=9), Job([Task({0: 4})])]
    kind = Objective.TOTAL_COMPLETION_TIME
    assert optimum(build_instance("free", "jsp", ("M",), jobs, kind)) == 9 * 5 + 9
    tight = [jobs[0], Job([Task({0: 4})], deadline=4)]
    assert optimum(build_instance("tight", "jsp", ("M",), tight, kind)) == 9 * 9 + 4
    for deadline in (0, 3):
        result = solve(build_instance("late", "jsp", ("M",), [jobs[0], Job([Task({0: 4})], deadline=deadline)], kind))
        assert (result.status, result.objective, result.lower_bound) == (Status.INFEASIBLE, None, None)


@pytest.mark.parametrize("seed", range(40))
def test_tasks_without_length_do_not_wait_in_a_circle(seed: int):
    """Changeovers and precedence among tasks at one moment still give a plan that can be carried out."""
    rng = np.random.default_rng(seed)
    state, times = rng.integers(0, 2, 6), rng.integers(0, 2, (1, 2, 2))
    changeover = Changeover(times, np.zeros(2), state, np.full(2, -1), needs_task=bool(rng.integers(2)))
    jobs = [Job([Task({0: int(rng.integers(2)), 1: 0}) for _ in range(3)]) for _ in range(2)]
    instance = build_instance("still", "custom", ("A", "B"), jobs, changeover=changeover)
    assert optimum(instance) == solve_cpsat(instance, Budget(30.0), seed).objective


def test_portfolio_follows_time_and_size():
    """Only a good hint changes CP-SAT's portfolio; one search for a proof stays where there is time for it."""
    model = IntervalModel(random_job_shop(5, 4, 0))

    def configured(limit: float | None, workers: int, polish: bool) -> tuple[bool, list[str]]:
        parameters = cp_model.CpSolver().parameters
        model.configure(parameters, Budget(limit, workers=workers), polish)
        return parameters.use_lns_only, list(parameters.subsolvers)

    assert configured(0.5, 2, False) == configured(0.5, 1, True) == (False, [])
    assert configured(0.5, 2, True) == (True, [])
    assert configured(2.0, 2, True) == configured(None, 2, True) == (False, ["quick_restart_no_lp"])


def test_idle_agents_are_not_infeasible():
    """Circuits let agents stay at home, without letting tasks form a circuit without a home."""
    times = np.array([[[0, 1], [1, 0]]])
    changeover = Changeover(times, np.zeros(4), np.array([0, 1]), np.full(4, -1))
    jobs = [Job([Task(dict.fromkeys(range(4), 5))]), Job([Task(dict.fromkeys(range(4), 5))])]
    assert optimum(build_instance("idle", "upms", "ABCD", jobs, changeover=changeover)) == 5
    far = Changeover(np.array([[[0, 0, 0], [0, 0, 0], [7, 7, 0]]]), np.zeros(4), np.array([0, 1]), np.full(4, 2))
    assert optimum(build_instance("far", "upms", "ABCD", jobs, changeover=far)) == 12


HOMEWARD = Changeover(np.ones((1, 1, 1)), np.zeros(2), np.zeros(2), np.zeros(2), returns=True)
TOOL = Resources(np.array([1]), np.zeros((2, 1)), np.ones((2, 1)), np.zeros((0, 2), bool))


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"task_pieces": np.array([2, 1])}, "differ"),
        ({"opens": "dispatched"}, "opens"),
        ({"serves": "stage"}, "serves"),
        ({"retire": True}, "retire"),
        ({"objective": Objective.LONGEST_ROUTE}, "without changeover"),
        ({"objective": Objective.LONGEST_ROUTE, "moving_delay": 1}, "moving_delay"),
        ({"objective": Objective.LONGEST_ROUTE, "job_reveal": np.array([3])}, "job_reveal"),
        ({"objective": Objective.LONGEST_ROUTE, "resources": TOOL}, "resources"),
        ({"changeover": HOMEWARD, "resources": TOOL}, "return"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_features_without_a_model_are_refused_by_name(changes: dict[str, object], word: str):
    """What CP-SAT does not model is refused, never ignored."""
    with pytest.raises(UnsupportedError, match=word):
        choose_model(shop(2, [(0, 1), (1, 1)]).replace(**changes))


def test_model_is_chosen_by_structure():
    """Longest routes need no times, nor does the makespan where nothing has to wait."""
    assert choose_model(shop(1, [(0, 1), (0, 1)])) is ModelKind.INTERVALS
    assert choose_model(tours(C31, 2)) is ModelKind.ROUTES
    assert choose_model(tours(C31, 2).replace(objective=Objective.MAKESPAN)) is ModelKind.LOADS
    free = shop(1, [(0, 1)], [(0, 2)])
    assert choose_model(free) is ModelKind.LOADS
    for change in (
        {"job_release": np.array([0, 1])},
        {"job_deadline": np.array([9, -1])},
        {"objective": Objective.TOTAL_COMPLETION_TIME},
    ):
        assert choose_model(free.replace(**change)) is ModelKind.INTERVALS


def test_two_hundred_optima_replay_exactly():
    """Every proved optimum, replayed by the simulator, gives exactly CP-SAT's value (both families)."""
    for seed in range(100):
        for instance in (
            random_job_shop(2 + seed % 4, 2 + seed % 3, seed),
            random_multiple_tsp(seed % 6, 1 + seed % 3, seed),
        ):
            result = solve(instance)  # raises if replay and CP-SAT differ
            assert result.status is Status.OPTIMAL and result.schedule is not None
            again = replay(instance, result.schedule.sequences(instance.num_agents))
            assert again == result.schedule
            value = integer_objective(instance, again)
            assert result.lower_bound == pytest.approx(value / instance.scale, abs=1e-9)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "limit", "statuses", "load"),
    [
        ("C23_30x15.jsp", 0.01, {Status.UNKNOWN}, 0),
        ("C25_15x15.jsp", 2.0, {Status.FEASIBLE}, 1000),
        ("C53_100x20.jsp", 10.0, {Status.FEASIBLE, Status.UNKNOWN}, 5528),
    ],
)
def test_cut_runs_of_public_cases(shared: Path, name: str, limit: float, statuses: set[Status], load: int):
    """Cut runs are never called optimal, and their bound is at least the load of a machine."""
    from problems.formats import read_instance

    result = solve(read_instance(shared / "cases" / name), limit)
    assert result.status in statuses
    assert result.lower_bound is not None and result.lower_bound >= load
    assert result.objective is None or result.objective >= result.lower_bound


@pytest.mark.shared
def test_public_instances(shared: Path):
    """la01 is proved in seconds, and eil51 gets a valid bound."""
    from problems.formats import read_instance

    la01 = solve(read_instance(shared / "bench" / "jsp" / "la01.txt"), 20, 2)
    assert (la01.status, la01.objective) == (Status.OPTIMAL, 666)
    eil51 = read_instance(shared / "bench" / "mtsp" / "eil51.tsp", agents=3)
    result = solve(eil51, 5, 2)
    assert result.lower_bound is not None and 142 < result.lower_bound <= 159.6
