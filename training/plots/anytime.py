"""Anytime curves: the best value found against time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from training.plots.axis import Scale, draw_x_axis, draw_y_axis
from training.plots.palette import color
from training.plots.svg import Drawing, text_width

WIDTH, HEIGHT = 620.0, 340.0
LEFT, TOP, RIGHT, BOTTOM = 74.0, 46.0, 24.0, 52.0
LEGEND_LINE = 20.0
LOG_FROM = 30.0
"""Times that span more than this factor are drawn on a logarithmic axis."""


@dataclass(frozen=True)
class Curve:
    """A step line.

    Attributes
    ----------
    label
        Name in the legend.
    times
        Seconds at which the value changed, increasing.
    values
        The best value from that time on; one per time.
    until
        Seconds to which the last value holds; None ends the line at its last change.
    series
        Number of the colour; curves of one solver share it.
    dashed
        Whether the curve is a bound.
    """

    label: str
    times: Sequence[float]
    values: Sequence[float]
    until: float | None = None
    series: int = 0
    dashed: bool = False

    @property
    def end(self) -> float:
        """Where the line ends, in seconds."""
        return max(self.times[-1], self.until or 0.0)


def plot_anytime(
    curves: Sequence[Curve],
    title: str = "Best value against time",
    value_label: str = "objective",
    reference: float | None = None,
    reference_label: str = "best known",
) -> str:
    """Draw step curves of the best value against time in seconds.

    Parameters
    ----------
    curves
        Curves; those without a point are left out. A curve of one point at its end is a dot.
    title, value_label
        Texts.
    reference, reference_label
        A horizontal line, for instance at the best-known value.

    Returns
    -------
    str
        One SVG element.
    """
    shown = [curve for curve in curves if len(curve.times)]
    legend = _legend_rows(shown)
    height = HEIGHT + len(legend) * LEGEND_LINE
    drawing = Drawing(WIDTH, height, title)
    drawing.text((LEFT, 24), title, 16, font_weight=600)
    if not shown:
        drawing.text((LEFT, TOP + 30), "no curve: nothing was found in time", 12)
        return drawing.render()
    x, y = _time_scale(shown), _value_scale(shown, reference)
    draw_x_axis(drawing, x, TOP, y.start, "seconds" + (" (logarithmic)" if x.logarithmic else ""), 6)
    draw_y_axis(drawing, y, LEFT, x.stop, value_label)
    if reference is not None:
        _draw_reference(drawing, x, y, reference, reference_label)
    for curve in shown:
        _draw_curve(drawing, curve, x, y)
    _draw_legend(drawing, legend)
    return drawing.render()


def _time_scale(curves: Sequence[Curve]) -> Scale:
    first = max(min(curve.times[0] for curve in curves), 1e-3)
    last = max(max(curve.end for curve in curves), first * 1.5)
    start, stop = LEFT, WIDTH - RIGHT
    if last / first > LOG_FROM:
        return Scale(first * 0.8, last * 1.05, start, stop, logarithmic=True)
    return Scale(0.0, last * 1.05, start, stop)


def _value_scale(curves: Sequence[Curve], reference: float | None) -> Scale:
    values = [value for curve in curves for value in curve.values] + ([] if reference is None else [reference])
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or max(abs(high) * 0.05, 0.5)
    return Scale(low - margin, high + margin, HEIGHT - BOTTOM, TOP)


def _draw_reference(drawing: Drawing, x: Scale, y: Scale, value: float, label: str) -> None:
    drawing.line((x.start, y(value)), (x.stop, y(value)), stroke="#111", stroke_width=1.2, stroke_dasharray="2 3")
    halo = {"stroke": "#fff", "stroke_width": 3, "paint_order": "stroke"}
    drawing.text((x.start + 6, y(value) + 14), label, 11, fill="#111", **halo)


def _draw_curve(drawing: Drawing, curve: Curve, x: Scale, y: Scale) -> None:
    """Draw the steps of a curve; a dot marks the last change."""
    times = [max(time, x.low) for time in curve.times]
    points = [(x(times[0]), y(curve.values[0]))]
    for time, before, value in zip(times[1:], curve.values, curve.values[1:], strict=False):
        points += [(x(time), y(before)), (x(time), y(value))]
    points.append((x(max(curve.end, x.low)), y(curve.values[-1])))
    stroke, dash = color(curve.series), "5 4" if curve.dashed else None
    drawing.polyline(points, stroke=stroke, stroke_width=2.2, stroke_dasharray=dash, stroke_linejoin="round")
    if not curve.dashed:
        drawing.circle((x(times[-1]), y(curve.values[-1])), 4, fill=stroke, stroke="#fff", tip=_tip(curve))


def _tip(curve: Curve) -> str:
    return f"{curve.label}: {curve.values[-1]:.6g} after {curve.times[-1]:.3g} s"


def _legend_rows(curves: Sequence[Curve]) -> list[list[Curve]]:
    """Break the legend into rows that fit the width."""
    rows: list[list[Curve]] = []
    used = WIDTH
    for curve in curves:
        needed = text_width(curve.label, 12) + 50
        if used + needed > WIDTH - LEFT - RIGHT:
            rows.append([])
            used = 0.0
        rows[-1].append(curve)
        used += needed
    return rows


def _draw_legend(drawing: Drawing, rows: Sequence[Sequence[Curve]]) -> None:
    for number, row in enumerate(rows):
        left, y = LEFT, HEIGHT + 8 + number * LEGEND_LINE
        for curve in row:
            dash = "5 4" if curve.dashed else None
            drawing.line(
                (left, y - 4), (left + 22, y - 4), stroke=color(curve.series), stroke_width=3, stroke_dasharray=dash
            )
            drawing.text((left + 28, y), curve.label, 12)
            left += text_width(curve.label, 12) + 50
