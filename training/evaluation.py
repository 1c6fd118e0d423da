"""The rows of an evaluation: what is to be done, how a worker process does it, and what is written."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.registry import LEARNED
from training.instances import Source
from training.rows import ERROR, Row, slug

if TYPE_CHECKING:
    from problems.instance import Instance
    from solvers.result import Result


@dataclass(frozen=True)
class RowTask:
    """One row to be computed; small enough to be sent to another process.

    Attributes
    ----------
    number, source_number
        Positions of the row and of its source, from 1; they make the names of its files unique.
    source, solver, seed, samples, time_limit
        What to run.
    folder
        Where the files of the evaluation go.
    weights
        Of a learned solver, instead of the shipped ones.
    """

    number: int
    source_number: int
    source: Source
    solver: str
    seed: int
    samples: int
    time_limit: float | None
    folder: Path
    weights: Path | None = None

    def row(self) -> Row:
        """The row before anything is known."""
        path = self.source.path
        row = Row(self.source.name, self.solver, self.seed, samples=self.samples, time_limit=self.time_limit)
        row.family, row.file = self.source.family, None if path is None else str(path)
        row.agents, row.preset = self.source.executors or self.source.agents, self.source.preset
        return row


def make_tasks(
    sources: Sequence[Source],
    solvers: Sequence[str],
    seeds: Sequence[int],
    samples: int,
    time_limit: float | None,
    folder: Path,
    weights: Path | None = None,
) -> list[RowTask]:
    """Tasks of all instances x solvers x seeds, in this order; ``weights`` are for the learned solver among them."""
    rows = [
        (source_number, source, solver, seed)
        for source_number, source in enumerate(sources, 1)
        for solver in solvers
        for seed in seeds
    ]
    return [
        RowTask(
            number,
            source_number,
            source,
            solver,
            seed,
            samples,
            time_limit,
            folder,
            weights if solver in LEARNED else None,
        )
        for number, (source_number, source, solver, seed) in enumerate(rows, 1)
    ]


def perform(task: RowTask) -> Row:
    """Compute a row; whatever goes wrong is told in the row."""
    from problems.errors import MakespanError
    from training.options import OptionError

    row = task.row()
    try:
        _perform(task, row)
    except (MakespanError, OptionError) as error:
        row.fail(str(error))
    except Exception as error:  # a defect must cost one row, and be found
        where = traceback.extract_tb(error.__traceback__)[-1]
        row.fail(f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}")
    return row


def _perform(task: RowTask, row: Row) -> None:
    from solvers.budget import Budget
    from training.running import describe, record, solve_instance

    instance = task.source.load()
    describe(row, instance, task.source.path)
    budget = Budget(task.time_limit, task.samples)
    result = solve_instance(instance, task.solver, budget, task.seed, task.weights)
    record(row, result)
    _write(task, row, instance, result)


def _write(task: RowTask, row: Row, instance: Instance, result: Result) -> None:
    """Write the instance, the schedule and the anytime log beside the table, where a report finds them."""
    from problems.formats import write_instance, write_schedule
    from training.files import make_folder, to_json, write_whole

    row.instance_file = f"instances/{task.source_number:03d}-{slug(row.instance)}.json"
    row.log_file = f"logs/{task.number:04d}-{slug(row.instance)}-{slug(row.solver)}.json"
    for name in ("instances", "logs", "schedules"):
        make_folder(task.folder / name)
    write_instance(instance, task.folder / row.instance_file)
    write_whole(task.folder / row.log_file, to_json([list(entry) for entry in result.log], indent=None))
    if result.schedule is not None:
        row.schedule_file = f"schedules/{task.number:04d}-{slug(row.instance)}-{slug(row.solver)}.csv"
        write_schedule(result.schedule, instance, task.folder / row.schedule_file)


def crashed(task: RowTask, how: str) -> Row:
    """The row of a task whose process died."""
    row = task.row()
    row.status, row.reason = ERROR, how
    return row
