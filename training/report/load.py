"""What ``evaluate`` has left in a folder, read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from problems.formats import read_instance, read_schedule
from problems.instance import Instance
from problems.schedule import Schedule
from training.options import OptionError
from training.report.recheck import recheck
from training.rows import Row, flag_below_bounds


@dataclass(frozen=True)
class Entry:
    """A row and the folder that its files are relative to."""

    row: Row
    folder: Path

    def log(self) -> list[tuple[float, float | None, float | None]]:
        """Anytime log: seconds, best objective, best bound."""
        if self.row.log_file is None:
            return []
        return [tuple(entry) for entry in _read_json(self.folder / self.row.log_file)]

    def instance(self) -> Instance:
        """The instance, as the evaluation wrote it."""
        return read_instance(self.folder / str(self.row.instance_file))

    def schedule(self, instance: Instance) -> Schedule:
        """The checked schedule of a solved row."""
        return read_schedule(self.folder / str(self.row.schedule_file), instance)


@dataclass(frozen=True)
class Evaluations:
    """The rows of several folders, and how each of them was made.

    Attributes
    ----------
    entries
        All rows, in the order of folders and rows; values below a bound, and those that are not worth what their
        schedule is, are errors.
    runs
        Command line, options, hardware and duration of each folder.
    """

    entries: list[Entry]
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        """Rows without their folders."""
        return [entry.row for entry in self.entries]


def load_evaluations(folders: Sequence[Path]) -> Evaluations:
    """Read the results of ``folders`` and check their schedules again.

    Raises
    ------
    OptionError
        If a folder holds no results; the message names the file.
    """
    entries, runs = [], []
    for folder in folders:
        records = _read_json(folder / "results.json")
        try:
            entries += [Entry(Row.from_json(record), folder) for record in records]
        except (TypeError, AttributeError):
            raise OptionError(f"{folder / 'results.json'}: not a table of results; run 'evaluate' again") from None
        runs.append({"folder": str(folder), **_read_json(folder / "run.json")})
    recheck(entries)
    evaluations = Evaluations(entries, runs)
    flag_below_bounds(evaluations.rows)
    return evaluations


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"{path}: cannot be read ({error.strerror}); name folders written by 'evaluate'") from None
    except ValueError as error:
        raise OptionError(f"{path}: not valid JSON ({error}); run 'evaluate' again") from None
