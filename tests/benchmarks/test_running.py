"""How measurements are run, kept and read."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from benchmarks import __main__ as command
from benchmarks.library import objective_at
from benchmarks.parallel_machines import with_times
from benchmarks.readme import MACHINES, TABLES, block
from benchmarks.rows import Row, at_most, measure, read_results, reported, write_results
from problems.generators import vallada_ruiz
from solvers.budget import Budget
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.registry import get_solver
from solvers.result import finish


def breaking() -> Iterator[Row]:
    yield reported("a", 1.0, "")
    raise ValueError("no such file")


def test_a_section_that_breaks_off_is_a_miss():
    """Whatever goes wrong costs the rest of one section, and the run fails."""
    told: list[Row] = []
    rows = measure(breaking, told.append)
    assert rows == told and [row.passed for row in rows] == [None, False]
    assert rows[1].measured == "ValueError: no such file"


def test_sections_are_replaced_one_by_one(tmp_path):
    """Results of other sections stay when one is measured again, and come back as they were."""
    first, second = [at_most("a", 1.5, 1.0, "x", "k")], [reported("b", 2.0, "y")]
    write_results({"one": first, "two": second}, tmp_path, "r", {})
    assert read_results(tmp_path / "r.json") == {"one": first, "two": second}
    again = [reported("c", 3.0, "z")]
    write_results({"two": again}, tmp_path, "r", read_results(tmp_path / "r.json"))
    assert read_results(tmp_path / "r.json") == {"one": first, "two": again}
    assert "| a | 1.5 |" in (tmp_path / "r.md").read_text()
    assert read_results(tmp_path / "none.json") == {}


def test_tables_leave_out_what_is_not_measured():
    """A table without a measured number is left out, and so is a line; published lines alone are no table."""
    assert block({}) == ""
    shown = block({"brandimarte pair 1": 12.34, "sdst_large pilot 1": 5.0})
    assert "| strongest rule (`pair`; `insertion`) | 12.3 % |  |  |  |  |" in shown
    assert "| `pilot` |  |  |  |  | 5.0 % |" in shown
    assert "cp-sat" not in shown and "ta01" not in shown


def test_every_line_of_a_table_fills_its_columns():
    """Lines have a cell for each column, and no key stands twice."""
    for table in TABLES:
        assert all(len(line.cells) == len(table.head) - 1 for line in table.lines)
    keys = [key for table in TABLES for line in table.lines if not line.published for key in line.cells if key]
    assert len(keys) == len(set(keys)) and len(MACHINES.head) == 6


def test_values_at_a_moment_are_those_found_by_then():
    """Of an anytime log the best value up to a second counts; before the first there is none."""
    instance = vallada_ruiz(4, 2)
    found = get_solver("eft")(instance, Budget(), 0)
    log = [(1.0, 50.0, None), (2.0, 40.0, None), (3.0, None, 30.0)]
    result = finish(instance, "x", 0, 9.0, found.schedule, None, log=log)
    assert [objective_at(result, moment) for moment in (0.5, 1.5, 5.0)] == [None, 50.0, 40.0]
    assert objective_at(result, 9.0) == min(40.0, found.objective)


def test_the_same_machines_with_times_need_the_model_of_intervals():
    """The deadline that never binds changes the model, not the best makespan."""
    instance = vallada_ruiz(5, 2)
    timed = with_times(instance)
    assert (choose_model(instance), choose_model(timed)) == (ModelKind.LOADS, ModelKind.INTERVALS)
    results = [get_solver("cp-sat")(one, Budget(20.0), 0) for one in (instance, timed)]
    assert results[0].objective == results[1].objective and results[0].status == results[1].status == "optimal"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "magic"], "unknown section 'magic'; choose from rules"),
        (["--only", "environments"], "needs --jssenv"),
        (["--only", "fjsp"], "there is no folder 'bench' in it"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_time_is_spent(monkeypatch, capsys, tmp_path, words, message):
    """Unknown sections and missing programs or folders are told at once."""
    monkeypatch.setattr("sys.argv", ["benchmarks", "--shared", str(tmp_path), *words])
    with pytest.raises(SystemExit):
        command.main()
    assert message in capsys.readouterr().err


def test_only_with_update_writes_the_results(monkeypatch, tmp_path):
    """A part of the sections leaves the results alone unless it is to replace them there."""
    (tmp_path / "bench").mkdir()
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    monkeypatch.setattr(command, "sections", lambda *_: {"one": lambda: iter([reported("a", 1.0, "")])})
    monkeypatch.setattr("sys.argv", ["benchmarks", "--shared", str(tmp_path), "--only", "one"])
    assert command.main() == 0 and not (tmp_path / "bench.json").exists()
    monkeypatch.setattr("sys.argv", ["benchmarks", "--shared", str(tmp_path), "--only", "one", "--update"])
    assert command.main() == 0
    assert json.loads((tmp_path / "bench.json").read_text())["rows"][0]["section"] == "one"
