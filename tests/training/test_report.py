"""The report: one page that needs nothing else and hides nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from small_schedules import shop, shop_schedule, square, square_schedule

from problems.formats import write_instance, write_schedule
from training.files import to_json
from training.options import OptionError
from training.report.build import build_report
from training.report.curves import mean_curves, steps
from training.report.load import Entry, load_evaluations
from training.report.tables import group_table
from training.rows import Row

VOID = {"meta", "br", "link", "img"}
RUN = {"command": "python -m training evaluate --instances <x>", "started": "2026-01-02T03:04:05+00:00", "seconds": 1.0}


class _Page(HTMLParser):
    """Checks that tags are balanced, and collects text and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def row(solver: str, objective: float | None, **values: object) -> Row:
    made = Row("small", solver, 0, "jsp", 2, "2x2", **values)  # type: ignore[arg-type]
    made.best_known, made.best_known_lower, made.best_known_source, made.best_known_date = 7, 7, "proof", "2026-06-01"
    if objective is not None:
        made.status, made.objective, made.checked, made.runtime_s = "feasible", objective, True, 0.5
        made.gap_to_best_known = objective / 7 - 1
        made.versions = {"python": "3.11"}
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What evaluate leaves behind: a job shop and a tour solved, one failure, one impossible value."""
    for name in ("instances", "schedules", "logs"):
        (tmp_path / name).mkdir()
    write_instance(shop(), tmp_path / "instances/small.json")
    write_instance(square(), tmp_path / "instances/square.json")
    write_schedule(shop_schedule(), shop(), tmp_path / "schedules/1.csv")
    write_schedule(square_schedule(), square(), tmp_path / "schedules/2.csv")
    (tmp_path / "logs/1.json").write_text(to_json([[0.1, 9, 3], [0.2, 9, 5], [0.4, 7, 7]]))
    (tmp_path / "logs/2.json").write_text("[]")
    shop_files = {"instance_file": "instances/small.json", "schedule_file": "schedules/1.csv"}
    good = row("spt", 7, **shop_files, log_file="logs/1.json")
    failed = row("lpt", None, reason="the file <b>x</b> is broken")
    wrong = row("magic", 5, **shop_files, log_file="logs/2.json")
    tour = Row("square-m2", "insertion", 0, "mtsp", 2, "2 salesmen", status="feasible", objective=12.0, checked=True)
    tour.runtime_s, tour.instance_file, tour.schedule_file = 0.1, "instances/square.json", "schedules/2.csv"
    tour.log_file = "logs/2.json"
    (tmp_path / "results.json").write_text(to_json([made.as_json() for made in (good, failed, wrong, tour)]))
    options = {"seeds": [0], "time_limit": 3.0, "samples": 1, "workers": 2}
    machine = {"processor": "Abacus", "cores": 2, "memory_gib": 8.0, "system": "Linux", "python": "3.11.1"}
    (tmp_path / "run.json").write_text(to_json({**RUN, "options": options, "machine": machine}))
    return tmp_path


@pytest.fixture
def page(folder: Path) -> _Page:
    return _Page(build_report(load_evaluations([folder])))


def test_the_page_goes_into_the_first_folder(run, folder):
    """Without --out the page is written beside the results."""
    assert run("report", folder).code == 0 and (folder / "report.html").exists()


def test_the_page_is_whole(page):
    """Every tag that opens also closes."""
    assert page.open == []


def test_the_page_needs_no_network(folder):
    """No address, no script, no import: it can be mailed and printed."""
    text = build_report(load_evaluations([folder]))
    assert _Page(text).addresses == []
    outside = re.findall(r"(?:https?:)?//[^\s\"'<]+", text.replace("http://www.w3.org/2000/svg", ""))
    assert outside == [] and "<script" not in text and "@import" not in text


def test_gaps_come_with_date_and_source(page):
    """A gap without the date of the best-known value means nothing."""
    assert "proof (2026-06-01)" in page.text
    assert "0.00 %" in page.text


def test_pictures_and_curves_are_there(folder):
    """A Gantt chart for the job shop, a map for the tour, curves of value against time."""
    text = build_report(load_evaluations([folder]))
    for label in ("Gantt chart of small", "route map of square", 'aria-label="small"'):
        assert label in text


def test_failures_are_told_with_reasons(page):
    """Nothing is left out of the page because it went wrong; markup in reasons is shown as text."""
    assert "2 runs failed" in page.text
    assert "the file <b>x</b> is broken" in page.text


def test_a_value_below_the_bound_is_an_error(page, folder):
    """A schedule below a published bound is flagged and no negative gap appears anywhere."""
    edit(folder, 0, best_known=9, best_known_lower=9)
    text = _Page(build_report(load_evaluations([folder]))).text
    assert "the objective 7 lies below the published bound (proof), 9" in text
    assert not re.search(r"[-\u2212]\d+\.\d+ %", text)


def edit(folder: Path, number: int, **values: object) -> None:
    """Change some cells of a row of results.json."""
    rows = json.loads((folder / "results.json").read_text())
    rows[number] |= values
    (folder / "results.json").write_text(to_json(rows))


def test_schedules_are_checked_again(page):
    """A claimed 5 whose schedule is worth 7 is an error, not a record."""
    assert "the table says 5, but schedules/1.csv is worth 7" in page.text


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"schedule_file": None}, "names no schedule file"),
        ({"schedule_file": "schedules/gone.csv"}, "schedules/gone.csv"),
        ({"schedule_file": "schedules/late.csv"}, "the checker refuses schedules/late.csv: job 1, task 1 on machine_0"),
        ({"fingerprint": "0123456789abcdef"}, "instances/small.json is not the instance that was solved"),
    ],
)
def test_results_that_their_files_do_not_show_are_errors(folder, cells, reason):
    """A lost or spoiled schedule and an exchanged instance cost the row its place in the tables."""
    (folder / "schedules/late.csv").write_text((folder / "schedules/1.csv").read_text().replace(",0,3,", ",0,4,"))
    edit(folder, 0, **cells)
    first = load_evaluations([folder]).rows[0]
    assert not first.solved and reason in str(first.reason)


def test_origin_is_told(page):
    """Command line, hardware, seeds, limits and versions."""
    for fact in ("evaluate --instances <x>", "Abacus, 2 cores", "3.0 s", "python 3.11"):
        assert fact in page.text


def test_the_command_writes_the_page_and_prints_the_gaps(run, folder, tmp_path):
    """`report` prints its path and the gap table."""
    target = tmp_path / "out" / "report.html"
    outcome = run("report", folder, "--out", target)
    assert outcome.code == 0
    assert str(target) in outcome.out and "spt" in outcome.out
    assert target.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("text", ["{", '"x"', "[3]"])
def test_a_folder_without_results_is_named(folder, text):
    """A broken table is an error with the file's name, not an empty page."""
    (folder / "results.json").write_text(text)
    with pytest.raises(OptionError, match=r"results\.json"):
        load_evaluations([folder])


