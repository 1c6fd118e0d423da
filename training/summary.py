"""Averages over rows: what a gap table says about a solver."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

from training.rows import Row, relative_excess


@dataclass(frozen=True)
class Summary:
    """A solver on a group of instances.

    Attributes
    ----------
    solver, group
        Of the rows.
    instances, rows, solved
        Number of instances, of rows, and of rows with a checked schedule.
    gap_to_best_known
        Mean over instances, averaged over seeds; None unless every row with a best-known value is solved.
    to_best_found
        Mean excess over the best objective that any solver of the table found, averaged over seeds; None unless every
        row is solved.
    spread
        Standard deviation over seeds of the mean over instances; None with fewer than two seeds.
    gap
        Mean gap to the solver's own lower bound; None unless every row has one.
    proved
        Rows solved to optimality.
    median_runtime_s
        Median wall time of the solved rows in seconds.
    """

    solver: str
    group: str
    instances: int
    rows: int
    solved: int
    gap_to_best_known: float | None
    to_best_found: float | None
    spread: float | None
    gap: float | None
    proved: int
    median_runtime_s: float | None


def summarize(rows: Sequence[Row], solver: str, group: str, best: Mapping[Hashable, float] | None = None) -> Summary:
    """Average ``rows``, which belong to one solver and one group; ``best`` is what `best_found` gave for the table.

    A mean over the solved rows only would favour a solver that fails on hard instances, so a solver that failed
    where others can be compared has no mean.
    """
    solved = [row for row in rows if row.solved]
    return Summary(
        solver=solver,
        group=group,
        instances=len(distinct(row.key for row in rows)),
        rows=len(rows),
        solved=len(solved),
        gap_to_best_known=_mean([row.gap_to_best_known for row in _comparable(rows)]),
        to_best_found=_mean([relative_excess(row.objective, (best or {}).get(row.key)) for row in rows]),
        spread=_spread(rows),
        gap=_mean([row.gap for row in rows]),
        proved=sum(row.status == "optimal" for row in rows),
        median_runtime_s=median(row.runtime_s or 0.0 for row in solved) if solved else None,
    )


def best_found(rows: Iterable[Row]) -> dict[Hashable, float]:
    """Best objective of the solved rows of each instance, by `Row.key`."""
    best: dict[Hashable, float] = {}
    for row in rows:
        if row.solved and row.objective is not None:
            best[row.key] = min(best.get(row.key, row.objective), row.objective)
    return best


def _comparable(rows: Iterable[Row]) -> list[Row]:
    """Rows of instances with a best-known value, and those that failed before it was known."""
    return [row for row in rows if row.best_known is not None or not row.solved]


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return fmean(present) if present and len(present) == len(values) else None


def _spread(rows: Sequence[Row]) -> float | None:
    """Standard deviation, over seeds, of the mean gap to the best-known values."""
    seeds = distinct(row.seed for row in rows)
    means = [_mean([row.gap_to_best_known for row in _comparable(rows) if row.seed == seed]) for seed in seeds]
    present = [mean for mean in means if mean is not None]
    return stdev(present) if len(present) == len(means) > 1 else None


def distinct(values: Iterable[object]) -> list:  # type: ignore[type-arg]
    """Values without repetition, in order of appearance."""
    return list(dict.fromkeys(values))


def by_solver(rows: Sequence[Row]) -> list[Summary]:
    """One summary per family and solver over all its rows."""
    best = best_found(rows)
    pairs = distinct((row.family, row.solver) for row in rows)
    return [
        summarize([row for row in rows if (row.family, row.solver) == pair], pair[1], pair[0] or "unknown family", best)
        for pair in pairs
    ]
