"""JSON of Spark jobs: what a person writes, what is refused and how, and the way back."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from problems import FormatError, Instance, Objective, UnsupportedError
from problems.families import SparkJob, SparkStage, job_shop, spark_cluster
from problems.families.spark_variants import preset_of
from problems.formats import Source, parse_instance, read_instance, write_instance
from problems.formats.spark_json import write
from problems.generators import random_spark

HEAD = {"schema": "makespan-spark-jobs", "version": 1, "executors": 2}
SCAN = {"name": "scan", "tasks": 3, "durations": {"fresh": {"5": [900]}, "rest": {"5": [300, 310], "10": [400]}}}
JOIN = {"name": "join", "tasks": 2, "duration": 70}


def read(*jobs: Any, asked: int | None = None, **head: Any) -> Instance:
    text = json.dumps(HEAD | {"jobs": list(jobs)} | head)
    return parse_instance(Source(Path("trace.json"), text), agents=asked)


def plain(*durations: int, tasks: int = 1) -> list[dict[str, int]]:
    return [{"tasks": tasks, "duration": duration} for duration in durations]


def test_a_hand_written_trace_needs_little() -> None:
    """Jobs and stages suffice; times are milliseconds, delays are those of the family."""
    instance = read({"stages": [SCAN, JOIN], "edges": [["scan", "join"]], "arrival": 4000}, {"stages": plain(5)})
    jobs = [
        SparkJob(
            [
                SparkStage(3, samples={"fresh": {5: [900]}, "rest": {5: [300, 310], 10: [400]}}),
                SparkStage(2, duration=70),
            ],
            [(0, 1)],
            arrival=4000,
        ),
        SparkJob([SparkStage(1, duration=5)]),
    ]
    assert instance == spark_cluster("trace", jobs, 2)


def test_options_of_the_cluster() -> None:
    """Preset, objective, delays, seed and scale can be given; the delays follow the scale."""
    options = {"preset": "decima", "objective": "makespan", "moving_delay": 7, "warm_up": 3, "seed": 9, "scale": 10}
    instance = read({"stages": [SCAN]}, name="mine", comment="measured in May", **options)
    assert (instance.name, preset_of(instance), instance.objective) == ("mine", "decima", Objective.MAKESPAN)
    assert instance.waves is not None
    assert (instance.moving_delay, instance.waves.warm_up, instance.waves.seed, instance.scale) == (7, 3, 9, 10)
    seconds = read({"stages": [SCAN]}, scale=1)
    assert seconds.waves is not None
    assert (seconds.moving_delay, seconds.waves.warm_up) == (2, 1)


def test_executors_may_be_left_to_the_caller() -> None:
    """The number of executors is the caller's choice, and must be known from one of the two."""
    assert read({"stages": plain(5)}, asked=7).num_agents == 7
    with pytest.raises(FormatError, match=r"trace.json: \$: does not say how many 'executors'.*--executors M"):
        read({"stages": plain(5)}, executors=None)


def test_executors_of_an_instance_file_can_be_chosen(tmp_path: Path) -> None:
    """The framework's own JSON of a Spark cluster takes another number of executors, too."""
    instance = random_spark(2, 3, seed=1)
    write_instance(instance, tmp_path / "a.json")
    assert read_instance(tmp_path / "a.json", agents=20) == random_spark(2, 20, seed=1, name=instance.name)


@pytest.mark.parametrize("preset", ["default", "decima"])
@pytest.mark.parametrize("fixed", [False, True])
def test_round_trip(tmp_path: Path, preset: str, fixed: bool) -> None:
    """Writing and reading gives an equal instance and the same text, whatever the switches."""
    instance = random_spark(4, 3, 1, preset, interval=900, fixed=fixed, moving_delay=0).replace(scale=7)
    path = tmp_path / "jobs.spark.json"
    write_instance(instance, path)
    assert '"makespan-spark-jobs"' in path.read_text()
    assert read_instance(path, family="spark") == instance
    assert write(read_instance(path)) == path.read_text()


def test_round_trip_of_corner_cases() -> None:
    """A job without stages, a level without samples and a fixed duration among samples survive."""
    mixed = [SparkStage(1, samples={"first": {5: [4], 40: []}}), SparkStage(2, duration=0)]
    jobs = [SparkJob([]), SparkJob(mixed, [(1, 0)], arrival=3)]
    instance = spark_cluster("c", jobs, 1, objective=Objective.MAKESPAN)
    assert parse_instance(Source(None, write(instance))) == instance


def test_what_the_format_cannot_carry_is_refused() -> None:
    """Other families and switches are refused by name, with the format to use."""
    plain_one = spark_cluster("c", [SparkJob([SparkStage(1, duration=1)], name="a")] * 1, 2)
    twins = spark_cluster("c", [SparkJob([], name="a"), SparkJob([], name="a")], 2)
    for instance, message in (
        (job_shop("s", [[(0, 1)]], 1), "anything but stages for identical executors \\(family 'jsp'\\)"),
        (plain_one.replace(job_due=np.array([5])), "cannot carry due dates"),
        (plain_one.replace(agent_names=("a", "b")), "anything but stages for identical executors"),
        (plain_one.replace(objective=Objective.TOTAL_COMPLETION_TIME), "the objective total_completion_time"),
        (twins, "jobs of the same name"),
    ):
        with pytest.raises(UnsupportedError, match=f"{message}.*write JSON instead"):
            write(instance)


