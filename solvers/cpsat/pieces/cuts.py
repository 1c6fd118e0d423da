"""Queyranne's inequalities: without them the bound on a sum of completion times collapses to the longest paths.

M. Queyranne, "Structure of a simple scheduling polyhedron", Mathematical Programming 58 (1993),
https://doi.org/10.1007/BF01581271, for one machine; here M agents together are a machine of speed M.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from problems.instance import Instance
from problems.lower_bounds.paths import Paths
from problems.lower_bounds.sums import job_work
from solvers.cpsat.intervals.variables import Expr
from solvers.cpsat.pieces.variables import PieceVariables

MOST_JOBS_FOR_ALL_SETS = 8
"""Up to so many jobs every set of jobs has its inequality; beyond, only the sets that may well be done first."""


def add_area_cuts(variables: PieceVariables, completions: Sequence[Expr]) -> None:
    """For sets S of jobs with work W and completions C: sum W C >= (sum W)^2 / 2M + sum W^2 / 2M.

    The work of a job is that of its pieces and of one move. Times count from when the first job of the set is known.
    """
    instance = variables.instance
    work = job_work(instance, Paths(instance)).tolist()
    known = [_begins(instance, job) for job in range(instance.num_jobs)]
    jobs = [job for job in range(len(completions)) if work[job] > 0]
    for chosen in _sets(jobs, work, known):
        begin = min(known[job] for job in chosen)
        area = sum(work[job] for job in chosen) ** 2 + sum(work[job] ** 2 for job in chosen)
        total = sum(work[job] * (completions[job] - begin) for job in chosen)
        variables.model.add(total >= -(-area // (2 * instance.num_agents)))


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
