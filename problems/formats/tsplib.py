"""TSPLIB with EUC_2D coordinates, read as a multiple travelling salesmen problem whose depot is the first city.

Also read: the compact form whose first line is ``NAME EUC_2D SALESMEN``, followed by the cities.
"""

from __future__ import annotations

import re
from math import isfinite

from problems.errors import UnsupportedError
from problems.families.mtsp import is_multiple_tsp
from problems.formats.records import CitiesRecord
from problems.formats.source import Row, Source, is_number
from problems.instance import Instance

_ENTRY = re.compile(r"\s*([A-Z][A-Z0-9_]*)\s*:\s*(.*?)\s*")
_SECTION = re.compile(r"\s*([A-Z_]+_SECTION|EOF)\s*:?\s*")
_DESCRIPTIVE = ("NAME", "COMMENT", "DISPLAY_DATA_TYPE", "DISPLAY_DATA_SECTION")
_TYPES = ("TSP", "MTSP")
_ENTRIES = (*_DESCRIPTIVE, "TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "NODE_COORD_TYPE", "SALESMEN", "VEHICLES")


def detect(source: Source) -> bool:
    """Whether the file has a TSPLIB entry or section, or the compact header."""
    if _is_compact(source):
        return True
    keys = (_ENTRY.fullmatch(line) for line in source.lines)
    known = any(found and found.group(1) in ("DIMENSION", "EDGE_WEIGHT_TYPE", "TYPE") for found in keys)
    return known or any(line.strip().rstrip(":").strip() == "NODE_COORD_SECTION" for line in source.lines)


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of a TSPLIB file for ``agents`` salesmen (else for those of its entry ``SALESMEN``).

    Raises
    ------
    FormatError
        With the line of the first thing that is wrong; edge weights other than EUC_2D are refused by name.
    """
    return parse(source).build(source, agents)


def parse(source: Source) -> CitiesRecord:
    """Text to record."""
    if _is_compact(source):
        header, *rows = _rows(source)
        return CitiesRecord(_cities(source, rows, None), source.count(header, 2, "number of salesmen", 1))
    entries, sections = _split(source)
    _check_type(source, entries)
    if "NODE_COORD_SECTION" not in sections:
        source.fail(None, "has no NODE_COORD_SECTION; expected the coordinates of the cities")
    cities = sections["NODE_COORD_SECTION"]
    dimension = _count(source, entries, "DIMENSION")
    coordinates = _cities(source, cities, dimension)
    _check_depot(source, sections.get("DEPOT_SECTION", []), cities)
    salesmen = _count(source, entries, "SALESMEN") or _count(source, entries, "VEHICLES")
    return CitiesRecord(coordinates, salesmen)


def _rows(source: Source) -> list[Row]:
    split = ((number, line.split()) for number, line in enumerate(source.lines, 1))
    return [Row(number, tuple(tokens)) for number, tokens in split if tokens]


def _is_compact(source: Source) -> bool:
    first = next((line.split() for line in source.lines if line.strip()), [])
    return len(first) == 3 and first[1].upper() == "EUC_2D"


def _split(source: Source) -> tuple[dict[str, Row], dict[str, list[Row]]]:
    """Entries (one value each) and the rows of each section."""
    entries: dict[str, Row] = {}
    sections: dict[str, list[Row]] = {}
    current: list[Row] | None = None
    for row in _rows(source):
        line = source.lines[row.line - 1]
        section = _SECTION.fullmatch(line)
        entry = _ENTRY.fullmatch(line)
        if section and section.group(1) == "EOF":
            break
        if section:
            current = _open_section(source, row.line, section.group(1), sections)
        elif entry:
            _add_entry(source, row.line, entry, entries)
        elif current is None:
            source.fail(row.line, f"expected 'KEY : value' or a section, found '{line.strip()[:40]}'")
        else:
            current.append(row)
    return entries, sections


def _open_section(source: Source, line: int, name: str, sections: dict[str, list[Row]]) -> list[Row]:
    if name not in ("NODE_COORD_SECTION", "DEPOT_SECTION", "DISPLAY_DATA_SECTION"):
        source.fail(line, f"{name} is not supported; expected NODE_COORD_SECTION")
    if name in sections:
        source.fail(line, f"a second {name}; expected one")
    sections[name] = []
    return sections[name]


def _add_entry(source: Source, line: int, entry: re.Match[str], entries: dict[str, Row]) -> None:
    key, value = entry.groups()
    if key not in _ENTRIES:
        source.fail(line, f"{key} is not supported; known entries: {', '.join(_ENTRIES)}")
    if key in entries and key not in _DESCRIPTIVE:
        source.fail(line, f"a second {key}; expected one")
    entries[key] = Row(line, (value,))


def _check_type(source: Source, entries: dict[str, Row]) -> None:
    kind = entries.get("TYPE")
    if kind is not None and (kind.tokens[0].split() or [""])[0].upper() not in _TYPES:
        source.fail(kind.line, f"TYPE {kind.tokens[0] or 'without a value'} is not supported; expected TSP")
    weights = entries.get("EDGE_WEIGHT_TYPE")
    if weights is None:
        source.fail(None, "has no EDGE_WEIGHT_TYPE; expected EUC_2D")
    if weights.tokens[0].upper() != "EUC_2D":
        source.fail(weights.line, f"EDGE_WEIGHT_TYPE {weights.tokens[0]} is not supported; expected EUC_2D")
    places = entries.get("NODE_COORD_TYPE")
    if places is not None and places.tokens[0].upper() != "TWOD_COORDS":
        source.fail(places.line, f"NODE_COORD_TYPE {places.tokens[0]} is not supported; expected TWOD_COORDS")


def _count(source: Source, entries: dict[str, Row], key: str) -> int | None:
    row = entries.get(key)
    return None if row is None else source.count(row, 0, key, 1)


def _cities(source: Source, rows: list[Row], dimension: int | None) -> list[tuple[float, float]]:
    names: set[str] = set()
    for row in rows:
        if len(row.tokens) != 3:
            source.fail(row.line, f"found {len(row.tokens)} words; expected a city's number and two coordinates")
        if row.tokens[0] in names:
            source.fail(row.line, f"city {row.tokens[0]} appears twice")
        names.add(row.tokens[0])
    if not rows or (dimension is not None and len(rows) != dimension):
        line = rows[-1].line if rows else None
        source.fail(line, f"found {len(rows)} cities; expected {dimension or 'at least the depot'}")
    return [(_coordinate(source, row, 1), _coordinate(source, row, 2)) for row in rows]


def _coordinate(source: Source, row: Row, position: int) -> float:
    token = row.tokens[position]
    value = float(token) if is_number(token) else float("nan")
    if not isfinite(value):
        source.fail(row.line, f"coordinate is '{token[:40]}'; expected a number below 1e99")
    return value


def _check_depot(source: Source, rows: list[Row], cities: list[Row]) -> None:
    for row in rows:
        if row.tokens[0] not in ("-1", cities[0].tokens[0]) or len(row.tokens) != 1:
            source.fail(row.line, f"depot {' '.join(row.tokens)[:40]} is not supported; the depot is the first city")


def write(instance: Instance) -> str:
    """Text of a multiple travelling salesmen problem; the entry ``SALESMEN`` says for how many.

    The scale of the integer lengths is not carried: a reader chooses it anew.

    Raises
    ------
    UnsupportedError
        If the instance is not a plain multiple travelling salesmen problem.
    """
    if not is_multiple_tsp(instance) or instance.coordinates is None:
        raise UnsupportedError(
            f"TSPLIB carries multiple travelling salesmen with coordinates only, not {instance.name} "
            f"of family {instance.family}; write JSON instead"
        )
    name = "".join(char if char.isprintable() else " " for char in instance.name)
    lines = [f"NAME : {name}", "TYPE : TSP", f"DIMENSION : {len(instance.coordinates)}"]
    lines += ["EDGE_WEIGHT_TYPE : EUC_2D", f"SALESMEN : {instance.num_agents}", "NODE_COORD_SECTION"]
    lines += [f"{number} {float(x)!r} {float(y)!r}" for number, (x, y) in enumerate(instance.coordinates, 1)]
    return "\n".join([*lines, "EOF"]) + "\n"
