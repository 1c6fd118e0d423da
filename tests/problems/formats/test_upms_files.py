"""Files of parallel machines: with setups, and plain."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from instance_strategies import parallel_machine_shops

from problems import FormatError, Instance, UnsupportedError
from problems.families import parallel_machines
from problems.formats import Source, parse_instance, read_instance
from problems.formats.registry import Format
from problems.formats.upms import write
from problems.generators import brandimarte_like, vallada_ruiz, with_operators

DURATIONS = [[4, 3], [2, 4], [7, 1]]
SETUPS = [[[0, 6, 7], [1, 0, 2], [3, 4, 0]], [[0, 5, 8], [9, 0, 1], [2, 3, 0]]]
WITH_SETUPS = (
    "3  2  1\n2\n\t0\t4\t1\t3\n\t0\t2\t1\t4\n\t0\t7\t1\t1\nSSD\n"
    "M0\n0\t6\t7\n1\t0\t2\n3\t4\t0\nM1\n0\t5\t8\n9\t0\t1\n2\t3\t0\n"
)
PLAIN = "3 2\n4 3\n2 4\n7 1\n"


def read(text: str, name: str = "mill.txt", family: str | None = None) -> Instance:
    return parse_instance(Source(Path(name), text), family)


@pytest.mark.parametrize("text", [WITH_SETUPS, WITH_SETUPS.replace("\n", "\r\n"), "\ufeff" + WITH_SETUPS[:-1]])
def test_setups_are_read_from_before_to_after(text: str) -> None:
    """Line i and column j of a machine's block are the setup from job i to job j; first jobs need none."""
    expected = parallel_machines("mill", np.array(DURATIONS), np.array(SETUPS))
    assert read(text.removeprefix("\ufeff")) == expected


def test_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    """A file as editors leave it gives the same instance."""
    (tmp_path / "mill.txt").write_bytes(b"\xef\xbb\xbf" + WITH_SETUPS.replace("\n", "\r\n").encode())
    assert read_instance(tmp_path / "mill.txt") == read(WITH_SETUPS)


def test_plain_files_have_no_changeovers() -> None:
    """Without setups a line is the durations of a job on all machines."""
    assert read(PLAIN) == parallel_machines("mill", np.array(DURATIONS), None)


def test_decimals_are_scaled_exactly() -> None:
    """Durations and setups share the least scale that makes all whole."""
    text = WITH_SETUPS.replace("\t4\t1", "\t0.5\t1").replace("0\t6\t7", "0\t0.25\t7")
    instance = read(text)
    assert instance.scale == 4
    assert instance.durations[0].tolist() == [2, 12]
    assert instance.changeover is not None and instance.changeover.times[0, 0].tolist() == [0, 1, 28]


TWO_READINGS = "2 2\n1 3\n0 4\n"
"""Two jobs of one operation on machine 1 and 0; or durations 1 and 3, 0 and 4 on two machines."""


def test_family_or_suffix_decide_between_two_readings() -> None:
    """Durations that could be pairs of machine and duration are refused unless family or suffix tell."""
    with pytest.raises(FormatError, match=r"several formats fit; name the family \(--family\)") as error:
        read(TWO_READINGS)
    assert error.value.line == 1
    assert read(TWO_READINGS, "mill.jsp").durations.tolist() == [[-1, 3], [4, -1]]
    assert read(TWO_READINGS, family="jsp") == read(TWO_READINGS, "mill.jsp")
    assert read(TWO_READINGS, "mill.upms").durations.tolist() == [[1, 3], [0, 4]]
    assert read(TWO_READINGS, family="upms") == read(TWO_READINGS, "mill.upms")


