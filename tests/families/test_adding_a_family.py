"""The page on adding a family is right: its example is a family, and its numbers are those of the files."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import marl
from marl.play import play
from problems.families import FAMILIES
from problems.formats import read_instance, write_instance
from problems.instance import Instance
from solvers import Budget, Status
from solvers.registry import get_solver
from solvers.rules.dispatch import rule_priority
from training.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding-a-family.md").read_text(encoding="utf-8")
COUNTED = re.findall(r"^\| (\w+) \| (`.+`) \| (\d+) \|$", PAGE, re.MULTILINE)


@pytest.fixture
def new_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Instance:
    """The family of the page, registered for one test; a small instance of it."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "single_machine.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "single_machine", raising=False)
    entry = import_module("single_machine").SINGLE_MACHINE
    monkeypatch.setitem(FAMILIES, entry.name, entry)
    return entry.small_instance(0)


def test_the_example_is_solved_and_played(new_family: Instance, tmp_path: Path):
    """Rules, proof, files and environment work for the example without another line."""
    instance, family = new_family, FAMILIES["single-machine"]
    write_instance(instance, tmp_path / "small.json")
    assert read_instance(tmp_path / "small.json", family="single-machine") == instance
    best = get_solver("cp-sat")(instance, Budget(600.0, workers=1), 0)
    assert best.status is Status.OPTIMAL and best.objective is not None
    for rule in family.rules:
        solved, priority = get_solver(rule)(instance, Budget(), 0), rule_priority(rule)
        assert solved.objective is not None and solved.objective >= best.objective
        env = marl.env(instance.family, instance, candidate_filter=priority.candidate_filter)
        assert play(env, priority, seed=0) == solved.schedule


def test_the_example_is_known_to_the_command_line(
    new_family: Instance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Its generator, a rule with a picture, and the list of families find it by its entry."""
    out, picture = tmp_path / "made", tmp_path / "plan.svg"
    assert main(["generate", "single-machine", "--jobs", "5", "--count", "1", "--out", str(out)]) == 0
    (made,) = out.glob("*.json")
    assert main(["solve", str(made), "--solver", "atcs", "--plot", str(picture)]) == 0
    assert picture.read_text().startswith("<svg")
    assert main(["list", "families"]) == 0
    assert "single machine with due dates" in capsys.readouterr().out


@pytest.mark.parametrize(("family", "files", "lines"), COUNTED, ids=[row[0] for row in COUNTED])
def test_counted_lines_are_those_of_the_files(family: str, files: str, lines: str):
    """The files of the table exist and have about as many lines as it says."""
    paths = [ROOT / name.strip("`") for name in files.split(", ")]
    total = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    assert total == pytest.approx(int(lines), rel=0.1)


def test_every_family_is_counted():
    """The table has all families, and the last one took less than 400 lines."""
    assert {row[0] for row in COUNTED} == set(FAMILIES)
    assert int({row[0]: row[2] for row in COUNTED}["upms"]) < 400


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)#]+)\)", PAGE))
def test_links_lead_somewhere(link: str):
    """No link of the page is dead."""
    assert (ROOT / "docs" / link).exists()
