"""Tasks of several pieces on like agents: a start for each piece, and routes where agents need time to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from problems.instance import Instance
from problems.measure import integer_objective
from problems.objective import Objective
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.cpsat.intervals.objective import ObjectivePart
from solvers.cpsat.pieces.cuts import OrderCuts, add_area_cuts
from solvers.cpsat.pieces.moves import Moves, Piece
from solvers.cpsat.pieces.variables import PieceVariables, horizon


class PiecesModel:
    """Model of an instance that `solvers.cpsat.choose` sends here.

    Exact: some agent is free for each piece iff never more pieces run than there are agents, and with moves the routes
    say which. A replay starts each piece of a plan no later than the model does: an agent waits for nothing but its own
    pieces, its moves and the parents of the stage, all of which end as early. So an optimal schedule is a replay.

    Parameters
    ----------
    instance
        Like agents without changeovers, every task eligible for all.
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
        self.variables = PieceVariables(instance, self.model, latest)
        self.moves = Moves(self.variables) if instance.moving_delay > 0 else None
        if self.moves is None:
            self._add_capacity()
        self._objective = ObjectivePart(self.variables, None, upper)
        self.objective = self._objective.objective
        completions = self._objective.completions
        add_area_cuts(instance, self.model, completions)
        self._order = OrderCuts(self.variables, completions, self.moves)

    def _add_capacity(self) -> None:
        """No more pieces than agents at a time; agents that come late are busy until then."""
        intervals = [
            self.model.new_fixed_size_interval_var(start, duration, "")
            for starts, duration in zip(self.variables.start, self.variables.duration, strict=True)
            for start in starts
        ]
        late = [int(time) for time in self.instance.agent_available if time > 0]
        intervals += [self.model.new_fixed_size_interval_var(0, time, "") for time in late]
        self.model.add_cumulative(intervals, [1] * len(intervals), self.instance.num_agents)

    def configure(self, parameters: Any, budget: Budget, polish: bool) -> None:
        """One of several workers raises the bound by cores, which proves what the others leave open.

        On 15 pieces with moves it needed 3 s where CP-SAT's default portfolio had a fifth of the gap left after 12 s.
        """
        if budget.workers > 1:
            parameters.linearization_level = 2
            parameters.subsolvers.append("core")

    def hint(self, schedule: Schedule) -> None:
        """Give every variable its value in ``schedule``."""
        rows = np.lexsort((schedule.end, schedule.start))
        starts: dict[Piece, int] = {}
        routes: list[list[Piece]] = [[] for _ in range(self.instance.num_agents)]
        ends = np.zeros(self.instance.num_tasks, np.int64)
        for row in rows.tolist():
            task = int(schedule.task[row])
            piece = (task, sum(known[0] == task for known in starts))
            starts[piece] = int(schedule.start[row])
            routes[schedule.agent[row]].append(piece)
            ends[task] = max(ends[task], schedule.end[row])
        for (task, number), start in starts.items():
            self.model.add_hint(self.variables.start[task][number], start)
        visits = {} if self.moves is None else self.moves.hint(routes, starts)
        completion = self.instance.job_release.copy()
        np.maximum.at(completion, self.instance.task_job, ends)
        self._order.hint(visits, completion)
        self._objective.hint(ends, integer_objective(self.instance, schedule))

    def schedule(self, value: Callable[[Any], int]) -> Schedule:
        """Replay of the plan of a solution."""
        return replay(self.instance, self._plan(value) if self.moves is None else self.moves.plan(value))

    def _plan(self, value: Callable[[Any], int]) -> list[list[int]]:
        """Give each piece, in order of their starts, to the agent that is free first."""
        position = {task: number for number, task in enumerate(self.instance.topological_order)}
        pieces = sorted(
            (value(start), position[task], task) for task, starts in enumerate(self.variables.start) for start in starts
        )
        free = self.instance.agent_available.tolist()
        plan: list[list[int]] = [[] for _ in free]
        for start, _, task in pieces:
            agent = free.index(min(free))
            free[agent] = start + self.variables.duration[task]
            plan[agent].append(task)
        return plan
