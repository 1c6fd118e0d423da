"""What is known of an instance: best-known values with date and source, and a cheap lower bound."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any

from problems.errors import FormatError
from problems.formats.source import read_source
from problems.generators.taillard import taillard, taillard_table
from problems.instance import Instance
from problems.lower_bounds import lower_bound

__all__ = ["REFERENCE_FILES", "BestKnown", "ReferenceRow", "best_known", "lower_bound", "reference_rows"]

REFERENCE_FILES = ("bounds.json", "*_best_known.json", "index.json")
"""Patterns of the names of reference files, looked for in a folder and one level up."""

_UPPER_KEYS = ("ub", "best", "verified_ub", "makespan")
_LOWER_KEYS = ("lb", "soa_optimum", "trivial_lb")
_UPPER_SOURCES = ("ub_source", "verified_ub_src")


@dataclass(frozen=True)
class BestKnown:
    """Best-known values of one instance, in the unit of the source.

    Attributes
    ----------
    lower, upper
        Proven lower bound and best-known objective; None where unknown.
    optimal
        Whether the upper value is proven optimal.
    source
        Who found the upper value, or the file that says so.
    date
        As of when, ISO 8601; None where the source does not say.
    """

    lower: int | float | None
    upper: int | float | None
    optimal: bool
    source: str
    date: str | None


@dataclass(frozen=True)
class ReferenceRow:
    """An instance file that a reference file knows, for one number of agents where values hold for one number only."""

    path: Path
    agents: int | None
    best: BestKnown


@dataclass(frozen=True)
class _Entry:
    """One entry of a reference file; ``agents`` is set where it is the user's choice (salesmen)."""

    name: str
    file: PurePosixPath | None
    num_jobs: int | None
    num_agents: int | None
    agents: int | None
    best: BestKnown

    def is_about(self, stem: str) -> bool:
        """Whether the instance file called ``stem`` (without suffix) is meant."""
        return stem.lower() in (self.file.stem.lower() if self.file else "", self.name.lower())

    def fits(self, instance: Instance) -> bool:
        """Whether the sizes agree, as far as the entry says."""
        jobs, agents = (instance.num_jobs, instance.num_agents)
        return self.num_jobs in (None, jobs) and self.num_agents in (None, agents)


def best_known(
    name_or_instance: str | Instance, folders: Iterable[str | Path] = (), path: str | Path | None = None
) -> BestKnown | None:
    """Best-known values from the reference files of ``folders``, else from the built-in list of Taillard's instances.

    Parameters
    ----------
    name_or_instance
        The instance, or its name (``eil51-m3`` for three salesmen). Entries must agree with the size of an instance,
        and the built-in list is used only for an instance that equals Taillard's.
    folders
        Folders whose reference files (`REFERENCE_FILES`) are asked first, also those one level up.
    path
        File of the instance: its name counts as well, and its folder where entries name one.

    Returns
    -------
    BestKnown or None
        The best of all entries about the instance; None if nothing is known.

    Raises
    ------
    FormatError
        If a reference file is not JSON.
    """
    instance = name_or_instance if isinstance(name_or_instance, Instance) else None
    name = instance.name if instance is not None else str(name_or_instance)
    stem, agents = _split_name(name, instance)
    stems = {name, stem} | ({Path(path).stem} if path is not None else set())
    entries = [entry for folder in folders for entry in _entries(Path(folder))]
    found = [entry for entry in entries if any(entry.is_about(known) for known in stems)]
    found = [entry for entry in found if entry.agents in (None, agents) and (instance is None or entry.fits(instance))]
    if path is not None:
        found = _nearest(found, Path(path))
    return _merge([entry.best for entry in found]) or _built_in(name, instance)


def reference_rows(folder: str | Path) -> list[ReferenceRow]:
    """Files below ``folder`` that a reference file there or one level up knows, one row per (file, number of agents).

    Raises
    ------
    FormatError
        If a reference file is not JSON.
    """
    folder = Path(folder)
    entries = _entries(folder)
    rows = []
    for path in sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".json"):
        about = _nearest([entry for entry in entries if entry.is_about(path.stem)], path)
        for agents in sorted({entry.agents for entry in about}, key=lambda number: number or 0):
            best = _merge([entry.best for entry in about if entry.agents == agents])
            if best is not None:
                rows.append(ReferenceRow(path, agents, best))
    return rows


def _split_name(name: str, instance: Instance | None) -> tuple[str, int | None]:
    """Name without the number of agents, and that number."""
    suffix = re.fullmatch(r"(.+)-m([0-9]{1,6})", name)
    if instance is not None:
        return name.removesuffix(f"-m{instance.num_agents}"), instance.num_agents
    return (suffix.group(1), int(suffix.group(2))) if suffix else (name, None)


