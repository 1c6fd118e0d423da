"""The file formats of instances. A new one is an entry here and a module with detect, read and write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

from problems.errors import FormatError, UnknownNameError
from problems.families.registry import FAMILIES
from problems.formats import fjs, json_reader, json_writer, jsplib, spark_json, taillard, tsplib, upms
from problems.formats.source import LARGEST_COUNT, Source, read_source, write_text
from problems.instance import Instance


class Format(StrEnum):
    """A file format of instances."""

    JSPLIB = "jsplib"
    TAILLARD = "taillard"
    FJS = "fjs"
    UPMS = "upms"
    TSPLIB = "tsplib"
    SPARK_JSON = "spark-json"
    JSON = "json"

    @classmethod
    def detect(cls, source: Source, family: str | None = None) -> Format:
        """The one format whose structure the text has.

        A text that fits several formats is of the one whose own suffix the file has. A file called ``.fjs`` is a
        flexible job shop and one called ``.upms`` holds parallel machines, however broken it is.

        Parameters
        ----------
        source
            The text.
        family
            Family whose formats come into question; None for all.

        Raises
        ------
        FormatError
            If the text has the structure of no format, or of several, or not of one of the family.
        """
        if not source.text.strip():
            source.fail(None, "is empty; expected an instance")
        candidates = [cls(name) for name in FAMILIES[family].formats] if family in FAMILIES else list(cls)
        file = source.path.name.lower() if source.path is not None else ""
        own = next((name for suffix, name in DECIDING_SUFFIXES.items() if file.endswith(suffix)), None)
        if own is not None:
            return own if own in candidates else _refuse_family(source, own, family)
        found = [name for name in candidates if FORMATS[name].detect(source)]
        if len(found) > 1:
            found = [name for name in found if file.endswith(FORMATS[name].suffixes[0])] or found
        return found[0] if len(found) == 1 else _refuse(source, family, candidates, found)


def _refuse_family(source: Source, own: Format, family: str | None) -> NoReturn:
    suffix, title = FORMATS[own].suffixes[0], FORMATS[own].title
    source.fail(None, f"{suffix} stands for a {title}; asked for an instance of family '{family}'")


def _refuse(source: Source, family: str | None, candidates: list[Format], found: list[Format]) -> NoReturn:
    """Say which formats the text could have."""
    titles = "; ".join(FORMATS[name].title for name in found or candidates)
    about = f" of family '{family}'" if family is not None else ""
    problem = (
        "several formats fit; name the family (--family) or use the suffix" if found else f"no known format{about}"
    )
    line = source.rows[0].line if source.rows else None
    source.fail(line, f"{problem}; expected one of: {titles}")


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
    Format.FJS: FormatEntry(
        "flexible job shop ('jobs machines [mean]', then per job the number of operations and, for each, the number of "
        "machines and that many machine/duration pairs, machines from 1)",
        (".fjs",),
        fjs.detect,
        fjs.read,
        fjs.write,
    ),
    Format.UPMS: FormatEntry(
        "parallel machines ('jobs machines', then a line of durations per job; or the layout of Vallada and Ruiz with "
        "'SSD' above the setups)",
        (".upms", ".txt"),
        upms.detect,
        upms.read,
        upms.write,
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

DECIDING_SUFFIXES = {".fjs": Format.FJS, ".upms": Format.UPMS}
"""Suffixes that settle the format, since a broken file could pass for another one."""


def read_instance(path: str | Path, family: str | None = None, agents: int | None = None) -> Instance:
    """Read an instance; its format is recognised by its structure, in case of doubt by family or suffix.

    Parameters
    ----------
    path
        The file.
    family
        Family that the instance must be of, which decides where a text fits several formats; None for any.
    agents
        Number of salesmen, for formats that leave it open.

    Raises
    ------
    FormatError
        If the file is unreadable, of no known format, wrong, of another family, or fixes the number of agents
        although ``agents`` is given.
    """
    return parse_instance(read_source(path), family, agents)


def parse_instance(source: Source, family: str | None = None, agents: int | None = None) -> Instance:
    """As `read_instance`, for a text that has been read already."""
    if agents is not None and agents < 1:
        source.fail(None, f"agents is {agents}; expected at least 1")
    if agents is not None and agents > LARGEST_COUNT:
        source.fail(None, f"agents is {agents}; at most {LARGEST_COUNT} are read")
    name = Format.detect(source, family)
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
        The file; its suffix chooses the format if none is given, among several one of the instance's family.
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
    entry = FORMATS[_format_of(Path(path), instance.family) if format is None else _format_called(format)]
    write_text(path, entry.write(instance))


def _format_called(name: str) -> Format:
    try:
        return Format(name)
    except ValueError:
        raise UnknownNameError("format", name, [str(format) for format in Format]) from None


def _format_of(path: Path, family: str) -> Format:
    fitting = [name for name, entry in FORMATS.items() if path.name.lower().endswith(entry.suffixes)]
    usual = [name for name in fitting if family in FAMILIES and name in FAMILIES[family].formats]
    if not fitting:
        known = ", ".join(f"{suffix} ({name})" for name, entry in FORMATS.items() for suffix in entry.suffixes)
        raise FormatError(path, None, f"the suffix belongs to no format; use one of {known}, or name the format")
    return (usual or fitting)[0]
