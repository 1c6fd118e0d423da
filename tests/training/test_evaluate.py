"""``evaluate``: the table, whatever happens to a row."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from problems.families import job_shop
from problems.formats import write_instance
from training.commands.evaluate import gap_table, result_table
from training.evaluation import crashed, make_tasks, perform
from training.instances import Source
from training.report.tables import group_table
from training.rows import COLUMNS, Row
from training.summary import by_solver, summarize

# Eight instances, the seventh broken on purpose, and their optima.
TEXTS = {
    "c01.jsp": "3 3\n0 3 1 2 2 4\n1 5 0 1 2 3\n2 2 0 4 1 1\n",
    "c04.jsp": "3 3\n0 3 1 2 2 2\n0 2 2 1\n1 4\n",
    "c05.jsp": "3 2\n0 2 1 3 0 2\n0 1 0 2 1 1\n1 2 0 1\n",
    "c20.jsp": "3 3\n1 6 0 4 2 4\n1 6 0 5 2 5\n1 4 2 3 0 5\n",
    "c22.jsp": "2 3\n1 5 2 5 0 5\n1 6 0 1 2 5\n",
    "c37.jsp": "2 2\n0 3 1 2\n1 2 0 4\n",
    "c17.fjs": "2 2 1\n2 1 1 3 0\n1 2 1 4 2 2\n",
}
OPTIMA = [13, 8, 8, 24, 17, 7, None, 13]
CLOCK = ("runtime_s", "log_file")


@pytest.fixture
def batch(tmp_path):
    """Files of the eight instances, in order."""
    folder = tmp_path / "batch"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    released = job_shop("c14", [[(0, 3), (1, 4)], [(1, 2), (0, 3)], [(0, 2), (1, 2)]], 2, releases=[4, 0, 6])
    write_instance(released, folder / "c14.json")
    return [str(folder / name) for name in (*TEXTS, "c14.json")]


def rows_of(folder) -> list[dict]:
    return json.loads((folder / "results.json").read_text())


def without_clock(rows: list[dict]) -> list[dict]:
    return [{key: value for key, value in row.items() if key not in CLOCK} for row in rows]


def test_a_broken_instance_is_one_row_for_any_number_of_workers(run, batch, tmp_path):
    """Rows 1, 2 and 4 workers compute are identical and in input order; the broken entry is told, the others finish."""
    tables = []
    for workers in (1, 2, 4):
        out = tmp_path / f"out{workers}"
        words = ("--solvers", "cp-sat,random", "--time-limit", "20", "--samples", "8", "--workers", workers)
        outcome = run("evaluate", "--instances", *batch, *words, "--out", out)
        assert outcome.code == 1
        assert "c17" in outcome.err and "failed" in outcome.err
        tables.append(without_clock(rows_of(out)))
    assert tables[0] == tables[1] == tables[2]
    exact = [row for row in tables[0] if row["solver"] == "cp-sat"]
    assert [row["objective"] for row in exact] == OPTIMA
    assert [row["status"] for row in exact] == ["optimal"] * 6 + ["error", "optimal"]
    assert exact[6]["reason"] and exact[6]["gap"] is None


def test_csv_and_json_have_the_same_columns_and_rows(run, shop_file, tmp_path):
    """Both files tell the same; unknown is empty in one and null in the other."""
    out = tmp_path / "out"
    assert run("evaluate", "--instances", shop_file, "--solvers", "spt", "--seeds", "0,1", "--out", out).code == 0
    with (out / "results.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    rows = rows_of(out)
    assert lines[0] == list(COLUMNS) == list(rows[0])
    assert len(lines) - 1 == len(rows) == 2
    for line, row in zip(lines[1:], rows, strict=True):
        assert [cell == "" for cell in line] == [row[column] is None for column in COLUMNS]


def test_rows_are_in_the_order_instances_solvers_seeds(run, shop_file, tmp_path):
    """A row per instance x solver x seed, in this order."""
    out = tmp_path / "out"
    run("evaluate", "--instances", shop_file, "ta01", "--solvers", "spt", "lpt", "--seeds", "4", "2", "--out", out)
    found = [(row["instance"], row["solver"], row["seed"]) for row in rows_of(out)]
    expected = [(name, solver, seed) for name in ("small", "ta01") for solver in ("spt", "lpt") for seed in (4, 2)]
    assert found == expected


def test_solve_repeats_a_row(run, tmp_path):
    """The seed of a row gives the same result with `solve`."""
    out = tmp_path / "out"
    run("evaluate", "--instances", "ta01", "--solvers", "random", "--seeds", 5, "--samples", 4, "--out", out)
    again = run("solve", "ta01", "--solver", "random", "--seed", 5, "--samples", 4, "--json").json
    assert again["objective"] == rows_of(out)[0]["objective"]


def test_configuration_and_machine_are_saved(run, shop_file, tmp_path):
    """What was asked for can be asked for again."""
    out = tmp_path / "out"
    run("evaluate", "--instances", shop_file, "--solvers", "spt", "--out", out)
    again = run("evaluate", "--config", out / "config.json", "--out", tmp_path / "again")
    assert again.code == 0
    assert without_clock(rows_of(tmp_path / "again")) == without_clock(rows_of(out))
    record = json.loads((out / "run.json").read_text())
    assert record["machine"]["cores"] >= 1 and record["command"].startswith("python -m training")


def test_progress_goes_to_stderr_as_lines(run, shop_file, tmp_path):
    """stdout holds the tables only; without a terminal there is no bar."""
    outcome = run("evaluate", "--instances", shop_file, "--solvers", "spt,lpt", "--out", tmp_path / "out")
    assert "2/2 small" in outcome.err and "\r" not in outcome.err
    assert outcome.out.startswith("instance") and "1/2" not in outcome.out


def test_a_defect_of_a_solver_costs_one_row(tmp_path, shop_file, monkeypatch):
    """An unexpected exception is told with its place instead of ending the run."""
    import training.running

    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(training.running, "solve_instance", fail)
    (task,) = make_tasks([Source("small", shop_file)], ["spt"], [0], 1, None, tmp_path)
    row = perform(task)
    assert row.status == "error" and not row.solved
    assert row.reason is not None and row.reason.startswith("ZeroDivisionError at test_evaluate.py:")


def test_a_crash_is_a_row_with_the_reason(tmp_path):
    """A dead process leaves a row that says how it died."""
    (task,) = make_tasks([Source("ta01")], ["spt"], [3], 1, None, tmp_path)
    row = crashed(task, "killed by SIGKILL")
    assert (row.instance, row.seed, row.status, row.reason) == ("ta01", 3, "error", "killed by SIGKILL")


def solved(objective: float, solver: str = "a", seed: int = 0, known: float = 100) -> Row:
    gap = objective / known - 1
    row = Row("x", solver, seed, "jsp", 2, status="feasible", objective=objective, checked=True, runtime_s=1.0)
    row.best_known, row.gap_to_best_known = known, gap
    return row


def test_a_solver_that_failed_has_no_mean():
    """A mean over the easy instances only would flatter it."""
    failed = Row("y", "a", 0, "jsp", status="unknown", best_known=100)
    summary = summarize([solved(110), failed], "a", "all")
    assert (summary.rows, summary.solved, summary.gap_to_best_known) == (2, 1, None)


def test_means_and_spread_over_seeds():
    """Two seeds with mean gaps 10 % and 20 %: mean 15 %, standard deviation 7.07 %."""
    summary = summarize([solved(110, seed=0), solved(120, seed=1)], "a", "all")
    assert summary.gap_to_best_known == pytest.approx(0.15)
    assert summary.spread == pytest.approx(0.0707, abs=1e-4)
    assert summarize([solved(110)], "a", "all").spread is None


def test_solvers_are_compared_with_each_other_where_nothing_is_known():
    """Without best-known values the mean excess over the best value found here still ranks the solvers."""
    rows = [solved(value, solver) for solver, value in (("a", 110), ("b", 100), ("c", 150))]
    for row in rows:
        row.best_known = row.gap_to_best_known = None
    assert [summary.to_best_found for summary in by_solver(rows)] == pytest.approx([0.1, 0.0, 0.5])
    assert "50.00 %" in gap_table(rows) and "50.00 %" in group_table(rows)
    rows.append(Row("y", "b", 0, "jsp", status="unknown"))
    assert by_solver(rows)[1].to_best_found is None


def test_tables_have_a_line_per_row_and_per_solver():
    """Unknown numbers are empty cells, never 0 or None."""
    rows = [solved(110), Row("y", "b", 0, "jsp")]
    assert len(result_table(rows).splitlines()) == 4
    assert len(by_solver(rows)) == 2 and "10.00 %" in gap_table(rows)
    assert "None" not in result_table(rows) + gap_table(rows)


@pytest.mark.parametrize(
    ("extra", "told"), [({"WANDB_MODE": "offline"}, False), ({"WANDB_BASE_URL": "http://127.0.0.1:9"}, True)]
)
def test_tracking_changes_no_result(run, shop_file, tmp_path, environment, extra, told):
    """With --track the rows are the same, the exit code is 0, and a fallback is told once."""
    words = ["evaluate", "--instances", str(shop_file), "--solvers", "spt", "--out"]
    assert run(*words, tmp_path / "plain").code == 0
    kept = {key: value for key, value in environment.items() if not key.startswith("WANDB_")}
    done = subprocess.run(
        [sys.executable, "-m", "training", *words, str(tmp_path / "tracked"), "--track"],
        env={**kept, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(Path.home() / ".cache"), **extra},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert without_clock(rows_of(tmp_path / "tracked")) == without_clock(rows_of(tmp_path / "plain"))
    assert done.stderr.count("tracking:") == told


@pytest.mark.shared
def test_public_salesmen_are_listed_with_their_numbers(run, shared, tmp_path):
    """A row per file and number of salesmen of the reference file, each with a published value."""
    out = tmp_path / "out"
    words = ("--family", "mtsp", "--instances", shared / "bench" / "mtsp", "--solvers", "insertion")
    assert run("evaluate", *words, "--workers", os.cpu_count(), "--out", out).code == 0
    rows = rows_of(out)
    assert {(row["instance"], row["agents"]) for row in rows} >= {("eil51-m3", 3), ("rat99-m7", 7)}
    assert all(row["best_known"] is not None and row["gap_to_best_known"] > -1e-6 for row in rows)


def test_equal_names_in_different_folders_are_different_instances(run, tmp_path):
    """Files of one name are not measured by each other's bounds, and tables tell them apart."""
    for folder, job in (("x", "0 9"), ("y", "0 2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.jsp").write_text(f"1 1\n{job}\n")
    folders = [tmp_path / "x", tmp_path / "y"]
    done = run("evaluate", "--instances", *folders, "--solvers", "spt,lpt", "--out", tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    assert done.code == 0, done.err
    assert [row["objective"] for row in rows] == [9, 9, 2, 2] and {row["status"] for row in rows} == {"optimal"}
    assert f"same ({tmp_path}/x/same.jsp)" in done.out and f"same ({tmp_path}/y/same.jsp)" in done.out
    page = tmp_path / "page.html"
    assert run("report", tmp_path / "out", "--out", page).code == 0
    assert f"same ({tmp_path}/y/same.jsp)" in page.read_text() and "on 2 instances" in page.read_text()


@pytest.mark.skipif(os.name == "nt", reason="interrupts as Unix does")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_evaluation_keeps_what_is_finished(run, shop_file, tmp_path, environment, name):
    """Ctrl-C and a request to terminate leave tables of the finished rows, tell what is missing, and end with 130."""
    out = tmp_path / "out"
    words = [
        "evaluate",
        "--instances",
        shop_file,
        "ta51",
        "--solvers",
        "spt,cp-sat",
        "--time-limit",
        "300",
        "--out",
        out,
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "training", *map(str, words)], env=environment, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    told = []
    for line in process.stderr:
        told.append(line)
        if "3/4" in line:
            process.send_signal(getattr(signal, name))
            break
    rest = process.stderr.read()
    assert process.wait(timeout=30) == 130, "".join(told) + rest
    assert "interrupted: 1 of 4 rows are missing" in rest
    assert [row["solver"] for row in rows_of(out)] == ["spt", "cp-sat", "spt"]
    page = tmp_path / "page.html"
    assert run("report", out, "--out", page).code == 0
    assert "An evaluation was interrupted; missing runs: 1." in page.read_text()
