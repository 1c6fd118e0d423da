"""Fixtures of the command line's tests."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from training.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command has printed and returned."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout."""
        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


@pytest.fixture
def run(capsys):
    """Run ``python -m training`` with the words given, within this process."""

    def call(*words: object) -> Outcome:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:  # argparse ends the program itself
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture
def shop_file(tmp_path):
    """A file of the job shop with two jobs on two machines, best makespan 7."""
    path = tmp_path / "small.jsp"
    path.write_text("2 2\n0 3 1 2\n1 2 0 4\n")
    return path


@pytest.fixture
def environment():
    """Environment of a subprocess that finds the packages, installed or not, from any folder."""
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
