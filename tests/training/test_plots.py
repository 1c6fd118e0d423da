"""The pictures: what must be seen in them, and that they are well-formed."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from small_schedules import shop, shop_schedule, square, square_schedule

from problems import Job, Schedule, Task, UnsupportedError, build_instance
from problems.check import check
from problems.families import job_shop, parallel_machines
from training.plots.anytime import Curve, plot_anytime
from training.plots.axis import Scale, log_ticks, nice_ticks, tick_text
from training.plots.entry import plot_schedule
from training.plots.gantt import plot_gantt
from training.plots.palette import color, ink, luminance
from training.plots.routes import plot_routes, tours
from training.plots.svg import Drawing, number

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def tips(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def test_the_schedules_of_these_tests_are_valid():
    """The pictures below show real schedules."""
    assert check(shop(), shop_schedule()).valid
    assert check(square(), square_schedule()).objective == pytest.approx(12.0)


def test_gantt_draws_every_operation_once():
    """A bar per operation, telling job, position, machine and times."""
    shown = tips(plot_gantt(shop_schedule(), shop()))
    assert len(shown) == 4
    assert "job 2, task 2 on machine 0: 3 to 7" in shown


def test_gantt_names_the_makespan_and_the_machines():
    """Title and axis labels are there."""
    shown = texts(plot_gantt(shop_schedule(), shop()))
    assert {"small: makespan 7", "machine 0", "machine 1", "time"} <= set(shown)


def test_gantt_bars_lie_where_their_times_say():
    """Bars are drawn to scale: the second bar of a machine begins where the first ends."""
    root = ElementTree.fromstring(plot_gantt(shop_schedule(), shop()))
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    places = {bar.find(f"{SVG}title").text: (float(bar.get("x")), float(bar.get("width"))) for bar in bars}
    first = places["job 1, task 1 on machine 0: 0 to 3"]
    second = places["job 2, task 2 on machine 0: 3 to 7"]
    assert second[0] == pytest.approx(first[0] + first[1], abs=0.02)
    assert second[1] / first[1] == pytest.approx(4 / 3, abs=0.01)


def test_gantt_uses_the_unit_of_the_source():
    """Times are divided by the scale."""
    quarters = job_shop("quarters", [[(0, 17)]], 1, scale=4)
    one = np.array([0])
    svg = plot_gantt(Schedule.from_times(one, one, one, np.array([17])), quarters)
    assert "quarters: makespan 4.25" in texts(svg)


def test_gantt_hatches_changeovers():
    """A changeover is visible as such."""
    svg = plot_gantt(square_schedule(), square())
    assert svg.count("url(#changeover)") == 3 + 1 and "changeover" in texts(svg)
    assert "changeover to job 1 on salesman 0: 0 to 3" in tips(svg)
    assert "url(#changeover)" not in plot_gantt(shop_schedule(), shop())


def test_gantt_names_the_operator_of_a_setup():
    """A setup that an operator makes says who, on the bar and when pointed at; one without does not."""
    durations = np.array([[4], [5], [6]])
    instance = parallel_machines("served", durations, np.full((1, 3, 3), 8), operators=np.ones((2, 1), np.bool_))
    start, setups = np.array([0, 12, 25]), (np.array([0, 4, 17]), np.array([0, 12, 25]))
    none = np.zeros(3, np.int64)
    schedule = Schedule(np.arange(3), none, none, start, start + durations[:, 0], *setups, np.array([-1, 1, 0]))
    assert check(instance, schedule).valid
    svg = plot_gantt(schedule, instance)
    assert {"op 0", "op 1"} <= set(texts(svg))
    assert "changeover to job 2 on machine 0 by operator 1: 4 to 12" in tips(svg)


def test_gantt_counts_the_tasks_of_a_job_wherever_they_stand():
    """Positions are right where the tasks of a job do not stand together."""
    mixed = build_instance("mixed", "custom", ["a"], [Job([Task({0: 1}), Task({0: 1})]), Job([Task({0: 1})])])
    mixed = mixed.replace(task_job=np.array([0, 1, 0]), predecessor_ptr=np.array([0, 0, 0, 1]))
    mixed = mixed.replace(predecessor_task=np.array([0]))
    three = np.arange(3)
    svg = plot_gantt(Schedule.from_times(three, three * 0, three, three + 1), mixed)
    assert "job 1, task 2 on a: 2 to 3" in tips(svg) and "job 2, task 1 on a: 1 to 2" in tips(svg)


def test_gantt_escapes_names():
    """Names with markup cannot break the picture."""
    svg = plot_gantt(shop_schedule(), shop('<b>&"x"'))
    assert '<b>&"x": makespan 7' in texts(svg)


def test_gantt_of_nothing():
    """An instance without jobs has a picture too."""
    empty = np.zeros(0, np.int64)
    svg = plot_gantt(Schedule.from_times(empty, empty, empty, empty), job_shop("none", [], 1))
    assert "none: makespan 0" in texts(svg)


def test_routes_measure_closed_tours():
    """Lengths include the way back and are real, not rounded."""
    assert [tour.length for tour in tours(square_schedule(), square())] == pytest.approx([12.0, 8.0])


def test_routes_tell_every_tour_in_the_legend():
    """The legend lists every salesman, also an idle one."""
    shown = texts(plot_routes(square_schedule(), square(3)))
    assert "salesman 0: 12.00 (2 cities)" in shown
    assert "salesman 2: 0.00 (0 cities)" in shown
    assert "square: longest tour 12.00" in shown


def test_routes_keep_proportions():
    """A unit is as long in both directions."""
    root = ElementTree.fromstring(plot_routes(square_schedule(), square()))
    points = [line.get("points") for line in root.iter(f"{SVG}polyline")]
    line = [tuple(map(float, pair.split(","))) for pair in points[0].split()]
    up, across = line[0][1] - line[1][1], line[2][0] - line[1][0]
    assert across / up == pytest.approx(4 / 3, abs=0.01)


def test_routes_refuse_an_instance_without_coordinates():
    """A job shop has no map."""
    with pytest.raises(UnsupportedError, match="coordinates"):
        plot_routes(shop_schedule(), shop())


def test_each_family_has_its_picture():
    """The picture of a schedule is chosen by family."""
    assert "makespan" in plot_schedule(shop_schedule(), shop())
    assert "longest tour" in plot_schedule(square_schedule(), square())


def test_anytime_draws_steps():
    """Between two improvements the old value holds."""
    root = ElementTree.fromstring(plot_anytime([Curve("a", [1.0, 2.0], [10.0, 5.0], until=3.0)]))
    line = next(line for line in root.iter(f"{SVG}polyline"))
    points = [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
    assert len(points) == 4
    assert points[1][1] == points[0][1] and points[1][0] == points[2][0]


def test_anytime_without_a_curve_says_so():
    """Nothing found in time is told in words."""
    assert any("no curve" in shown for shown in texts(plot_anytime([Curve("a", [], [])])))


def test_anytime_is_logarithmic_over_long_spans():
    """Milliseconds and minutes fit one axis."""
    assert "seconds (logarithmic)" in texts(plot_anytime([Curve("a", [0.01, 60.0], [2.0, 1.0])]))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 10, [0, 2, 4, 6, 8, 10]), (0, 1231, [0, 500, 1000]), (0.2, 0.9, [0.2, 0.4, 0.6, 0.8]), (3, 3, [3])],
)
def test_ticks_are_round(low, high, expected):
    """Ticks are multiples of 1, 2 or 5 times a power of ten."""
    assert nice_ticks(low, high, 5) == pytest.approx(expected)


def test_logarithmic_ticks_lie_within_the_scale():
    """No tick is drawn outside the axis."""
    assert log_ticks(0.15, 7) == pytest.approx([0.2, 0.5, 1, 2, 5])
    assert Scale(1, 100, 0, 200, logarithmic=True)(10) == pytest.approx(100)


def test_numbers_are_short():
    """Coordinates carry no needless digits."""
    assert [number(1.0), number(-0.001), number(2.345678)] == ["1", "0", "2.35"]
    assert tick_text(12345) == "12\u202f345"


def test_colours_differ():
    """A hundred jobs have a hundred colours, and text on each is readable."""
    colours = [color(index) for index in range(100)]
    assert len(set(colours)) == 100
    for shade in colours:
        light, dark = sorted((luminance(shade), luminance(ink(shade))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3


def test_drawing_is_self_contained():
    """A picture needs nothing from outside."""
    drawing = Drawing(10, 10, "x")
    drawing.text((1, 1), "a < b")
    assert "a &lt; b" in drawing.render()
    assert "href" not in drawing.render()
