"""One row of a result table: an instance solved by a solver with a seed, or the reason why it was not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeAlias

SUMMARY_KEYS = (
    "instance", "family", "preset", "solver", "status", "objective", "lower_bound", "gap", "best_known",
    "gap_to_best_known", "runtime_s", "seed", "checked", "clairvoyant", "tolerance", "versions",
)  # fmt: skip
"""The keys of ``solve --json``, in order."""

ERROR = "error"
"""Status of a row that has no result; the others are those of a `Result`."""


@dataclass
class Row:
    """A row of ``results.csv`` and ``results.json``; None is an empty cell.

    Attributes
    ----------
    instance, family, agents, group
        Name, family, number of agents, and the group of similar instances over which reports average.
    solver, seed, samples, time_limit
        What was asked for.
    status
        optimal, feasible, infeasible, unknown, or error.
    objective, lower_bound, gap
        In the unit of the source; ``gap`` is (objective - lower_bound) / objective.
    best_known, gap_to_best_known
        The best published value and objective / best_known - 1.
    best_known_lower, best_known_source, best_known_date
        The best published bound, and where and when the values were found.
    runtime_s
        Wall time of the solver in seconds.
    checked
        Whether the independent checker accepted the schedule.
    clairvoyant
        Whether durations or jobs were known before they were revealed.
    tolerance
        By how much the solver's own units may differ from the objective (0 for whole numbers).
    reason
        Why there is no result.
    file, instance_file, schedule_file, log_file
        The source, and the files beside the table, relative to it.
    fingerprint
        Hash of the instance's data; None where it could not be read.
    preset
        Of a Spark cluster; None for other families.
    versions
        Versions of what computed the row.
    """

    instance: str
    solver: str
    seed: int
    family: str | None = None
    agents: int | None = None
    group: str | None = None
    samples: int = 1
    time_limit: float | None = None
    status: str = ERROR
    objective: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    best_known: float | None = None
    gap_to_best_known: float | None = None
    best_known_lower: float | None = None
    best_known_source: str | None = None
    best_known_date: str | None = None
    runtime_s: float | None = None
    checked: bool = False
    tolerance: float | None = None
    clairvoyant: bool = False
    reason: str | None = None
    file: str | None = None
    instance_file: str | None = None
    schedule_file: str | None = None
    log_file: str | None = None
    fingerprint: str | None = None
    preset: str | None = None
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> Hashable:
        """What tells its instance from others: files in different folders may hold instances of the same name."""
        return (self.instance, self.agents, self.fingerprint or self.file)

    @property
    def solved(self) -> bool:
        """Whether the row has a checked schedule."""
        return self.checked and self.objective is not None and self.status in ("optimal", "feasible")

    def fail(self, reason: str) -> None:
        """Turn the row into an error; its numbers are kept for the reader to see, except the gaps."""
        self.status, self.reason = ERROR, reason
        self.gap = self.gap_to_best_known = None

    def as_json(self) -> dict[str, Any]:
        """All columns, in order."""
        values = asdict(self)
        return {name: values[name] for name in COLUMNS}

    def summary(self) -> dict[str, Any]:
        """The columns of ``solve --json``."""
        values = self.as_json()
        return {key: values[key] for key in SUMMARY_KEYS}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Row:
        """Row from what `as_json` gave; unknown columns are left out."""
        known = {item.name for item in fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})


_DETAILS = [item.name for item in fields(Row) if item.name not in SUMMARY_KEYS]
COLUMNS = (*SUMMARY_KEYS[:-1], *_DETAILS, "versions")
"""Columns of results.csv and results.json, in order."""


def relative_excess(value: float | None, reference: float | None) -> float | None:
    """``value / reference - 1``; 0 where both are equal, None without either or where it is not defined."""
    if value is None or reference is None:
        return None
    if value == reference:
        return 0.0
    return value / reference - 1 if reference else None


def slack(bound: float, tolerance: float | None) -> float:
    """By how much a value may lie below a bound: half a unit of the bound's last digit, plus the tolerance."""
    text = repr(float(bound))
    digits = 0 if float(bound).is_integer() else len(text.partition(".")[2])
    last_digit = 0.0 if not digits or "e" in text else 0.5 * 10.0**-digits
    return last_digit + (tolerance or 0.0) + 1e-12 * abs(bound)


Bound: TypeAlias = tuple[float, str]
"""A lower bound, minus infinity where there is none, and whose it is."""

NO_BOUND: Bound = (float("-inf"), "")


def flag_below_bounds(rows: list[Row]) -> None:
    """Turn every row whose objective lies below a lower bound of its instance into an error.

    A bound is a published one, or one that any row claims to have proved for the same instance and agents.
    """
    bounds: dict[Hashable, Bound] = {}
    for row in rows:
        known = (bounds.get(row.key, NO_BOUND), published_bound(row), _own_bound(row))
        bounds[row.key] = max(known, key=lambda bound: bound[0])
    for row in rows:
        reason = contradiction(row, bounds[row.key])
        if reason is not None and row.reason is None:
            row.fail(reason)


def published_bound(row: Row) -> Bound:
    """Best published bound of the instance of a row."""
    if row.best_known_lower is None:
        return NO_BOUND
    return row.best_known_lower, f"the published bound ({row.best_known_source})"


def _own_bound(row: Row) -> Bound:
    return NO_BOUND if row.lower_bound is None else (row.lower_bound, f"the bound of {row.solver}")


def contradiction(row: Row, bound: Bound) -> str | None:
    """How the objective of a row contradicts a bound, in words; None if it does not."""
    value, origin = bound
    if row.objective is None or not origin or row.objective >= value - slack(value, row.tolerance):
        return None
    return f"the objective {row.objective:g} lies below {origin}, {value:g}: one of the two is wrong"


def labels(rows: Iterable[Row]) -> dict[Hashable, str]:
    """Name of each instance for people, by `Row.key`: with its preset, and where several have the same, its file."""
    named = {row.key: row for row in rows}
    times = Counter((row.instance, row.agents, row.preset) for row in named.values())

    def label(row: Row) -> str:
        alone = times[row.instance, row.agents, row.preset] == 1
        details = [row.preset, None if alone else row.file or "built in"]
        told = ", ".join(detail for detail in details if detail is not None)
        return f"{row.instance} ({told})" if told else row.instance

    return {key: label(row) for key, row in named.items()}


def slug(text: str) -> str:
    """``text`` as a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "unnamed"
