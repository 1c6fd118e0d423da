"""Files of schedules: lossless, precise about mistakes, exact about decimals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instance_strategies import instances, schedules

from problems import FormatError, Schedule, UnsupportedError
from problems.families import job_shop
from problems.formats import read_schedule, write_schedule

SHOP = job_shop("shop", [[(0, 1), (1, 2)], [(0, 2), (1, 1)]], 2, scale=10)

TENTHS = {
    "instance": "C08_tenths.jsp",
    "ops": [
        {"job": 0, "op": 0, "machine": 0, "start": 0.0, "end": 0.1},
        {"job": 1, "op": 0, "machine": 0, "start": 0.1, "end": 0.30000000000000004},
        {"job": 0, "op": 1, "machine": 1, "start": 0.1, "end": 0.3},
        {"job": 1, "op": 1, "machine": 1, "start": 0.3, "end": 0.4},
    ],
}

OURS: dict[str, Any] = {
    "schema": "makespan-schedule",
    "version": 1,
    "rows": [{"task": 0, "agent": "machine_0", "start": 0, "end": 1}],
}


def read(tmp_path: Path, document: Any, suffix: str = ".json") -> Schedule:
    path = tmp_path / f"plan{suffix}"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return read_schedule(path, SHOP)


@pytest.mark.parametrize("suffix", [".json", ".csv"])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_round_trip(tmp_path: Path, suffix: str, data: st.DataObject) -> None:
    """Any table survives writing and reading, whatever the names of jobs and agents."""
    instance = data.draw(instances())
    schedule = data.draw(schedules(instance))
    path = tmp_path / f"plan{suffix}"
    try:
        write_schedule(schedule, instance, path)
    except UnsupportedError:
        assert suffix == ".csv"
        assert any(not name or not name.isprintable() for name in (*instance.agent_names, *instance.job_names))
        return
    assert read_schedule(path, instance) == schedule


def test_decimals_are_scaled_exactly(tmp_path: Path) -> None:
    """Decimal times in the source's unit become integer units; 0.1 + 0.2 of a binary program is unit 3 (C08)."""
    schedule = read(tmp_path, TENTHS)
    assert schedule.task.tolist() == [0, 2, 1, 3]
    assert schedule.start.tolist() == [0, 1, 1, 3]
    assert schedule.end.tolist() == [1, 3, 3, 4]


def test_source_unit_may_be_named(tmp_path: Path) -> None:
    """Our own schema holds integer units unless it names the unit of the source."""
    row = {"job": "1", "op": 1, "agent": 1, "start": 0.1, "end": 3e-1}
    schedule = read(tmp_path, OURS | {"unit": "source", "rows": [row]})
    assert (schedule.task.tolist(), schedule.start.tolist(), schedule.end.tolist()) == ([1], [1], [3])
    assert read(tmp_path, OURS).end.tolist() == [1]


def test_left_out_cells_have_their_defaults(tmp_path: Path) -> None:
    """Without changeover, piece and resource a row is a plain operation."""
    schedule = read(tmp_path, "agent,end,start,job,op\nmachine_1,7,5,2,1\n", ".csv")
    assert schedule == Schedule.from_times([3], [1], [5], [7])


def with_row(**changes: Any) -> dict[str, Any]:
    row = OURS["rows"][0] | changes
    return OURS | {"rows": [{key: value for key, value in row.items() if value != "out"}]}


def with_op(**changes: Any) -> dict[str, Any]:
    return {"ops": [TENTHS["ops"][0] | changes]}  # type: ignore[index]


