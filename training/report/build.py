"""Assemble the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from problems.families import FAMILIES
from training.plots.anytime import plot_anytime
from training.plots.entry import plot_schedule
from training.report.curves import instance_curves, mean_curves
from training.report.html import Cell, figure, grid, page, paragraph, section, table
from training.report.load import Entry, Evaluations
from training.report.tables import failure_table, group_table, instance_table, known_text, solver_table
from training.rows import labels
from training.summary import distinct
from training.table import percent, text

MOST_PICTURES = 4
"""Instances of a family whose schedules and curves are drawn."""


def build_report(evaluations: Evaluations) -> str:
    """The report of ``evaluations`` as one HTML page that needs no network."""
    families = distinct(entry.row.family for entry in evaluations.entries if entry.row.family is not None)
    parts = [_family(evaluations, family) for family in families]
    return page(
        "Scheduling report",
        "<h1>Scheduling report</h1>",
        paragraph(_headline(evaluations), "soft"),
        _alarm(evaluations),
        *parts,
        _failures(evaluations),
        _origin(evaluations),
    )


def _headline(evaluations: Evaluations) -> str:
    rows = evaluations.rows
    solved = sum(row.solved for row in rows)
    dates = distinct(str(run.get("started", ""))[:10] for run in evaluations.runs)
    instances = len(distinct(row.key for row in rows))
    return (
        f"{', '.join(dates)}. {len(rows)} runs on {instances} instances; {solved} with a schedule that an independent "
        f"checker accepted, also when this page was made, {len(rows) - solved} without."
    )


def _alarm(evaluations: Evaluations) -> str:
    failed = sum(not row.solved for row in evaluations.rows)
    missing = sum(run.get("missing_rows", 0) for run in evaluations.runs)
    told = [f"{failed} runs failed; the reasons are below the tables."] if failed else []
    told += [f"An evaluation was interrupted; missing runs: {missing}."] if missing else []
    return paragraph(" ".join(told), "bad") if told else ""


def _failures(evaluations: Evaluations) -> str:
    return section("Runs without a checked schedule", failure_table(evaluations.rows))


def _family(evaluations: Evaluations, family: str) -> str:
    entries = [entry for entry in evaluations.entries if entry.row.family == family]
    rows = [entry.row for entry in entries]
    title = FAMILIES[family].title if family in FAMILIES else family
    title = title[:1].upper() + title[1:]
    return (
        section(f"{title}: gaps", paragraph(known_text(rows)), solver_table(rows), group_table(rows))
        + section(f"{title}: instances", instance_table(rows))
        + section(f"{title}: value against time", grid(_curves(entries)))
        + section(f"{title}: best schedules", *_schedules(entries))
    )


def _shown(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Rows of the instances to be drawn: one instance of each group in turn, up to `MOST_PICTURES`."""
    solved = [entry for entry in entries if entry.row.solved]
    keys = distinct(entry.row.key for entry in solved)
    of = {key: [entry for entry in solved if entry.row.key == key] for key in keys}
    rank: dict[Any, int] = {}
    order: list[tuple[int, int, Any]] = []
    for key in keys:
        group = of[key][0].row.group
        rank[group] = rank.get(group, 0) + 1
        order.append((rank[group], len(order), key))
    return [of[key] for _, _, key in sorted(order)[:MOST_PICTURES]]


def _curves(entries: Sequence[Entry]) -> list[str]:
    solvers = distinct(entry.row.solver for entry in entries)
    found = []
    mean = mean_curves(entries, solvers)
    if mean and len(distinct(entry.row.key for entry in entries)) > 1:
        svg = plot_anytime(mean, "Mean gap to the best-known values", "gap in percent")
        found.append(
            figure(svg, "A curve begins when its solver has a schedule of every instance; a dot marks its end.")
        )
    named = labels(entry.row for entry in entries)
    for group in _shown(entries):
        row = group[0].row
        svg = plot_anytime(instance_curves(group, solvers), named[row.key], "objective", row.best_known)
        found.append(figure(svg, f"{named[row.key]}: best objective found, and proved bounds (dashed)."))
    return found


def _schedules(entries: Sequence[Entry]) -> list[str]:
    named = labels(entry.row for entry in entries)
    best = [min(group, key=lambda entry: entry.row.objective or 0) for group in _shown(entries)]
    return [_schedule(entry, named[entry.row.key]) for entry in best]


def _schedule(entry: Entry, name: str) -> str:
    row = entry.row
    instance = entry.instance()
    svg = plot_schedule(entry.schedule(instance), instance, f"{name}: {text(row.objective)} by {row.solver}")
    gap = percent(row.gap_to_best_known, 2)
    proved = ", proved optimal" if row.status == "optimal" else ""
    return figure(svg, f"{name}, {row.solver}" + (f", {gap} to the best-known value" if gap else "") + proved + ".")


def _origin(evaluations: Evaluations) -> str:
    """Command lines, hardware, seeds, limits and versions of every run."""
    parts = []
    for run in evaluations.runs:
        machine, options = run.get("machine", {}), run.get("options", {})
        facts = {
            "started": f"{run.get('started')} ({run.get('seconds')} s in all)",
            "hardware": f"{machine.get('processor')}, {machine.get('cores')} cores, {machine.get('memory_gib')} GiB",
            "system": f"{machine.get('system')}, Python {machine.get('python')}",
            "seeds": ", ".join(map(str, options.get("seeds", []))),
            "time limit": f"{options['time_limit']} s" if options.get("time_limit") is not None else "none",
            "samples": str(options.get("samples")),
            "processes": str(options.get("workers")),
        }
        parts += [f"<pre><code>{escape(str(run.get('command')))}</code></pre>"]
        parts += [
            table([Cell("run"), Cell(run["folder"])], [[Cell(name), Cell(value)] for name, value in facts.items()])
        ]
    parts.append(_versions(evaluations))
    return section("How this was made", *parts)


def _versions(evaluations: Evaluations) -> str:
    found = distinct(tuple(sorted(row.versions.items())) for row in evaluations.rows if row.versions)
    lines = [", ".join(f"{name} {version}" for name, version in versions) for versions in found]
    return paragraph("Versions: " + "; ".join(lines) + ".") if lines else ""
