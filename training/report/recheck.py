"""Check the schedules of an evaluation again: a table can be edited, a file lost or exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from problems.check import check
from problems.errors import MakespanError
from problems.formats import read_instance, read_schedule
from problems.instance import Instance
from training.running import fingerprint

if TYPE_CHECKING:
    from training.report.load import Entry


def recheck(entries: Sequence[Entry]) -> None:
    """Turn every row that claims more than its files show into an error.

    The instance must be the one that was solved, the checker must accept the schedule, and the objective must be the
    schedule's. A schedule of 200,000 rows takes a few seconds to read.
    """
    read = cache(read_instance)
    for entry in entries:
        if entry.row.solved:
            try:
                reason = _fault(entry, read)
            except (MakespanError, OSError) as error:
                reason = str(error)
            if reason is not None:
                entry.row.fail(reason)


def _fault(entry: Entry, read: Callable[[Path], Instance]) -> str | None:
    row = entry.row
    if row.instance_file is None or row.schedule_file is None:
        return "the table names no schedule file, so its objective cannot be checked; run 'evaluate' again"
    instance = read(entry.folder / row.instance_file)
    if row.fingerprint not in (None, fingerprint(instance)):
        return f"{row.instance_file} is not the instance that was solved; run 'evaluate' again"
    report = check(instance, read_schedule(entry.folder / row.schedule_file, instance))
    if not report.valid:
        return f"the checker refuses {row.schedule_file}: {report.violations[0].message}"
    if report.objective != row.objective:
        return f"the table says {row.objective:g}, but {row.schedule_file} is worth {report.objective:g}"
    return None