BROKEN = {
    "other schema": ({"schema": "makespan-instance", "version": 1}, 'expected "schema": "makespan-schedule"'),
    "other version": (OURS | {"version": 7}, "reads version 1"),
    "empty list": ([], "not of this schema"),
    "other scale": (OURS | {"scale": 1}, r"\$\.scale: 1 does not match the scale of the instance, 10"),
    "unknown key": (OURS | {"times": 1}, "unknown key 'times'"),
    "unknown cell": (with_row(machine=1), r"\$\.rows\[0\]: unknown key 'machine'"),
    "no end": (with_row(end="out"), r"\$\.rows\[0\]: lacks 'end'"),
    "no task": (with_row(task="out"), "names no task"),
    "task out of range": (with_row(task=4), r"task: found 4; expected a whole number from 0 to 3"),
    "unknown agent": (with_row(agent="mill"), "there is no agent 'mill' in shop"),
    "agent out of range": (with_row(agent=2), "from 0 to 1"),
    "job and task differ": (with_row(job="2", op=0), "task 0 is not op 0 of job 2"),
    "no such op": (with_row(job="1", op=2), "job 1 has no op 2"),
    "decimal units": (with_row(start=0.5), "times are whole numbers"),
    "off the grid": (with_op(end=0.15), r"found '0\.15'; expected a multiple of 1/10"),
    "nearly": (with_op(end=0.100001), "expected a multiple of 1/10"),
    "null": (with_op(end=None), "found None"),
    "op lacks a machine": ({"ops": [{"job": 0, "op": 0, "start": 0, "end": 1}]}, "lacks 'machine'"),
    "not finite": ('{"ops": [{"start": NaN}]}', "holds NaN"),
    "too precise": ('{"ops": [{"job": 0, "op": 0, "machine": 0, "start": 1e-999, "end": 1}]}', "at most 40 digits"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_json_is_refused(case: str, tmp_path: Path) -> None:
    """Each mistake is refused with the path of the value."""
    document, message = BROKEN[case]
    with pytest.raises(FormatError, match=message):
        read(tmp_path, document)


BROKEN_CSV = {
    "empty": ("", 1, "lacks 'agent'"),
    "unknown column": ("task,agent,start,end,x\n", 1, "unknown column 'x'"),
    "column twice": ("task,agent,start,end,end\n", 1, "repeats"),
    "short row": ("task,agent,start,end\n0,machine_0,1\n", 2, "another number of cells"),
    "long row": ("task,agent,start,end\n0,machine_0,1,2,3\n", 2, "another number of cells"),
    "empty cell": ("task,agent,start,end\n0,machine_0,,2\n", 2, "cell 'start' is empty"),
    "decimal": ("task,agent,start,end\n0,machine_0,0,1\n1,machine_1,1.5,2\n", 3, "start: found '1.5'"),
    "word": ("task,agent,start,end\nx,machine_0,1,2\n", 2, "task: found 'x'"),
    "unknown agent": ("task,agent,start,end\n0,mill,1,2\n", 2, "agent: there is no agent 'mill'"),
    "open quote": ('task,agent,start,end\n0,"machine_0,1,2\n', 2, "CSV syntax error"),
}


@pytest.mark.parametrize("case", BROKEN_CSV)
def test_broken_csv_is_refused(case: str, tmp_path: Path) -> None:
    """Each mistake is refused with its line and column."""
    text, line, message = BROKEN_CSV[case]
    with pytest.raises(FormatError, match=message) as error:
        read(tmp_path, text, ".csv")
    assert error.value.line == line


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    """A schedule is written as JSON or CSV."""
    with pytest.raises(FormatError, match=r"\.json or \.csv"):
        write_schedule(Schedule.from_times([], [], [], []), SHOP, tmp_path / "plan.xml")


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200), suffix=st.sampled_from([".json", ".csv"]))
def test_junk_is_refused_without_a_traceback(tmp_path: Path, data: bytes, suffix: str) -> None:
    """Whatever bytes a file holds, reading gives a schedule or a FormatError."""
    path = tmp_path / f"junk{suffix}"
    path.write_bytes(data)
    try:
        read_schedule(path, SHOP)
    except FormatError as error:
        assert "junk" in str(error)
