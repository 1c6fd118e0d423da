"""The interval model: optional intervals, no overlap on an agent, circuits where there are changeovers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from problems.instance import NO_TIME, Instance
from problems.measure import integer_objective
from problems.objective import Objective
from problems.schedule import COLUMNS, NO_RESOURCE, Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.cpsat.circuits import HOME, Circuits, changeover_time, has_changeovers
from solvers.cpsat.intervals.changeovers import Changeovers
from solvers.cpsat.intervals.constraints import add_capacities, add_constraints
from solvers.cpsat.intervals.objective import ObjectivePart
from solvers.cpsat.intervals.variables import Variables, horizon, topological_positions

__all__ = ["IntervalModel", "horizon"]

PROOF_SECONDS_PER_TASK = 0.05
"""With less time, a search for a proof ended no earlier than its schedule met the first bound (docs/decisions/0010)."""


class IntervalModel:
    """Model of an instance that `solvers.cpsat.choose` sends here.

    Parameters
    ----------
    instance
        The problem.
    upper
        A feasible objective value, or None.
    """

    exact = True

    def __init__(self, instance: Instance, upper: int | None = None) -> None:
        self.instance = instance
        self.model = cp_model.CpModel()
        latest = horizon(instance)
        if upper is not None and instance.objective is Objective.MAKESPAN:
            latest = min(latest, upper)
        self.variables = Variables(instance, self.model, latest)
        add_constraints(self.variables)
        self.changeovers = Changeovers(self.variables) if has_changeovers(instance) else None
        self._placement = None if self.changeovers is None else self.changeovers.placement
        add_capacities(self.variables, self._placement)
        self._objective = ObjectivePart(self.variables, self._circuits, upper)
        self.objective = self._objective.objective

    @property
    def _circuits(self) -> Circuits | None:
        return None if self.changeovers is None else self.changeovers.circuits

    def configure(self, parameters: Any, budget: Budget, polish: bool) -> None:
        """CP-SAT's own portfolio, unless a good hint is to be improved: then neighbourhood search gets the workers.

        One of them still searches for a proof, where there is time for one.
        """
        if not polish or budget.workers == 1:
            return
        if budget.time_limit is not None and budget.time_limit < PROOF_SECONDS_PER_TASK * self.instance.num_tasks:
            parameters.use_lns_only = True
        else:
            parameters.subsolvers.append("quick_restart_no_lp")

    def hint(self, schedule: Schedule) -> None:
        """Give every variable its value in ``schedule``."""
        start, end = np.zeros((2, self.instance.num_tasks), np.int64)
        start[schedule.task], end[schedule.task] = schedule.start, schedule.end
        for task, variable in enumerate(self.variables.start):
            self.model.add_hint(variable, int(start[task]))
        for task, variable in self.variables.chosen_end.items():
            self.model.add_hint(variable, int(end[task]))
        self._hint_presence(dict(zip(schedule.task.tolist(), schedule.agent.tolist(), strict=True)))
        if self.changeovers is not None:
            self.changeovers.hint(schedule.sequences(self.instance.num_agents))
        if self._placement is not None:
            self._placement.hint(schedule)
        self._objective.hint(end, integer_objective(self.instance, schedule))

    def _hint_presence(self, agent_of: dict[int, int]) -> None:
        for (task, agent), present in self.variables.presence.items():
            if task in self.variables.chosen_end:
                self.model.add_hint(present, agent_of[task] == agent)

    def schedule(self, value: Callable[[Any], int]) -> Schedule:
        """Replay of the order of each agent, or the solution's own times where they are better.

        A replay is never worse where an agent need only wait for its own tasks and their predecessors. With resources,
        times also depend on who takes a unit or an operator first, which the order of each agent does not say. And a
        replay decides on a changeover only when the predecessors of its task are revealed, while these times may
        use that they are known.
        """
        plan = self._plan(value)
        replayed = replay(self.instance, plan)
        if self.instance.resources is None and not self.instance.job_reveal.any():
            return replayed
        own = self._own_schedule(plan, value)
        late = integer_objective(self.instance, replayed) > integer_objective(self.instance, own)
        return own if late or self._misses_deadline(replayed) else replayed

    def _misses_deadline(self, schedule: Schedule) -> bool:
        deadline = self.instance.job_deadline[self.instance.task_job[schedule.task]]
        return bool(((deadline != NO_TIME) & (schedule.end > deadline)).any())

    def _own_schedule(self, plan: list[list[int]], value: Callable[[Any], int]) -> Schedule:
        """Times of a solution; a changeover that need not be placed lies right before its task."""
        rows = []
        for agent, order in enumerate(plan):
            for before, task in itertools.pairwise([HOME, *order]):
                start, end = value(self.variables.start[task]), value(self.variables.end[task])
                time = changeover_time(self.instance, agent, before, task)
                begin, operator = start - time, NO_RESOURCE
                if self._placement is not None and time > 0:
                    begin = value(self._placement.begin[task])
                    operator = self._placement.operator_of(task, value)
                rows.append((task, 0, agent, start, end, begin, begin + time, operator))
        return Schedule(*np.array(rows, np.int64).reshape(-1, len(COLUMNS)).T)

    def _plan(self, value: Callable[[Any], int]) -> list[list[int]]:
        """Order of each agent; where times are equal, zero-length tasks come first and precedence decides."""
        if self._circuits is not None:
            return self._circuits.plan(value)
        position = topological_positions(self.instance)
        start, end, presence = self.variables.start, self.variables.end, self.variables.presence
        orders = []
        for agent in range(self.instance.num_agents):
            tasks = [task for task in self.variables.tasks_of(agent) if value(presence[task, agent])]
            orders.append([row[-1] for row in sorted((value(start[t]), value(end[t]), position[t], t) for t in tasks)])
        return orders
