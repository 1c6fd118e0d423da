"""``evaluate``: solvers x instances x seeds, in parallel, to a table with a row for each."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from problems.families import get_family
from solvers.registry import LEARNED, get_entry
from training.commands.arguments import EvaluateOptions
from training.evaluation import RowTask, crashed, make_tasks
from training.files import make_folder, to_csv, to_json, write_whole
from training.instances import expand, with_spark_options
from training.log import Progress, say
from training.machine import describe_machine
from training.options import OptionError, as_json
from training.rows import COLUMNS, Row, flag_below_bounds, labels
from training.summary import by_solver, distinct
from training.table import aligned, percent, text
from training.tracking import start_tracking
from training.workers import run_tasks

ALL_SOLVED, SOME_FAILED, INTERRUPTED = 0, 1, 130
TABLE = (
    "instance",
    "agents",
    "solver",
    "seed",
    "status",
    "objective",
    "lower bound",
    "gap",
    "best known",
    "to best",
    "seconds",
)


def run(options: EvaluateOptions) -> int:
    """Evaluate, print the tables, and return 0 only if every row has a checked schedule.

    If the run is interrupted, the tables hold the rows that are finished by then, and 130 is returned.
    """
    _require_known(options)
    sources = with_spark_options(
        expand(options.instances, options.family, options.agents), options.executors, options.preset
    )
    make_folder(options.out)
    started = datetime.now(UTC)
    tasks = make_tasks(
        sources, options.solvers, options.seeds, options.samples, options.time_limit, options.out, options.weights
    )
    rows = _compute(tasks, options.workers)
    missing = len(tasks) - len(rows)
    flag_below_bounds(rows)
    _write(options, rows, started, missing)
    print(result_table(rows), end="")
    print("\n" + gap_table(rows), end="")
    _tell_failures(rows)
    say(f"results: {options.out / 'results.csv'}")
    if options.track:
        _track(options, rows)
    if missing:
        say(f"interrupted: {missing} of {len(tasks)} rows are missing")
        return INTERRUPTED
    return ALL_SOLVED if all(row.solved for row in rows) else SOME_FAILED


def _require_known(options: EvaluateOptions) -> None:
    """Refuse unknown names and empty lists before any time is spent."""
    if options.family is not None:
        get_family(options.family)
    for name in ("solvers", "seeds"):
        if not getattr(options, name):
            raise OptionError(f"--{name} is empty; name at least one")
    for solver in options.solvers:
        get_entry(solver)
    learned = [solver for solver in options.solvers if solver in LEARNED]
    if options.weights is not None and len(learned) != 1:
        raise OptionError(f"--weights needs exactly one of {', '.join(LEARNED)} in --solvers, found {len(learned)}")


def _compute(tasks: list[RowTask], workers: int) -> list[Row]:
    """Rows in the order of ``tasks``: all, or those that were finished when the run was interrupted."""
    progress = Progress(len(tasks))
    finished: dict[int, Row] = {}

    def done(number: int, row: Row) -> None:
        finished[number] = row
        seconds = f" in {row.runtime_s:.2f} s" if row.runtime_s is not None else ""
        progress.step(f"{row.instance} {row.solver} seed {row.seed}: {row.status} {text(row.objective)}{seconds}")

    try:
        with _terminable():
            run_tasks("training.evaluation:perform", tasks, workers, crashed, done)
    except KeyboardInterrupt:
        pass
    progress.close()
    return [finished[number] for number in sorted(finished)]


@contextmanager
def _terminable() -> Iterator[None]:
    """Let a request to terminate interrupt the run as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _write(options: EvaluateOptions, rows: list[Row], started: datetime, missing: int) -> None:
    """Write the tables, the resolved options and what computed them."""
    records = [row.as_json() for row in rows]
    write_whole(options.out / "config.json", to_json(as_json(options)))
    write_whole(options.out / "run.json", to_json(_run_record(options, started, missing)))
    write_whole(options.out / "results.csv", to_csv(COLUMNS, records))
    write_whole(options.out / "results.json", to_json(records))


def _run_record(options: EvaluateOptions, started: datetime, missing: int) -> dict[str, Any]:
    return {
        "command": shlex.join(["python", "-m", "training", *sys.argv[1:]]),
        "options": as_json(options),
        "started": started.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - started).total_seconds(), 1),
        "missing_rows": missing,
        "machine": describe_machine(),
    }


def result_table(rows: list[Row]) -> str:
    """Aligned table with one line per row; unknown numbers are empty cells."""
    return aligned(TABLE, _cells(rows))


def _cells(rows: list[Row]) -> list[list[Any]]:
    named = labels(rows)
    return [_line(row, named[row.key]) for row in rows]


def _line(row: Row, name: str) -> list[Any]:
    gaps = percent(row.gap), percent(row.gap_to_best_known)
    seconds = None if row.runtime_s is None else f"{row.runtime_s:.2f}"
    facts = [name, row.agents, row.solver, row.seed, row.status]
    return [*facts, row.objective, row.lower_bound, gaps[0], row.best_known, gaps[1], seconds]


def gap_table(rows: list[Row]) -> str:
    """Aligned table with one line per family and solver: means over instances, the median of seconds."""
    columns = (
        "family",
        "solver",
        "to best known",
        "spread",
        "to best found",
        "instances",
        "proved",
        "solved",
        "seconds",
    )
    lines = []
    for summary in by_solver(rows):
        counts = summary.instances, summary.proved, f"{summary.solved}/{summary.rows}"
        seconds = None if summary.median_runtime_s is None else f"{summary.median_runtime_s:.2f}"
        gap, spread = percent(summary.gap_to_best_known, 2), percent(summary.spread, 2)
        found = percent(summary.to_best_found, 2)
        lines.append([summary.group, summary.solver, gap, spread, found, *counts, seconds])
    return aligned(columns, lines)


def _tell_failures(rows: list[Row]) -> None:
    named = labels(rows)
    for row in rows:
        if not row.solved:
            say(f"failed: {named[row.key]} {row.solver} seed {row.seed}: {row.reason or row.status}")


def _track(options: EvaluateOptions, rows: list[Row]) -> None:
    families = distinct(row.family for row in rows)
    groups = distinct(row.group for row in rows)
    group = f"{families[0]}-{groups[0] if len(groups) == 1 else 'mixed'}"
    tracker = start_tracking(options.out, group, "evaluate", as_json(options), options.solvers)
    values = {f"eval/{summary.solver}/gap_to_best_known": summary.gap_to_best_known for summary in by_solver(rows)}
    tracker.log(0, {name: value for name, value in values.items() if value is not None})
    tracker.table("eval/results", TABLE, _cells(rows))
    tracker.finish()
