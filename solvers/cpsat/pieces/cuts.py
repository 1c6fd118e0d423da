"""Queyranne's inequalities: without them the bound on a sum of completion times collapses to the longest paths.

M. Queyranne, "Structure of a simple scheduling polyhedron", Mathematical Programming 58 (1993),
https://doi.org/10.1007/BF01581271, for one machine; here M agents together are a machine of speed M.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from ortools.sat.python import cp_model

from problems.instance import Instance, IntArray
from problems.lower_bounds.paths import Paths
from problems.lower_bounds.sums import job_work
from solvers.cpsat.circuits import Literal
from solvers.cpsat.intervals.variables import Expr
from solvers.cpsat.pieces.moves import Moves
from solvers.cpsat.pieces.variables import PieceVariables

MOST_JOBS_FOR_ALL_SETS = 8
"""Up to so many jobs every set of jobs has its inequality; beyond, only the sets that may well be done first."""


def add_area_cuts(instance: Instance, model: cp_model.CpModel, completions: Sequence[Expr]) -> None:
    """For sets S of jobs with work W and completions C: sum W C >= (sum W)^2 / 2M + sum W^2 / 2M.

    The work of a job is that of its pieces and of one move. Times count from when the first job of the set is known.
    """
    work = job_work(instance, Paths(instance)).tolist()
    known = [_begins(instance, job) for job in range(instance.num_jobs)]
    jobs = [job for job in range(len(completions)) if work[job] > 0]
    for chosen in _sets(jobs, work, known):
        begin = min(known[job] for job in chosen)
        area = sum(work[job] for job in chosen) ** 2 + sum(work[job] ** 2 for job in chosen)
        total = sum(work[job] * (completions[job] - begin) for job in chosen)
        model.add(total >= -(-area // (2 * instance.num_agents)))


class VisitCuts:
    """What visits of agents to jobs cost, each with a move: the area alone lets all jobs be done as if at once.

    With n visits to a job of work W and moves of length d, it ends no earlier than d + W / n after it is known. And
    by the end of a job, all M agents together have done the work of, and the moves to, all jobs that end no later.

    Attributes
    ----------
    visits
        Number of moves to each job.
    """

    def __init__(self, variables: PieceVariables, completions: Sequence[Expr], moves: Moves) -> None:
        self.variables = variables
        self.completions = completions
        instance, self.model = variables.instance, variables.model
        work = job_work(instance, Paths(instance)) - instance.moving_delay
        self.work = np.maximum(work, 0).tolist()
        self.jobs = [job for job in range(len(completions)) if self.work[job] > 0]
        self.visits = {job: sum(moves.to_job(job)) for job in self.jobs}
        self.few: dict[tuple[int, int], Literal] = {}
        self.before: dict[tuple[int, int], Literal] = {}
        self.done: dict[tuple[int, int], cp_model.IntVar] = {}
        for job in self.jobs:
            self._add_visits(job)
        if len(self.jobs) <= MOST_JOBS_FOR_ALL_SETS:
            for job in self.jobs:
                self._add_area(job)

    def _add_visits(self, job: int) -> None:
        instance = self.variables.instance
        begin = _begins(instance, job) + instance.moving_delay
        for number in range(1, instance.num_agents):
            few = self.model.new_bool_var(f"at_most_{number}_visits_to_{job}")
            self.few[job, number] = few
            self.model.add(self.visits[job] > number).only_enforce_if(~few)
            self.model.add(self.completions[job] >= begin - (-self.work[job] // number)).only_enforce_if(few)

    def _add_area(self, job: int) -> None:
        instance, delay = self.variables.instance, self.variables.instance.moving_delay
        begin = min(_begins(instance, other) for other in self.jobs)
        area = self.work[job] + delay * self.visits[job]
        for other in self.jobs:
            if other != job:
                area += self._add_before(other, job)
        self.model.add(instance.num_agents * (self.completions[job] - begin) >= area)

    def _add_before(self, first: int, second: int) -> cp_model.IntVar:
        """Work and moves of ``first``, if it ends no later than ``second``."""
        delay, pieces = self.variables.instance.moving_delay, self.variables.instance.num_pieces
        before = self.model.new_bool_var(f"{first}_ends_by_{second}")
        done = self.model.new_int_var(0, self.work[first] + delay * pieces, f"{first}_done_by_{second}")
        self.before[first, second], self.done[first, second] = before, done
        self.model.add(self.completions[first] > self.completions[second]).only_enforce_if(~before)
        self.model.add(done >= self.work[first] + delay * self.visits[first]).only_enforce_if(before)
        return done

    def hint(self, visits: Mapping[int, int], ends: IntArray) -> None:
        """Give every variable its value, given the number of moves to each job and its completion."""
        for (job, number), few in self.few.items():
            self.model.add_hint(few, visits[job] <= number)
        for (first, second), before in self.before.items():
            ended = bool(ends[first] <= ends[second])
            done = self.work[first] + self.variables.instance.moving_delay * visits[first]
            self.model.add_hint(before, ended)
            self.model.add_hint(self.done[first, second], done * ended)


def _begins(instance: Instance, job: int) -> int:
    """From when agents may do anything for a job; they may move there before it is released."""
    reveal, release = int(instance.job_reveal[job]), int(instance.job_release[job])
    return reveal if instance.moving_delay > 0 else max(reveal, release)


def _sets(jobs: Sequence[int], work: Sequence[int], known: Sequence[int]) -> Iterator[Sequence[int]]:
    if len(jobs) <= MOST_JOBS_FOR_ALL_SETS:
        for size in range(1, len(jobs) + 1):
            yield from combinations(jobs, size)
        return
    for begin in sorted({known[job] for job in jobs}):
        yield from _prefixes(sorted((job for job in jobs if known[job] >= begin), key=lambda job: work[job]))


def _prefixes(jobs: Sequence[int]) -> Iterable[Sequence[int]]:
    return (jobs[:size] for size in range(1, len(jobs) + 1))
