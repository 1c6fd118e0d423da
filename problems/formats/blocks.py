"""How the two layouts of job shops are told apart."""

from __future__ import annotations

import re

from problems.formats.source import Row

_LABEL = re.compile(r"(times|machines)\W*", re.IGNORECASE)


def block_label(row: Row) -> str | None:
    """``times`` or ``machines`` if the line labels a block, else None."""
    found = _LABEL.fullmatch(" ".join(row.tokens))
    return found.group(1).lower() if found else None


def has_labels(rows: list[Row]) -> bool:
    """Whether a block is labelled."""
    return any(block_label(row) for row in rows)


def two_lines_per_job(rows: list[Row]) -> bool:
    """Whether the rows after the header number twice the jobs that it announces."""
    jobs = rows[0].tokens[0]
    return jobs.isdecimal() and len(jobs) < 10 and int(jobs) > 0 and len(rows) - 1 == 2 * int(jobs)
