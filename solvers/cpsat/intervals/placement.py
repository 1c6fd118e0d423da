"""Where changeovers use resources or operators: when each one takes place, and who does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ortools.sat.python import cp_model

from problems.instance import Instance, Resources
from problems.schedule import NO_RESOURCE, Schedule
from solvers.cpsat.circuits import Circuits, Literal, changeover_time, longest_changeover
from solvers.cpsat.intervals.variables import Variables


class Placement:
    """Begin, length and end of the changeover before each task, and its operator.

    A changeover of no length may lie anywhere and uses nothing.

    Attributes
    ----------
    begin, length, ready : T variables
        The changeover before each task.
    operator
        Whether a named operator does the changeover before a task, by (task, operator).
    """

    def __init__(self, variables: Variables, circuits: Circuits) -> None:
        self.variables = variables
        self._circuits = circuits
        model, tasks = variables.model, range(variables.instance.num_tasks)
        longest = longest_changeover(variables.instance)
        self.begin = [model.new_int_var(0, variables.latest, f"changeover_{task}") for task in tasks]
        self.length = [model.new_int_var(0, longest, f"changeover_length_{task}") for task in tasks]
        self.ready = [model.new_int_var(0, variables.latest, f"changed_{task}") for task in tasks]
        self.operator: dict[tuple[int, int], Literal] = {}
        self._arcs = self._incoming_arcs()
        for task in tasks:
            self._add_times(task)
            self._add_operators(task)
        self._add_no_overlap()

    def _incoming_arcs(self) -> list[list[tuple[int, int, Literal]]]:
        """Agent, time and Boolean of every arc into each task; exactly one of them holds."""
        instance = self.variables.instance
        arcs: list[list[tuple[int, int, Literal]]] = [[] for _ in range(instance.num_tasks)]
        for agent, of_agent in self._circuits.arcs.items():
            for (before, after), arc in of_agent.items():
                if after >= 0:
                    arcs[after].append((agent, changeover_time(instance, agent, before, after), arc))
        return arcs

    def _add_times(self, task: int) -> None:
        model = self.variables.model
        model.add(self.length[task] == sum(time * arc for _, time, arc in self._arcs[task]))
        model.add(self.begin[task] + self.length[task] == self.ready[task])
        model.add(self.ready[task] <= self.variables.start[task])

    def _add_operators(self, task: int) -> None:
        """Whoever is served and changes over for some time has one operator, who serves that agent."""
        serves, model = _resources(self.variables.instance).operator_serves, self.variables.model
        takes_time = [(agent, arc) for agent, time, arc in self._arcs[task] if time > 0]
        served = {agent for agent, _ in takes_time if serves[:, agent].any()}
        workers = [worker for worker in range(len(serves)) if any(serves[worker, agent] for agent in served)]
        for worker in workers:
            here = model.new_bool_var(f"operator_{worker}_for_{task}")
            self.operator[task, worker] = here
            model.add(here <= sum(arc for agent, arc in takes_time if serves[worker, agent]))
        if workers:
            needed = sum(arc for agent, arc in takes_time if agent in served)
            model.add(sum(self.operator[task, worker] for worker in workers) == needed)

    def _add_no_overlap(self) -> None:
        intervals: dict[int, list[cp_model.IntervalVar]] = {}
        for (task, worker), here in self.operator.items():
            intervals.setdefault(worker, []).append(self.interval(task, here, f"changeover_{task}_by_{worker}"))
        for of_worker in intervals.values():
            self.variables.model.add_no_overlap(of_worker)

    def interval(self, task: int, present: Literal, name: str) -> cp_model.IntervalVar:
        """The changeover before ``task``, if ``present``."""
        return self.variables.model.new_optional_interval_var(
            self.begin[task], self.length[task], self.ready[task], present, name
        )

    def hint(self, schedule: Schedule) -> None:
        """Give every variable its value in ``schedule``."""
        model = self.variables.model
        for row, task in enumerate(schedule.task.tolist()):
            length = int(schedule.changeover_end[row] - schedule.changeover_start[row])
            begin = int(schedule.changeover_start[row] if length > 0 else schedule.start[row])
            model.add_hint(self.begin[task], begin)
            model.add_hint(self.length[task], length)
            model.add_hint(self.ready[task], begin + length)
        doer = dict(zip(schedule.task.tolist(), schedule.resource.tolist(), strict=True))
        for (task, worker), here in self.operator.items():
            model.add_hint(here, doer[task] == worker)

    def operator_of(self, task: int, value: Callable[[Any], int]) -> int:
        """Operator of the changeover before ``task`` in a solution, or ``NO_RESOURCE``."""
        busy = [worker for (other, worker), here in self.operator.items() if other == task and value(here)]
        return busy[0] if busy else NO_RESOURCE


def _resources(instance: Instance) -> Resources:
    assert instance.resources is not None
    return instance.resources
