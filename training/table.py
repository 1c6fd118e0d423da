"""Aligned tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

RIGHT = (int, float)


def aligned(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Lay out ``rows`` under ``columns``: numbers to the right, text to the left, None as an empty cell."""
    cells = [[text(value) for value in row] for row in rows]
    widths = [max(map(len, [name, *(row[at] for row in cells)])) for at, name in enumerate(columns)]
    numeric = [any(isinstance(row[at], RIGHT) or _looks_numeric(row[at]) for row in rows) for at in range(len(columns))]
    lines = [_line(columns, widths, numeric), _line(["-" * width for width in widths], widths, numeric)]
    lines += [_line(row, widths, numeric) for row in cells]
    return "\n".join(lines) + "\n"


def _looks_numeric(value: Any) -> bool:
    return isinstance(value, str) and value.rstrip(" %").lstrip("-+").replace(".", "", 1).isdigit()


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    placed = zip(cells, widths, numeric, strict=True)
    return "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in placed).rstrip()


def text(value: Any) -> str:
    """One cell: floats with at most six significant digits, whole numbers whole."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if value == round(value) and abs(value) < 1e12 else f"{value:.6g}"
    return str(value)


def percent(value: float | None, digits: int = 1) -> str | None:
    """A fraction as a percentage, zero without a sign; None stays an empty cell."""
    return None if value is None else f"{100 * value:z.{digits}f} %"
