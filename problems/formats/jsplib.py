"""JSPLIB "standard": ``jobs machines``, then a line of (machine, duration) pairs per job, machines from 0."""

from __future__ import annotations

from problems.formats.blocks import (
    counted_operations,
    has_labels,
    has_setups_label,
    mostly_one_time_per_machine,
    one_pair_list_per_job,
    one_time_per_machine,
    two_lines_per_job,
)
from problems.formats.features import decimal, job_shop_rows
from problems.formats.records import JobShopRecord
from problems.formats.source import Row, Source, is_number
from problems.instance import Instance


def detect(source: Source) -> bool:
    """Whether each job has a line of pairs, or the file starts with numbers and has no other layout of numbers."""
    rows = source.rows
    if not rows or not all(map(is_number, rows[0].tokens)):
        return False
    if has_labels(rows) or has_setups_label(rows) or two_lines_per_job(rows):
        return False
    others = (counted_operations, one_time_per_machine, mostly_one_time_per_machine)
    return one_pair_list_per_job(rows) or not any(fits(rows) for fits in others)


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of a JSPLIB file.

    Jobs may differ in their number of operations and visit a machine more than once. Decimal durations
    are scaled exactly.

    Raises
    ------
    FormatError
        With the line of the first thing that is wrong.
    """
    return parse(source).build(source)


def parse(source: Source) -> JobShopRecord:
    """Text to record."""
    header, *rows = source.rows
    if len(header.tokens) != 2:
        source.fail(
            header.line,
            f"the header holds {len(header.tokens)} numbers; expected two: the number of jobs and of machines",
        )
    num_jobs = source.integer(header, 0, "number of jobs")
    num_machines = source.count(header, 1, "number of machines", 1)
    if len(rows) != num_jobs:
        source.fail(
            rows[-1].line if rows else header.line,
            f"found {len(rows)} lines after the header, which announces {num_jobs} jobs; expected {num_jobs} lines "
            f"of machine/duration pairs, or {2 * num_jobs} lines in Taillard's layout",
        )
    return JobShopRecord(num_machines, [_job(source, row, num_machines) for row in rows])


def _job(source: Source, row: Row, num_machines: int) -> list:
    if len(row.tokens) % 2:
        source.fail(row.line, f"found {len(row.tokens)} numbers; expected pairs of a machine and a duration")
    return [
        (_machine(source, row, position, num_machines), source.duration(row, position + 1))
        for position in range(0, len(row.tokens), 2)
    ]


def _machine(source: Source, row: Row, position: int, num_machines: int) -> int:
    machine = source.integer(row, position, "machine")
    if machine >= num_machines:
        source.fail(
            row.line,
            f"machine {machine} does not exist; expected 0 to {num_machines - 1}, "
            "since machines are numbered from 0 in this layout",
        )
    return machine


def write(instance: Instance) -> str:
    """Text of a job shop.

    Raises
    ------
    UnsupportedError
        Naming what the layout cannot carry.
    """
    rows = job_shop_rows(instance, "JSPLIB")
    lines = [f"{instance.num_jobs} {instance.num_agents}"]
    lines += [" ".join(f"{machine} {decimal(time, instance.scale)}" for machine, time in row) for row in rows]
    return "\n".join(lines) + "\n"
