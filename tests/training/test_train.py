"""``train``: what a run leaves behind."""

from __future__ import annotations

import json


def test_a_refused_run_leaves_an_earlier_one_alone(run, tmp_path):
    """Configuration and metrics are written once the run is under way, not before it is refused."""
    out = tmp_path / "run"
    assert run("train", "--family", "jsp", "--updates", 1, "--minutes", 1, "--seed", 3, "--out", out).code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert json.loads(before["config.json"])["seed"] == 3 and before["metrics.jsonl"]
    assert run("train", "--family", "mtsp", "--resume", "--out", out).code == 2
    assert run("train", "--family", "jsp", "--algorithm", "none", "--out", out).code == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