def entry(tmp_path: Path, name: str, log: list, objective: float, known: float) -> Entry:
    (tmp_path / name).write_text(json.dumps(log))
    made = Row(name, "a", 0, "jsp", 2, status="feasible", objective=objective, checked=True, runtime_s=4.0)
    made.best_known, made.log_file = known, name
    return Entry(made, tmp_path)


def test_curves_only_fall(tmp_path):
    """A log line that is no improvement is no step, and the final value ends the curve."""
    found = steps(entry(tmp_path, "x", [[1, 9, None], [2, 9, 3], [3, 10, 3]], 8, 8))
    assert found == ([1, 4.0], [9, 8])


def test_mean_curves_begin_when_every_instance_is_solved(tmp_path):
    """Means over a growing set of instances would not be comparable."""
    first = entry(tmp_path, "x", [[1, 20, None], [3, 10, None]], 10, 10)
    second = entry(tmp_path, "y", [[2, 15, None]], 15, 10)
    (curve,) = mean_curves([first, second], ["a"])
    assert list(curve.times) == [2, 3]
    assert list(curve.values) == pytest.approx([75.0, 25.0])


def test_mean_curves_leave_out_solvers_that_ran_on_a_part(tmp_path):
    """Means over different instances are not drawn into one picture."""
    entries = [entry(tmp_path, name, [[1, 20, None]], 20, 10) for name in ("x", "y")]
    other = entry(tmp_path, "x", [[1, 10, None]], 10, 10)
    other.row.solver = "b"
    assert [curve.label for curve in mean_curves([*entries, other], ["a", "b"])] == ["a"]


def test_a_part_of_a_group_is_told():
    """A mean over fewer instances than the others' says so and is not called the best."""
    rows = [row("a", 8), row("b", 7)]
    rows.append(row("a", 9))
    rows[-1].instance = "other"
    text = group_table(rows)
    assert "0.00 % (1 of 2)" in text
    assert re.search(r'class="number best">21\.43 %', text)
