"""Learning curves of training runs, kept and drawn: ``python -m benchmarks.learning_curves NAME=RUN ...``.

A run is the folder (``--out``) of ``python -m training train``; its curve is the validation ratio against the update.
The curves lie in ``benchmarks/results/learning.json``; without arguments the picture is drawn from there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from training.plots.axis import Scale, draw_x_axis, draw_y_axis
from training.plots.palette import color
from training.plots.svg import Drawing

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "learning.json"
PICTURE = ROOT / "docs" / "images" / "learning-curves.svg"

WIDTH, HEIGHT = 660.0, 380.0
LEFT, TOP, RIGHT, BOTTOM = 74.0, 40.0, 130.0, 52.0

Points = Sequence[tuple[int, float]]
"""Update and ratio to the rule."""


def curve_of(run: Path) -> list[tuple[int, float]]:
    """Validations of a run, each update once: what a resumed run repeats replaces what was there."""
    lines = (json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
    found = {int(line["update"]): round(float(line["eval/ratio"]), 5) for line in lines if "eval/ratio" in line}
    return sorted(found.items())


def best_so_far(points: Points) -> list[tuple[int, float]]:
    """The validation of the weights that would be shipped after each update."""
    best, kept = float("inf"), []
    for update, ratio in points:
        best = min(best, ratio)
        kept.append((update, best))
    return kept


def draw(curves: Mapping[str, Points]) -> str:
    """SVG of the best validation so far against the update, one line a run."""
    shown = {name: best_so_far(points) for name, points in curves.items() if points}
    updates = [update for points in shown.values() for update, _ in points]
    ratios = [ratio for points in shown.values() for _, ratio in points]
    title = "Greedy objective on held-out instances, relative to the rule"
    drawing = Drawing(WIDTH, HEIGHT, title)
    drawing.text((LEFT, 24), title, 15, font_weight=600)
    x = Scale(min(updates) * 0.9, max(updates) * 1.1, LEFT, WIDTH - RIGHT, logarithmic=True)
    y = Scale(min(ratios) - 0.01, max(max(ratios), 1.0) + 0.01, HEIGHT - BOTTOM, TOP)
    draw_x_axis(drawing, x, TOP, y.start, "updates (logarithmic)")
    draw_y_axis(drawing, y, LEFT, x.stop, "ratio")
    for number, (name, points) in enumerate(sorted(shown.items(), key=lambda item: item[1][-1][1])):
        places = [(x(update), y(ratio)) for update, ratio in points]
        drawing.polyline(places, stroke=color(number), stroke_width=2.2, stroke_linejoin="round")
        drawing.circle(places[-1], 3.5, fill=color(number), stroke="#fff", tip=f"{name}: {points[-1][1]:.4f}")
        drawing.line((x.stop + 14, TOP + 8 + 20 * number), (x.stop + 30, TOP + 8 + 20 * number), stroke=color(number))
        drawing.text((x.stop + 36, TOP + 12 + 20 * number), name, 12)
    return drawing.render()


def main(arguments: Sequence[str]) -> None:
    """Take up the curves of the given runs, and draw all there are."""
    curves = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for argument in arguments:
        name, _, run = argument.partition("=")
        curves[name] = curve_of(Path(run))
    RESULTS.write_text(json.dumps(curves, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PICTURE.write_text(draw(curves) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
