"""Moves between jobs: routes through the pieces, one for each agent that works.

Agents are alike, so the model does not say which of them takes which route.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ortools.sat.python import cp_model

from problems.instance import Instance
from solvers.cpsat.circuits import Literal
from solvers.cpsat.pieces.variables import PieceVariables

HOME = 0
"""Node at which routes begin and end; the others are pieces, counted through from 1."""

Piece = tuple[int, int]
"""Task and number of the piece in it."""


class Moves:
    """Arc Booleans of the routes, and the moving delay on those that lead to another job."""

    def __init__(self, variables: PieceVariables) -> None:
        self.variables = variables
        self._ancestors = _ancestors(variables.instance)
        self._pieces = [(task, number) for task, starts in enumerate(variables.start) for number in range(len(starts))]
        nodes = range(len(self._pieces) + 1)
        self.arcs: dict[tuple[int, int], Literal] = {
            (i, j): variables.model.new_bool_var(f"arc_{i}_{j}")
            for i in nodes
            for j in nodes
            if i != j and self._possible(i, j)
        }
        variables.model.add_multiple_circuit([(i, j, arc) for (i, j), arc in self.arcs.items()])
        routes = sum(arc for (i, _), arc in self.arcs.items() if i == HOME)
        variables.model.add(routes <= variables.instance.num_agents)
        self.moved = [variables.model.new_bool_var(f"moved_{node}") for node in nodes[1:]]
        self.begin = [variables.model.new_int_var(0, variables.latest, f"begin_{node}") for node in nodes[1:]]
        self._add_times()
        self._add_capacity()

    def _possible(self, before: int, after: int) -> bool:
        """Not against precedence, nor against the order of the pieces of a task."""
        if HOME in (before, after):
            return True
        first, second = self._pieces[before - 1], self._pieces[after - 1]
        return first < second if first[0] == second[0] else second[0] not in self._ancestors[first[0]]

    def _add_times(self) -> None:
        model, delay = self.variables.model, self.variables.instance.moving_delay
        moves: list[list[Literal]] = [[] for _ in self._pieces]
        for (before, after), arc in self.arcs.items():
            if after == HOME:
                continue
            moves[after - 1].extend([arc] if self._changes_job(before, after) else [])
            time = delay * self._changes_job(before, after)
            free = int(self.variables.instance.agent_available.min()) if before == HOME else self._end(before)
            model.add(self._start(after) >= free + time).only_enforce_if(arc)
        for moved, arcs in zip(self.moved, moves, strict=True):
            model.add(sum(arcs) == moved)

    def _changes_job(self, before: int, after: int) -> bool:
        if before == HOME:
            return True
        job = self.variables.instance.task_job
        return bool(job[self._pieces[before - 1][0]] != job[self._pieces[after - 1][0]])

    def _start(self, node: int) -> cp_model.IntVar:
        task, number = self._pieces[node - 1]
        return self.variables.start[task][number]

    def _end(self, node: int) -> cp_model.LinearExpr:
        return self._start(node) + self.variables.duration[self._pieces[node - 1][0]]

    def _add_capacity(self) -> None:
        """Pieces and the moves right before them keep an agent busy; redundant, but routes alone prove little."""
        variables, intervals = self.variables, []
        delay = variables.instance.moving_delay
        for node, (begin, moved) in enumerate(zip(self.begin, self.moved, strict=True), 1):
            variables.model.add(begin == self._start(node) - delay * moved)
            duration = variables.duration[self._pieces[node - 1][0]]
            intervals.append(
                variables.model.new_interval_var(begin, duration + delay * moved, self._end(node), f"busy_{node}")
            )
        variables.model.add_cumulative(intervals, [1] * len(intervals), variables.instance.num_agents)

    def to_job(self, job: int) -> list[Literal]:
        """Whether the agent of each piece of ``job`` has to move to it."""
        jobs = (self.variables.instance.task_job[task] for task, _ in self._pieces)
        return [moved for moved, other in zip(self.moved, jobs, strict=True) if other == job]

    def hint(self, routes: list[list[Piece]], starts: dict[Piece, int]) -> dict[int, int]:
        """Give every variable its value, given the pieces of each agent in order; returns the moves to each job."""
        model, node_of = self.variables.model, {piece: node for node, piece in enumerate(self._pieces, 1)}
        used = {
            pair for route in routes if route for pair in pairwise([HOME, *(node_of[piece] for piece in route), HOME])
        }
        for pair, arc in self.arcs.items():
            model.add_hint(arc, pair in used)
        visits = dict.fromkeys(range(self.variables.instance.num_jobs), 0)
        for before, after in used:
            if after != HOME:
                moves = self._changes_job(before, after)
                visits[int(self.variables.instance.task_job[self._pieces[after - 1][0]])] += moves
                model.add_hint(self.moved[after - 1], moves)
                begin = starts[self._pieces[after - 1]] - self.variables.instance.moving_delay * moves
                model.add_hint(self.begin[after - 1], begin)
        return visits

    def plan(self, value: Callable[[Any], int]) -> list[list[int]]:
        """Tasks of each agent in order; the agents after the last route do nothing."""
        after = {i: j for (i, j), arc in self.arcs.items() if i != HOME and value(arc)}
        routes = []
        for first in (j for (i, j), arc in self.arcs.items() if i == HOME and value(arc)):
            node, route = first, []
            while node != HOME:
                route.append(self._pieces[node - 1][0])
                node = after[node]
            routes.append(route)
        return routes + [[] for _ in range(self.variables.instance.num_agents - len(routes))]


def _ancestors(instance: Instance) -> list[set[int]]:
    """Tasks that must end before each task, directly or not."""
    ancestors: list[set[int]] = [set() for _ in range(instance.num_tasks)]
    for task in instance.topological_order:
        for parent in instance.predecessors(task).tolist():
            ancestors[task] |= ancestors[parent] | {parent}
    return ancestors