def test_stages_go_by_name_or_number() -> None:
    """Edges name stages, or count them from 0."""
    job = {"stages": [SCAN, JOIN, *plain(1)], "edges": [["scan", 1], [0, 2]]}
    instance = read(job)
    assert [instance.predecessors(task).tolist() for task in range(3)] == [[], [0], [0]]


GOOD = {"stages": plain(2, 2, 2, 2)}


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (GOOD | {"edges": [[0, 1], [1, 2], [2, 3], [3, 1]]}, r"\.edges: the stages wait for each other: [123] -> "),
        (GOOD | {"edges": [[0, 1], [1, 1]]}, r"\.edges\[1\]: stage 1 waits for itself"),
        (GOOD | {"edges": [[0, 1], [1, 7]]}, r"\.edges\[1\]\[1\]: there is no stage 7"),
        (GOOD | {"edges": [[0, "join"]]}, r"\.edges\[0\]\[1\]: there is no stage 'join'"),
        (GOOD | {"edges": [[0, -1]]}, r"there is no stage -1"),
        (GOOD | {"edges": [[0, True]]}, r"there is no stage True"),
        (GOOD | {"edges": [[0, [1]]]}, r"there is no stage \[1\]"),
        (GOOD | {"edges": [[0, 1], [0, 1]]}, r"\.edges\[1\]: the edge from 0 to 1 is listed twice"),
        (GOOD | {"edges": [[0, 1, 2]]}, r"\.edges\[0\]: has 3 items; expected 2"),
        (GOOD | {"arrival": -1}, r"\.arrival: found -1; expected a whole number from 0"),
        (GOOD | {"arrival": 1.5}, r"\.arrival: found '1.5'; times are whole numbers"),
        (GOOD | {"release": 3}, r": unknown key 'release'; known keys: stages, name, arrival, edges"),
        ({"name": "a"}, r": lacks 'stages'"),
        ({"stages": [JOIN, JOIN]}, r"stages\[1\]\.name: a second stage is called 'join'"),
        ({"stages": [{"tasks": 0, "duration": 1}]}, r"stages\[0\]\.tasks: found 0"),
        ({"stages": [{"tasks": 1, "duration": -4}]}, r"stages\[0\]\.duration: found -4"),
        ({"stages": [{"tasks": 1}]}, r"stages\[0\]: needs either 'duration' or 'durations'"),
        ({"stages": [JOIN | {"durations": {}}]}, r"stages\[0\]: needs either 'duration' or 'durations'"),
        ({"stages": [{"tasks": 1, "durations": {"rest": {"5": []}}}]}, r"\.durations: holds no duration"),
        ({"stages": [{"tasks": 1, "durations": {"last": {}}}]}, r"\.durations: unknown key 'last'"),
        ({"stages": [{"tasks": 1, "durations": {"rest": [3]}}]}, r"\.rest: expected an object of durations"),
        ({"stages": [{"tasks": 1, "durations": {"rest": {"0": [3]}}}]}, r"\.rest: '0' is no number of executors"),
        ({"stages": [{"tasks": 1, "durations": {"rest": {"5": [3, -1]}}}]}, r"\.rest\.5\[1\]: found -1"),
    ],
)
def test_wrong_jobs_are_refused_with_the_field(job: dict[str, Any], message: str) -> None:
    """Every mistake in a job names the file and the path of the wrong value."""
    with pytest.raises(FormatError, match=r"^trace.json: \$\.jobs\[0\].*" + message):
        read(job)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ({"version": 2}, r'"version": 2; this release reads version 1'),
        ({"executors": 0}, r"\$\.executors: found 0"),
        ({"executors": 10**6}, r"\$\.executors: found 1000000"),
        ({"preset": "spark"}, r"\$\.preset: found 'spark'; expected one of default, decima"),
        ({"objective": "longest_route"}, r"\$\.objective: .* expected one of mean_flow_time, makespan"),
        ({"scale": 0}, r"\$\.scale: found 0"),
        ({"moving_delay": -1}, r"\$\.moving_delay: found -1"),
        ({"warm_up": "1 s"}, r"\$\.warm_up: found '1 s'"),
        ({"agents": 3}, r"unknown key 'agents'"),
        ({"jobs": [GOOD | {"name": "2"}, GOOD]}, r"\$\.jobs\[1\]: a second job is called '2'"),
        ({"jobs": [{"stages": plain(2**61, 2**61)}]}, r"the numbers are too large"),
    ],
)
def test_wrong_heads_are_refused_with_the_field(head: dict[str, Any], message: str) -> None:
    """Mistakes outside jobs are refused with the path of the value, or the sum that is too large."""
    with pytest.raises(FormatError, match=r"^trace.json: .*" + message):
        read(GOOD, **head)


def test_a_cycle_is_named_by_its_stages() -> None:
    """The cycle is told in the order in which its stages wait, with their names where they have any."""
    stages = [part | {"name": name} for part, name in zip(plain(2, 2, 2, 2), "abcd", strict=True)]
    edges = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "b"]]
    with pytest.raises(FormatError) as caught:
        read({"stages": stages, "edges": edges})
    told = str(caught.value).split("other: ")[1].split(" -> ")
    assert len(told) == 4 and told[0] == told[-1] and set(told) == {"'b'", "'c'", "'d'"}
    assert all([before.strip("'"), after.strip("'")] in edges for before, after in pairwise(told))


def test_the_documented_example_is_read() -> None:
    """What the documentation shows is a valid file."""
    page = (Path(__file__).parents[3] / "docs" / "spark-json.md").read_text()
    instance = parse_instance(Source(None, page.split("```json\n")[1].split("```")[0]), family="spark")
    assert (instance.job_names, instance.num_agents) == (("daily report", "ad hoc"), 10)
