"""Large clusters: each stage gets a number of agents that serve it from its begin to its end, in waves.

That leaves out schedules in which agents come and go while a stage is served, so a solution is a schedule, but the
bound of the model is none for the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from problems.instance import NO_TIME, Instance
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.cpsat.circuits import Literal
from solvers.cpsat.intervals.objective import ObjectivePart
from solvers.cpsat.intervals.variables import Expr, known_from
from solvers.cpsat.pieces.cuts import add_area_cuts
from solvers.cpsat.pieces.variables import horizon

MOST_ALLOTMENTS = 8
"""Numbers of agents that a stage may choose from."""


class StagesModel:
    """Model of an instance that `solvers.cpsat.choose` sends here.

    Every agent moves to a stage before it serves it; the replay leaves out moves that are not needed.

    Parameters
    ----------
    instance
        Like agents without changeovers, every task eligible for all.
    upper
        A feasible objective value, or None.
    """

    exact = False

    def __init__(self, instance: Instance, upper: int | None = None) -> None:
        self.instance = instance
        self.model = cp_model.CpModel()
        self.latest = horizon(instance)
        self.begin = [self._new_begin(task) for task in range(instance.num_tasks)]
        self.end: list[Expr] = []
        self.allotment: dict[tuple[int, int], Literal] = {}
        self._intervals: list[cp_model.IntervalVar] = []
        self._demands: list[int] = []
        for task in range(instance.num_tasks):
            self._add_stage(task)
        self._add_precedence()
        self._add_capacity()
        objective = ObjectivePart(self, None, upper)
        self.objective = objective.objective
        add_area_cuts(instance, self.model, objective.completions)

    def _new_begin(self, task: int) -> cp_model.IntVar:
        """From then on agents move to the stage, which they may do once its job is revealed."""
        reveal = int(self.instance.job_reveal[self.instance.task_job[task]])
        first = max(reveal, known_from(self.instance, task) - self.instance.moving_delay)
        return self.model.new_int_var(first, self.latest, f"begin_{task}")

    def _add_stage(self, task: int) -> None:
        pieces, duration = int(self.instance.task_pieces[task]), int(self.instance.eligible(task)[1][0])
        end = self.model.new_int_var(0, self.latest, f"end_{task}")
        self.end.append(end)
        choices = []
        for agents in allotments(pieces, self.instance.num_agents):
            present = self.model.new_bool_var(f"stage_{task}_by_{agents}")
            length = self.instance.moving_delay - (-pieces // agents) * duration
            name = f"stage_{task}_served_by_{agents}"
            self.allotment[task, agents] = present
            self._intervals.append(self.model.new_optional_interval_var(self.begin[task], length, end, present, name))
            self._demands.append(agents)
            choices.append(present)
        self.model.add_exactly_one(choices)

    def _add_precedence(self) -> None:
        for task, begin in enumerate(self.begin):
            for parent in self.instance.predecessors(task).tolist():
                self.model.add(begin + self.instance.moving_delay >= self.end[parent])
            deadline = int(self.instance.job_deadline[self.instance.task_job[task]])
            if deadline != NO_TIME:
                self.model.add(self.end[task] <= deadline)

    def _add_capacity(self) -> None:
        """Agents that come late are busy until then."""
        late = [int(time) for time in self.instance.agent_available if time > 0]
        blocks = [self.model.new_fixed_size_interval_var(0, time, "") for time in late]
        demands = [*self._demands, *(1 for _ in blocks)]
        self.model.add_cumulative([*self._intervals, *blocks], demands, self.instance.num_agents)

    def configure(self, parameters: Any, budget: Budget, polish: bool) -> None:
        """Neighbourhood search has the workers: what CP-SAT would prove is not asked."""
        parameters.use_lns_only = budget.workers > 1

    def hint(self, schedule: Schedule) -> None:
        """Tell when each stage began, and how many agents it had; other schedules fit the model only roughly."""
        for task, begin in enumerate(self.begin):
            rows = np.flatnonzero(schedule.task == task)
            agents = len(np.unique(schedule.agent[rows]))
            known = [number for other, number in self.allotment if other == task and number <= agents]
            self.model.add_hint(begin, max(0, int(schedule.start[rows].min()) - self.instance.moving_delay))
            self.model.add_hint(self.allotment[task, max(known)], True)

    def schedule(self, value: Callable[[Any], int]) -> Schedule:
        """Replay of a plan that keeps agents with their job where it can."""
        chosen = {task: agents for (task, agents), present in self.allotment.items() if value(present)}
        begin = [value(variable) for variable in self.begin]
        free = self.instance.agent_available.tolist()
        job: list[int | None] = [None] * len(free)
        plan: list[list[int]] = [[] for _ in free]
        position = {task: number for number, task in enumerate(self.instance.topological_order)}
        for task in sorted(chosen, key=lambda task: (begin[task], position[task])):
            own, pieces = int(self.instance.task_job[task]), int(self.instance.task_pieces[task])
            idle = [agent for agent, time in enumerate(free) if time <= begin[task]]
            idle.sort(key=lambda agent: (job[agent] != own, -free[agent], agent))
            for number, agent in enumerate(idle[: chosen[task]]):
                plan[agent] += [task] * len(range(number, pieces, chosen[task]))
                free[agent], job[agent] = value(self.end[task]), own
        return replay(self.instance, plan)


def allotments(pieces: int, num_agents: int) -> list[int]:
    """Numbers of agents worth choosing from, rising: the least for each of some numbers of waves, and one alone."""
    most = min(pieces, num_agents)
    useful = sorted({-(-pieces // waves) for waves in range(-(-pieces // most), pieces + 1)})
    if len(useful) <= MOST_ALLOTMENTS:
        return useful
    chosen = np.unique(np.geomspace(1, len(useful), MOST_ALLOTMENTS).round().astype(int)) - 1
    return [useful[place] for place in chosen.tolist()]
