"""Schedules as JSON and CSV.

Our JSON (schema ``makespan-schedule``) and the CSV hold integer time units of the instance. Read as well: a plain
JSON object whose ``ops`` list job, op, machine (all from 0), start and end in the unit of the source.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from problems.errors import FormatError, UnsupportedError
from problems.formats.document import Node, check_schema, parse_document
from problems.formats.source import LARGEST_NUMBER, Source, read_source, show, write_text
from problems.instance import Instance
from problems.schedule import COLUMNS, NO_RESOURCE, Schedule

SCHEMA = "makespan-schedule"
VERSION = 1

TICK_TOLERANCE = Fraction(1, 10**6)
"""How far a decimal time may lie from an integer time unit, in such units.

0.1 + 0.2 is written as 0.30000000000000004 by programs that count in binary; with ten units to one that is unit 3 and
no other. Everything after the reader is exact on integers, so this tolerance cannot hide an overlap.
"""

_CSV_COLUMNS = ("task", "job", "op", "piece", "agent", "start", "end", "changeover_start", "changeover_end", "resource")
_ROW_OPTIONAL = tuple(column for column in _CSV_COLUMNS if column not in ("agent", "start", "end"))
_TIMES = ("start", "end", "changeover_start", "changeover_end")


@dataclass(frozen=True)
class _Reader:
    """Turns rows of text or JSON values into a `Schedule` of one instance."""

    instance: Instance
    in_source_unit: bool

    @cached_property
    def places(self) -> dict[tuple[int, int], int]:
        """Task by job and position in it."""
        seen: dict[int, int] = {}
        places = {}
        for task, job in enumerate(self.instance.task_job.tolist()):
            seen[job] = seen.get(job, -1) + 1
            places[job, seen[job]] = task
        return places

    @cached_property
    def jobs(self) -> dict[str, int]:
        """Job by name; of equal names the first counts."""
        return {name: job for job, name in reversed(list(enumerate(self.instance.job_names)))}

    @cached_property
    def agents(self) -> dict[str, int]:
        """Agent by name."""
        return {name: agent for agent, name in enumerate(self.instance.agent_names)}

    def row(self, members: dict[str, Node], whole: Node) -> tuple[int, ...]:
        """Columns of a schedule, in the order of `COLUMNS`."""
        start, end = self.time(members["start"]), self.time(members["end"])
        begun = self.time(members["changeover_start"]) if "changeover_start" in members else start
        done = self.time(members["changeover_end"]) if "changeover_end" in members else begun
        piece = members["piece"].integer() if "piece" in members else 0
        resource = members["resource"].integer() if "resource" in members else NO_RESOURCE
        task, agent = self.task(members, whole), self.index(members["agent"], self.agents, "agent")
        return task, piece, agent, start, end, begun, done, resource

    def task(self, members: dict[str, Node], whole: Node) -> int:
        """Task of a row, by its number or by job and op; where both are given they must agree."""
        number = members["task"].integer(0, self.instance.num_tasks - 1) if "task" in members else None
        if "job" in members and "op" in members:
            placed = self.placed(members["job"], members["op"], number)
            if number not in (None, placed):
                whole.fail(f"task {number} is not op {members['op'].value} of job {members['job'].value}")
            return placed
        if number is None:
            whole.fail("names no task; expected 'task', or 'job' and 'op'")
        return number

    def placed(self, job_node: Node, op: Node, number: int | None) -> int:
        """Task at a position of a job; among jobs of equal name that of task ``number`` is meant."""
        job = self.index(job_node, self.jobs, "job")
        if number is not None and self.instance.job_names[self.instance.task_job[number]] == job_node.value:
            job = int(self.instance.task_job[number])
        place = job, op.integer()
        if place not in self.places:
            op.fail(f"job {self.instance.job_names[job]} has no op {place[1]}; ops are counted from 0")
        return self.places[place]

    def index(self, node: Node, names: dict[str, int], what: str) -> int:
        """Index of an agent or a job, by name (a text) or number (from 0)."""
        if type(node.value) is int:
            size = self.instance.num_agents if what == "agent" else self.instance.num_jobs
            return node.integer(0, size - 1)
        name = node.text()
        if name not in names:
            node.fail(f"there is no {what} {show(name)} in {self.instance.name}")
        return names[name]

    def time(self, node: Node) -> int:
        """Integer time units; a time in the unit of the source is scaled exactly."""
        if not self.in_source_unit:
            return node.integer(low=1 - LARGEST_NUMBER)
        scaled = node.exact() * self.instance.scale
        tick = round(scaled)
        if abs(scaled - tick) > TICK_TOLERANCE or abs(tick) >= LARGEST_NUMBER:
            node.fail(
                f"found {show(str(node.value))}; expected a multiple of 1/{self.instance.scale}, "
                "the unit of time of the instance"
            )
        return tick


def read_schedule(path: str | Path, instance: Instance) -> Schedule:
    """Read a schedule of ``instance`` from JSON or, where the suffix is ``.csv``, CSV.

    Whether the schedule is valid is for the checker to say; here every row must name a task and an agent of the
    instance and whole time units.

    Raises
    ------
    FormatError
        With the line, or the JSON path, of the first thing that is wrong.
    """
    source = read_source(path)
    rows = _read_csv(source, instance) if Path(path).suffix.lower() == ".csv" else _read_json(source, instance)
    table = np.array(rows, np.int64).reshape(-1, len(COLUMNS))  # [N, columns]
    return Schedule(*(table[:, column] for column in range(len(COLUMNS))))


def _read_json(source: Source, instance: Instance) -> list[tuple[int, ...]]:
    root = parse_document(source)
    if isinstance(root.value, dict) and "schema" not in root.value and "ops" in root.value:
        return _read_plain(root, instance)
    check_schema(root, SCHEMA, VERSION)
    members = root.members(("schema", "version", "rows"), ("instance", "scale", "unit", "objective"))
    unit = members["unit"].choice(("integer", "source")) if "unit" in members else "integer"
    if "scale" in members and members["scale"].integer(1) != instance.scale:
        members["scale"].fail(f"{members['scale'].value} does not match the scale of the instance, {instance.scale}")
    reader = _Reader(instance, unit == "source")
    return [reader.row(row.members(("agent", "start", "end"), _ROW_OPTIONAL), row) for row in members["rows"].items()]


def _read_plain(root: Node, instance: Instance) -> list[tuple[int, ...]]:
    """The layout with ``ops``; what else the object says is description."""
    reader = _Reader(instance, in_source_unit=True)
    rows = []
    for node in root.member("ops").items():
        members = node.members(("job", "op", "machine", "start", "end"))
        members["agent"] = members.pop("machine")
        rows.append(reader.row(members, node))
    return rows


def _read_csv(source: Source, instance: Instance) -> list[tuple[int, ...]]:
    lines = csv.DictReader(io.StringIO(source.text), strict=True)
    reader = _Reader(instance, in_source_unit=False)
    rows = []
    try:
        _check_csv_header(source, list(lines.fieldnames or []))
        for cells in lines:
            rows.append(_csv_row(source, lines.line_num, cells, reader))
    except csv.Error as error:
        source.fail(lines.line_num + 1, f"CSV syntax error: {error}")
    return rows


def _check_csv_header(source: Source, header: list[str]) -> None:
    unknown = [name for name in header if name not in _CSV_COLUMNS]
    missing = [name for name in ("agent", "start", "end") if name not in header]
    if unknown or missing or len(set(header)) < len(header):
        problem = (
            f"has the unknown column {show(unknown[0])}"
            if unknown
            else f"lacks '{missing[0]}'"
            if missing
            else "repeats a column"
        )
        source.fail(1, f"the header {problem}; expected columns among {', '.join(_CSV_COLUMNS)}")


def _csv_row(source: Source, line: int, cells: dict[Any, Any], reader: _Reader) -> tuple[int, ...]:
    if None in cells or None in cells.values():
        source.fail(line, "the row has another number of cells than the header")
    members = {key: _Cell(source.path, key, _cell_value(key, text), line) for key, text in cells.items() if text != ""}
    lacking = next((key for key in ("agent", "start", "end") if key not in members), None)
    if lacking:
        source.fail(line, f"the cell '{lacking}' is empty")
    return reader.row(dict(members), _Cell(source.path, "row", None, line))


def _cell_value(key: str, text: str) -> Any:
    """Names stay texts; numbers become integers, anything else stays for the error message."""
    if key in ("agent", "job"):
        return text
    try:
        return int(text) if len(text) <= 40 and text.isascii() else text
    except ValueError:
        return text


@dataclass(frozen=True)
class _Cell(Node):
    """A cell of a CSV table; errors name its line and column."""

    line: int

    def fail(self, message: str) -> NoReturn:
        """Raise `FormatError` with the line."""
        raise FormatError(self.file, self.line, f"{self.where}: {message}")


def write_schedule(schedule: Schedule, instance: Instance, path: str | Path) -> None:
    """Write a schedule of ``instance`` as JSON or, where the suffix is ``.csv``, CSV; as a whole or not at all.

    Raises
    ------
    FormatError
        If the suffix is neither ``.json`` nor ``.csv``, or the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".csv"):
        raise FormatError(path, None, f"schedules are written as .json or .csv, not '{suffix}'")
    write_text(path, schedule_csv(schedule, instance) if suffix == ".csv" else schedule_json(schedule, instance))


