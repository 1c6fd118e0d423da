"""Variables of the interval model: when each task runs, and on which agent."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from ortools.sat.python import cp_model

from problems.instance import NO_TIME, Instance
from solvers.cpsat.circuits import Literal, longest_changeover

Expr: TypeAlias = cp_model.LinearExprT


class Variables:
    """Start and end of every task, presence and interval of every (task, agent) pair.

    Parameters
    ----------
    instance
        The problem.
    model
        The model that gets the variables.
    latest
        No task ends later.
    """

    def __init__(self, instance: Instance, model: cp_model.CpModel, latest: int) -> None:
        self.instance = instance
        self.model = model
        self.latest = latest
        self.start = [self._new_start(task) for task in range(instance.num_tasks)]
        self.end: list[Expr] = []
        self.chosen_end: dict[int, cp_model.IntVar] = {}  # only where the duration depends on the agent
        self.presence: dict[tuple[int, int], Literal] = {}
        self.intervals: dict[tuple[int, int], cp_model.IntervalVar] = {}
        for task in range(instance.num_tasks):
            self._add_task(task)

    def _new_start(self, task: int) -> cp_model.IntVar:
        _, durations = self.instance.eligible(task)
        latest = self._latest_end(task) - int(durations.min())
        return self.model.new_int_var(known_from(self.instance, task), latest, f"start_{task}")

    def _latest_end(self, task: int) -> int:
        """A deadline may leave no room at all; then the domain must stay well-formed and a constraint says so."""
        job = self.instance.task_job[task]
        deadline = int(self.instance.job_deadline[job])
        _, durations = self.instance.eligible(task)
        latest = self.latest if deadline == NO_TIME else min(self.latest, deadline)
        return max(latest, known_from(self.instance, task) + int(durations.min()))

    def _add_task(self, task: int) -> None:
        agents, durations = self.instance.eligible(task)
        if len(agents) == 1:
            self._add_fixed(task, int(agents[0]), int(durations[0]))
        else:
            self._add_alternatives(task, agents.tolist(), durations.tolist())

    def _add_fixed(self, task: int, agent: int, duration: int) -> None:
        self.end.append(self.start[task] + duration)
        self.presence[task, agent] = self.model.new_constant(1)
        self.intervals[task, agent] = self.model.new_fixed_size_interval_var(
            self.start[task], duration, f"task_{task}_on_{agent}"
        )

    def _add_alternatives(self, task: int, agents: list[int], durations: list[int]) -> None:
        end = self.model.new_int_var(0, self._latest_end(task), f"end_{task}")
        self.chosen_end[task] = end
        self.end.append(end)
        for agent, duration in zip(agents, durations, strict=True):
            name = f"task_{task}_on_{agent}"
            present = self.model.new_bool_var(name)
            self.presence[task, agent] = present
            self.intervals[task, agent] = self.model.new_optional_fixed_size_interval_var(
                self.start[task], duration, present, name
            )
            self.model.add(end == self.start[task] + duration).only_enforce_if(present)
        self.model.add_exactly_one(self.presence[task, agent] for agent in agents)

    def tasks_of(self, agent: int) -> list[int]:
        """Tasks that ``agent`` may process."""
        return [task for task in range(self.instance.num_tasks) if (task, agent) in self.presence]


def known_from(instance: Instance, task: int) -> int:
    """From when the job of ``task`` is released and revealed."""
    job = instance.task_job[task]
    return int(max(instance.job_release[job], instance.job_reveal[job]))


def horizon(instance: Instance) -> int:
    """A time by which some optimal schedule of any regular objective has ended.

    One task after the other, each on its slowest agent and after its longest changeover, from the moment at which
    everything is released and revealed and every agent is there.
    """
    start = max([0, *instance.job_release.tolist(), *instance.job_reveal.tolist(), *instance.agent_available.tolist()])
    work = sum(int(times.max()) for times in (instance.eligible(task)[1] for task in range(instance.num_tasks)))
    return start + work + longest_changeover(instance) * (instance.num_tasks + 1)


def topological_positions(instance: Instance) -> list[int]:
    """Position of each task in an order that respects precedence."""
    pointer, follower = instance.successors
    waiting = np.diff(instance.predecessor_ptr).tolist()
    ready = [task for task in range(instance.num_tasks) if waiting[task] == 0]
    position = [0] * instance.num_tasks
    for count in range(instance.num_tasks):
        task = ready.pop()
        position[task] = count
        for after in follower[pointer[task] : pointer[task + 1]].tolist():
            waiting[after] -= 1
            if waiting[after] == 0:
                ready.append(after)
    return position