def _nearest(entries: list[_Entry], path: Path) -> list[_Entry]:
    """Entries whose file lies in a folder called like that of ``path``, if there are any."""
    near = [entry for entry in entries if entry.file and entry.file.parent.name in (path.parent.name, "")]
    return near or entries


def _entries(folder: Path) -> list[_Entry]:
    """Entries of all reference files of a folder and of the one above."""
    places = [folder, folder.resolve().parent]
    files = [file for place in places for pattern in REFERENCE_FILES for file in sorted(place.glob(pattern))]
    return [entry for file in files if file.is_file() for entry in _read_entries(file)]


def _read_entries(file: Path) -> list[_Entry]:
    source = read_source(file)
    try:
        document = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise FormatError(file, error.lineno, f"JSON syntax error in a reference file: {error.msg}") from None
    except (RecursionError, ValueError):
        raise FormatError(file, None, "is not a reference file; expected an object of entries") from None
    pairs = _pairs(document)
    found = [_entry(str(name), entry, file) for name, entry in pairs if isinstance(entry, dict)]
    return [entry for entry in found if entry is not None]


def _pairs(document: Any) -> list[tuple[Any, Any]]:
    """Named entries: of a list, of ``instances``, or of the object itself."""
    if isinstance(document, dict) and isinstance(document.get("instances"), dict | list):
        document = document["instances"]
    if isinstance(document, list):
        return [(entry.get("name", ""), entry) for entry in document if isinstance(entry, dict)]
    return list(document.items()) if isinstance(document, dict) else []


def _entry(name: str, entry: dict[str, Any], file: Path) -> _Entry | None:
    """One entry, or None where it holds no value."""
    if isinstance(entry.get("expect"), dict):
        entry = entry | entry["expect"]
    upper = _first_number(entry, _UPPER_KEYS)
    lower = _first_number(entry, _LOWER_KEYS, upper)
    if lower is None and upper is None:
        return None
    sources = [entry[key] for key in _UPPER_SOURCES if isinstance(entry.get(key), str)]
    dates = [entry[key] for key in ("lb_date", "ub_date") if isinstance(entry.get(key), str)]
    best = BestKnown(
        lower=lower,
        upper=upper,
        optimal=upper is not None and (entry.get("optimal") is True or upper == lower),
        source=sources[0] if sources else file.name,
        date=max(dates, default=None),
    )
    written = PurePosixPath(entry["file"]) if isinstance(entry.get("file"), str) else None
    num_jobs, num_agents = _first_number(entry, ("jobs", "n")), _first_number(entry, ("machines", "m"))
    is_routing = num_agents is not None and (name.endswith(f"-m{num_agents}") or (written and written.suffix == ".tsp"))
    if is_routing and num_jobs is not None:
        num_jobs -= 1  # the depot is among the cities, but no task
    return _Entry(name, written, num_jobs, num_agents, num_agents if is_routing else None, best)


def _first_number(entry: dict[str, Any], keys: tuple[str, ...], most: float | None = None) -> Any:
    """First finite number, not above ``most``, under one of the keys, else None.

    A published optimum that a schedule beats is none.
    """
    values = (entry.get(key) for key in keys)
    numbers = (value for value in values if isinstance(value, int | float) and not isinstance(value, bool))
    return next((value for value in numbers if isfinite(value) and (most is None or value <= most)), None)


def _merge(values: list[BestKnown]) -> BestKnown | None:
    """Best of several entries about one instance."""
    if not values:
        return None
    best = min(values, key=lambda value: (value.upper is None, value.upper, not value.optimal))
    lower = max((value.lower for value in values if value.lower is not None), default=None)
    return BestKnown(lower, best.upper, best.optimal or best.upper == lower is not None, best.source, best.date)


def _built_in(name: str, instance: Instance | None) -> BestKnown | None:
    table = taillard_table()
    entry = table["instances"].get(name)
    if entry is None or (instance is not None and not _same_data(instance, taillard(name))):
        return None
    return BestKnown(
        lower=entry["lower"],
        upper=entry["upper"],
        optimal=entry["lower"] == entry["upper"],
        source=f"{entry['upper_source']} ({table['source']})",
        date=max(table["date"], entry["lower_date"], entry["upper_date"]),
    )


def _same_data(instance: Instance, other: Instance) -> bool:
    """Whether two instances differ at most in family and names."""
    if (instance.num_agents, instance.num_jobs) != (other.num_agents, other.num_jobs):
        return False
    labels = {"family": other.family, "agent_names": other.agent_names, "job_names": other.job_names}
    return instance.replace(name=other.name, **labels) == other
