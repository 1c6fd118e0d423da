"""From typed dataclasses to a command line and back: one field is one option.

A command is a frozen dataclass. Values come from the field's default, then from ``--config FILE`` (JSON), then from
the command line. An unknown key, a value of another type and a missing value are errors.
"""

from __future__ import annotations

import argparse
import json
import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, asdict, field, fields
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class OptionError(Exception):
    """A command line or configuration that cannot be used; the message says what to change."""


def option(
    help: str,
    default: Any = MISSING,
    metavar: str | None = None,
    positional: bool = False,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """Declare an option; without a default it must be given.

    Parameters
    ----------
    help
        One sentence for ``--help``.
    default
        Value if the option is not given; None stands for "not set".
    metavar
        Name of the value in ``--help``.
    positional
        Whether it is given by position instead of by ``--name``.
    minimum, maximum
        The least and the largest legal number.
    choices
        The legal words.
    """
    kept: dict[str, Any] = {"help": help, "metavar": metavar, "positional": positional, "choices": choices}
    kept |= {"minimum": minimum, "maximum": maximum}
    return field(metadata=kept) if default is MISSING else field(default=default, metadata=kept)


def add_options(parser: argparse.ArgumentParser, command: type) -> None:
    """Add one argument per field of the dataclass ``command`` to ``parser``."""
    hints = typing.get_type_hints(command)
    for item in fields(command):
        _add_option(parser, item, hints[item.name])


def _add_option(parser: argparse.ArgumentParser, item: Field[Any], hint: Any) -> None:
    kind, many = _kind(hint)
    meta = item.metadata
    settings: dict[str, Any] = {"help": _help(item), "default": argparse.SUPPRESS}
    if kind is bool:
        settings |= {"action": "store_true", "dest": item.name}
        parser.add_argument(flag(item.name), **settings)
        return
    settings |= {"metavar": meta["metavar"] or item.name.upper(), "type": str}
    if many:
        settings["nargs"] = "+"
    if meta["positional"]:
        required = item.default is MISSING
        settings |= {} if required or many else {"nargs": "?"}
        parser.add_argument(item.name, **settings)
    else:
        parser.add_argument(flag(item.name), dest=item.name, **settings)


def flag(name: str) -> str:
    """Spell a field's name as an option."""
    return "--" + name.replace("_", "-")


def _help(item: Field[Any]) -> str:
    text = item.metadata["help"]
    if item.metadata["choices"]:
        text += f" ({', '.join(item.metadata['choices'])})"
    shown = item.default not in (MISSING, None, False, ())
    default = ",".join(map(str, item.default)) if isinstance(item.default, tuple) else item.default
    return (f"{text} (default: {default})" if shown else text).replace("%", "%%")


def _kind(hint: Any) -> tuple[type, bool]:
    """Scalar type of a hint, and whether there are many values of it."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(part for part in typing.get_args(hint) if part is not types.NoneType)
    if typing.get_origin(hint) is tuple:
        return typing.get_args(hint)[0], True
    return hint, False


def resolve(command: type[T], given: Mapping[str, Any]) -> T:
    """Build the dataclass ``command`` from what was given on the command line and in its ``--config`` file.

    Raises
    ------
    OptionError
        If a key is unknown, a value has another type or lies outside its range, or a value is missing.
    """
    values: dict[str, Any] = {}
    if given.get("config") is not None:
        values |= read_config(Path(given["config"]), command)
    hints = typing.get_type_hints(command)
    for item in fields(command):  # type: ignore[arg-type]
        if item.name in given:
            values[item.name] = _from_text(item, hints[item.name], given[item.name])
    missing = [item for item in fields(command) if item.default is MISSING and item.name not in values]  # type: ignore[arg-type]
    if missing:
        raise OptionError(f"{_spelled(missing[0])} is missing; give it on the command line")
    return command(**values)


def read_config(path: Path, command: type) -> dict[str, Any]:
    """Read the options of ``command`` from a JSON object; see `resolve`."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"{path}: cannot be read ({error.strerror}); give --config an existing JSON file") from None
    except ValueError as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise OptionError(f"{path}{line}: not valid JSON ({error}); expected an object of options") from None
    if not isinstance(read, dict):
        raise OptionError(f"{path}: expected a JSON object of options, found {type(read).__name__}")
    known = {item.name: item for item in fields(command)}
    hints = typing.get_type_hints(command)
    unknown = [key for key in read if key not in known or key == "config"]
    if unknown:
        alternatives = ", ".join(sorted(set(known) - {"config"}))
        raise OptionError(f"{path}: unknown option '{unknown[0]}'; choose among: {alternatives}")
    return {key: _from_json(known[key], hints[key], value) for key, value in read.items()}


def _spelled(item: Field[Any]) -> str:
    """Name of an option in a message."""
    return (item.metadata["metavar"] or item.name.upper()) if item.metadata["positional"] else flag(item.name)


def _from_text(item: Field[Any], hint: Any, given: Any) -> Any:
    """Value of an option typed by a person."""
    kind, many = _kind(hint)
    if kind is bool:
        return bool(given)
    if not many:
        return _checked(item, kind, _parsed(item, kind, given))
    words = [word for text in given for word in (text.split(",") if kind is not Path else [text]) if word]
    return tuple(_checked(item, kind, _parsed(item, kind, word)) for word in words)


def _parsed(item: Field[Any], kind: type, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        names = {int: "a whole number", float: "a number"}
        raise OptionError(f"{_spelled(item)}: expected {names.get(kind, kind.__name__)}, got '{text}'") from None


def _from_json(item: Field[Any], hint: Any, value: Any) -> Any:
    """Value of an option read from a configuration file."""
    kind, many = _kind(hint)
    if value is None and item.default is None:
        return None
    if many:
        return tuple(_typed(item, kind, part) for part in (value if isinstance(value, list) else [value]))
    return _typed(item, kind, value)


def _typed(item: Field[Any], kind: type, value: Any) -> Any:
    """Check a JSON value against the type of its option; a whole number serves as a number, true does not."""
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    wanted = str if kind is Path else kind
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
        raise OptionError(f"{item.name}: expected {wanted.__name__}, got {json.dumps(value)}")
    return _checked(item, kind, kind(value))


def _checked(item: Field[Any], kind: type, value: Any) -> Any:
    """Check the range of a number and the spelling of a word."""
    minimum, maximum, choices = (item.metadata[key] for key in ("minimum", "maximum", "choices"))
    if kind is float and not math.isfinite(value):
        raise OptionError(f"{_spelled(item)}: expected a finite number, got {value}")
    if minimum is not None and value < minimum:
        raise OptionError(f"{_spelled(item)}: must be at least {minimum}, got {value}")
    if maximum is not None and value > maximum:
        raise OptionError(f"{_spelled(item)}: must be at most {maximum}, got {value}")
    if choices and value not in choices:
        raise OptionError(f"{_spelled(item)}: unknown value '{value}'; choose one of: {', '.join(choices)}")
    return value


def as_json(command: Any) -> dict[str, Any]:
    """Options as JSON values: what `read_config` reads back (without ``config`` itself, which has been applied)."""
    return {key: _plain(value) for key, value in asdict(command).items() if key != "config"}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value
