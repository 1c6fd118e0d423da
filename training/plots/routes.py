"""A map of closed tours: one colour per salesman."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import FloatArray, Instance
from problems.schedule import Schedule
from training.plots.axis import Scale, draw_x_axis, draw_y_axis
from training.plots.palette import color
from training.plots.svg import Drawing, Point

SIDE = 560.0
LEFT, TOP, BOTTOM, LEGEND = 66.0, 46.0, 50.0, 250.0
LEGEND_LINE = 21.0


@dataclass(frozen=True)
class Tour:
    """One agent's way: the states it passes, home first and last, and its real length."""

    agent: int
    states: list[int]
    length: float

    @property
    def num_stops(self) -> int:
        """Cities visited, the depot not counted."""
        return max(len(self.states) - 2, 0)


def plot_routes(schedule: Schedule, instance: Instance, title: str | None = None) -> str:
    """Draw the tours of ``schedule`` on the plane.

    Parameters
    ----------
    schedule
        A schedule of the instance.
    instance
        Must have coordinates and a changeover (travel).
    title
        Replaces the title "name: longest tour".

    Returns
    -------
    str
        One SVG element with a legend of tour lengths, the longest in bold.

    Raises
    ------
    UnsupportedError
        If the instance has no coordinates.
    """
    if instance.coordinates is None or instance.changeover is None:
        raise UnsupportedError(
            f"a route map needs coordinates, and {instance.name} has none; plot a Gantt chart instead"
        )
    routes = tours(schedule, instance)
    x, y, height = _scales(instance.coordinates, len(routes))
    drawing = Drawing(x.stop + LEGEND, height, f"route map of {instance.name}")
    draw_x_axis(drawing, x, y.stop, y.start, "x", 6)
    draw_y_axis(drawing, y, x.start, x.stop, "y", 6)
    places = [(x(float(px)), y(float(py))) for px, py in instance.coordinates]
    for tour in routes:
        _draw_tour(drawing, tour, places)
    _draw_places(drawing, instance, routes, places)
    _draw_legend(drawing, instance, routes, x.stop + 26)
    longest = max((tour.length for tour in routes), default=0.0)
    text = title if title is not None else f"{instance.name}: longest tour {longest:,.2f}"
    drawing.text((LEFT, 24), text, 16, font_weight=600)
    return drawing.render()


def tours(schedule: Schedule, instance: Instance) -> list[Tour]:
    """Tour of each agent in the order of the schedule, lengths recomputed from the coordinates."""
    change = instance.changeover
    assert change is not None and instance.coordinates is not None
    found = []
    for agent, sequence in enumerate(schedule.sequences(instance.num_agents)):
        home = [int(change.agent_home[agent])] if change.agent_home[agent] >= 0 else []
        states = home + [int(change.task_state[task]) for task in sequence]
        states += home if change.returns and sequence else []
        found.append(Tour(agent, states, _length(instance.coordinates[states])))
    return found


def _length(points: FloatArray) -> float:
    """Length of the line through ``points`` [K, 2]."""
    return float(np.sqrt(((points[1:] - points[:-1]) ** 2).sum(axis=1)).sum()) if len(points) > 1 else 0.0


def _scales(points: FloatArray, num_tours: int) -> tuple[Scale, Scale, float]:
    """Scales of equal step in both directions, and the height of the picture."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = float(max((high - low).max(), 1e-9))
    margin = 0.05 * span
    extent = np.maximum(high - low, 0.25 * span) + 2 * margin
    low, high = (low + high - extent) / 2, (low + high + extent) / 2
    pixels = SIDE / float(extent.max())
    width, tall = (float(value) * pixels for value in extent)
    tall_enough = max(tall, num_tours * LEGEND_LINE + 20)
    x = Scale(float(low[0]), float(high[0]), LEFT, LEFT + width)
    y = Scale(float(low[1]), float(high[1]), TOP + tall, TOP)
    return x, y, TOP + tall_enough + BOTTOM


def _draw_tour(drawing: Drawing, tour: Tour, places: list[Point]) -> None:
    if len(tour.states) < 2:
        return
    line = [places[state] for state in tour.states]
    tip = f"tour {tour.agent + 1}: length {tour.length:,.2f}, {tour.num_stops} cities"
    drawing.polyline(
        line, stroke=color(tour.agent), stroke_width=2.2, stroke_linejoin="round", stroke_linecap="round", tip=tip
    )
    _draw_arrow(drawing, line[0], line[1], color(tour.agent))


def _draw_arrow(drawing: Drawing, start: Point, end: Point, fill: str) -> None:
    """Point out the direction of travel in the middle of the first leg."""
    delta = np.subtract(end, start)
    length = float(np.hypot(*delta))
    if length < 14:
        return
    ahead = delta / length * 5
    side = np.array([-ahead[1], ahead[0]]) * 0.8
    middle = (np.add(start, end)) / 2
    corners = [middle + ahead, middle - ahead + side, middle - ahead - side]
    drawing.polyline([(float(px), float(py)) for px, py in corners], closed=True, fill=fill)


def _draw_places(drawing: Drawing, instance: Instance, routes: list[Tour], places: list[Point]) -> None:
    change = instance.changeover
    assert change is not None
    homes = {int(home) for home in change.agent_home if home >= 0}
    visitor = {state: tour.agent for tour in routes for state in tour.states}
    radius = 4.0 if len(places) <= 120 else 2.6
    for state, place in enumerate(places):
        if state not in homes:
            fill = color(visitor[state]) if state in visitor else "#bbb"
            drawing.circle(place, radius, fill=fill, stroke="#fff", stroke_width=1, tip=f"city {state}")
    for home in sorted(homes):
        px, py = places[home]
        drawing.rect(px - 6, py - 6, 12, 12, fill="#111", stroke="#fff", stroke_width=1.5, tip="depot")


def _draw_legend(drawing: Drawing, instance: Instance, routes: list[Tour], left: float) -> None:
    longest = max(routes, key=lambda tour: tour.length, default=None)
    for number, tour in enumerate(routes):
        y = TOP + 12 + number * LEGEND_LINE
        name = instance.agent_names[tour.agent].replace("_", " ")
        stops = f"{tour.num_stops} {'city' if tour.num_stops == 1 else 'cities'}"
        drawing.line((left, y - 4), (left + 20, y - 4), stroke=color(tour.agent), stroke_width=3.5)
        weight = 600 if tour is longest else None
        drawing.text((left + 28, y), f"{name}: {tour.length:,.2f} ({stops})", 12, font_weight=weight)
