"""Our JSON of instances: lossless, generous to people, precise about mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from instance_strategies import flexible_job_shops, instances, parallel_machine_shops

from problems import FormatError, Instance, Objective
from problems.families import multiple_tsp
from problems.formats import Source, parse_instance, read_instance, write_instance
from problems.formats.json_writer import instance_document, write
from problems.generators import random_job_shop, random_multiple_tsp

MINIMAL: dict[str, Any] = {
    "schema": "makespan-instance",
    "version": 1,
    "agents": ["saw", "drill"],
    "jobs": [{"tasks": [{"durations": {"saw": 3}}, {"durations": {"drill": 2, "saw": 4}}]}, [{"durations": 5}]],
}


def read(document: Any) -> Instance:
    return parse_instance(Source(Path("mine.json"), json.dumps(document)))


def changed(path: str, value: Any) -> dict[str, Any]:
    """MINIMAL with the value at a dotted path replaced."""
    document = json.loads(json.dumps(MINIMAL))
    *way, last = [int(key) if key.isdecimal() else key for key in path.split(".")]
    target = document
    for key in way:
        target = target[key]
    target[last] = value
    return document


@settings(deadline=None, max_examples=200)
@given(instances())
def test_round_trip_of_every_switch(instance: Instance) -> None:
    """Writing and reading any instance gives an equal instance, whatever switches are on."""
    text = write(instance)
    assert parse_instance(Source(None, text)) == instance
    assert write(parse_instance(Source(None, text))) == text


@settings(deadline=None, max_examples=100)
@given(flexible_job_shops() | parallel_machine_shops())
def test_round_trip_of_machines_with_setups(instance: Instance) -> None:
    """Setups, initial setups, operators, capacities, dates and weights of shops survive the round trip."""
    assert parse_instance(Source(None, write(instance)), family=instance.family) == instance


def test_hand_written_document_needs_little() -> None:
    """A person writes agents, tasks and durations only; the rest has the documented defaults."""
    instance = read(MINIMAL)
    assert (instance.name, instance.family, instance.objective) == ("mine", "custom", Objective.MAKESPAN)
    assert instance.job_names == ("1", "2")
    assert instance.durations.tolist() == [[3, -1], [4, 2], [5, 5]]
    assert [instance.predecessors(task).tolist() for task in range(3)] == [[], [0], []]
    assert instance.job_release.tolist() == [0, 0]
    assert instance.job_weight.tolist() == [1, 1]
    assert instance.job_due.tolist() == instance.job_deadline.tolist() == [-1, -1]


def test_null_means_not_given() -> None:
    """A due date of null is no due date."""
    document = changed("jobs.0", {"tasks": [], "due": None})
    assert read(document).job_due.tolist() == [-1, -1]


def test_agents_may_be_counted() -> None:
    """A number of agents names them agent_0, agent_1, ..."""
    document = changed("agents", 2) | {"jobs": [[{"durations": {"agent_1": 4}}]]}
    assert read(document).agent_names == ("agent_0", "agent_1")


def test_precedence_across_jobs_and_none() -> None:
    """`after` takes positions in the job, [job, position] pairs, and an empty list for no predecessor."""
    tasks = [{"durations": 1}, {"durations": 1, "after": []}, {"durations": 1, "after": [0, [0, 1]]}]
    instance = read(changed("jobs.1", {"tasks": tasks}))
    assert [instance.predecessors(task).tolist() for task in range(2, 5)] == [[], [], [2, 1]]


def test_one_changeover_matrix_and_operators() -> None:
    """Setups for all agents are one matrix; an operator is the list of agents that it serves."""
    document = {
        "schema": "makespan-instance",
        "version": 1,
        "agents": [{"name": "a", "home": 0}, "b"],
        "changeover": {"times": [[0, 5], [7, 0]]},
        "resources": {"capacity": [2], "operators": [["a"], ["b", "a"]]},
        "jobs": [[{"durations": 3, "state": 1, "uses": [2]}]],
    }
    instance = read(document)
    assert instance.changeover is not None
    assert instance.changeover.times.tolist() == [[[0, 5], [7, 0]]]
    assert instance.changeover.agent_home.tolist() == [0, -1]
    assert instance.resources is not None
    assert instance.resources.operator_serves.tolist() == [[True, False], [True, True]]
    assert instance.resources.task_use.tolist() == [[2]]


def test_euclidean_travel_is_computed() -> None:
    """A person gives coordinates and asks for Euclidean travel; a written mTSP stays that short."""
    instance = multiple_tsp("three", [[0, 0], [3, 4], [0, 1]], 2)
    document = instance_document(instance)
    assert document["changeover"]["times"] == "euclidean"
    assert read(document) == instance


def test_number_of_salesmen_is_chosen_by_the_caller() -> None:
    """The same cities are read for another number of salesmen, and only cities."""
    instance = random_multiple_tsp(5, 2, seed=3)
    other = parse_instance(Source(None, write(instance)), agents=4)
    assert other == random_multiple_tsp(5, 4, seed=3)
    with pytest.raises(FormatError, match="number of agents"):
        parse_instance(Source(None, write(random_job_shop(2, 2, 0))), agents=3)


def test_written_file_is_for_people(tmp_path: Path) -> None:
    """A task stands on one line and defaults are left out."""
    write_instance(random_job_shop(3, 3, seed=1), tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    assert all("release" not in line and len(line) <= 120 for line in text.splitlines())
    assert text.count("\n") < 30
    assert read_instance(tmp_path / "a.json") == random_job_shop(3, 3, seed=1)


def test_a_job_without_tasks_is_kept() -> None:
    """A job without operations is allowed, lasts nothing, and survives the round trip (C13)."""
    document = {
        "schema": "makespan-instance",
        "version": 1,
        "family": "jsp",
        "agents": ["machine_0", "machine_1"],
        "jobs": [[{"durations": {"machine_0": 3}}], []],
    }
    instance = read(document)
    assert (instance.num_jobs, instance.num_tasks) == (2, 1)
    assert read(instance_document(instance)) == instance


BROKEN = {
    "schema": (changed("schema", "other"), r"expected \"schema\": \"makespan-instance\""),
    "version": (changed("version", 2), "reads version 1"),
    "version is text": (changed("version", "1"), "reads version 1"),
    "version is true": (changed("version", True), "reads version 1"),
    "root is a list": ([1], "not of this schema"),
    "unknown root key": (MINIMAL | {"releases": 1}, r"\$: unknown key 'releases'"),
    "unknown job key": (changed("jobs.0", {"tasks": [], "relase": 3}), r"\$\.jobs\[0\]: unknown key 'relase'"),
    "unknown task key": (changed("jobs.0.tasks.1", {"durations": 1, "agent": 1}), r"\$\.jobs\[0\]\.tasks\[1\]"),
    "no agents": ({k: v for k, v in MINIMAL.items() if k != "agents"}, "lacks 'agents'"),
    "no durations": (changed("jobs.0.tasks.0", {}), r"\$\.jobs\[0\]\.tasks\[0\]: lacks 'durations'"),
    "unknown agent": (changed("jobs.0.tasks.0.durations", {"mill": 1}), "unknown agent 'mill'"),
    "no eligible agent": (
        changed("jobs.0.tasks.0.durations", {}),
        r"\[0\].tasks\[0\].durations: has no eligible agent",
    ),
    "decimal": (changed("jobs.0.tasks.0.durations.saw", 1.5), r"durations\.saw: found '1\.5'.*'scale'"),
    "text for time": (changed("jobs.0.tasks.0.durations.saw", "3"), r"found '3'; expected a whole number"),
    "true for time": (changed("jobs.0.tasks.0.durations.saw", True), "found True; expected a whole number"),
    "null for time": (changed("jobs.0.tasks.0.durations.saw", None), "found None; expected a whole number"),
    "negative": (changed("jobs.0.tasks.0.durations.saw", -1), "from 0"),
    "too large": (changed("jobs.0.tasks.0.durations.saw", 2**63), "larger numbers are refused"),
    "sum too large": (changed("jobs.0.tasks.0.durations.saw", 2**62 - 1), "numbers are too large"),
    "scale 0": (MINIMAL | {"scale": 0}, r"\$\.scale"),
    "two agents of one name": (changed("agents", ["a", "a"]), "a second agent is called 'a'"),
    "agents of a wrong type": (changed("agents", 2.5), r"\$\.agents: found 2\.5; expected a number of agents"),
    "too many agents": (changed("agents", 10**9), r"\$\.agents"),
    "jobs of a wrong type": (changed("jobs", {}), r"\$\.jobs: found {}; expected a list"),
    "job of a wrong type": (changed("jobs.0", 3), r"\$\.jobs\[0\]: found 3; expected an object"),
    "durations of a wrong type": (changed("jobs.0.tasks.0.durations", [3]), "one whole number for all agents"),
    "after a stranger": (changed("jobs.0.tasks.0.after", [7]), r"after: there is no task 7 in job 0"),
    "after itself": (changed("jobs.0.tasks.0.after", [0]), "precedence has a cycle"),
    "cycle": (changed("jobs.0.tasks.0.after", [1]), "cycle: job 1, task 1 -> job 1, task 2 -> job 1, task 1"),
    "after a long pair": (changed("jobs.0.tasks.0.after", [[0, 1, 2]]), "has 3 items; expected 2"),
    "objective": (MINIMAL | {"objective": "cmax"}, "expected one of makespan, longest_route"),
    "opens": (MINIMAL | {"opens": "soon"}, "finished, dispatched"),
    "serves": (MINIMAL | {"serves": "job"}, "piece, stage"),
    "retire": (MINIMAL | {"retire": 1}, "true or false"),
    "name": (MINIMAL | {"name": 3}, r"\$\.name: found 3; expected a text"),
    "state without changeover": (changed("jobs.0.tasks.0.state", 0), "needs 'changeover'"),
    "changeover without state": (MINIMAL | {"changeover": {"times": [[0]]}}, r"tasks\[0\]: lacks 'state'"),
    "samples without waves": (changed("jobs.0.tasks.0.samples", {}), "needs 'waves'"),
    "uses without resources": (changed("jobs.0.tasks.0.uses", [1]), "needs 'resources'"),
    "coordinates alone": (MINIMAL | {"coordinates": [[0, 0]]}, "coordinates are given without changeover"),
    "number for one": (changed("jobs.0.tasks.0.number", 0), "lacks 'number'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_documents_are_refused(case: str) -> None:
    """Each mistake is refused with the path of the value and what was expected."""
    document, message = BROKEN[case]
    with pytest.raises(FormatError, match=message) as error:
        read(document)
    assert str(error.value).startswith("mine.json: ")


CHANGEOVER: dict[str, Any] = {
    "schema": "makespan-instance",
    "version": 1,
    "agents": 1,
    "changeover": {"times": [[0, 1], [1, 0]]},
    "jobs": [[{"durations": 1, "state": 0}]],
}

BROKEN_SWITCHES = {
    "not square": ({"changeover": {"times": [[0, 1], [1]]}}, r"times\[1\]: has 1 items; expected 2"),
    "matrix of a wrong type": ({"changeover": {"times": 3}}, "a matrix, a list of matrices"),
    "euclidean without places": ({"changeover": {"times": "euclidean"}}, "needs 'coordinates'"),
    "state out of range": ({"jobs": [[{"durations": 1, "state": 2}]]}, "changeover.task_state must lie in 0 to 1"),
    "place of one number": ({"coordinates": [[0], [1, 1]]}, r"coordinates\[0\]: has 1 items"),
    "infinite place": ({"coordinates": [[0, 10**400], [1, 1]]}, "expected a finite number"),
    "text for a place": ({"coordinates": [["x", 0], [1, 1]]}, "found 'x'; expected a number"),
    "levels": ({"waves": {"levels": [2, 1]}}, "waves.levels must increase"),
    "between": ({"waves": {"levels": [1], "between": "above"}}, "below, inverted"),
    "samples of another length": (
        {"waves": {"levels": [1, 2]}, "jobs": [[{"durations": 1, "state": 0, "samples": {"first": [[1]]}}]]},
        "samples.first: has 1 items; expected 2",
    ),
    "unknown wave": (
        {"waves": {"levels": [1]}, "jobs": [[{"durations": 1, "state": 0, "samples": {"second": [[1]]}}]]},
        "unknown key 'second'",
    ),
    "use above capacity": (
        {"resources": {"capacity": [1]}, "jobs": [[{"durations": 1, "state": 0, "uses": [2]}]]},
        r"\$.jobs\[0\]\[0\].uses\[0\]: found 2; expected a number between 0 and the capacity, 1",
    ),
    "operator of a stranger": ({"resources": {"operators": [["x"]]}}, r"operators\[0\]\[0\]: found 'x'"),
    "numbers with a gap": ({"jobs": [[{"durations": 1, "state": 0, "number": 0}] * 2]}, "number 1 is missing"),
}


@pytest.mark.parametrize("case", BROKEN_SWITCHES)
def test_broken_switches_are_refused(case: str) -> None:
    """Mistakes in changeovers, places, waves and resources are refused with their path."""
    change, message = BROKEN_SWITCHES[case]
    read(CHANGEOVER)
    with pytest.raises(FormatError, match=message):
        read(CHANGEOVER | change)


BROKEN_TEXTS = {
    "syntax": ('{\n"schema": "makespan-instance",\n"version": 1,,\n}', 3, "JSON syntax error"),
    "cut off": ('{\n"schema": "makespan-instance",\n', 3, "JSON syntax error"),
    "twice": ('{"schema": "makespan-instance", "schema": "x"}', 1, "'schema' twice"),
    "twice below": ('{"a": {"b": 1},\n"c": {"b": "NaN",\n"d": [{"b": 2}],\n"\\u0062": 1}}', 4, "'b' twice"),
    "NaN": ('{"schema":\n"NaN", "version":\n NaN}', 3, "holds NaN"),
    "infinity": ('{"schema": [1,\r\n-Infinity]}', 2, "holds -Infinity"),
    "deep": ("[" * 100_000, None, "nested too deeply"),
    "long number": ('{"schema": ' + "9" * 5000 + "}", None, "thousands of digits"),
}


@pytest.mark.parametrize("case", BROKEN_TEXTS)
def test_broken_texts_are_refused(case: str) -> None:
    """A syntax error is refused with its line; what JSON cannot mean is refused too."""
    text, line, message = BROKEN_TEXTS[case]
    with pytest.raises(FormatError, match=message) as error:
        parse_instance(Source(Path("mine.json"), text))
    assert error.value.line == line