def schedule_json(schedule: Schedule, instance: Instance) -> str:
    """JSON text of a schedule, one row per line; without changeover and resource where there is none."""
    head = {"schema": SCHEMA, "version": VERSION, "instance": instance.name, "scale": instance.scale, "unit": "integer"}
    rows = ",\n".join("  " + json.dumps(row, allow_nan=False) for row in _rows(schedule, instance))
    return json.dumps(head, allow_nan=False)[:-1] + ', "rows": [\n' + rows + "\n]}\n"


def _rows(schedule: Schedule, instance: Instance) -> list[dict[str, Any]]:
    places = {task: place for place, task in _Reader(instance, False).places.items()}
    rows = []
    for values in zip(*(getattr(schedule, column).tolist() for column in COLUMNS), strict=True):
        row = dict(zip(COLUMNS, values, strict=True))
        job, op = places[row["task"]]
        whole = {"task": row["task"], "job": instance.job_names[job], "op": op, "piece": row["piece"]}
        whole |= {"agent": instance.agent_names[row["agent"]], "start": row["start"], "end": row["end"]}
        if row["changeover_start"] != row["start"] or row["changeover_end"] != row["start"]:
            whole |= {"changeover_start": row["changeover_start"], "changeover_end": row["changeover_end"]}
        if row["resource"] != NO_RESOURCE:
            whole["resource"] = row["resource"]
        rows.append(whole)
    return rows


def schedule_csv(schedule: Schedule, instance: Instance) -> str:
    """CSV text of a schedule; cells of changeover and resource are empty where there is none.

    Raises
    ------
    UnsupportedError
        If a name is not printable, or that of an agent is empty.
    """
    for name in (*instance.agent_names, *instance.job_names):
        if not name.isprintable() or (not name and name in instance.agent_names):
            raise UnsupportedError(f"CSV cannot carry the name {show(name)}; write the schedule as JSON instead")
    buffer = io.StringIO()
    table = csv.DictWriter(buffer, _CSV_COLUMNS, restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(_rows(schedule, instance))
    return buffer.getvalue()
