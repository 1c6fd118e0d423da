"""Anytime curves from logs: of one instance, and averaged over many."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from statistics import fmean

from training.plots.anytime import Curve
from training.report.load import Entry
from training.summary import distinct

MOST_POINTS = 240


def steps(entry: Entry) -> tuple[list[float], list[float]]:
    """Times at which the best objective of a solved row improved, and the objectives."""
    times: list[float] = []
    values: list[float] = []
    for seconds, objective, _ in entry.log():
        if objective is not None and (not values or objective < values[-1]):
            times.append(seconds)
            values.append(objective)
    last = entry.row.objective
    if last is not None and (not values or last < values[-1]):
        times.append(entry.row.runtime_s or 0.0)
        values.append(last)
    return times, values


def instance_curves(entries: Sequence[Entry], solvers: Sequence[str]) -> list[Curve]:
    """Curves of the solved rows of one instance, and of the bounds that came with them; one seed per solver."""
    curves = []
    for entry in _first_seed([entry for entry in entries if entry.row.solved]):
        series, until = solvers.index(entry.row.solver), entry.row.runtime_s
        times, values = steps(entry)
        curves.append(Curve(entry.row.solver, times, values, until, series))
        bounds = [(time, bound) for time, _, bound in entry.log() if bound is not None and bound > 0]
        if len(bounds) > 1:
            label = f"{entry.row.solver}, bound"
            seconds, proved = [bound[0] for bound in bounds], [bound[1] for bound in bounds]
            curves.append(Curve(label, seconds, proved, until, series, dashed=True))
    return curves


def _first_seed(entries: Sequence[Entry]) -> list[Entry]:
    first: dict[str, Entry] = {}
    for entry in entries:
        first.setdefault(entry.row.solver, entry)
    return list(first.values())


def mean_curves(entries: Sequence[Entry], solvers: Sequence[str]) -> list[Curve]:
    """Mean gap to the best-known value in percent against time, for each solver that ran on and solved every instance.

    A curve begins when its solver has a schedule of every instance.
    """
    known = [entry for entry in entries if entry.row.best_known]
    curves = []
    for solver in distinct(entry.row.solver for entry in known):
        mine = [entry for entry in known if entry.row.solver == solver]
        if all(entry.row.solved for entry in mine) and len(_keys(mine)) == len(_keys(known)):
            curves.append(_mean_curve(mine, solver, solvers.index(solver)))
    return curves


def _keys(entries: Sequence[Entry]) -> set[Hashable]:
    """Instances of the rows."""
    return {entry.row.key for entry in entries}


def _mean_curve(entries: Sequence[Entry], label: str, series: int) -> Curve:
    lines = [(*steps(entry), float(entry.row.best_known or 1)) for entry in entries]
    begin = max(times[0] for times, _, _ in lines)
    changes = sorted({begin} | {time for times, _, _ in lines for time in times if time > begin})
    changes = changes[:: len(changes) // MOST_POINTS + 1] + ([changes[-1]] if len(changes) > MOST_POINTS else [])
    means = [fmean(_value_at(times, values, time) / known for times, values, known in lines) for time in changes]
    until = max(entry.row.runtime_s or 0.0 for entry in entries)
    return Curve(label, changes, [100 * (mean - 1) for mean in means], until, series)


def _value_at(times: Sequence[float], values: Sequence[float], time: float) -> float:
    return values[bisect_right(times, time) - 1]
