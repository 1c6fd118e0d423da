"""The picture of a Spark cluster: executors by job, and jobs in the system."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from problems import Instance, Objective, Schedule
from problems.families import SparkJob, SparkStage, spark_cluster
from training.plots.entry import plot_schedule
from training.plots.executors import Stay, jobs_in_system, stays

SVG = "{http://www.w3.org/2000/svg}"


def cluster(executors: int = 2, **options) -> Instance:
    """Three jobs: one of two stages, one that arrives at 4000, one without stages that arrives at 5000."""
    first = SparkJob([SparkStage(2, duration=1000), SparkStage(1, duration=3000)], [(0, 1)], "a")
    late = SparkJob([SparkStage(1, duration=1000)], name="b <i>", arrival=4000)
    return spark_cluster("c", [first, late, SparkJob([], name="none", arrival=5000)], executors, **options)


def plan() -> Schedule:
    """Executor 0 does a piece and the second stage of a; executor 1 a piece of a, then moves to b."""
    rows = np.array([
        # task, piece, agent, start, end, changeover start and end, resource
        [0, 0, 0, 2000, 3000, 0, 2000, -1],
        [0, 1, 1, 2000, 3000, 0, 2000, -1],
        [1, 0, 0, 3000, 6000, 3000, 3000, -1],
        [2, 0, 1, 6000, 7000, 4000, 6000, -1],
    ])  # fmt: skip
    return Schedule(*rows.T)


def picture(**options) -> ElementTree.Element:
    return ElementTree.fromstring(plot_schedule(plan(), cluster(**options)))


def tips(root: ElementTree.Element, shape: str) -> list[str]:
    titles = (element.find(f"{SVG}title") for element in root.iter(f"{SVG}{shape}"))
    return [str(title.text) for title in titles if title is not None]


def test_pieces_for_the_same_job_are_one_bar():
    """Bars join where the executor goes on with its job without a pause, and tell job, executor, times and pieces."""
    assert stays(plan(), cluster()) == [Stay(0, 0, 2000, 6000, 2), Stay(1, 0, 2000, 3000, 1), Stay(1, 1, 6000, 7000, 1)]
    assert tips(picture(), "rect") == [
        "job a on executor 0: 2 to 6, 2 pieces",
        "job a on executor 1: 2 to 3, 1 piece",
        "job b <i> on executor 1: 6 to 7, 1 piece",
    ]


def test_short_pauses_may_be_passed_over():
    """A pause of at most the given length does not end a bar; a longer one and another job do."""
    schedule = Schedule.from_times(np.array([0, 0, 1]), np.zeros(3, int), np.array([0, 5, 12]), np.array([4, 9, 13]))
    instance = cluster()
    assert [stay.pieces for stay in stays(schedule, instance)] == [1, 1, 1]
    assert [stay.pieces for stay in stays(schedule, instance, 1)] == [2, 1]
    assert [stay.pieces for stay in stays(schedule, instance, 3)] == [3]
    assert stays(Schedule.from_times(*np.zeros((4, 0), int)), instance) == []


def test_jobs_in_the_system():
    """The number rises with each arrival and falls with each completion; a job without stages leaves at once."""
    times, counts = jobs_in_system(plan(), cluster())
    assert dict(zip(times.tolist(), counts.tolist(), strict=True)) == {0: 1, 4000: 2, 5000: 2, 6000: 1, 7000: 0}


def test_completions_are_dots_that_tell_the_flow_time():
    """Each job has one dot, at its completion."""
    assert tips(picture(), "circle") == [
        "job a: arrived 0, complete 6, after 6",
        "job b <i>: arrived 4, complete 7, after 3",
        "job none: arrived 5, complete 5, after 0",
    ]


@pytest.mark.parametrize(
    ("options", "title"),
    [({}, "c: mean job completion time 3"), ({"objective": Objective.MAKESPAN, "preset": "decima"}, "c: makespan 7")],
)
def test_title_and_preset(options, title):
    """The title tells the value, and the preset stands beside it."""
    texts = [element.text for element in picture(**options).iter(f"{SVG}text")]
    assert texts[0] == title
    assert texts[1] == f"preset {options.get('preset', 'default')}"


def test_moves_are_drawn_before_bars():
    """A move is a grey line on its executor, as long as it takes."""
    moves = [element for element in picture().iter(f"{SVG}rect") if element.get("fill") == "#c9c9c9"]
    widths = [float(str(move.get("width"))) for move in moves]
    assert len(moves) == 3 and widths == pytest.approx([widths[0]] * 3, abs=0.02)


@pytest.mark.parametrize(("executors", "named"), [(2, 2), (50, 25), (100, 20), (300, 60)])
def test_names_of_executors_do_not_overlap(executors, named):
    """Large clusters name some of their executors only, and fit the page."""
    root = picture(executors=executors)
    names = [element for element in root.iter(f"{SVG}text") if str(element.text).startswith("executor ")]
    heights = np.diff([float(str(name.get("y"))) for name in names])
    assert (heights >= 11.9).all() and len(names) == named
    assert float(str(root.get("height"))) < 1400


def test_bars_too_narrow_to_see_are_left_out():
    """A long stream of tiny stays gives a picture of bounded size."""
    jobs = [SparkJob([SparkStage(20_000, duration=1)]) for _ in range(2)]
    instance = spark_cluster("tiny", jobs, 1, moving_delay=0)
    task = np.tile([0, 1], 20_000)
    start = np.arange(40_000)
    schedule = Schedule.from_times(task, np.zeros_like(task), start, start + 1)
    root = ElementTree.fromstring(plot_schedule(schedule, instance))
    assert 500 < len(tips(root, "rect")) < 2000


def test_an_empty_cluster_is_drawn():
    """No job and no piece make an empty picture rather than an error."""
    empty = spark_cluster("none", [], 2)
    assert "preset default" in plot_schedule(Schedule.from_times(*np.zeros((4, 0), int)), empty)
