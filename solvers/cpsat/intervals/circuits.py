"""Changeovers in the interval model: one circuit per agent says which task follows which."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from graphlib import TopologicalSorter
from typing import Any

from ortools.sat.python import cp_model

from problems.instance import NO_STATE, Changeover, Instance
from solvers.cpsat.intervals.variables import Expr, Literal, Variables

HOME = -1
"""Stands for the agent's home in arcs; all other nodes are tasks."""


class Circuits:
    """Arc Booleans of every agent, ``arcs[agent][before, after]``, its idle literal, and what follows from them.

    An agent that does nothing has the arc from home to home. It excludes all its tasks: without that, the tasks could
    form a circuit of their own that never leaves home.
    """

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self.arcs: dict[int, dict[tuple[int, int], Literal]] = {}
        self.idle: dict[int, Literal] = {}
        for agent in range(variables.instance.num_agents):
            self._add_agent(agent, variables.tasks_of(agent))
        self.rank = self._add_ranks()

    def _add_agent(self, agent: int, tasks: list[int]) -> None:
        model, presence = self.variables.model, self.variables.presence
        nodes = [HOME, *tasks]
        self.idle[agent] = model.new_bool_var(f"idle_{agent}")
        self.arcs[agent] = {(i, j): model.new_bool_var(f"arc_{agent}_{i}_{j}") for i in nodes for j in nodes if i != j}
        index = {node: position for position, node in enumerate(nodes)}
        circuit = [(index[i], index[j], arc) for (i, j), arc in self.arcs[agent].items()]
        circuit.append((0, 0, self.idle[agent]))
        circuit.extend((index[task], index[task], ~presence[task, agent]) for task in tasks)
        model.add_circuit(circuit)
        for task in tasks:
            model.add_implication(self.idle[agent], ~presence[task, agent])
        for (before, after), arc in self.arcs[agent].items():
            if after != HOME:
                self._add_changeover(agent, before, after, arc)

    def _add_changeover(self, agent: int, before: int, after: int, arc: Literal) -> None:
        """It begins when the agent is free and, where it needs its task, when the task is ready."""
        instance, variables = self.variables.instance, self.variables
        time = changeover_time(instance, agent, before, after)
        free = int(instance.agent_available[agent]) if before == HOME else variables.end[before]
        begins: list[Expr] = [free]
        if _changeover(instance).needs_task:
            begins.append(int(instance.job_release[instance.task_job[after]]))
            begins.extend(variables.end[task] for task in instance.predecessors(after).tolist())
        for begin in begins:
            variables.model.add(variables.start[after] >= begin + time).only_enforce_if(arc)

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
        for agent, arcs in self.arcs.items():
            for (before, after), arc in arcs.items():
                if before in rank and after in rank and changeover_time(instance, agent, before, after) == 0:
                    model.add(rank[before] < rank[after]).only_enforce_if(arc)
        return rank

    def returns(self) -> list[tuple[int, int, int, Literal]]:
        """(agent, last task, time home, arc) of every possible return."""
        instance = self.variables.instance
        if not _changeover(instance).returns:
            return []
        return [
            (agent, last, changeover_time(instance, agent, last, HOME), arc)
            for agent, arcs in self.arcs.items()
            for (last, node), arc in arcs.items()
            if node == HOME
        ]

    def hint(self, plan: list[list[int]]) -> None:
        """Give every arc its value in ``plan``."""
        model = self.variables.model
        for agent, order in enumerate(plan):
            nodes = [HOME, *order, HOME] if order else []
            used = set(itertools.pairwise(nodes))
            model.add_hint(self.idle[agent], not order)
            for pair, arc in self.arcs[agent].items():
                model.add_hint(arc, pair in used)
        for number, task in enumerate(task for task in self._order(plan) if task in self.rank):
            model.add_hint(self.rank[task], number)

    def _order(self, plan: list[list[int]]) -> list[int]:
        """Tasks in an order that respects the plan and precedence."""
        instance = self.variables.instance
        sorter = TopologicalSorter({task: instance.predecessors(task).tolist() for task in range(instance.num_tasks)})
        for order in plan:
            for before, after in itertools.pairwise(order):
                sorter.add(after, before)
        return list(sorter.static_order())

    def plan(self, value: Callable[[Any], int]) -> list[list[int]]:
        """Follow each agent from home to home."""
        routes: list[list[int]] = []
        for arcs in self.arcs.values():
            after = {i: j for (i, j), arc in arcs.items() if value(arc)}
            route: list[int] = []
            node = after.get(HOME, HOME)
            while node != HOME:
                route.append(node)
                node = after[node]
            routes.append(route)
        return routes


def changeover_time(instance: Instance, agent: int, before: int, after: int) -> int:
    """Time between two tasks of an agent, either of which may be ``HOME``."""
    changeover = _changeover(instance)
    home = int(changeover.agent_home[agent])
    states = [home if task == HOME else int(changeover.task_state[task]) for task in (before, after)]
    if NO_STATE in states:
        return 0
    return int(changeover.times[changeover.agent_matrix[agent], states[0], states[1]])


def _changeover(instance: Instance) -> Changeover:
    assert instance.changeover is not None
    return instance.changeover
