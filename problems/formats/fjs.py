"""Flexible job shops (``.fjs``): ``jobs machines [mean number of machines]``, then a line per job, machines from 1.

A job's line is its number of operations and, for each of them, the number of its machines and as many pairs of a
machine and a duration there. Sequence-dependent setups may follow: for each machine in turn a square block of lines
over all operations of all jobs, whose line i and column j hold the setup before operation j right after operation i.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from problems.errors import UnsupportedError
from problems.families.setups import has_plain_setups
from problems.formats.blocks import counted_operations, has_setups_label
from problems.formats.features import decimal, refuse_features
from problems.formats.records import FlexibleRecord
from problems.formats.source import Row, Source, is_number, show
from problems.instance import Instance

_CARRIED = ("alternative agents", "jobs without tasks", "changeovers")


def detect(source: Source) -> bool:
    """Whether the counts of operations and machines on each job's line add up to its length."""
    return counted_operations(source.rows) and not has_setups_label(source.rows)


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of an ``.fjs`` file.

    The third number of the header is not used. Decimal durations are scaled exactly.

    Raises
    ------
    FormatError
        With the line of the first thing that is wrong.
    """
    return parse(source).build(source)


def parse(source: Source) -> FlexibleRecord:
    """Text to record."""
    if not source.rows:
        source.fail(None, "holds no numbers; expected a header with the number of jobs and of machines")
    header, *rows = source.rows
    num_jobs, num_machines = _header(source, header)
    if len(rows) < num_jobs:
        source.fail(
            rows[-1].line if rows else header.line,
            f"found {len(rows)} lines after the header, which announces {num_jobs} jobs; expected one line per job",
        )
    jobs = [_job(source, row, number, num_machines) for number, row in enumerate(rows[:num_jobs], 1)]
    return FlexibleRecord(num_machines, jobs, _setups(source, rows, num_jobs, num_machines, sum(map(len, jobs))))


def _header(source: Source, header: Row) -> tuple[int, int]:
    if len(header.tokens) not in (2, 3):
        source.fail(
            header.line,
            f"the header holds {len(header.tokens)} numbers; expected the number of jobs, the number of machines "
            "and optionally the mean number of machines per operation",
        )
    if not is_number(header.tokens[-1]):
        source.fail(header.line, f"the header ends with {show(header.tokens[-1])}; expected a number")
    return source.integer(header, 0, "number of jobs"), source.count(header, 1, "number of machines", 1)


def _job(source: Source, row: Row, job: int, num_machines: int) -> list[dict[int, Fraction]]:
    num_operations = source.integer(row, 0, "number of operations")
    operations: list[dict[int, Fraction]] = []
    position = 1
    while len(operations) < num_operations:
        name = f"job {job}, operation {len(operations) + 1}"
        count = _count_of_machines(source, row, position, name, num_operations)
        end = position + 1 + 2 * count
        operations.append(_durations(source, row, range(position + 1, end, 2), name, num_machines))
        position = end
    if position < len(row.tokens):
        source.fail(
            row.line,
            f"the line goes on with {show(row.tokens[position])} after the {num_operations} operations of job {job} "
            "that it announces; correct the number of operations or of machines",
        )
    return operations


def _count_of_machines(source: Source, row: Row, position: int, name: str, num_operations: int) -> int:
    if position >= len(row.tokens):
        source.fail(row.line, f"the line ends before {name}; it announces {num_operations} operations")
    count = source.integer(row, position, f"number of machines of {name}")
    if count == 0:
        source.fail(row.line, f"{name} has no eligible machine; expected at least one pair of machine and duration")
    if position + 2 * count >= len(row.tokens):
        found = len(row.tokens) - position - 1
        source.fail(row.line, f"the line ends within {name}: found {found} numbers, expected {count} pairs")
    return count


def _durations(source: Source, row: Row, places: range, name: str, num_machines: int) -> dict[int, Fraction]:
    durations: dict[int, Fraction] = {}
    for place in places:
        machine = source.integer(row, place, "machine")
        if not 1 <= machine <= num_machines:
            source.fail(
                row.line,
                f"machine {machine} of {name} does not exist; expected 1 to {num_machines}, "
                "since machines are numbered from 1 in this layout",
            )
        if machine - 1 in durations:
            source.fail(row.line, f"{name} names machine {machine} twice; expected each machine once")
        durations[machine - 1] = source.duration(row, place + 1)
    return durations


def _setups(
    source: Source, rows: list[Row], num_jobs: int, num_machines: int, num_operations: int
) -> list[list[list[int | Fraction]]] | None:
    """One square block of lines per machine, if any lines follow the jobs."""
    found = rows[num_jobs:]
    if not found:
        return None
    if len(found) != num_machines * num_operations:
        source.fail(
            found[0].line,
            f"found {len(found)} lines after the {num_jobs} jobs that the header announces; expected none, or setups: "
            f"a block of {num_operations} lines, one per operation, for each of the {num_machines} machines",
        )
    values = [source.durations(row, num_operations, "setups, one per operation") for row in found]
    return [values[first : first + num_operations] for first in range(0, len(values), num_operations)]


def write(instance: Instance) -> str:
    """Text of a flexible job shop, with setups where it has any.

    Raises
    ------
    UnsupportedError
        Naming what the layout cannot carry.
    """
    refuse_features(instance, "the .fjs layout", _CARRIED)
    mean = len(instance.eligible_agent) / max(1, instance.num_tasks)
    lines = [f"{instance.num_jobs} {instance.num_agents} {round(mean, 4):g}"]
    for job in range(instance.num_jobs):
        tasks = np.flatnonzero(instance.task_job == job)
        lines.append(" ".join([str(len(tasks)), *(_operation(instance, int(task)) for task in tasks)]))
    return "\n".join([*lines, *_setup_lines(instance)]) + "\n"


def _operation(instance: Instance, task: int) -> str:
    machines, durations = instance.eligible(task)
    pairs = zip(machines.tolist(), durations.tolist(), strict=True)
    numbers = (f"{machine + 1} {decimal(duration, instance.scale)}" for machine, duration in pairs)
    return " ".join([str(len(machines)), *numbers])


def _setup_lines(instance: Instance) -> list[str]:
    """Blocks of setups, each after an empty line."""
    changeover = instance.changeover
    if changeover is None:
        return []
    if not has_plain_setups(instance):
        raise UnsupportedError(
            "the .fjs layout cannot carry changeovers other than one matrix per machine over all operations, without "
            f"setups of first operations ({instance.name}); write JSON instead"
        )
    lines = []
    for matrix in changeover.times.tolist():
        lines += ["", *(" ".join(decimal(time, instance.scale) for time in row) for row in matrix)]
    return lines
