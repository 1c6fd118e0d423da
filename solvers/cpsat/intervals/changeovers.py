"""Changeovers in the interval model: what the arcs of the circuits say about times."""

from __future__ import annotations

import itertools
from graphlib import TopologicalSorter

from ortools.sat.python import cp_model

from solvers.cpsat.choose import uses_resources
from solvers.cpsat.circuits import HOME, Circuits, Literal, changeover_time
from solvers.cpsat.intervals.placement import Placement
from solvers.cpsat.intervals.variables import Expr, Variables


class Changeovers:
    """Circuits of the agents, and the times between tasks that follow each other.

    Attributes
    ----------
    circuits
        Which task follows which.
    placement
        When each changeover takes place, and with whom; None where it uses nothing and so need not be placed.
    """

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        instance = variables.instance
        self.circuits = Circuits(instance, variables.model, variables.presence)
        self.placement = Placement(variables, self.circuits) if uses_resources(instance) else None
        for agent, arcs in self.circuits.arcs.items():
            for (before, after), arc in arcs.items():
                if after != HOME:
                    self._add_changeover(agent, before, after, arc)
        self.rank = self._add_ranks()

    def _add_changeover(self, agent: int, before: int, after: int, arc: Literal) -> None:
        model, begins = self.variables.model, self._earliest(agent, before, after)
        if self.placement is not None:
            for begin in begins:
                model.add(self.placement.begin[after] >= begin).only_enforce_if(arc)
            return
        time = changeover_time(self.variables.instance, agent, before, after)
        for begin in begins:
            model.add(self.variables.start[after] >= begin + time).only_enforce_if(arc)

    def _earliest(self, agent: int, before: int, after: int) -> list[Expr]:
        """A changeover begins when the agent is free, the job is known and, if it needs its task, the task is ready."""
        instance, end = self.variables.instance, self.variables.end
        job = instance.task_job[after]
        begins: list[Expr] = [int(instance.agent_available[agent]) if before == HOME else end[before]]
        if instance.job_reveal[job] > 0:
            begins.append(int(instance.job_reveal[job]))
        if instance.changeover is not None and instance.changeover.needs_task:
            begins.append(int(instance.job_release[job]))
            begins.extend(end[task] for task in instance.predecessors(after).tolist())
        return begins

    def _add_ranks(self) -> dict[int, cp_model.IntVar]:
        """Order of the tasks that may take no time, which at one moment could wait for each other in a circle."""
        instance, model = self.variables.instance, self.variables.model
        brief = [task for task in range(instance.num_tasks) if instance.eligible(task)[1].min() == 0]
        ordered = [(before, task) for task in brief for before in instance.predecessors(task).tolist()]
        ordered = [(before, task) for before, task in ordered if before in brief]
        if not ordered:
            return {}
        rank = {task: model.new_int_var(0, len(brief) - 1, f"rank_{task}") for task in brief}
        for before, after in ordered:
            model.add(rank[before] < rank[after])
        for agent, arcs in self.circuits.arcs.items():
            for (before, after), arc in arcs.items():
                if before in rank and after in rank and changeover_time(instance, agent, before, after) == 0:
                    model.add(rank[before] < rank[after]).only_enforce_if(arc)
        return rank

    def hint(self, plan: list[list[int]]) -> None:
        """Give every variable its value in ``plan``."""
        self.circuits.hint(plan)
        for number, task in enumerate(task for task in self._order(plan) if task in self.rank):
            self.variables.model.add_hint(self.rank[task], number)

    def _order(self, plan: list[list[int]]) -> list[int]:
        """Tasks in an order that respects the plan and precedence."""
        instance = self.variables.instance
        sorter = TopologicalSorter({task: instance.predecessors(task).tolist() for task in range(instance.num_tasks)})
        for order in plan:
            for before, after in itertools.pairwise(order):
                sorter.add(after, before)
        return list(sorter.static_order())
