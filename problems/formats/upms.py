"""Parallel machines: the layout of Vallada and Ruiz with setups, and plain R||Cmax without.

With setups: ``jobs machines 1``, a line with the number of machines, per job a line of (machine from 0, duration)
pairs for every machine, the word ``SSD``, and for each machine a line ``M0``, ``M1``, ... and a square block whose line
i and column j hold the setup before job j right after job i. Without: ``jobs machines``, then a line of durations per
job, one for each machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from problems.errors import UnsupportedError
from problems.families.setups import has_plain_setups
from problems.formats.blocks import (
    SETUPS_LABEL,
    has_setups_label,
    mostly_one_time_per_machine,
    one_time_per_machine,
)
from problems.formats.features import decimal, refuse_features
from problems.formats.records import ParallelRecord, Time
from problems.formats.source import Row, Source
from problems.instance import Instance

_CARRIED = ("alternative agents", "changeovers")


def detect(source: Source) -> bool:
    """Whether setups are announced by ``SSD``, or each job, or most of them, has one number per machine."""
    rows = source.rows
    return has_setups_label(rows) or one_time_per_machine(rows) or mostly_one_time_per_machine(rows)


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of a file of parallel machines.

    Decimal times are scaled exactly. The third number of the header is not used.

    Raises
    ------
    FormatError
        With the line of the first thing that is wrong.
    """
    return parse(source).build(source)


def parse(source: Source) -> ParallelRecord:
    """Text to record."""
    header, *rows = source.rows
    if len(header.tokens) not in (2, 3):
        source.fail(
            header.line, f"the header holds {len(header.tokens)} words; expected the number of jobs and of machines"
        )
    num_jobs = source.count(header, 0, "number of jobs", 1)
    num_machines = source.count(header, 1, "number of machines", 1)
    if not has_setups_label(source.rows):
        return ParallelRecord(_plain_durations(source, rows, num_jobs, num_machines), None)
    label = next(number for number, row in enumerate(rows) if row.tokens == (SETUPS_LABEL,))
    durations = _pair_lines(source, header, rows[:label], num_jobs, num_machines)
    return ParallelRecord(durations, _matrices(source, rows[label], rows[label + 1 :], num_jobs, num_machines))


def _plain_durations(source: Source, rows: list[Row], num_jobs: int, num_machines: int) -> list[list[Time]]:
    """The durations of each job on all machines."""
    if len(rows) != num_jobs:
        source.fail(
            rows[-1].line if rows else None,
            f"found {len(rows)} lines of durations; the header announces {num_jobs} jobs, one line each",
        )
    return [source.durations(row, num_machines, "durations, one per machine of the header") for row in rows]


def _pair_lines(source: Source, header: Row, rows: list[Row], num_jobs: int, num_machines: int) -> list[list[Time]]:
    """The line with the number of machines, and the durations of each job."""
    if not rows or rows[0].tokens != (str(num_machines),):
        line = rows[0].line if rows else header.line
        source.fail(line, f"expected a line with the number of machines of the header alone: {num_machines}")
    if len(rows) - 1 != num_jobs:
        source.fail(
            rows[-1].line,
            f"found {len(rows) - 1} lines of durations before {SETUPS_LABEL}; expected {num_jobs}, one per job",
        )
    return [_pairs(source, row, num_machines) for row in rows[1:]]


def _pairs(source: Source, row: Row, num_machines: int) -> list[Time]:
    """Durations of a job on machines 0, 1, ... in order."""
    expected = [str(machine) for machine in range(num_machines)]
    if list(row.tokens[::2]) != expected or len(row.tokens) != 2 * num_machines:
        source.fail(
            row.line,
            f"expected {num_machines} pairs of a machine and a duration, for machines 0 to {num_machines - 1} in "
            "this order; write JSON for jobs that some machines cannot process",
        )
    return source.durations(Row(row.line, row.tokens[1::2]), num_machines, "durations")


def _matrices(source: Source, label: Row, rows: list[Row], num_jobs: int, num_machines: int) -> list[list[list[Time]]]:
    """The setups of each machine, below its label."""
    size = num_jobs + 1
    if len(rows) != num_machines * size:
        source.fail(
            rows[-1].line if rows else label.line,
            f"found {len(rows)} lines after {SETUPS_LABEL}; expected {num_machines} times a label and "
            f"{num_jobs} lines of setups",
        )
    matrices = []
    for machine in range(num_machines):
        name, *matrix = rows[machine * size : (machine + 1) * size]
        if name.tokens != (f"M{machine}",):
            source.fail(name.line, f"expected the label M{machine} above the setups of that machine")
        matrices.append([source.durations(row, num_jobs, "setups, one per job") for row in matrix])
    return matrices


def write(instance: Instance) -> str:
    """Text of parallel machines, with setups where the instance has any.

    Raises
    ------
    UnsupportedError
        Naming what the layouts cannot carry.
    """
    refuse_features(instance, "a file of parallel machines", _CARRIED)
    _refuse_shapes(instance)
    lines = _plain_lines(instance) if instance.changeover is None else _lines_with_setups(instance)
    return "\n".join(lines) + "\n"


def _refuse_shapes(instance: Instance) -> None:
    changeover = instance.changeover
    for feature, is_used in (
        ("no jobs", instance.num_jobs == 0),
        ("jobs of several operations", instance.num_tasks != instance.num_jobs),
        ("machines that cannot process a job", len(instance.eligible_agent) < instance.num_tasks * instance.num_agents),
        ("initial setups", changeover is not None and bool((changeover.agent_home >= 0).any())),
        ("changeovers other than one matrix over all jobs per machine", changeover and not has_plain_setups(instance)),
    ):
        if is_used:
            raise UnsupportedError(
                f"a file of parallel machines cannot carry {feature} ({instance.name}); write JSON instead"
            )


def _plain_lines(instance: Instance) -> Iterator[str]:
    yield f"{instance.num_jobs} {instance.num_agents}"
    for row in instance.durations.tolist():
        yield " ".join(decimal(time, instance.scale) for time in row)


def _lines_with_setups(instance: Instance) -> Iterator[str]:
    assert instance.changeover is not None
    yield f"{instance.num_jobs} {instance.num_agents} 1"
    yield str(instance.num_agents)
    for row in instance.durations.tolist():
        yield "\t" + "\t".join(f"{machine}\t{decimal(time, instance.scale)}" for machine, time in enumerate(row))
    yield SETUPS_LABEL
    for machine, matrix in enumerate(instance.changeover.times.tolist()):
        yield f"M{machine}"
        for row in matrix:
            yield "\t".join(decimal(time, instance.scale) for time in row)
