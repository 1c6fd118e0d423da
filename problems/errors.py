"""The errors a user may cause, each with a one-sentence message that names the remedy."""

from __future__ import annotations

from pathlib import Path


class MakespanError(Exception):
    """Base class of every error this package raises on purpose."""


class InstanceError(MakespanError, ValueError):
    """The problem data are not a valid instance."""


class FormatError(InstanceError):
    """A file could not be read; the message starts with ``file:line:``.

    Parameters
    ----------
    path
        The file, or None for text without a file.
    line
        The 1-based line, or None where the whole file is meant.
    message
        What was found and what was expected.
    """

    def __init__(self, path: str | Path | None, line: int | None, message: str) -> None:
        where = str(path) if path is not None else "<text>"
        super().__init__(f"{where}:{line}: {message}" if line is not None else f"{where}: {message}")
        self.path = path
        self.line = line


class IllegalActionError(MakespanError, ValueError):
    """An agent asked for a task that it cannot take; the state is unchanged."""


class UnsupportedError(MakespanError, NotImplementedError):
    """A part does not support a feature of the instance; the message names both."""


class UnknownNameError(MakespanError, KeyError):
    """A name is not in a registry; the message lists the alternatives."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(kind, name)
        self.message = f"unknown {kind} '{name}'; choose one of: {', '.join(known)}"

    def __str__(self) -> str:
        return self.message
