"""Axes: ticks at round numbers, and scales from data to pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from training.plots.svg import Drawing

GRID = "#e3e3e3"
AXIS = "#666"
LABEL = "#333"


def nice_ticks(low: float, high: float, count: int = 6) -> list[float]:
    """About ``count`` round numbers (1, 2 or 5 times a power of ten apart) between ``low`` and ``high``."""
    span = high - low
    if span <= 0:
        return [low]
    raw = span / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(tick * step, 12) for tick in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten between ``low`` and ``high``, with 2 and 5 times them where there are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1.0,) if last - first > 3 else (1.0, 2.0, 5.0)
    ticks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def tick_text(value: float) -> str:
    """Write a tick without needless digits and with thin thousands separators."""
    if value == round(value) and abs(value) < 1e15:
        return f"{round(value):,}".replace(",", "\u202f")
    return f"{value:.6g}"


@dataclass(frozen=True)
class Scale:
    """A straight or logarithmic map from ``[low, high]`` to ``[start, stop]`` pixels."""

    low: float
    high: float
    start: float
    stop: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Pixel of ``value``."""
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.stop - self.start)

    def ticks(self, count: int = 6) -> list[float]:
        """Round numbers within the scale."""
        return log_ticks(self.low, self.high) if self.logarithmic else nice_ticks(self.low, self.high, count)


def draw_x_axis(drawing: Drawing, scale: Scale, top: float, bottom: float, label: str, count: int = 8) -> None:
    """Draw vertical grid lines, ticks and a label below ``bottom``."""
    for tick in scale.ticks(count):
        x = scale(tick)
        drawing.line((x, top), (x, bottom), stroke=GRID)
        drawing.line((x, bottom), (x, bottom + 4), stroke=AXIS)
        drawing.text((x, bottom + 17), tick_text(tick), 11, anchor="middle", fill=LABEL)
    drawing.line((scale.start, bottom), (scale.stop, bottom), stroke=AXIS)
    drawing.text(((scale.start + scale.stop) / 2, bottom + 35), label, 12, anchor="middle", fill=LABEL)


def draw_y_axis(drawing: Drawing, scale: Scale, left: float, right: float, label: str, count: int = 6) -> None:
    """Draw horizontal grid lines, ticks and a turned label left of ``left``."""
    for tick in scale.ticks(count):
        y = scale(tick)
        drawing.line((left, y), (right, y), stroke=GRID)
        drawing.text((left - 7, y + 4), tick_text(tick), 11, anchor="end", fill=LABEL)
    drawing.line((left, scale.start), (left, scale.stop), stroke=AXIS)
    x, y = left - 48, (scale.start + scale.stop) / 2
    drawing.text((x, y), label, 12, anchor="middle", fill=LABEL, transform=f"rotate(-90 {x:.1f} {y:.1f})")
