"""Minmax routes: one circuit through the depot per salesman, with arrival lengths and no times.

Arc Booleans, `add_multiple_circuit`, the length of the route on arrival at each task, and the longest route T.
Salesmen are alike, so the model does not say who drives which route. Those who are not needed simply have none:
the depot is left at most m times, and no arc stands for staying at home.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ortools.sat.python import cp_model

from problems.instance import Instance
from problems.measure import integer_objective
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.legs import DEPOT, leg_lengths, shortest_paths


class RoutesModel:
    """Model of an instance that `solvers.cpsat.choose` sends here.

    Parameters
    ----------
    instance
        Alike agents, every task eligible for all, the longest route as objective.
    upper
        A feasible objective value, or None.
    """

    exact = True

    def __init__(self, instance: Instance, upper: int | None = None) -> None:
        self.instance = instance
        self.model = cp_model.CpModel()
        self.lengths = leg_lengths(instance)  # [T + 1, T + 1], the depot first
        self.shortest = shortest_paths(self.lengths)
        self._nodes = range(len(self.lengths))
        self._cities = self._nodes[1:]
        self._make_variables(int(self.lengths.max(axis=1).sum()) if upper is None else upper)
        self._add_circuit()
        self._add_arrivals()
        self._add_cuts()
        self.model.minimize(self.objective)

    def _make_variables(self, upper: int) -> None:
        back_and_forth = self.shortest[DEPOT] + self.shortest[:, DEPOT]
        self.objective = self.model.new_int_var(int(back_and_forth.max()), upper, "longest")
        self.arcs = {
            (i, j): self.model.new_bool_var(f"arc_{i}_{j}") for i in self._nodes for j in self._nodes if i != j
        }
        self.arrival = {
            i: self.model.new_int_var(int(self.shortest[DEPOT, i]), upper, f"arrival_{i}") for i in self._cities
        }

    def _add_circuit(self) -> None:
        self.model.add_multiple_circuit([(i, j, arc) for (i, j), arc in self.arcs.items()])
        departures = sum(self.arcs[DEPOT, i] for i in self._cities)
        self.model.add(departures <= self.instance.num_agents)

    def _add_arrivals(self) -> None:
        for (i, j), arc in self.arcs.items():
            length = int(self.lengths[i, j])
            if i == DEPOT:
                self.model.add(self.arrival[j] == length).only_enforce_if(arc)
            elif j == DEPOT:
                self.model.add(self.arrival[i] + length <= self.objective).only_enforce_if(arc)
            else:
                self.model.add(self.arrival[j] == self.arrival[i] + length).only_enforce_if(arc)

    def _add_cuts(self) -> None:
        """Redundant, but the linear relaxation needs them."""
        for i, arrival in self.arrival.items():
            self.model.add(arrival + int(self.shortest[i, DEPOT]) <= self.objective)
        total = sum(int(self.lengths[pair]) * arc for pair, arc in self.arcs.items())
        self.model.add(total <= self.instance.num_agents * self.objective)

    def configure(self, parameters: Any, budget: Budget, polish: bool) -> None:
        """Let the linear relaxation lead: it needs all arcs, not the part that CP-SAT's default portfolio gives it.

        That portfolio's bounds are up to a fifth lower after ten seconds (docs/decisions/0010).
        """
        parameters.linearization_level = 2
        if budget.workers > 1:
            parameters.subsolver_params.add(name="routes_lp", linearization_level=2)
            parameters.subsolvers.extend(["routes_lp", "reduced_costs"])

    def hint(self, schedule: Schedule) -> None:
        """Give every variable its value in ``schedule``."""
        used, arrival = set(), dict.fromkeys(self._cities, 0)
        for order in schedule.sequences(self.instance.num_agents):
            nodes = [DEPOT, *(task + 1 for task in order), DEPOT] if order else []
            length = 0
            for pair in itertools.pairwise(nodes):
                used.add(pair)
                length += int(self.lengths[pair])
                arrival[pair[1]] = length
        for pair, arc in self.arcs.items():
            self.model.add_hint(arc, pair in used)
        for i, variable in self.arrival.items():
            self.model.add_hint(variable, arrival[i])
        self.model.add_hint(self.objective, integer_objective(self.instance, schedule))

    def schedule(self, value: Callable[[Any], int]) -> Schedule:
        """Replay of the routes."""
        return replay(self.instance, self._plan(value))

    def _plan(self, value: Callable[[Any], int]) -> list[list[int]]:
        """Routes in order of their first task, one per agent; the rest stay at home."""
        after = {i: j for (i, j), arc in self.arcs.items() if i != DEPOT and value(arc)}
        routes = []
        for first in (i for i in self._cities if value(self.arcs[DEPOT, i])):
            node, route = first, []
            while node != DEPOT:
                route.append(node - 1)
                node = after[node]
            routes.append(route)
        return routes + [[] for _ in range(self.instance.num_agents - len(routes))]
