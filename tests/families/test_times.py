"""Release dates, due dates, deadlines and weights in job shops, flexible ones and on parallel machines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from dressing import PATIENT, plain, rules

import marl
from problems import NO_STATE, NO_TIME, Instance, InstanceError, Job, Objective, Task
from problems.build import build_instance
from problems.check import Kind, check
from problems.families import job_shop, parallel_machines
from problems.formats import read_instance, write_instance
from problems.schedule import Schedule
from solvers import Budget, Status
from solvers.registry import get_solver

families = pytest.mark.parametrize("family", ["jsp", "fjsp", "upms"])
WEIGHED = [
    Objective.MAKESPAN,
    Objective.MEAN_FLOW_TIME,
    Objective.TOTAL_COMPLETION_TIME,
    Objective.TOTAL_WEIGHTED_TARDINESS,
]


def timed(family: str, seed: int, objective: Objective, tight: bool = False) -> Instance:
    """Small instance with releases, due dates and weights; with ``tight``, with a deadline for its first job."""
    instance, random = plain(family, seed), np.random.default_rng(seed)
    unit = int(instance.durations.max())
    release = random.integers(0, 2 * unit, instance.num_jobs)
    deadline = np.full(instance.num_jobs, NO_TIME)
    if tight:
        deadline[0] = release[0] + 2 * unit
    return instance.replace(
        objective=objective,
        job_release=release,
        job_due=release + random.integers(unit // 2, 2 * unit, instance.num_jobs),
        job_deadline=deadline,
        job_weight=random.integers(1, 5, instance.num_jobs),
    )


@dataclass
class Exhaustive:
    """Best value over all orders in which agents may append tasks, each started as early as it can."""

    instance: Instance
    best: float = float("inf")
    ends: dict[int, int] = field(default_factory=dict)

    def search(self, free: list[int], last: list[int]) -> float:
        """Try every continuation that may still be better."""
        value = self._value()
        if value >= self.best:
            return self.best
        if len(self.ends) == self.instance.num_tasks:
            self.best = value
        for task in range(self.instance.num_tasks):
            before = self.instance.predecessors(task).tolist()
            if task in self.ends or any(other not in self.ends for other in before):
                continue
            for agent, time in zip(*self.instance.eligible(task), strict=True):
                ready = max([int(self.instance.job_release[self.instance.task_job[task]]), *map(self.ends.get, before)])
                end = max(free[agent] + self._setup(agent, last[agent], task), ready) + int(time)
                deadline = self.instance.job_deadline[self.instance.task_job[task]]
                if deadline == NO_TIME or end <= deadline:
                    self.ends[task] = end
                    self.search(_set(free, agent, end), _set(last, agent, task))
                    del self.ends[task]
        return self.best

    def _setup(self, agent: int, last: int, task: int) -> int:
        changeover = self.instance.changeover
        if changeover is None:
            return 0
        state = changeover.task_state[last] if last >= 0 else changeover.agent_home[agent]
        if state == NO_STATE:
            return 0
        return int(changeover.times[changeover.agent_matrix[agent], state, changeover.task_state[task]])

    def _value(self) -> int:
        instance, completion = self.instance, self.instance.job_release.tolist()
        for task, end in self.ends.items():
            job = int(instance.task_job[task])
            completion[job] = max(completion[job], end)
        if instance.objective is Objective.MAKESPAN:
            return max(completion)
        if instance.objective is Objective.MEAN_FLOW_TIME:
            return sum(completion) - int(instance.job_release.sum())
        weight, due = instance.job_weight.tolist(), instance.job_due.tolist()
        late = completion
        if instance.objective is Objective.TOTAL_WEIGHTED_TARDINESS:
            late = [max(0, end - limit) for end, limit in zip(completion, due, strict=True)]
        return sum(factor * time for factor, time in zip(weight, late, strict=True))


def _set(values: list[int], at: int, value: int) -> list[int]:
    return [*values[:at], value, *values[at + 1 :]]


def exhaustive(instance: Instance) -> float:
    """Optimum in the unit of the source, infinite if there is no schedule."""
    size = instance.num_jobs if instance.objective is Objective.MEAN_FLOW_TIME else 1
    nobody = [-1] * instance.num_agents
    return Exhaustive(instance).search(instance.agent_available.tolist(), nobody) / size


@families
@pytest.mark.parametrize("objective", WEIGHED)
@pytest.mark.parametrize("tight", [False, True], ids=["free", "deadline"])
def test_optimum_is_that_of_exhaustive_search(family: str, objective: Objective, tight: bool, tmp_path: Path):
    """CP-SAT finds the optimum with releases, due dates, weights and deadlines, on an instance read from JSON."""
    for seed in range(2):
        write_instance(timed(family, seed, objective, tight), tmp_path / "timed.json")
        instance = read_instance(tmp_path / "timed.json")
        result = get_solver("cp-sat")(instance, PATIENT, 0)
        optimum = exhaustive(instance)
        if optimum == float("inf"):
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.OPTIMAL and result.schedule is not None
        assert result.objective == pytest.approx(optimum)
        assert check(instance, result.schedule).objective == result.objective


@families
def test_rules_respect_releases_and_are_valued_by_due_dates(family: str):
    """Rules wait for releases; their weighted tardiness is recomputed and never below the optimum."""
    for seed in range(2):
        instance = timed(family, seed, Objective.TOTAL_WEIGHTED_TARDINESS)
        optimum = exhaustive(instance)
        for rule in set(rules(family)) - {"insertion"}:
            result = get_solver(rule)(instance, Budget(), seed)
            assert result.schedule is not None and result.objective is not None
            assert np.all(result.schedule.start >= instance.job_release[instance.task_job[result.schedule.task]])
            assert result.objective >= optimum


@families
def test_deadlines_that_none_can_meet(family: str):
    """An impossible deadline makes CP-SAT say infeasible, a rule find nothing, and the checker name the job."""
    instance = timed(family, 0, Objective.MAKESPAN)
    schedule = get_solver("random")(instance, Budget(), 0).schedule
    assert schedule is not None
    late = instance.replace(job_deadline=np.concatenate([instance.job_release[:1], instance.job_due[1:] * 0 + NO_TIME]))
    assert {(v.kind, late.task_job[v.task]) for v in check(late, schedule).violations} == {(Kind.DEADLINE, 0)}
    assert get_solver("random")(late, Budget(), 0).status is Status.UNKNOWN
    assert get_solver("cp-sat")(late, PATIENT, 0).status is Status.INFEASIBLE


@pytest.mark.parametrize(
    ("routes", "releases", "value"),
    [
        ([[(0, 3), (1, 4)], [(1, 2), (0, 3)], [(0, 2), (1, 2)]], [4, 0, 6], 13),
        ([[(0, 3), (1, 4)], [(1, 2), (0, 3)], [(0, 2), (1, 2)]], [0, 0, 0], 9),
        ([[(0, 2), (1, 3)], [(0, 4), (1, 1)]], [0, 1000], 1005),
    ],
    ids=["releases", "ignored", "late"],
)
def test_release_dates_of_job_shops(routes: list[list[tuple[int, int]]], releases: list[int], value: int):
    """Waiting for releases counts, and the horizon holds a late one (C14)."""
    instance = job_shop("case", routes, 2, releases=releases)
    result = get_solver("cp-sat")(instance, PATIENT, 0)
    assert (result.status, result.objective) == (Status.OPTIMAL, value)


def test_time_advances_to_a_late_release():
    """Among the candidates that can start now a job is hidden until its release, and the clock jumps there (C14)."""
    instance = job_shop("late", [[(0, 2), (1, 3)], [(0, 4), (1, 1)]], 2, releases=[0, 1000])
    env = marl.env("jsp", instance, candidate_filter="non-delay")
    env.reset(seed=0)
    assert env.last()[4]["action_mask"].tolist()[:2] == [1, 0]
    while env.agents:
        _, _, ended, _, info = env.last()
        env.step(None if ended else int(info["action_mask"].argmax()))
    assert env.schedule().end.max() == 1005


SETUPS = [
    [[0, 6, 7, 8], [6, 0, 9, 8], [1, 9, 0, 8], [4, 6, 3, 0]],
    [[0, 4, 6, 4], [8, 0, 4, 8], [5, 0, 0, 6], [9, 5, 0, 0]],
]


def test_setups_are_initial_and_asymmetric(tmp_path: Path):
    """Initial setups count and the direction of a setup matters, for solver, file and checker alike (C16)."""
    durations, initial = np.array([[4, 3], [2, 4], [4, 4], [3, 5]]), np.array([[4, 5, 5, 6], [2, 1, 6, 6]])
    write_instance(parallel_machines("case", durations, np.array(SETUPS), initial), tmp_path / "case.json")
    instance = read_instance(tmp_path / "case.json")
    result = get_solver("cp-sat")(instance, PATIENT, 0)
    assert (result.status, result.objective) == (Status.OPTIMAL, 16)
    assert result.schedule is not None
    turned = parallel_machines("turned", durations, np.transpose(SETUPS, (0, 2, 1)), initial)
    for wrong in (
        turned,
        parallel_machines("none", durations, np.array(SETUPS)),
        parallel_machines("p", durations, None),
    ):
        assert Kind.CHANGEOVER_DURATION in {v.kind for v in check(wrong, result.schedule).violations}


def test_forbidden_is_not_a_large_number():
    """A forbidden machine is never used; a large number is a time; a job without machine is refused by name (C19)."""
    setups = np.array([[[0, 1, 1], [1, 0, 1], [1, 1, 0]]] * 2)
    forbidden = parallel_machines("null", np.array([[-1, 12000], [3, 4], [5, -1]]), setups)
    result = get_solver("cp-sat")(forbidden, PATIENT, 0)
    assert result.objective == 12000 and result.schedule is not None
    rows = {name: getattr(result.schedule, name).copy() for name in ("task", "start", "end")}
    swapped = Schedule.from_times(rows["task"], 1 - result.schedule.agent, rows["start"], rows["end"])
    assert Kind.NOT_ELIGIBLE in {violation.kind for violation in check(forbidden, swapped).violations}
    large = parallel_machines("9999", np.array([[9999, 12000], [3, 4], [5, 9999]]), setups)
    assert get_solver("cp-sat")(large, PATIENT, 0).objective == 10003
    with pytest.raises(InstanceError, match="job 2"):
        parallel_machines("nowhere", np.array([[3, 4], [-1, -1], [2, 5]]), setups)


def test_job_is_complete_with_its_last_stage():
    """A job with several final stages and one apart from the others ends with the last of them (C29)."""
    stages = [Task({0: 2, 1: 2}, ()), Task({0: 3, 1: 3}, (0,)), Task({0: 5, 1: 5}, (0,), 2), Task({0: 9, 1: 9}, ())]
    instance = build_instance("sinks", "spark", ("executor_0", "executor_1"), [Job(stages)], Objective.MEAN_FLOW_TIME)
    rows = [(0, 0, 0, 2), (1, 1, 9, 12), (2, 0, 2, 7), (2, 0, 7, 12), (3, 1, 0, 9)]
    task, agent, start, end = np.array(rows).T
    none = np.zeros(5, np.int64)
    schedule = Schedule(task, np.array([0, 0, 0, 1, 0]), agent, start, end, start, start, none - 1)
    assert check(instance, schedule).valid and check(instance, schedule).objective == 12