BROKEN = {
    "more jobs announced": (WITH_SETUPS.replace("3  2", "4  2"), 5, "found 3 lines of durations .* expected 4"),
    "fewer jobs announced": (WITH_SETUPS.replace("3  2", "2  2"), 5, "found 3 lines of durations .* expected 2"),
    "other number of machines": (WITH_SETUPS.replace("\n2\n", "\n3\n"), 2, "number of machines of the header alone: 2"),
    "no line of machines": (WITH_SETUPS.replace("\n2\n", "\n"), 2, "number of machines of the header alone: 2"),
    "machine left out": (WITH_SETUPS.replace("\t0\t2\t1\t4", "\t0\t2"), 4, "expected 2 pairs .* write JSON"),
    "machines from 1": (WITH_SETUPS.replace("\t0\t4\t1\t3", "\t1\t4\t2\t3"), 3, "machines 0 to 1 in this order"),
    "block cut off": (WITH_SETUPS[:-12], 12, "found 6 lines after SSD; expected 2 times a label and 3 lines"),
    "nothing after SSD": (WITH_SETUPS[: WITH_SETUPS.index("M0")], 6, "found 0 lines after SSD"),
    "label of another machine": (WITH_SETUPS.replace("M1", "M2"), 11, "expected the label M1"),
    "short line of setups": (WITH_SETUPS.replace("9\t0\t1\n", "9\t0\n"), 13, "found 2 numbers; expected 3 setups"),
    "negative setup": (WITH_SETUPS.replace("9\t0\t1", "-9\t0\t1"), 13, "duration is '-9'"),
    "word for a duration": (WITH_SETUPS.replace("\t0\t7", "\t0\tx"), 5, "duration is 'x'"),
    "no jobs": ("0 2 1\n2\nSSD\nM0\nM1\n", 1, "number of jobs is '0'"),
    "header of one": ("3\n2\nSSD\n", 1, "the header holds 1 words"),
    "short line": ("3 2\n5 6\n7 8\n9\n", 4, "found 1 numbers; expected 2 durations, one per machine of the header"),
    "long line": ("3 3\n5 6 7\n7 8 9 1\n9 9 9\n", 3, "found 4 numbers; expected 3 durations"),
    "sums too large": ("2 1\n4611686018427387903\n1\n", None, "numbers are too large"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused(case: str) -> None:
    """Each count that lies and each number out of place is refused with file, line and what was expected."""
    text, line, message = BROKEN[case]
    with pytest.raises(FormatError, match=message) as error:
        read(text)
    assert error.value.line == line
    assert str(error.value).startswith("mill.txt:")


@pytest.mark.parametrize("text", [WITH_SETUPS, PLAIN, "1 1\n0.5\n", "1 2 1\n2\n0 1 1 2\nSSD\nM0\n0\nM1\n3\n"])
def test_round_trip(text: str) -> None:
    """Writing and reading gives an equal instance; what is written is recognised."""
    assert read(write(read(text))) == read(text)
    assert Format.detect(Source(None, write(read(text)))) is Format.UPMS


@settings(deadline=None, max_examples=150)
@given(parallel_machine_shops(scales=(1,)))
def test_everything_is_carried_or_refused(instance: Instance) -> None:
    """Whatever the instance, what is read back equals what was written, or writing was refused."""
    with contextlib.suppress(UnsupportedError):
        assert read(write(instance), "x.upms") == instance.replace(name="x")


def test_a_file_called_upms_is_one_however_broken() -> None:
    """Missing lines are told of in the words of parallel machines."""
    with pytest.raises(FormatError, match=r"mill\.upms:3: found 2 lines of durations; the header announces 3 jobs"):
        read("3 2\n5 6\n7 8\n", "mill.upms")


def test_what_the_layouts_cannot_carry_is_refused_by_name() -> None:
    """Initial setups, machines that cannot process a job, operators and other shops are named, not dropped."""
    base = parallel_machines("mill", np.array(DURATIONS), np.array(SETUPS))
    initial = parallel_machines("mill", np.array(DURATIONS), None, np.array(DURATIONS).T)
    barred = parallel_machines("mill", np.array([[4, -1], [2, 4]]), None)
    for instance, feature in (
        (base.replace(job_release=np.array([0, 3, 0])), "release dates"),
        (initial, "initial setups"),
        (barred, "machines that cannot process a job"),
        (with_operators(base, 2, seed=0), "resources"),
        (brandimarte_like(2, 2, seed=0, operations=(2, 2)), "jobs of several operations"),
        (parallel_machines("none", np.zeros((0, 2)), None), "no jobs"),
        (base.replace(changeover=vallada_ruiz(3, 2).changeover, agent_names=("a", "b")), None),
    ):
        if feature is None:
            assert write(instance)
            continue
        with pytest.raises(UnsupportedError, match=feature):
            write(instance)


@pytest.mark.shared
@pytest.mark.parametrize(("folder", "count"), [("sdst_small", 128), ("sdst_large", 10), ("r_cmax", 18)])
def test_public_files_round_trip(folder: str, count: int, shared: Path) -> None:
    """Every public file is recognised, read, and written back to the same instance."""
    files = sorted((shared / "bench/upms" / folder).glob("*.txt"))
    assert len(files) == count
    for file in files:
        instance = read_instance(file)
        assert instance.family == "upms"
        assert parse_instance(Source(file, write(instance))) == instance


@pytest.mark.shared
def test_public_file_with_line_ends_of_another_system(shared: Path) -> None:
    """The same public instance in two copies, one with CRLF, is one instance."""
    other = read_instance(shared / "bench/odd/upms_crlf_tabs_I_6_2_S_1-9_1.txt")
    assert read_instance(shared / "bench/upms/sdst_small/I_6_2_S_1-9_1.txt") == other.replace(name="I_6_2_S_1-9_1")
