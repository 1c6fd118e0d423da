"""Queyranne's inequalities: without them the bound on a sum of completion times collapses to the longest paths.

M. Queyranne, "Structure of a simple scheduling polyhedron", Mathematical Programming 58 (1993),
https://doi.org/10.1007/BF01581271, for one machine; here M agents together are a machine of speed M.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

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


class OrderCuts:
    """Which job ends before which, and what agents have done by then; the area alone does not know of an order.

    By the end of a job, all M agents together have done the work of, and the moves to, all jobs that end no later.
    With n visits to a job of work W and moves of length d, it ends no earlier than d + W / n after it is known.

    Parameters
    ----------
    variables, completions
        When pieces run, and when each job ends.
    moves
        The moves of agents between jobs, if they take time.
    """

    def __init__(self, variables: PieceVariables, completions: Sequence[Expr], moves: Moves | None) -> None:
        self.instance, self.model = variables.instance, variables.model
        self.completions = completions
        self.work = (job_work(self.instance, Paths(self.instance)) - self.instance.moving_delay).tolist()
        self.jobs = [job for job in range(len(completions)) if self.work[job] > 0]
        self.visits = {} if moves is None else {job: sum(moves.to_job(job)) for job in self.jobs}
        self.few: dict[tuple[int, int], Literal] = {}
        self.before: dict[tuple[int, int], Literal] = {}
        self.visited: dict[tuple[int, int], cp_model.IntVar] = {}
        for job in self.visits:
            self._add_visits(job)
        if len(self.jobs) <= MOST_JOBS_FOR_ALL_SETS:
            for pair in permutations(self.jobs, 2):
                self._add_before(*pair)
            for job in self.jobs:
                self._add_area(job)

    def _add_visits(self, job: int) -> None:
        begin = _begins(self.instance, job) + self.instance.moving_delay
        for number in range(1, self.instance.num_agents):
            few = self.model.new_bool_var(f"at_most_{number}_visits_to_{job}")
            self.few[job, number] = few
            self.model.add(self.visits[job] > number).only_enforce_if(~few)
            self.model.add(self.completions[job] >= begin - (-self.work[job] // number)).only_enforce_if(few)

    def _add_before(self, first: int, second: int) -> None:
        before = self.model.new_bool_var(f"{first}_ends_by_{second}")
        self.before[first, second] = before
        self.model.add(self.completions[first] > self.completions[second]).only_enforce_if(~before)
        if self.visits:
            visited = self.model.new_int_var(0, self.instance.num_pieces, f"visits_to_{first}_by_{second}")
            self.visited[first, second] = visited
            self.model.add(visited >= self.visits[first]).only_enforce_if(before)

    def _add_area(self, job: int) -> None:
        """From each moment on at which jobs become known, count the work of those that are not known earlier."""
        known = {other: _begins(self.instance, other) for other in self.jobs}
        delay = self.instance.moving_delay
        for begin in {time for time in known.values() if time <= known[job]}:
            area = self.work[job] + delay * self.visits.get(job, 0)
            for other in self.jobs:
                if other != job and known[other] >= begin:
                    area += self.work[other] * self.before[other, job] + delay * self.visited.get((other, job), 0)
            self.model.add(self.instance.num_agents * (self.completions[job] - begin) >= area)

    def hint(self, visits: Mapping[int, int], ends: IntArray) -> None:
        """Give every variable its value, given the number of moves to each job and its completion."""
        for (job, number), few in self.few.items():
            self.model.add_hint(few, visits[job] <= number)
        for (first, second), before in self.before.items():
            self.model.add_hint(before, bool(ends[first] <= ends[second]))
        for (first, second), visited in self.visited.items():
            self.model.add_hint(visited, visits[first] if ends[first] <= ends[second] else 0)


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
