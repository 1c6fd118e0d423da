"""A problem of no family, written as JSON by hand, is solved without any code for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dressing import PATIENT

from problems.check import check
from problems.formats import read_instance, read_schedule
from solvers import Status
from solvers.registry import get_solver
from training.cli import main

WORKSHOP = """
{"schema": "makespan-instance", "version": 1, "name": "workshop", "objective": "total_weighted_tardiness",
 "agents": ["saw", "press"],
 "changeover": {"times": [[0, 1], [2, 0]]},
 "resources": {"capacity": [1], "operators": [["saw", "press"]]},
 "jobs": [
  {"name": "door", "due": 8, "weight": 2, "tasks": [
   {"durations": {"saw": 3}, "state": 0},
   {"durations": {"press": 4}, "state": 0, "uses": [1]}]},
  {"name": "frame", "due": 6, "tasks": [
   {"durations": {"press": 2}, "state": 1, "uses": [1]},
   {"durations": {"saw": 2}, "state": 1, "after": [0, [0, 0]]}]}]}
"""
"""Each machine is set up between door and frame by the one worker, and the press needs the one crane.

The worker can set up only one machine at a time after the first tasks: the press first, which makes the frame one unit
late. Setting up both at once would make nothing late.
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """The file above."""
    path = tmp_path / "workshop.json"
    path.write_text(WORKSHOP)
    return path


def test_optimum_respects_setups_precedence_due_dates_and_the_worker(workshop: Path):
    """CP-SAT proves the value found by hand."""
    instance = read_instance(workshop)
    result = get_solver("cp-sat")(instance, PATIENT, 0)
    assert (result.status, result.objective) == (Status.OPTIMAL, 1)
    alone = json.loads(WORKSHOP)
    alone["resources"] = {"capacity": [1]}
    workshop.write_text(json.dumps(alone))
    assert get_solver("cp-sat")(read_instance(workshop), PATIENT, 0).objective == 0


@pytest.mark.parametrize("solver", ["spt", "lpt", "fifo", "mor", "mwkr", "random", "pilot", "pilot:fifo", "cp-sat"])
def test_command_line_solves_and_verifies(workshop: Path, solver: str, capsys: pytest.CaptureFixture[str]):
    """`solve` writes a schedule that `verify` accepts, with no value below the optimum."""
    out = workshop.parent / "schedule.json"
    assert main(["solve", str(workshop), "--solver", solver, "--time-limit", "5", "--json", "--out", str(out)]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["checked"] is True and row["objective"] >= 1
    instance = read_instance(workshop)
    assert check(instance, read_schedule(out, instance)).objective == row["objective"]
    assert main(["verify", str(workshop), str(out)]) == 0
