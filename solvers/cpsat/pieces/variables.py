"""When each piece of each stage runs, on any of several like agents."""

from __future__ import annotations

from itertools import pairwise

from ortools.sat.python import cp_model

from problems.instance import NO_TIME, Instance
from solvers.cpsat.intervals.variables import Expr, known_from


class PieceVariables:
    """Start of every piece, and precedence.

    Attributes
    ----------
    duration
        Of a piece, by task.
    start
        Of every piece, by task; pieces of a task are alike, so they are numbered in order of their starts.
    end
        Of every task: of its last piece.
    latest
        No piece ends later.
    """

    def __init__(self, instance: Instance, model: cp_model.CpModel, latest: int) -> None:
        self.instance = instance
        self.model = model
        self.latest = latest
        self.duration = [int(instance.eligible(task)[1][0]) for task in range(instance.num_tasks)]
        self.start = [self._new_starts(task) for task in range(instance.num_tasks)]
        ends = zip(self.start, self.duration, strict=True)
        self.end: list[Expr] = [starts[-1] + duration for starts, duration in ends]
        self._add_order()
        self._add_deadlines()

    def _new_starts(self, task: int) -> list[cp_model.IntVar]:
        """No piece of a job starts before an agent has moved there, which it may do once the job is revealed."""
        instance = self.instance
        moved = int(instance.job_reveal[instance.task_job[task]]) + instance.moving_delay
        first = max(known_from(instance, task), moved)
        pieces = range(int(instance.task_pieces[task]))
        last = max(first, self.latest - self.duration[task])
        return [self.model.new_int_var(first, last, f"start_{task}_{piece}") for piece in pieces]

    def _add_order(self) -> None:
        for task, starts in enumerate(self.start):
            for before, after in pairwise(starts):
                self.model.add(before <= after)
            for parent in self.instance.predecessors(task).tolist():
                self.model.add(starts[0] >= self.end[parent])

    def _add_deadlines(self) -> None:
        for task, end in enumerate(self.end):
            deadline = int(self.instance.job_deadline[self.instance.task_job[task]])
            if deadline != NO_TIME:
                self.model.add(end <= deadline)


def horizon(instance: Instance) -> int:
    """A time by which some optimal schedule of any regular objective has ended: one agent does all, stage by stage."""
    begin = max([0, *instance.job_release.tolist(), *instance.job_reveal.tolist(), *instance.agent_available.tolist()])
    work = sum(
        int(pieces) * int(instance.eligible(task)[1][0]) for task, pieces in enumerate(instance.task_pieces.tolist())
    )
    return begin + work + instance.moving_delay * instance.num_tasks
