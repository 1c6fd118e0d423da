"""``--executors`` and ``--preset``: Spark jobs from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from problems.families import Preset
from problems.families.spark_variants import preset_of
from problems.formats import read_instance, write_instance
from problems.generators import fixed_spark, random_job_shop, random_multiple_tsp
from training.commands.arguments import PRESETS
from training.instances import find
from training.options import OptionError

SINKS = {
    "schema": "makespan-spark-jobs",
    "version": 1,
    "scale": 1,
    "moving_delay": 0,
    "jobs": [
        {
            "name": "A",
            "stages": [{"tasks": tasks, "duration": duration} for tasks, duration in ((1, 2), (1, 3), (2, 5), (1, 9))],
            "edges": [[0, 1], [0, 2]],
        }
    ],
}
"""Two final stages and an isolated one: with two executors a job is complete at 12, which is its work shared by two."""


@pytest.fixture
def sinks(tmp_path: Path) -> Path:
    path = tmp_path / "sinks.json"
    path.write_text(json.dumps(SINKS))
    return path


def test_presets_are_those_of_the_family():
    """The words of the command line are the presets there are."""
    assert list(PRESETS) == [str(preset) for preset in Preset]


def test_a_job_is_complete_when_every_stage_is(run, sinks):
    """A DAG with several final stages and an isolated one takes all its work; the result names the preset."""
    found = run("solve", sinks, "--executors", 2, "--solver", "random", "--samples", 60, "--json").json
    assert (found["objective"], found["preset"], found["checked"]) == (12, "default", True)
    proved = run("solve", sinks, "--executors", 2, "--solver", "cp-sat", "--time-limit", 30, "--json").json
    assert (proved["status"], proved["objective"]) == ("optimal", 12)
    alone = run("solve", sinks, "--executors", 1, "--solver", "random", "--json").json
    assert alone["objective"] == 24


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 1], [1, 2], [2, 3], [3, 1]], ".edges: the stages wait for each other: "),
        ([[0, 1], [1, 1]], ".edges[1]: stage 1 waits for itself"),
        ([[0, 1], [1, 7]], ".edges[1][1]: there is no stage 7"),
    ],
)
def test_stages_that_cannot_be_ordered_start_no_episode(run, sinks, edges, message):
    """A cycle, a self-loop and an unknown stage end the command with the file and the field."""
    sinks.write_text(json.dumps(SINKS | {"jobs": [SINKS["jobs"][0] | {"edges": edges}]}))
    outcome = run("solve", sinks, "--executors", 2)
    assert outcome.code == 2 and f"sinks.json: $.jobs[0]{message}" in outcome.err and not outcome.out


def test_the_report_for_people_names_the_preset(run, sinks):
    """The preset stands beside the instance."""
    out = run("solve", sinks, "--executors", 2, "--solver", "random").out
    assert "1 jobs, 2 executors, default" in out and "\npreset        default\n" in out


@pytest.mark.parametrize("option", ["--data", "--interval"])
def test_convert_takes_no_options_of_generators(run, sinks, tmp_path, option):
    """An option that would change nothing is refused by name."""
    outcome = run("convert", sinks, tmp_path / "o.json", "--executors", 2, option, 5)
    assert outcome.code == 2 and option in outcome.err and not (tmp_path / "o.json").exists()


def test_agents_replace_the_number_in_the_file(run, sinks, tmp_path):
    """--agents stands for salesmen and executors alike, as its help says."""
    tour = tmp_path / "tour.json"
    write_instance(random_multiple_tsp(6, 2, 0), tour)
    for source in (sinks, tour):
        assert run("convert", source, tmp_path / "o.json", "--agents", 3).code == 0
        assert read_instance(tmp_path / "o.json").num_agents == 3
    assert "salesmen or executors" in run("convert", "--help").out


def test_the_number_of_executors_must_be_known(run, sinks):
    """A file that leaves it open needs --executors, and says so."""
    outcome = run("solve", sinks, "--solver", "random")
    assert outcome.code == 2 and "--executors M" in outcome.err


def test_executors_and_preset_replace_those_of_a_file(tmp_path):
    """Both can be chosen for either JSON, and the same jobs stay."""
    instance = fixed_spark(3, 4, seed=1)
    for name in ("a.spark.json", "b.json"):
        write_instance(instance, tmp_path / name)
        found = find(str(tmp_path / name), executors=6, preset="decima").load()
        assert (found.num_agents, preset_of(found), found.job_names) == (6, "decima", instance.job_names)
        assert find(str(tmp_path / name), preset="default").load() == instance


@pytest.mark.parametrize(("option", "value"), [("executors", 3), ("preset", "decima")])
def test_other_problems_refuse_the_options_by_name(tmp_path, shop_file, option, value):
    """A job shop, routes, a built-in instance and another family take neither option."""
    write_instance(random_job_shop(2, 2, seed=1), tmp_path / "shop.json")
    write_instance(random_multiple_tsp(4, 2, seed=1), tmp_path / "map.tsp")
    spark = tmp_path / "jobs.json"
    write_instance(fixed_spark(2, 2, seed=1), spark)
    others = [(name, None) for name in (shop_file, tmp_path / "map.tsp", "ta01")]
    others += [(spark, "jsp")] + ([(tmp_path / "shop.json", None)] if option == "preset" else [])
    for name, family in others:
        with pytest.raises(OptionError, match=f"--{option} applies to Spark jobs only, not to .*; leave it out"):
            find(str(name), family, **{option: value}).load()


def test_agents_and_executors_are_not_given_together(run, sinks):
    """Two numbers for the same thing are refused."""
    outcome = run("solve", sinks, "--executors", 2, "--agents", 3)
    assert outcome.code == 2 and "leave --agents out" in outcome.err


def test_unknown_presets_are_refused(run, sinks):
    """The message lists the presets there are."""
    outcome = run("solve", sinks, "--executors", 2, "--preset", "spark")
    assert outcome.code == 2 and "choose one of: default, decima" in outcome.err


def test_generated_instances_have_the_executors_and_the_preset(run, tmp_path):
    """Every kind of Spark instance takes both; other families refuse both."""
    for kind in ("random", "stream", "fixed"):
        words = ("--kind", kind, "--jobs", 2, "--executors", 3, "--preset", "decima", "--format", "spark-json")
        assert run("generate", "spark", "--count", 1, *words, "--out", tmp_path / kind).code == 0
        made = read_instance(next((tmp_path / kind).iterdir()))
        assert (made.num_jobs, made.num_agents, preset_of(made)) == (2, 3, "decima")
    for option in (("--executors", 3), ("--preset", "decima")):
        outcome = run("generate", "jsp", "--count", 1, *option, "--out", tmp_path / "no")
        assert outcome.code == 2 and f"{option[0]} does not apply to jsp" in outcome.err


def test_streams_and_measured_jobs_are_generated(run, tmp_path):
    """--interval makes a stream of any kind; --data names the file that a measured kind needs."""
    trace = tmp_path / "trace.jsonl"
    trace.write_text('{"job": "a", "tasks": [2], "dur_s": [1.5], "edges": []}\n' * 3)
    words = ("--count", 1, "--kind", "alibaba", "--jobs", 2, "--executors", 1, "--out", tmp_path / "out")
    outcome = run("generate", "spark", *words)
    assert outcome.code == 2 and "--kind alibaba needs --data" in outcome.err
    assert run("generate", "spark", *words, "--data", trace, "--interval", 4000).code == 0
    made = read_instance(next((tmp_path / "out").iterdir()))
    assert made.job_release[1] > 0 and made.durations.tolist() == [[1500], [1500]]


def test_evaluations_run_every_number_of_executors(run, tmp_path, sinks):
    """One row per number of executors; the rows and the table name the preset."""
    out = tmp_path / "out"
    words = ("--solvers", "random", "--executors", 1, 2, "--preset", "default", "--out", out)
    outcome = run("evaluate", "--instances", sinks, *words)
    assert outcome.code == 0
    rows = json.loads((out / "results.json").read_text())
    assert [(row["agents"], row["preset"], row["checked"]) for row in rows] == [(n, "default", True) for n in (1, 2)]
    assert outcome.out.count("sinks (default)") == 2


def test_a_schedule_is_verified_on_the_executors_it_was_made_for(run, tmp_path, sinks):
    """``verify`` takes the same options as ``solve``."""
    plan = tmp_path / "plan.json"
    run("solve", sinks, "--executors", 2, "--solver", "random", "--out", plan)
    assert run("verify", sinks, plan, "--executors", 2).code == 0
    assert run("verify", sinks, plan, "--executors", 1).code == 2  # the second executor does not exist
