"""Taillard's two-block layout: a block of times, then a block of machines numbered from 1, one line per job.

The blocks are plain, or each stands below a line ``Times`` or ``Machines``.
"""

from __future__ import annotations

from fractions import Fraction

from problems.errors import UnsupportedError
from problems.formats.blocks import block_label, has_labels, two_lines_per_job
from problems.formats.features import decimal, job_shop_rows
from problems.formats.records import JobShopRecord
from problems.formats.source import Row, Source, is_number
from problems.instance import Instance

_HEADERS = (2, 6)


def detect(source: Source) -> bool:
    """Whether a block is labelled, or numbers follow with two lines per announced job."""
    rows = source.rows
    if has_labels(rows):
        return True
    numeric = bool(rows) and all(is_number(token) for row in rows for token in row.tokens)
    return numeric and two_lines_per_job(rows)


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of a file in Taillard's layout.

    Raises
    ------
    FormatError
        With the line of the first thing that is wrong; also where plain blocks could be read in either order.
    """
    return parse(source).build(source)


def parse(source: Source) -> JobShopRecord:
    """Text to record."""
    labelled = has_labels(source.rows)
    header, blocks = _labelled_blocks(source) if labelled else _plain_blocks(source)
    num_jobs = source.integer(header, 0, "number of jobs")
    num_machines = source.count(header, 1, "number of machines", 1)
    for name, rows in blocks.items():
        _check_block(source, header, name, rows, num_jobs, num_machines)
    times = [[source.duration(row, position) for position in range(num_machines)] for row in blocks["times"]]
    machines = [_machines(source, row, num_machines, labelled) for row in blocks["machines"]]
    if not labelled:
        _refuse_either_order(source, blocks["machines"], times, machines)
    return JobShopRecord(num_machines, [list(zip(*job, strict=True)) for job in zip(machines, times, strict=True)])


def _plain_blocks(source: Source) -> tuple[Row, dict[str, list[Row]]]:
    header, *rows = source.rows
    _check_header(source, header)
    half = len(rows) // 2
    return header, {"times": rows[:half], "machines": rows[half:]}


def _labelled_blocks(source: Source) -> tuple[Row, dict[str, list[Row]]]:
    header: Row | None = None
    blocks: dict[str, list[Row]] = {}
    current: list[Row] | None = None
    for row in source.rows:
        label = block_label(row)
        if label in blocks:
            source.fail(row.line, f"a second block '{label}'; expected one instance per file")
        if label:
            current = blocks[label] = []
        elif current is not None:
            current.append(row)
        elif is_number(row.tokens[0]):
            if header is not None:
                source.fail(row.line, "a second line of numbers before the label; expected 'Times' or 'Machines'")
            header = row
    if header is None or len(blocks) < 2:
        missing = (
            "a header with the number of jobs and of machines" if header is None else "both 'Times' and 'Machines'"
        )
        source.fail(None, f"has a labelled block but lacks {missing}")
    _check_header(source, header)
    return header, blocks


def _check_header(source: Source, header: Row) -> None:
    if len(header.tokens) not in _HEADERS:
        source.fail(
            header.line,
            f"the header holds {len(header.tokens)} numbers; expected 2 (jobs, machines) "
            "or 6 (with two seeds and two bounds)",
        )


def _check_block(source: Source, header: Row, name: str, rows: list[Row], num_jobs: int, num_machines: int) -> None:
    for row in rows:
        if len(row.tokens) != num_machines or not is_number(row.tokens[0]):
            source.fail(
                row.line,
                f"found {len(row.tokens)} words in the block of {name}; expected {num_machines} numbers, "
                "one per machine (Taillard's layout: a block of times, then a block of machines)",
            )
    if len(rows) != num_jobs:
        line = rows[-1].line if rows else header.line
        source.fail(line, f"the block of {name} has {len(rows)} lines; expected {num_jobs}, one per job")


def _machines(source: Source, row: Row, num_machines: int, labelled: bool) -> list[int]:
    machines = [source.integer(row, position, "machine") for position in range(num_machines)]
    for machine in machines:
        if not 1 <= machine <= num_machines:
            source.fail(
                row.line,
                f"machine {machine} does not exist; expected 1 to {num_machines}, "
                "since machines are numbered from 1 in Taillard's layout and their block comes second",
            )
    if not labelled and len(set(machines)) < num_machines:
        source.fail(
            row.line,
            "a machine appears twice in a line of the second block; expected each machine once, "
            "or label the blocks with 'Times' and 'Machines'",
        )
    return [machine - 1 for machine in machines]


def _refuse_either_order(
    source: Source, rows: list[Row], times: list[list[Fraction]], machines: list[list[int]]
) -> None:
    """Two blocks that both look like machines fit two readings, unless they are the same."""
    first = [[time - 1 for time in row] for row in times]
    if first != machines and all(sorted(row) == list(range(len(row))) for row in first):
        source.fail(
            rows[0].line,
            "both blocks could be the machines; expected the times first: label the blocks with 'Times' and 'Machines'",
        )


def write(instance: Instance) -> str:
    """Text of a job shop with as many operations in each job as there are machines, with labelled blocks.

    Raises
    ------
    UnsupportedError
        Naming what the layout cannot carry.
    """
    rows = job_shop_rows(instance, "Taillard's layout")
    if any(len(row) != instance.num_agents for row in rows):
        raise UnsupportedError(
            f"Taillard's layout cannot carry jobs with fewer or more operations than machines ({instance.name}); "
            "write JSPLIB or JSON instead"
        )
    lines = [f"{instance.num_jobs} {instance.num_agents}", "Times"]
    lines += [" ".join(decimal(time, instance.scale) for _, time in row) for row in rows]
    lines += ["Machines", *(" ".join(str(machine + 1) for machine, _ in row) for row in rows)]
    return "\n".join(lines) + "\n"
