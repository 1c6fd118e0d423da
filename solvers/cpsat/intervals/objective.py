"""Objectives of the interval model: one integer variable is minimised."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from ortools.sat.python import cp_model

from problems.instance import NO_TIME, Instance
from problems.objective import Objective
from solvers.cpsat.circuits import Circuits, longest_changeover
from solvers.cpsat.intervals.variables import Expr


class Ends(Protocol):
    """What an objective needs to know: when tasks end."""

    instance: Instance
    model: cp_model.CpModel
    end: list[Expr]
    latest: int


class ObjectivePart:
    """Completion times, tardiness and the variable that is minimised.

    Parameters
    ----------
    variables, circuits
        The model so far.
    upper
        A feasible objective value, or None.
    """

    def __init__(self, variables: Ends, circuits: Circuits | None, upper: int | None) -> None:
        self.variables = variables
        self.circuits = circuits
        self.upper = upper
        self.completion: dict[int, cp_model.IntVar] = {}  # only of jobs with several last tasks
        self.tardiness: dict[int, cp_model.IntVar] = {}
        self.completions: list[Expr] = []  # of every job, where the objective is a sum
        instance = variables.instance
        self.objective = self._makespan() if instance.objective is Objective.MAKESPAN else self._sum()
        variables.model.minimize(self.objective)

    def _makespan(self) -> cp_model.IntVar:
        variables, instance = self.variables, self.variables.instance
        lower = max(instance.job_release.tolist(), default=0)
        home = longest_changeover(instance) if self.circuits is not None and self.circuits.returns() else 0
        upper = variables.latest + home if self.upper is None else self.upper
        makespan = variables.model.new_int_var(lower, max(lower, upper), "makespan")
        for tasks in last_tasks(instance):
            for task in tasks:
                variables.model.add(variables.end[task] <= makespan)
        for _, last, time, arc in self.circuits.returns() if self.circuits is not None else []:
            variables.model.add(variables.end[last] + time <= makespan).only_enforce_if(arc)
        return makespan

    def _sum(self) -> cp_model.IntVar:
        instance = self.variables.instance
        terms = [self._cost(job, tasks) for job, tasks in enumerate(last_tasks(instance))]
        weight = max(1, int(instance.job_weight.sum()), instance.num_jobs)
        upper = weight * self.variables.latest if self.upper is None else self.upper
        total = self.variables.model.new_int_var(0, upper, "total")
        self.variables.model.add(sum(terms) <= total)
        return total

    def _cost(self, job: int, tasks: list[int]) -> Expr:
        instance = self.variables.instance
        end, weight = self._completion(job, tasks), int(instance.job_weight[job])
        self.completions.append(end)
        if instance.objective is Objective.MEAN_FLOW_TIME:
            return end - int(instance.job_release[job])
        if instance.objective is Objective.TOTAL_COMPLETION_TIME:
            return weight * end
        due = int(instance.job_due[job])
        return 0 if due == NO_TIME else weight * self._tardiness(job, end, due)

    def _completion(self, job: int, tasks: list[int]) -> Expr:
        """End of the job's last task; its release if it has none."""
        if not tasks:
            return int(self.variables.instance.job_release[job])
        if len(tasks) == 1:
            return self.variables.end[tasks[0]]
        end = self.variables.model.new_int_var(0, self.variables.latest, f"completion_{job}")
        for task in tasks:
            self.variables.model.add(self.variables.end[task] <= end)
        self.completion[job] = end
        return end

    def _tardiness(self, job: int, end: Expr, due: int) -> cp_model.IntVar:
        late = self.variables.model.new_int_var(0, max(0, self.variables.latest - due), f"tardiness_{job}")
        self.variables.model.add(end - due <= late)
        self.tardiness[job] = late
        return late

    def hint(self, ends: np.ndarray, value: int) -> None:
        """Give every variable its value, given the end of each task and the objective."""
        instance, model = self.variables.instance, self.variables.model
        completion = instance.job_release.copy()
        np.maximum.at(completion, instance.task_job, ends)
        for job, variable in self.completion.items():
            model.add_hint(variable, int(completion[job]))
        for job, variable in self.tardiness.items():
            model.add_hint(variable, max(0, int(completion[job] - instance.job_due[job])))
        model.add_hint(self.objective, value)


def last_tasks(instance: Instance) -> list[list[int]]:
    """Tasks of each job that no other task of the same job follows."""
    pointer, follower = instance.successors
    lasts: list[list[int]] = [[] for _ in range(instance.num_jobs)]
    for task, job in enumerate(instance.task_job.tolist()):
        after = follower[pointer[task] : pointer[task + 1]]
        if not bool((instance.task_job[after] == job).any()):
            lasts[job].append(task)
    return lasts
