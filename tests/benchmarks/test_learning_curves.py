"""Curves of training runs."""

import json

from benchmarks.learning_curves import best_so_far, curve_of, draw


def test_a_repeated_update_counts_once(tmp_path):
    """Updates that a resumed run repeats replace those before; updates without validation are left out."""
    lines = [{"update": 25, "eval/ratio": 0.9}, {"update": 26}, {"update": 50, "eval/ratio": 0.8}]
    lines.append({"update": 50, "eval/ratio": 0.85})
    (tmp_path / "metrics.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    assert curve_of(tmp_path) == [(25, 0.9), (50, 0.85)]


def test_the_picture_shows_every_run_by_its_best():
    """A later, worse validation does not raise the line; every run with a validation is named."""
    curves = {"shops": [(25, 0.9), (50, 0.95)], "routes": [(25, 0.8), (100, 0.7)], "none": []}
    assert best_so_far(curves["shops"]) == [(25, 0.9), (50, 0.9)]
    picture = draw(curves)
    assert "shops: 0.9000" in picture and "routes: 0.7000" in picture and "none" not in picture.replace('"none"', "")
