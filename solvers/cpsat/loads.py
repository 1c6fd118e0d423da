"""The load model: which agent does which task, and in which order, without times.

Where nothing has to wait, an agent ends when it has done all its work, so the makespan is the largest load. Without
changeovers that is an assignment; with them, a circuit per agent says which task follows which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ortools.sat.python import cp_model

from problems.instance import Instance
from problems.measure import integer_objective
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.cpsat.circuits import HOME, Circuits, Literal, changeover_time, has_changeovers, longest_changeover

MOST_PROBED_ARCS = 5000
"""On 50 jobs and 10 machines, 26,000 arcs, probing took half of a minute."""

Term = tuple[Literal, int]
Times = dict[tuple[int, int], int]


class LoadsModel:
    """Model of an instance that `solvers.cpsat.choose` sends here.

    Parameters
    ----------
    instance
        The makespan of independent tasks that are all there from the start.
    upper
        A feasible objective value, or None.
    """

    exact = True

    def __init__(self, instance: Instance, upper: int | None = None) -> None:
        self.instance = instance
        self.model = cp_model.CpModel()
        self.presence: dict[tuple[int, int], Literal] = {}
        self.works: dict[int, Literal] = {}  # only of agents that come late
        self._add_assignment()
        self._upper = largest_load(instance) if upper is None else upper
        self.circuits = None
        if has_changeovers(instance):
            self.circuits = Circuits(instance, self.model, self.presence, self._fits)
        self.objective = self.model.new_int_var(0, self._upper, "makespan")
        for agent in range(instance.num_agents):
            self._add_load(agent)
        self.model.minimize(self.objective)

    def _add_assignment(self) -> None:
        for task in range(self.instance.num_tasks):
            agents = self.instance.eligible(task)[0].tolist()
            for agent in agents:
                self.presence[task, agent] = self.model.new_bool_var(f"task_{task}_on_{agent}")
            self.model.add_exactly_one(self.presence[task, agent] for agent in agents)

    def _fits(self, agent: int, before: int, after: int) -> bool:
        """Whether two tasks in a row are no longer than the best makespan known; CP-SAT's probing is slow to see it."""
        durations = int(self.instance.durations[before, agent] + self.instance.durations[after, agent])
        return durations + changeover_time(self.instance, agent, before, after) <= self._upper

    def _add_load(self, agent: int) -> None:
        tasks = [task for task in range(self.instance.num_tasks) if (task, agent) in self.presence]
        work = self._availability(agent, tasks)
        work += [(self.presence[task, agent], int(self.instance.durations[task, agent])) for task in tasks]
        if self.circuits is None:
            self._bound(work)
            return
        arcs = self.circuits.arcs[agent]
        times = {pair: changeover_time(self.instance, agent, *pair) for pair in arcs}
        self._bound(work + [(arc, times[pair]) for pair, arc in arcs.items()])
        self._bound(work + self._cheapest(agent, tasks, times, into=True))
        self._bound(work + self._cheapest(agent, tasks, times, into=False))

    def _availability(self, agent: int, tasks: list[int]) -> list[Term]:
        """An agent that comes late and works at all ends no earlier than that."""
        available = int(self.instance.agent_available[agent])
        if available == 0:
            return []
        self.works[agent] = self.model.new_bool_var(f"works_{agent}")
        for task in tasks:
            self.model.add_implication(self.presence[task, agent], self.works[agent])
        return [(self.works[agent], available)]

    def _cheapest(self, agent: int, tasks: list[int], times: Times, into: bool) -> list[Term]:
        """The assignment bound: each task with its shortest changeover from (or to) another task.

        Redundant, but small: the linear relaxation of all arcs is too slow on large instances. The changeovers from and
        to home count in full, and the first (or last) task does not pay for one from (or to) another task.
        """
        assert self.circuits is not None
        arcs = self.circuits.arcs[agent]
        terms = [(arc, times[pair]) for pair, arc in arcs.items() if HOME in pair]
        for task in tasks:
            pairs = [(other, task) if into else (task, other) for other in tasks]
            least = min((times[pair] for pair in pairs if pair in times), default=0)
            terms.append((self.presence[task, agent], least))
            terms.append((arcs[(HOME, task) if into else (task, HOME)], -least))
        return terms

    def _bound(self, terms: list[Term]) -> None:
        literals, weights = zip(*terms, strict=True) if terms else ((), ())
        self.model.add(cp_model.LinearExpr.weighted_sum(literals, weights) <= self.objective)

    def configure(self, parameters: Any, budget: Budget, polish: bool) -> None:
        """Let the linear relaxation know the circuits; do not probe so many arcs that it takes most of the time."""
        parameters.linearization_level = 2
        if self.circuits is not None and sum(map(len, self.circuits.arcs.values())) > MOST_PROBED_ARCS:
            parameters.cp_model_probing_level = 0

    def hint(self, schedule: Schedule) -> None:
        """Give every variable its value in ``schedule``."""
        plan = schedule.sequences(self.instance.num_agents)
        agent_of = dict(zip(schedule.task.tolist(), schedule.agent.tolist(), strict=True))
        for (task, agent), present in self.presence.items():
            self.model.add_hint(present, agent_of[task] == agent)
        for agent, works in self.works.items():
            self.model.add_hint(works, len(plan[agent]) > 0)
        if self.circuits is not None:
            self.circuits.hint(plan)
        self.model.add_hint(self.objective, integer_objective(self.instance, schedule))

    def schedule(self, value: Callable[[Any], int]) -> Schedule:
        """Replay of the order of each agent."""
        return replay(self.instance, self._plan(value))

    def _plan(self, value: Callable[[Any], int]) -> list[list[int]]:
        """Order of each agent; any order where there are no changeovers."""
        if self.circuits is not None:
            return self.circuits.plan(value)
        orders: list[list[int]] = [[] for _ in range(self.instance.num_agents)]
        for (task, agent), present in self.presence.items():
            if value(present):
                orders[agent].append(task)
        return orders


def largest_load(instance: Instance) -> int:
    """All work at its longest, one task after the other."""
    work = sum(int(instance.eligible(task)[1].max()) for task in range(instance.num_tasks))
    return int(instance.agent_available.max(initial=0)) + work + longest_changeover(instance) * (instance.num_tasks + 1)
