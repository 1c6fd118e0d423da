"""``train``: what a run leaves behind."""

from __future__ import annotations

import json

from marl.instances import training_instance
from marl.recipes import recipe_of, spark_variant
from problems.families.spark_variants import preset_of


def test_a_refused_run_leaves_an_earlier_one_alone(run, tmp_path):
    """Configuration and metrics are written once the run is under way, not before it is refused."""
    out = tmp_path / "run"
    assert run("train", "--family", "jsp", "--updates", 1, "--minutes", 1, "--seed", 3, "--out", out).code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert json.loads(before["config.json"])["seed"] == 3 and before["metrics.jsonl"]
    assert run("train", "--family", "mtsp", "--resume", "--out", out).code == 2
    assert run("train", "--family", "jsp", "--algorithm", "none", "--out", out).code == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_the_resolved_policy_is_saved(run, tmp_path):
    """The policy that an algorithm implies stands in the configuration."""
    words = ("--algorithm", "evolution", "--updates", 1, "--minutes", 1, "--out", tmp_path / "run")
    assert run("train", "--family", "jsp", *words).code == 0
    assert json.loads((tmp_path / "run" / "config.json").read_text())["policy"] == "tuned"


def test_spark_clusters_can_be_alike(run, tmp_path):
    """--executors and --preset hold for all instances of a run, which no other run goes on from."""
    out = tmp_path / "run"
    words = ("--updates", 1, "--minutes", 1, "--executors", 4, "--preset", "decima", "--out", out)
    outcome = run("train", "--family", "jsp", *words)
    assert outcome.code == 2 and "--executors applies to Spark jobs only" in outcome.err
    with spark_variant(4, "decima"):
        varied = [training_instance("spark", seed) for seed in range(4)]
        assert recipe_of("spark").sizes.endswith("; all with 4 executors, preset decima")
    usual = [training_instance("spark", seed) for seed in range(4)]
    assert {(instance.num_agents, preset_of(instance)) for instance in varied} == {(4, "decima")}
    assert {preset_of(instance) for instance in usual} == {"default", "decima"}
    assert [one.job_names for one in varied] == [one.job_names for one in usual]
    assert not recipe_of("spark").variant
