"""Text of a file with its line numbers, exact numbers, and writing that leaves nothing half-written."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from problems.errors import FormatError

LARGEST_FILE = 2**28
"""Bytes; a larger file is refused before it fills the memory."""

LARGEST_NUMBER = 2**62
"""Integers must stay below this in absolute value, as sums of times must."""

LARGEST_COUNT = 100_000
"""Most agents of a text file; a header that says more is taken for a mistake."""

LINE_END = re.compile(r"\r\n|\n|\r")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
_SHORT = re.compile(r"[0-9]{1,18}")
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?[0-9]{1,2})?")


@dataclass(frozen=True)
class Row:
    """One line that carries data: its 1-based number and its tokens."""

    line: int
    tokens: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """The decoded text of one file (``path`` is None for text without a file)."""

    path: Path | None
    text: str

    @property
    def name(self) -> str:
        """Name of the file without folder and suffix."""
        return self.path.stem if self.path is not None else "unnamed"

    @cached_property
    def lines(self) -> list[str]:
        """Lines without their ends."""
        return LINE_END.split(self.text)

    @cached_property
    def rows(self) -> list[Row]:
        """Lines that carry data: without blank lines and without what follows a ``#``."""
        split = ((number, line.split("#", 1)[0].split()) for number, line in enumerate(self.lines, 1))
        return [Row(number, tuple(tokens)) for number, tokens in split if tokens]

    def fail(self, line: int | None, message: str) -> NoReturn:
        """Raise `FormatError` for this file."""
        raise FormatError(self.path, line, message)

    def integer(self, row: Row, position: int, what: str, low: int = 0) -> int:
        """Whole number at ``position`` of ``row``, at least ``low``."""
        token = row.tokens[position]
        if not _INTEGER.fullmatch(token):
            self.fail(row.line, f"{what} is {show(token)}; expected a whole number")
        value = int(token)
        if value < low or value >= LARGEST_NUMBER:
            self.fail(row.line, f"{what} is {show(token)}; expected a whole number from {low} to 2^62 - 1")
        return value

    def count(self, row: Row, position: int, what: str, low: int) -> int:
        """A `integer` that says how many there are of something, at most `LARGEST_COUNT`."""
        value = self.integer(row, position, what, low)
        if value > LARGEST_COUNT:
            self.fail(row.line, f"{what} is {value}; at most {LARGEST_COUNT} are read")
        return value

    def duration(self, row: Row, position: int) -> Fraction:
        """Exact duration, zero or more, at ``position`` of ``row``; decimals and exponents are allowed."""
        token = row.tokens[position]
        value = exact_number(token)
        if value is None or value < 0:
            self.fail(row.line, f"duration is {show(token)}; expected a number, zero or more")
        if value >= LARGEST_NUMBER:
            self.fail(row.line, f"duration is {show(token)}; the number is too large, the limit is 2^62")
        return value

    def durations(self, row: Row, count: int, what: str) -> list[int | Fraction]:
        """The ``count`` exact durations that ``row`` consists of."""
        if len(row.tokens) != count:
            self.fail(row.line, f"found {len(row.tokens)} numbers; expected {count} {what}")
        if all(_SHORT.fullmatch(token) for token in row.tokens):
            return [int(token) for token in row.tokens]
        return [self.duration(row, position) for position in range(count)]


def is_number(token: str) -> bool:
    """Whether ``token`` is a decimal number."""
    return _DECIMAL.fullmatch(token) is not None


def exact_number(token: str) -> Fraction | None:
    """Value of a decimal number without rounding, or None if ``token`` is not one."""
    return Fraction(token) if is_number(token) else None


def show(value: object) -> str:
    """Short printable form of something found in a file."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def read_source(path: str | Path) -> Source:
    """Read and decode a text file (UTF-8, UTF-16 with its mark, else Latin-1).

    Raises
    ------
    FormatError
        If the file cannot be read, is a folder, is too large or holds binary data.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except IsADirectoryError:
        raise FormatError(path, None, "is a folder; expected a file") from None
    except (OSError, ValueError) as error:
        raise FormatError(path, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > LARGEST_FILE:
        raise FormatError(path, None, f"is larger than {LARGEST_FILE} bytes, the largest file that is read")
    return Source(path, _decode(path, data))


def _decode(path: Path, data: bytes) -> str:
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            text = data.decode("utf-16")
        else:
            text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    found = _CONTROL.search(text)
    if found:
        line = len(LINE_END.findall(text, 0, found.start())) + 1
        raise FormatError(path, line, "holds binary data; expected a text file")
    return text.rstrip("\x1a")


def write_text(path: str | Path, text: str) -> None:
    """Write a file as a whole: it appears complete under its name, or not at all.

    Raises
    ------
    FormatError
        If the file cannot be written; what was there before is untouched.
    """
    path = Path(path)
    temporary = None
    try:
        target = path.resolve()
        if target.is_dir():
            raise FormatError(path, None, "is a folder; expected a file name")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(_permissions(target))
        Path(temporary).replace(target)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise (
            error if isinstance(error, FormatError) else FormatError(path, None, f"cannot be written: {reason}")
        ) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, else what the process gives to new files."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
