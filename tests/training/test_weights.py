"""``--weights``: learned solvers with weights of one's own."""

from __future__ import annotations

import shutil

from marl.weights.store import SHIPPED


def test_weights_are_for_learned_solvers_only(run, shop_file):
    """A rule has no weights, and `evaluate` must know which solver they are for."""
    outcome = run("solve", shop_file, "--solver", "spt", "--weights", "x.safetensors")
    assert outcome.code == 2 and "'spt' takes no weights; tuned, policy, schedulenet, decima do" in outcome.err
    words = ("--solvers", "tuned,policy", "--weights", "x.safetensors", "--out", shop_file.parent / "o")
    outcome = run("evaluate", "--instances", shop_file, *words)
    assert outcome.code == 2 and "--weights needs exactly one of" in outcome.err
    outcome = run("train", "--family", "spark", "--policy", "decima", "--preset", "default", "--out", "x")
    assert outcome.code == 2 and "leave --preset out" in outcome.err


def test_own_weights_take_the_place_of_the_shipped_ones(run, shop_file, tmp_path):
    """The same weights from a file give the same schedule, those of another family are refused by name."""
    for name in ("tuned-jsp", "tuned-mtsp"):
        for suffix in (".safetensors", ".json"):
            shutil.copy(SHIPPED / f"{name}{suffix}", tmp_path)
    shipped = run("solve", "ta01", "--solver", "tuned", "--json").json
    own = ("--solvers", "spt,tuned", "--weights", tmp_path / "tuned-jsp.safetensors", "--out", tmp_path / "out")
    assert run("evaluate", "--instances", "ta01", *own).code == 0
    assert str(shipped["objective"]) in (tmp_path / "out" / "results.csv").read_text()
    outcome = run("solve", shop_file, "--solver", "tuned", "--weights", tmp_path / "tuned-mtsp.safetensors")
    assert outcome.code == 2 and "trained for mtsp; the instance is of family 'jsp'" in outcome.err
