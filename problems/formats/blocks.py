"""How the layouts of numbers are told apart, by the number of lines and of numbers on them."""

from __future__ import annotations

import re

from problems.formats.source import Row, is_number

_LABEL = re.compile(r"(times|machines)\W*", re.IGNORECASE)
_WHOLE = re.compile(r"[0-9]{1,9}")

SETUPS_LABEL = "SSD"
"""Stands above the setup matrices of parallel machines."""


def block_label(row: Row) -> str | None:
    """``times`` or ``machines`` if the line labels a block, else None."""
    found = _LABEL.fullmatch(" ".join(row.tokens))
    return found.group(1).lower() if found else None


def has_labels(rows: list[Row]) -> bool:
    """Whether a block is labelled."""
    return any(block_label(row) for row in rows)


def has_setups_label(rows: list[Row]) -> bool:
    """Whether setup matrices of parallel machines are announced."""
    return any(row.tokens == (SETUPS_LABEL,) for row in rows)


def two_lines_per_job(rows: list[Row]) -> bool:
    """Whether the rows after the header number twice the jobs that it announces."""
    jobs = _whole(rows[0].tokens[0])
    return jobs is not None and jobs > 0 and len(rows) - 1 == 2 * jobs


def one_pair_list_per_job(rows: list[Row]) -> bool:
    """Whether each announced job has a line of pairs of a machine from 0 and something else."""
    size = _size(rows, (2,))
    return size is not None and len(rows) - 1 == size[0] and all(_is_pairs(row, size[1]) for row in rows[1:])


def one_time_per_machine(rows: list[Row]) -> bool:
    """Whether each announced job has a line with one number per machine."""
    size = _size(rows, (2,))
    if size is None or size[0] == 0 or len(rows) - 1 != size[0]:
        return False
    return all(len(row.tokens) == size[1] and all(map(is_number, row.tokens)) for row in rows[1:])


def mostly_one_time_per_machine(rows: list[Row]) -> bool:
    """Whether each announced job has a line, most of them with one number per machine, and no other layout fits.

    Some lines are then too short or too long, which the reader tells better than that of another layout.
    """
    size = _size(rows, (2,))
    if size is None or len(rows) - 1 != size[0] or one_pair_list_per_job(rows) or counted_operations(rows):
        return False
    return 2 * sum(len(row.tokens) == size[1] for row in rows[1:]) > size[0]


def counted_operations(rows: list[Row]) -> bool:
    """Whether each announced job has a line whose counts of operations and machines add up to its length."""
    size = _size(rows, (2, 3))
    if size is None or len(rows) - 1 < size[0] or (size[0] == 0 and len(rows[0].tokens) == 2):
        return False
    return all(_adds_up(row) for row in rows[1 : size[0] + 1])


def _size(rows: list[Row], lengths: tuple[int, ...]) -> tuple[int, int] | None:
    """Jobs and machines, if the first row is a header of one of these lengths."""
    if not rows or len(rows[0].tokens) not in lengths or not all(map(is_number, rows[0].tokens)):
        return None
    jobs, machines = _whole(rows[0].tokens[0]), _whole(rows[0].tokens[1])
    return None if jobs is None or machines is None else (jobs, machines)


def _whole(token: str) -> int | None:
    return int(token) if _WHOLE.fullmatch(token) else None


def _is_pairs(row: Row, num_machines: int) -> bool:
    machines = [_whole(token) for token in row.tokens[::2]]
    return len(row.tokens) % 2 == 0 and all(machine is not None and machine < num_machines for machine in machines)


def _adds_up(row: Row) -> bool:
    """Walk over ``operations (machines (machine duration)*)*``."""
    operations, position = _whole(row.tokens[0]), 1
    for _ in range(min(operations or 0, len(row.tokens))):
        machines = _whole(row.tokens[position]) if position < len(row.tokens) else None
        if machines is None:
            return False
        position += 1 + 2 * machines
    return operations is not None and position == len(row.tokens)
