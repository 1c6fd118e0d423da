"""``python -m training``: parse, run one sub-command, and turn errors into one message and an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from training.commands.arguments import COMMANDS
from training.log import say
from training.options import OptionError, add_options, resolve

FAULTY = 1
BAD_INPUT = 2
INTERRUPTED = 130


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all sub-commands."""
    parser = argparse.ArgumentParser(
        prog="python -m training", description="Schedule, compare, train, report.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        child = commands.add_parser(name, help=command.summary, description=command.summary + ".", allow_abbrev=False)
        add_options(child, command.options)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Words after the program's name; those of the process if None.
    """
    given = vars(build_parser().parse_args(arguments))
    command = COMMANDS[given.pop("command")]
    try:
        return _run(command.load, resolve(command.options, given))
    except OptionError as error:
        say(f"error: {error}")
        return BAD_INPUT
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of stdout has left (`| head`); keep the interpreter from failing again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(load: str, options: Any) -> int:
    """Load and run a sub-command; errors that a user may cause become option errors."""
    from problems.errors import MakespanError

    module, function = load.split(":")
    try:
        return int(getattr(importlib.import_module(module), function)(options))
    except MakespanError as error:
        if _is_defect(error):
            say(f"error: {error}")
            return FAULTY
        raise OptionError(str(error)) from error


def _is_defect(error: Exception) -> bool:
    """Whether a solver is at fault rather than what it was given."""
    from solvers.result import SolverError

    return isinstance(error, SolverError)
