"""The file formats of instances. A new one is an entry here and a module with detect, read and write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from problems.errors import FormatError, UnknownNameError
from problems.formats import json_reader, json_writer, jsplib, spark_json, taillard, tsplib
from problems.formats.source import LARGEST_COUNT, Source, read_source, write_text
from problems.instance import Instance


class Format(StrEnum):
    """A file format of instances."""

    JSPLIB = "jsplib"
    TAILLARD = "taillard"
    TSPLIB = "tsplib"
    SPARK_JSON = "spark-json"
    JSON = "json"

    @classmethod
    def detect(cls, source: Source) -> Format:
        """The one format whose structure the text has; suffixes play no part.

        Raises
        ------
        FormatError
            If the text has the structure of no format, or of several.
        """
        if not source.text.strip():
            source.fail(None, "is empty; expected an instance")
        found = [name for name, entry in FORMATS.items() if entry.detect(source)]
        if len(found) == 1:
            return found[0]
        titles = "; ".join(entry.title for name, entry in FORMATS.items() if not found or name in found)
        problem = "several formats fit, expected one of" if found else "no known format; expected one of"
        line = source.rows[0].line if source.rows else None
        source.fail(line, f"{problem}: {titles}")


@dataclass(frozen=True)
class FormatEntry:
    """What is known of a format.

    Attributes
    ----------
    title
        What a file of this format looks like, in a few words.
    suffixes
        Suffixes for which `write_instance` chooses it; the longer of two that fit comes first.
    detect
        Whether a text has its structure.
    read
        From text, and the number of agents where it is the caller's choice, to an instance.
    write
        From an instance to text.
    agents
        Whether the caller may choose the number of agents.
    """

    title: str
    suffixes: tuple[str, ...]
    detect: Callable[[Source], bool]
    read: Callable[[Source, int | None], Instance]
    write: Callable[[Instance], str]
    agents: bool = False


FORMATS: dict[Format, FormatEntry] = {
    Format.JSPLIB: FormatEntry(
        "JSPLIB ('jobs machines', then a line of machine/duration pairs per job, machines from 0)",
        (".jsp", ".txt"),
        jsplib.detect,
        jsplib.read,
        jsplib.write,
    ),
    Format.TAILLARD: FormatEntry(
        "Taillard ('jobs machines', a block of times, a block of machines from 1)",
        (".tai",),
        taillard.detect,
        taillard.read,
        taillard.write,
    ),
    Format.TSPLIB: FormatEntry(
        "TSPLIB (EUC_2D coordinates)",
        (".tsp",),
        tsplib.detect,
        tsplib.read,
        tsplib.write,
        agents=True,
    ),
    Format.SPARK_JSON: FormatEntry(
        "JSON of schema makespan-spark-jobs",
        (".spark.json",),
        spark_json.detect,
        spark_json.read,
        spark_json.write,
        agents=True,
    ),
    Format.JSON: FormatEntry(
        "JSON of schema makespan-instance",
        (".json",),
        json_reader.detect,
        json_reader.read,
        json_writer.write,
        agents=True,
    ),
}
"""Every format by name."""

FOREIGN_SUFFIXES = {".fjs": "flexible job shop files"}
"""Suffixes of formats that are not read; some of their files would pass for another format."""


def read_instance(path: str | Path, family: str | None = None, agents: int | None = None) -> Instance:
    """Read an instance; its format is recognised by structure.

    Parameters
    ----------
    path
        The file.
    family
        Family that the instance must be of; None for any.
    agents
        Number of salesmen, for formats that leave it open.

    Raises
    ------
    FormatError
        If the file is unreadable, of no known format, wrong, of another family, or fixes the number of agents
        although ``agents`` is given.
    """
    path = Path(path)
    if path.suffix.lower() in FOREIGN_SUFFIXES:
        known = ", ".join(FORMATS)
        raise FormatError(path, None, f"{FOREIGN_SUFFIXES[path.suffix.lower()]} are not supported; expected {known}")
    return parse_instance(read_source(path), family, agents)


def parse_instance(source: Source, family: str | None = None, agents: int | None = None) -> Instance:
    """As `read_instance`, for a text that has been read already."""
    if agents is not None and agents < 1:
        source.fail(None, f"agents is {agents}; expected at least 1")
    if agents is not None and agents > LARGEST_COUNT:
        source.fail(None, f"agents is {agents}; at most {LARGEST_COUNT} are read")
    name = Format.detect(source)
    if agents is not None and not FORMATS[name].agents:
        source.fail(None, f"the number of agents is fixed by the file ({name}); leave out agents={agents}")
    instance = FORMATS[name].read(source, agents)
    if family is not None and instance.family != family:
        source.fail(None, f"holds an instance of family '{instance.family}'; asked for '{family}'")
    return instance


def write_instance(instance: Instance, path: str | Path, format: Format | str | None = None) -> None:
    """Write an instance as a whole or not at all.

    Parameters
    ----------
    instance
        The instance.
    path
        The file; its suffix chooses the format if none is given.
    format
        A format, or its name.

    Raises
    ------
    UnsupportedError
        If the format cannot carry a feature of the instance; the message names it.
    UnknownNameError
        If there is no such format.
    FormatError
        If the suffix belongs to no format or the file cannot be written.
    """
    entry = FORMATS[_format_of(Path(path)) if format is None else _format_called(format)]
    write_text(path, entry.write(instance))


def _format_called(name: str) -> Format:
    try:
        return Format(name)
    except ValueError:
        raise UnknownNameError("format", name, [str(format) for format in Format]) from None


def _format_of(path: Path) -> Format:
    for name, entry in FORMATS.items():
        if path.name.lower().endswith(entry.suffixes):
            return name
    known = ", ".join(f"{suffix} ({name})" for name, entry in FORMATS.items() for suffix in entry.suffixes)
    raise FormatError(path, None, f"the suffix belongs to no format; use one of {known}, or name the format")
