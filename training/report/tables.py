"""The tables of a report: gaps by solver and by group, values by instance, failures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from training.report.html import Cell, number, table
from training.rows import Row, labels
from training.summary import Summary, best_found, distinct, summarize
from training.table import percent, text

TOTAL = "all"
SOLVER_CAPTION = (
    "Mean gaps to the best-known values, their standard deviation over seeds, and mean excess over the best value that "
    "any of these solvers found."
)


def solver_table(rows: Sequence[Row]) -> str:
    """One line per solver over all instances of a family, the least gap first."""
    head = [
        Cell("solver"),
        *(number(name) for name in ("to best known", "spread", "to best found", "instances", "seeds")),
        *(number(name) for name in ("proved", "solved", "median s")),
    ]
    summaries = sorted(_summaries(rows), key=lambda summary: _order(summary))
    lines = [_solver_line(summary, rows) for summary in summaries]
    return table(head, lines, SOLVER_CAPTION)


def _summaries(rows: Sequence[Row]) -> list[Summary]:
    solvers, best = distinct(row.solver for row in rows), best_found(rows)
    return [summarize([row for row in rows if row.solver == solver], solver, TOTAL, best) for solver in solvers]


def _order(summary: Summary) -> tuple[float, float]:
    """By the gap to the best-known values, then by what others found; a solver without a mean comes last."""
    means = summary.gap_to_best_known, summary.to_best_found
    first, second = (float("inf") if mean is None else mean for mean in means)
    return first, second


def _solver_line(summary: Summary, rows: Sequence[Row]) -> list[Cell]:
    seeds = len(distinct(row.seed for row in rows if row.solver == summary.solver))
    solved = f"{summary.solved}/{summary.rows}"
    return [
        Cell(summary.solver),
        number(percent(summary.gap_to_best_known, 2)),
        number(percent(summary.spread, 2)),
        number(percent(summary.to_best_found, 2)),
        number(summary.instances),
        number(seeds),
        number(summary.proved),
        number(solved, "" if summary.solved == summary.rows else "bad"),
        number(_seconds(summary.median_runtime_s)),
    ]


def _seconds(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def group_table(rows: Sequence[Row]) -> str:
    """Mean gap by group (rows) and solver (columns), the best of each row in bold.

    The gap is that to the best-known values or, where none is known, to the best value found.
    """
    solvers, groups = distinct(row.solver for row in rows), distinct(row.group for row in rows if row.group)
    known = any(row.best_known is not None for row in rows)
    parts = [(str(group), [row for row in rows if row.group == group]) for group in groups] + [(TOTAL, list(rows))]
    lines = [_group_line(part, group, solvers, known) for group, part in parts]
    head = [Cell("group"), number("instances"), *(number(solver) for solver in solvers)]
    caption = "Mean gap to the best-known values" if known else "Mean excess over the best value found"
    return table(head, lines, f"{caption} by group.", total=True)


def _group_line(rows: Sequence[Row], group: str, solvers: Sequence[str], known: bool) -> list[Cell]:
    count, best = len(distinct(row.key for row in rows)), best_found(rows)
    summaries = [summarize([row for row in rows if row.solver == name], name, group, best) for name in solvers]
    gaps = [summary.gap_to_best_known if known else summary.to_best_found for summary in summaries]
    pairs = list(zip(gaps, summaries, strict=True))
    whole = [gap for gap, summary in pairs if gap is not None and summary.instances == count]
    least = min(whole, default=None)
    return [Cell(group), number(count), *(_group_cell(gap, summary, count, least) for gap, summary in pairs)]


def _group_cell(gap: float | None, summary: Summary, count: int, least: float | None) -> Cell:
    """Mean gap; a solver that ran on a part of the group only says so and is not called the best."""
    if gap is not None and summary.instances < count:
        return number(f"{percent(gap, 2)} ({summary.instances} of {count})")
    return number(percent(gap, 2), "best" if gap is not None and gap == least else "")


def known_text(rows: Sequence[Row]) -> str:
    """Where the best-known values come from, and when they were found."""
    known = [row for row in rows if row.best_known is not None]
    if not known:
        return "No best-known values were found for these instances: no reference file lists them."
    sources = distinct((row.best_known_source, row.best_known_date) for row in known)
    told = [f"{source} ({date})" if date else f"{source} (no date given)" for source, date in sources]
    shown = "; ".join(told[:6]) + (f"; and {len(told) - 6} more" if len(told) > 6 else "")
    instances = len(distinct(row.key for row in known))
    return f"Best-known values of {instances} instance{'' if instances == 1 else 's'}: {shown}."


def instance_table(rows: Sequence[Row]) -> str:
    """Objective and gap of every solver on every instance; a cell with several seeds shows their mean."""
    solvers = distinct(row.solver for row in rows)
    keys = distinct(row.key for row in rows)
    names = ("instance", "best known", "best bound")
    head = [Cell(names[0]), number(names[1]), number(names[2]), *(number(solver) for solver in solvers)]
    named = labels(rows)
    lines = [_instance_line([row for row in rows if row.key == key], named[key], solvers) for key in keys]
    return table(head, lines, "Objective, and its gap to the best-known value (mean over seeds).")


def _instance_line(rows: Sequence[Row], name: str, solvers: Sequence[str]) -> list[Cell]:
    known = next((row.best_known for row in rows if row.best_known is not None), None)
    bounds = [row.lower_bound for row in rows if row.lower_bound is not None]
    bounds += [row.best_known_lower for row in rows if row.best_known_lower is not None]
    cells = [_value_cell([row for row in rows if row.solver == solver]) for solver in solvers]
    return [Cell(name), number(text(known)), number(text(max(bounds, default=None))), *cells]


def _value_cell(rows: Sequence[Row]) -> Cell:
    values = [row.objective for row in rows if row.solved and row.objective is not None]
    if not rows:
        return number(None)
    if len(values) < len(rows):
        return number(next(row.status for row in rows if not row.solved), "bad")
    gaps = [row.gap_to_best_known for row in rows if row.gap_to_best_known is not None]
    proved = " (optimal)" if all(row.status == "optimal" for row in rows) else ""
    gap = f" ({percent(fmean(gaps))})" if len(gaps) == len(rows) and not proved else proved
    return number(text(fmean(values)) + gap)


def failure_table(rows: Sequence[Row]) -> str:
    """Every row without a checked schedule, with the reason; nothing if all are solved."""
    failed = [row for row in rows if not row.solved]
    if not failed:
        return ""
    head = [Cell(name) for name in ("instance", "solver", "seed", "status", "reason")]
    named = labels(rows)
    lines = [
        [Cell(named[row.key]), Cell(row.solver), Cell(row.seed), Cell(row.status, "bad"), _reason(row)]
        for row in failed
    ]
    return table(head, lines)


def _reason(row: Row) -> Cell:
    usual = {"unknown": "no schedule was found in time", "infeasible": "it is proved that there is no schedule"}
    return Cell(row.reason or usual.get(row.status, ""))
