"""One circuit per agent says which task follows which; the interval model and the load model share it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ortools.sat.python import cp_model

from problems.instance import NO_STATE, Instance

Literal: TypeAlias = cp_model.BoolVarT

HOME = -1
"""Stands for the agent's home in arcs; all other nodes are tasks."""


class Circuits:
    """Arc Booleans of every agent, ``arcs[agent][before, after]``, and its idle literal.

    An agent that does nothing has the arc from home to home. It excludes all its tasks: without that, the tasks could
    form a circuit of their own that never leaves home.

    Parameters
    ----------
    instance
        The problem.
    model
        The model that gets the variables.
    presence
        Whether a task is done by an agent, by (task, agent).
    possible
        Whether a task may follow another on an agent, by (agent, before, after); all may if it is not given.
    """

    def __init__(
        self,
        instance: Instance,
        model: cp_model.CpModel,
        presence: Mapping[tuple[int, int], Literal],
        possible: Callable[[int, int, int], bool] = lambda agent, before, after: True,
    ) -> None:
        self.instance = instance
        self._possible = possible
        self.model = model
        self.arcs: dict[int, dict[tuple[int, int], Literal]] = {}
        self.idle: dict[int, Literal] = {}
        tasks_of: list[list[int]] = [[] for _ in range(instance.num_agents)]
        for task, agent in presence:
            tasks_of[agent].append(task)
        for agent, tasks in enumerate(tasks_of):
            self._add_agent(agent, {task: presence[task, agent] for task in tasks})

    def _add_agent(self, agent: int, presence: Mapping[int, Literal]) -> None:
        nodes = [HOME, *presence]
        self.idle[agent] = self.model.new_bool_var(f"idle_{agent}")
        self.arcs[agent] = {
            (i, j): self.model.new_bool_var(f"arc_{agent}_{i}_{j}")
            for i in nodes
            for j in nodes
            if i != j and (HOME in (i, j) or self._possible(agent, i, j))
        }
        index = {node: position for position, node in enumerate(nodes)}
        circuit = [(index[i], index[j], arc) for (i, j), arc in self.arcs[agent].items()]
        circuit.append((0, 0, self.idle[agent]))
        circuit.extend((index[task], index[task], ~present) for task, present in presence.items())
        self.model.add_circuit(circuit)
        for present in presence.values():
            self.model.add_implication(self.idle[agent], ~present)

    def returns(self) -> list[tuple[int, int, int, Literal]]:
        """(agent, last task, time home, arc) of every possible return."""
        changeover = self.instance.changeover
        if changeover is None or not changeover.returns:
            return []
        return [
            (agent, last, changeover_time(self.instance, agent, last, HOME), arc)
            for agent, arcs in self.arcs.items()
            for (last, node), arc in arcs.items()
            if node == HOME
        ]

    def hint(self, plan: list[list[int]]) -> None:
        """Give every arc its value in ``plan``."""
        for agent, order in enumerate(plan):
            nodes = [HOME, *order, HOME] if order else []
            used = set(itertools.pairwise(nodes))
            self.model.add_hint(self.idle[agent], not order)
            for pair, arc in self.arcs[agent].items():
                self.model.add_hint(arc, pair in used)

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
    """Time between two tasks of an agent, either of which may be ``HOME``; 0 for a way home that nobody takes."""
    changeover = instance.changeover
    if after == HOME and (changeover is None or not changeover.returns):
        return 0
    time = instance.moving_delay if _moves(instance, before, after) else 0
    if changeover is None:
        return time
    home = int(changeover.agent_home[agent])
    states = [home if task == HOME else int(changeover.task_state[task]) for task in (before, after)]
    if NO_STATE in states:
        return time
    return time + int(changeover.times[changeover.agent_matrix[agent], states[0], states[1]])


def _moves(instance: Instance, before: int, after: int) -> bool:
    """Whether an agent needs the moving delay: its job changes, or it comes from home."""
    if after == HOME:
        return False
    return before == HOME or bool(instance.task_job[before] != instance.task_job[after])


def has_changeovers(instance: Instance) -> bool:
    """Whether the order of an agent's tasks costs time."""
    return instance.changeover is not None or instance.moving_delay > 0


def longest_changeover(instance: Instance) -> int:
    """No changeover, and no way home, takes longer."""
    changeover = instance.changeover
    longest = 0 if changeover is None or not changeover.times.size else int(changeover.times.max())
    return longest + instance.moving_delay
