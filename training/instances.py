"""From what a person names (a file, a folder, ta01-ta10) to instances."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from problems.instance import Instance
from training.log import say
from training.options import OptionError

RANGE = re.compile(r"([A-Za-z]+)(\d+)-(?:([A-Za-z]+))?(\d+)")
BUILT_IN = re.compile(r"ta(\d{1,2})")
SUFFIXES = (".txt", ".jsp", ".tai", ".fjs", ".upms", ".tsp", ".json")
SCHEMAS = ("makespan-instance", "makespan-spark-jobs")
"""What JSON files of instances say they are."""

OPEN_SUFFIXES = (".tsp",)
"""Files that leave the number of agents open."""


@dataclass(frozen=True)
class Source:
    """Where an instance comes from; small enough to be sent to another process.

    Attributes
    ----------
    name
        Short name for messages: of the file without its suffix, or of the built-in instance.
    path
        The file, or None for a built-in instance.
    family, agents, executors, preset
        What the person told besides; None where the file tells. The last two are for Spark jobs only.
    """

    name: str
    path: Path | None = None
    family: str | None = None
    agents: int | None = None
    executors: int | None = None
    preset: str | None = None

    def load(self) -> Instance:
        """Read or generate the instance.

        Raises
        ------
        InstanceError
            If the file is broken, or does not fit the family and the number of agents asked for.
        OptionError
            If an option for Spark jobs is given with another problem.
        """
        if self.executors is not None or self.preset is not None:
            return _spark(self)
        if self.path is not None:
            from problems.formats import read_instance

            return read_instance(self.path, family=self.family, agents=self.agents)
        return _built_in(self)


def _spark(source: Source) -> Instance:
    """Spark jobs on the executors and under the preset asked for."""
    from problems.families import get_family
    from problems.families.spark_variants import with_preset
    from problems.formats import Format, read_instance, read_source

    option = "--executors" if source.executors is not None else "--preset"
    if source.executors is not None and source.agents is not None:
        raise OptionError("--agents and --executors mean the same for Spark jobs; leave --agents out")
    refusal = OptionError(f"{option} applies to Spark jobs only, not to {source.name}; leave it out")
    if source.path is None or source.family not in (None, "spark"):
        raise refusal
    if Format.detect(read_source(source.path)) not in get_family("spark").formats:
        raise refusal
    instance = read_instance(source.path, source.family, source.executors or source.agents)
    if instance.family != "spark":
        raise refusal
    return instance if source.preset is None else with_preset(instance, source.preset)


def _built_in(source: Source) -> Instance:
    from problems.generators import taillard

    if source.family not in (None, "jsp"):
        raise OptionError(f"{source.name} is a job shop, not of family '{source.family}'; leave --family out")
    if source.agents is not None:
        raise OptionError(f"{source.name} has its own machines; leave --agents out")
    return taillard(source.name)


def find(
    name: str,
    family: str | None = None,
    agents: int | None = None,
    executors: int | None = None,
    preset: str | None = None,
) -> Source:
    """Source of one instance: an existing file, or the name of a built-in instance.

    Raises
    ------
    OptionError
        If there is neither.
    """
    if not name:
        raise OptionError("the name of the instance is empty; name a file or a built-in instance such as ta01")
    path = Path(name)
    if path.is_file():
        return Source(path.stem, path, family, agents, executors, preset)
    if path.is_dir():
        raise OptionError(f"{name} is a folder; name one instance file in it, or use 'evaluate' for all of them")
    number = BUILT_IN.fullmatch(name)
    if number and 1 <= int(number[1]) <= 80:
        return Source(f"ta{int(number[1]):02d}", None, family, agents, executors, preset)
    raise OptionError(f"{name}: no such file, and not a built-in instance; built in are ta01 to ta80")


def expand(words: Sequence[str], family: str | None = None, agents: Sequence[int] = ()) -> list[Source]:
    """Sources of all that ``words`` name, in order: names, ranges, files, folders.

    A file that a reference file lists with numbers of agents gives one source per number, unless ``agents`` tells
    the numbers. In a folder, files that are no instances are passed over with a message.

    Raises
    ------
    OptionError
        If a word names nothing.
    """
    found: list[Source] = []
    for word in words:
        if Path(word).is_dir():
            found += _in_folder(Path(word), family, agents)
        else:
            for name in _range(word):
                found += _with_agents(find(name, family), agents)
    if not found:
        raise OptionError("--instances names no instance; give names, ranges, files or folders that hold some")
    return found


def with_spark_options(sources: Sequence[Source], executors: Sequence[int], preset: str | None) -> list[Source]:
    """The same sources under a preset, once for each number of executors, if there are any."""
    numbers = executors or (None,)
    return [replace(source, executors=number, preset=preset) for source in sources for number in numbers]


def _range(word: str) -> list[str]:
    """Names of a range such as ta01-ta10; any other word stands for itself."""
    match = RANGE.fullmatch(word)
    if Path(word).exists() or match is None or match[3] not in (None, match[1]):
        return [word]
    first, last = int(match[2]), int(match[4])
    if first > last:
        raise OptionError(f"--instances: the range {word} is empty; write the lower number first")
    return [f"{match[1]}{number:0{len(match[2])}d}" for number in range(first, last + 1)]


def is_reference(path: Path) -> bool:
    """Whether a file holds best-known values rather than an instance."""
    from problems.bounds import REFERENCE_FILES

    return any(fnmatch(path.name, pattern) for pattern in REFERENCE_FILES)


def _in_folder(folder: Path, family: str | None, agents: Sequence[int]) -> list[Source]:
    files = [path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in SUFFIXES]
    files = sorted((path for path in files if not is_reference(path)), key=lambda path: _natural(path.name))
    candidates = [path for path in files if _may_be_instance(path)]
    sources: list[Source] = []
    for path in candidates:
        source = Source(path.stem, path, family)
        listed = _listed_agents(source)
        if path.suffix.lower() in OPEN_SUFFIXES and not agents and not listed:
            say(f"{path}: passed over, no reference file lists it; give --agents to run it")
            continue
        sources += _with_agents(source, agents)
    return sources


def _may_be_instance(path: Path) -> bool:
    """Whether a file of a folder is meant as an instance: not a JSON file of another kind."""
    if path.suffix.lower() != ".json" or _schema(path) in SCHEMAS:
        return True
    say(f"{path}: passed over, not an instance")
    return False


def _schema(path: Path) -> object:
    """What a JSON file says it is; an unreadable file says nothing."""
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    return document.get("schema") if isinstance(document, dict) else None


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort key by which eil9 comes before eil51."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _with_agents(source: Source, agents: Sequence[int]) -> list[Source]:
    """One source per number of agents that is asked for, or else listed."""
    numbers = list(agents) or _listed_agents(source)
    return [replace(source, agents=number) for number in numbers] or [source]


def _listed_agents(source: Source) -> list[int]:
    """Numbers of agents with which reference files list the file of ``source``, increasing."""
    if source.path is None or source.path.suffix.lower() not in OPEN_SUFFIXES:
        return []
    listed = _listed(source.path.resolve().parent)
    return [agents for path, agents in listed if path.name == source.path.name]


@cache
def _listed(folder: Path) -> list[tuple[Path, int]]:
    """Files of ``folder`` and numbers of agents that reference files list, there or one level up."""
    from problems.bounds import reference_rows

    return [(row.path, row.agents) for row in reference_rows(folder) if row.agents is not None]
