"""One measured number against what is asked of it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from solvers.result import installed_versions


@dataclass(frozen=True)
class Row:
    """A measurement.

    Attributes
    ----------
    what
        The quantity, with its unit.
    measured
        Its value.
    asked
        The bar as people read it; empty where the number is only reported.
    passed
        Whether the bar holds; None where there is none.
    command
        How to measure it alone.
    key
        Short name under which the README quotes it; empty where it does not.
    """

    what: str
    measured: float | int | str
    asked: str
    passed: bool | None
    command: str
    key: str = ""


def at_most(what: str, measured: float, bar: float, command: str, key: str = "") -> Row:
    """A number that must not exceed ``bar``."""
    return Row(what, round(float(measured), 4), f"<= {bar:g}", bool(measured <= bar), command, key)


def at_least(what: str, measured: float, bar: float, command: str, key: str = "") -> Row:
    """A number that must reach ``bar``."""
    return Row(what, round(float(measured), 4), f">= {bar:g}", bool(measured >= bar), command, key)


def within(what: str, measured: float, target: float, margin: float, command: str, key: str = "") -> Row:
    """A number that must be close to a published one."""
    passed = bool(abs(measured - target) <= margin)
    return Row(what, round(float(measured), 4), f"{target:g} +- {margin:g}", passed, command, key)


def holds(what: str, measured: object, asked: str, passed: bool, command: str) -> Row:
    """A condition."""
    return Row(what, str(measured), asked, bool(passed), command)


def reported(what: str, measured: float | str, command: str, key: str = "") -> Row:
    """A number without a bar."""
    value = measured if isinstance(measured, str) else round(float(measured), 4)
    return Row(what, value, "", None, command, key)


def as_table(rows: Iterable[Row]) -> str:
    """Markdown table of the rows."""
    marks = {True: "yes", False: "NO", None: ""}
    lines = ["| what | measured | asked | holds | command |", "|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row.what} | {row.measured} | {row.asked} | {marks[row.passed]} | `{row.command}` |")
    return "\n".join(lines)


def measure(section: Callable[[], Iterable[Row]], told: Callable[[Row], None]) -> list[Row]:
    """Rows of a section; one that breaks off ends with a row that says why, and does not end the run."""
    rows: list[Row] = []
    try:
        for row in section():
            told(row)
            rows.append(row)
    except Exception as error:  # a defect must cost one section of a run of hours, and be seen
        rows.append(holds("the section broke off", f"{type(error).__name__}: {error}", "no error", False, ""))
        told(rows[-1])
    return rows


def write_results(sections: Mapping[str, list[Row]], folder: Path, name: str, kept: Mapping[str, list[Row]]) -> None:
    """Write the rows of all sections, after those that are kept, as JSON with machine and versions, and as Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = {"cores": os.cpu_count(), "processor": platform.machine(), "versions": installed_versions()}
    merged = {**kept, **sections}
    rows = [{"section": section, **asdict(row)} for section, found in merged.items() for row in found]
    content = {"machine": machine, "rows": rows}
    (folder / f"{name}.json").write_text(json.dumps(content, indent=2, allow_nan=False) + "\n")
    (folder / f"{name}.md").write_text(as_table([row for found in merged.values() for row in found]) + "\n")


def read_results(path: Path) -> dict[str, list[Row]]:
    """Rows of each section that `write_results` has written to ``path``; none where there is no such file."""
    sections: dict[str, list[Row]] = {}
    if path.exists():
        for values in json.loads(path.read_text())["rows"]:
            sections.setdefault(values.pop("section"), []).append(Row(**values))
    return sections
