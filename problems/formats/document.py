"""JSON with errors that say where: the line of a syntax error, the path of a wrong value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from problems.errors import FormatError
from problems.formats.source import LARGEST_NUMBER, LINE_END, Source, exact_number, show

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}:,\[\]]|[^\s"{}:,\[\]]+')


class Decimal(str):
    """A JSON number with a point or an exponent, kept as it was written."""


@dataclass(frozen=True)
class Node:
    """A value of a JSON document, and where it stands (``$.jobs[0].release``)."""

    file: Path | None
    where: str
    value: Any

    def fail(self, message: str) -> NoReturn:
        """Raise `FormatError` for this value."""
        raise FormatError(self.file, None, f"{self.where}: {message}")

    def _expected(self, what: str) -> NoReturn:
        value = float(self.value) if isinstance(self.value, Decimal) else self.value
        self.fail(f"found {show(value)}; expected {what}")

    def members(self, required: Sequence[str] = (), optional: Sequence[str] = ()) -> dict[str, Node]:
        """Members of an object that has the required keys and no other than these and the optional ones.

        Optional members that are null count as absent.
        """
        if not isinstance(self.value, dict):
            self._expected("an object { }")
        missing = [key for key in required if key not in self.value]
        if missing:
            self.fail(f"lacks '{missing[0]}'")
        unknown = [key for key in self.value if key not in required and key not in optional]
        if unknown:
            known = ", ".join([*required, *optional])
            self.fail(f"unknown key {show(unknown[0])}; known keys: {known}")
        return {key: self.member(key) for key, value in self.value.items() if value is not None or key in required}

    def member(self, key: str) -> Node:
        """The member of an object called ``key``."""
        return Node(self.file, f"{self.where}.{key}", self.value[key])

    def items(self, length: int | None = None, what: str = "a list [ ]") -> list[Node]:
        """Items of a list, of the given length."""
        if not isinstance(self.value, list):
            self._expected(what)
        if length is not None and len(self.value) != length:
            self.fail(f"has {len(self.value)} items; expected {length}")
        return [Node(self.file, f"{self.where}[{number}]", value) for number, value in enumerate(self.value)]

    def integer(self, low: int = 0, high: int = LARGEST_NUMBER - 1) -> int:
        """Whole number from ``low`` to ``high``."""
        if isinstance(self.value, Decimal):
            self.fail(f"found {show(str(self.value))}; times are whole numbers: multiply all by a common 'scale'")
        if type(self.value) is not int:
            self._expected("a whole number")
        if not low <= self.value <= high:
            limit = "2^62 - 1, larger numbers are refused" if high == LARGEST_NUMBER - 1 else high
            self._expected(f"a whole number from {low} to {limit}")
        return self.value

    def integers(self, length: int | None = None, low: int = 0, high: int = LARGEST_NUMBER - 1) -> list[int]:
        """List of whole numbers from ``low`` to ``high``."""
        value = self.value
        fits = type(value) is list and (length is None or len(value) == length)
        if fits and all(type(item) is int and low <= item <= high for item in value):
            return value
        return [item.integer(low, high) for item in self.items(length)]

    def number(self) -> float:
        """Finite real number."""
        if type(self.value) is not int and not isinstance(self.value, Decimal):
            self._expected("a number")
        try:
            value = float(self.value)
        except OverflowError:
            value = float("inf")
        if not isfinite(value):
            self.fail(f"found {show(str(self.value))}; expected a finite number")
        return value

    def exact(self) -> Fraction:
        """Number without rounding."""
        found = exact_number(str(self.value)) if isinstance(self.value, Decimal) else None
        if found is None and isinstance(self.value, Decimal):
            self.fail(f"found {show(str(self.value))}; expected a decimal of at most 40 digits")
        return found if found is not None else Fraction(self.integer(low=-LARGEST_NUMBER))

    def text(self) -> str:
        """Text."""
        if type(self.value) is not str:
            self._expected("a text")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if type(self.value) is not bool:
            self._expected("true or false")
        return self.value

    def choice(self, options: Sequence[str]) -> str:
        """One of some texts."""
        if self.value not in options or type(self.value) is not str:
            self._expected("one of " + ", ".join(options))
        return self.value


def parse_document(source: Source) -> Node:
    """Root of a JSON document.

    Raises
    ------
    FormatError
        With the line of a syntax error; also for keys given twice, NaN and infinity.
    """

    def refuse_constant(constant: str) -> NoReturn:
        line = next(line for line, token in _tokens(source.text) if token == constant)
        source.fail(line, f"holds {constant}, which JSON does not allow; expected finite numbers")

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            line, key = _repeated_key(source.text)
            source.fail(line, f"has the key {show(key)} twice in one object; keep one of them")
        return members

    try:
        value = json.loads(source.text, parse_float=Decimal, parse_constant=refuse_constant, object_pairs_hook=distinct)
    except json.JSONDecodeError as error:
        source.fail(error.lineno, f"JSON syntax error at column {error.colno}: {error.msg}")
    except RecursionError:
        source.fail(None, "is nested too deeply; expected a document of this schema")
    except FormatError:
        raise
    except ValueError:
        source.fail(None, "holds a number of thousands of digits; expected numbers below 2^62")
    return Node(source.path, "$", value)


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Every token with its 1-based line."""
    line, last = 1, 0
    for found in _TOKEN.finditer(text):
        line, last = line + len(LINE_END.findall(text, last, found.start())), found.start()
        yield line, found.group()


def _repeated_key(text: str) -> tuple[int, str]:
    """Line and key of the first member that repeats a key of its object."""
    open_objects: list[set[str]] = []
    before = ""
    line_before = 0
    for line, token in _tokens(text):
        if token == "{":
            open_objects.append(set())
        elif token == "}":
            open_objects.pop()
        elif token == ":":
            key = json.loads(before)
            if key in open_objects[-1]:
                return line_before, key
            open_objects[-1].add(key)
        before, line_before = token, line
    raise ValueError("no key is repeated")


def check_schema(root: Node, schema: str, version: int) -> None:
    """Refuse a document of another schema or version."""
    if not isinstance(root.value, dict) or root.value.get("schema") != schema:
        found = root.value.get("schema") if isinstance(root.value, dict) else root.value
        root.fail(f'is not of this schema (found {show(found)}); expected "schema": "{schema}", "version": {version}')
    found = root.value.get("version")
    if type(found) is not int or found != version:
        root.fail(f'found "version": {show(found)}; this release reads version {version} of {schema}')


def dump_document(value: Any, width: int = 110) -> str:
    """JSON text in which what fits on a line stands on one line."""
    return "".join(_dump(value, 0, width)) + "\n"


def _dump(value: Any, depth: int, width: int) -> Iterator[str]:
    flat = json.dumps(value, allow_nan=False)
    is_row = isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)
    if not isinstance(value, dict | list) or is_row or len(flat) + 2 * depth <= width:
        yield flat
        return
    pairs = list(value.items()) if isinstance(value, dict) else [(None, item) for item in value]
    yield flat[0]
    for number, (key, item) in enumerate(pairs):
        yield ("," if number else "") + "\n" + "  " * (depth + 1)
        if key is not None:
            yield json.dumps(key) + ": "
        yield from _dump(item, depth + 1, width)
    yield "\n" + "  " * depth + flat[-1]
