"""JSPLIB files: tolerant of editors, strict about numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from problems import FormatError, Instance, Job, Task, UnsupportedError, build_instance
from problems.families import job_shop
from problems.formats import Source, parse_instance, read_instance
from problems.formats.jsplib import write
from problems.generators import random_job_shop


def read(text: str) -> Instance:
    return parse_instance(Source(Path("shop.jsp"), text))


DEMO = "3 3\n0 3 1 2 2 4\n1 5 0 1 2 3\n2 2 0 4 1 1\n"


def test_pairs_are_machine_and_duration() -> None:
    """Pairs are (machine from 0, duration) and each job is a chain (C01)."""
    instance = read(DEMO)
    assert (instance.name, instance.family, instance.scale) == ("shop", "jsp", 1)
    assert instance.eligible_agent.tolist() == [0, 1, 2, 1, 0, 2, 2, 0, 1]
    assert instance.eligible_duration.tolist() == [3, 2, 4, 5, 1, 3, 2, 4, 1]
    assert [instance.predecessors(task).tolist() for task in range(9)] == [[], [0], [1], [], [3], [4], [], [6], [7]]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf# demo shop\r\n#  optimum unknown\r\n\r\n3\t3  \r\n0\t3\t1\t2\t2\t4  \r\n1\t5\t0\t1\t2\t3\r\n"
        b"2\t2\t0\t4\t1\t1\r\n\r\n\r\n",
        DEMO.replace("\n", "\r").encode(),
        DEMO.encode("utf-16"),
        DEMO.rstrip().encode(),
        DEMO.replace("2 4\n", "2 4 # job one\n").encode(),
        b"# caf\xe9\n" + DEMO.encode() + b"\x1a",
    ],
    ids=["mark CRLF tabs comments", "CR", "UTF-16", "no final newline", "comment after data", "Latin-1 and Ctrl-Z"],
)
def test_debris_of_editors_changes_nothing(data: bytes, tmp_path: Path) -> None:
    """Marks, line ends, tabs, comments and blank lines do not change the instance (C01)."""
    (tmp_path / "shop.jsp").write_bytes(data)
    assert read_instance(tmp_path / "shop.jsp") == read(DEMO)


def test_ragged_jobs() -> None:
    """Jobs of 3, 2 and 1 operations keep exactly their six operations (C04)."""
    instance = read("3 3\n0 3 1 2 2 2\n0 2 2 1\n1 4\n")
    assert instance.task_job.tolist() == [0, 0, 0, 1, 1, 2]


def test_recirculation() -> None:
    """A job may visit a machine again, also twice in a row (C05)."""
    instance = read("3 2\n0 2 1 3 0 2\n0 1 0 2 1 1\n1 2 0 1\n")
    assert instance.num_tasks == 8
    assert instance.eligible_agent.tolist() == [0, 1, 0, 0, 0, 1, 1, 0]


def test_fractions_are_scaled_exactly() -> None:
    """Quarters give scale 4 and tenths scale 10; nothing is rounded (C08)."""
    quarters = read("3 2\n0 1.5 1 2.25\n1 0.75 0 1.5\n0 0.5 1 1.0\n")
    assert (quarters.scale, quarters.eligible_duration.tolist()) == (4, [6, 9, 3, 6, 2, 4])
    assert quarters.to_unit(17) == 4.25
    tenths = read("2 2\n0 0.1 1 0.2\n0 0.2 1 0.1\n")
    assert (tenths.scale, tenths.eligible_duration.tolist()) == (10, [1, 2, 2, 1])
    assert tenths.to_unit(4) == 0.4
    assert read("1 1\n0 1.5e1\n").eligible_duration.tolist() == [15]


def test_long_durations_are_exact() -> None:
    """Durations beyond 2^24 and 2^31 are kept exactly; sums beyond 2^62 are refused as too large (C10)."""
    assert read("2 2\n0 16777217 1 1\n1 3 0 16777216\n").eligible_duration.max() == 16777217
    assert read("3 2\n0 3000000000 1 5\n1 2500000001 0 7\n0 1 1 3000000000\n").eligible_duration.sum() == 8500000014
    with pytest.raises(FormatError, match="numbers are too large"):
        read("2 2\n0 4000000000000000000 1 4000000000000000000\n1 4000000000000000000 0 4000000000000000000\n")


@pytest.mark.parametrize(
    ("text", "jobs", "machines", "durations"),
    [
        ("1 1\n0 7\n", 1, 1, [7]),
        ("1 3\n2 2 0 3 1 4\n", 1, 3, [2, 3, 4]),
        ("3 1\n0 2\n0 3\n0 4\n", 3, 1, [2, 3, 4]),
        ("0 3\n", 0, 3, []),
        ("2 2\n0 0 1 0\n1 0 0 0\n", 2, 2, [0, 0, 0, 0]),
    ],
    ids=["1x1", "1x3", "3x1", "no jobs", "all zero"],
)
def test_smallest_instances(text: str, jobs: int, machines: int, durations: list[int]) -> None:
    """One machine, one job, no job and zero durations are instances like others (C13)."""
    instance = read(text)
    assert (instance.num_jobs, instance.num_agents) == (jobs, machines)
    assert instance.eligible_duration.tolist() == durations


BROKEN = {
    "one-based machines": ("2 2\n1 3 2 2\n2 4 1 1\n", 2, "machine 2 does not exist; expected 0 to 1"),
    "negative machine": ("1 2\n-1 3 1 2\n", 2, "machine is '-1'"),
    "decimal machine": ("1 2\n0.5 3 1 2\n", 2, "machine is '0.5'; expected a whole number"),
    "odd count": ("1 2\n0 3 1\n", 2, "expected pairs"),
    "short of jobs": ("3 2\n0 3\n1 2\n", 3, "announces 3 jobs"),
    "too many jobs": ("2 1\n0 3\n0 2\n0 1\n", 4, "announces 2 jobs"),
    "header only": ("2 2\n", 1, "found 0 lines after the header"),
    "header of one": ("2\n0 1\n", 1, "the header holds 1 numbers"),
    "header of three": ("1 1 5\n0 1\n", 1, "the header holds 3 numbers"),
    "no machines": ("0 0\n", 1, "number of machines is '0'"),
    "too many machines": ("1 1000000000\n0 1\n", 1, "at most 100000"),
    "word for duration": ("1 1\n0 x\n", 2, "duration is 'x'"),
    "negative duration": ("1 1\n0 -3\n", 2, "duration is '-3'"),
    "not a number": ("1 1\n0 nan\n", 2, "duration is 'nan'"),
    "infinite": ("1 1\n0 inf\n", 2, "duration is 'inf'"),
    "huge exponent": ("1 1\n0 1e999999999\n", 2, "duration is '1e999999999'"),
    "too large": ("1 1\n0 9e30\n", 2, "the number is too large"),
    "endless decimals": ("2 1\n0 1e-30\n0 1000000\n", None, "too large"),
    "Arabic digits": ("1 1\n0 \u0663\n", 2, "duration is"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused(case: str) -> None:
    """Each mistake is refused with file, line and what was expected (C02, C10)."""
    text, line, message = BROKEN[case]
    with pytest.raises(FormatError, match=message) as error:
        read(text)
    assert error.value.line == line
    assert str(error.value).startswith("shop.jsp:")


@pytest.mark.parametrize("text", ["0 3\n", DEMO, "2 2\n0 0.1 1 0.2\n0 2.25\n", "1 1\n0 1\n"])
def test_round_trip(text: str) -> None:
    """Writing and reading a job shop gives an equal one, decimals included."""
    assert read(write(read(text))) == read(text)


def test_what_the_layout_cannot_carry_is_refused_by_name() -> None:
    """Features beyond the plain job shop are named, not dropped."""
    shop = random_job_shop(2, 2, seed=0)
    for change, feature in (
        ({"job_release": np.array([0, 3])}, "release dates"),
        ({"job_reveal": np.array([0, 3])}, "reveal dates"),
        ({"job_due": np.array([-1, 0])}, "due dates"),
        ({"job_deadline": np.array([-1, 9])}, "deadlines"),
        ({"job_weight": np.array([1, 2])}, "job weights"),
        ({"agent_available": np.array([1, 0])}, "availability of agents"),
        ({"task_pieces": np.array([1, 1, 2, 1])}, "several pieces"),
        ({"predecessor_ptr": np.zeros(5), "predecessor_task": np.zeros(0)}, "precedence other than one chain"),
        ({"moving_delay": 2}, "moving delays"),
        ({"retire": True}, "retire"),
        ({"scale": 3, "eligible_duration": np.array([1, 2, 3, 4])}, "scale of 3"),
    ):
        with pytest.raises(UnsupportedError, match=feature):
            write(shop.replace(**change))
    flexible = build_instance("f", "custom", ("a", "b"), [Job([Task({0: 1, 1: 2})])])
    with pytest.raises(UnsupportedError, match="alternative agents"):
        write(flexible)
    with pytest.raises(UnsupportedError, match="jobs without tasks"):
        write(job_shop("e", [[(0, 1)], []], 1))


@pytest.mark.shared
def test_public_job_shops_round_trip(shared: Path) -> None:
    """Every public job shop is read, and written back to the same instance."""
    files = sorted((shared / "bench/jsp").glob("*.txt"))
    assert len(files) == 198
    for file in files:
        instance = read_instance(file, family="jsp")
        assert parse_instance(Source(file, write(instance))) == instance
