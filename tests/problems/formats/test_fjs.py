"""Files of flexible job shops: tolerant of editors, strict about counts."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from instance_strategies import flexible_job_shops

from problems import Changeover, FormatError, Instance, UnsupportedError
from problems.families import flexible_job_shop
from problems.formats import Source, parse_instance, read_instance
from problems.formats.fjs import write
from problems.formats.registry import Format
from problems.generators import brandimarte_like, random_job_shop

ROWS = "2 2 1 3 2 5 1 3 2\n3 1 2 4 2 1 2 3 6 3 1 3 2 3 3 1\n"
DEMO = "2 3\n" + ROWS
JOBS = [[{0: 3, 1: 5}, {2: 2}], [{1: 4}, {0: 2, 2: 6}, {0: 3, 1: 3, 2: 1}]]


def read(text: str, name: str = "shop.fjs", family: str | None = None) -> Instance:
    return parse_instance(Source(Path(name), text), family)


def test_counts_machines_and_durations() -> None:
    """A line is a number of operations, each a number of machines and its pairs, machines from 1 (C02)."""
    assert read(DEMO) == flexible_job_shop("shop", JOBS, 3)


@pytest.mark.parametrize(
    "data",
    [
        ("2 3 1.8\n" + ROWS).encode(),
        ("  2   3\t2 \n\n" + ROWS.replace(" ", "  ").replace("\n", " \t\n") + "\n\n").encode(),
        b"\xef\xbb\xbf" + DEMO.replace("\n", "\r\n").encode(),
        ("# shop\n" + DEMO.rstrip()).encode("utf-16"),
    ],
    ids=["three header numbers", "blanks and tabs", "mark CRLF", "UTF-16 comment no final newline"],
)
@pytest.mark.parametrize("name", ["shop.fjs", "shop.txt"])
def test_header_variants_and_debris_change_nothing(data: bytes, name: str, tmp_path: Path) -> None:
    """Headers of two or three numbers, blanks, marks and line ends give one instance, under any suffix (C02)."""
    (tmp_path / name).write_bytes(data)
    assert read_instance(tmp_path / name) == read(DEMO)


def test_machines_nobody_uses_are_kept() -> None:
    """Machines 3 and 4 exist although no operation can use them (C11)."""
    instance = read("2 4 1\n2 1 1 3 1 2 2\n1 1 2 4\n")
    assert instance.durations.tolist() == [[3, -1, -1, -1], [-1, 2, -1, -1], [-1, 4, -1, -1]]


def test_a_job_may_have_no_operation() -> None:
    """A line of zero is a job without operations, and there may be no jobs at all."""
    assert read("2 1\n0\n1 1 1 5\n").task_job.tolist() == [1]
    assert read("0 3\n").num_jobs == 0
    assert parse_instance(Source(None, "0 3 0\n")).family == "fjsp"


def test_decimals_are_scaled_exactly() -> None:
    """Durations and setups share the least scale that makes all whole."""
    instance = read("1 1\n2 1 1 0.5 1 1 2\n\n0 0.25\n1 0\n")
    assert (instance.scale, instance.eligible_duration.tolist()) == (4, [2, 8])
    assert instance.changeover is not None
    assert instance.changeover.times.tolist() == [[[0, 1], [4, 0]]]


SETUPS = np.arange(75).reshape(3, 5, 5)
BLOCKS = "\n".join(["", *(" ".join(map(str, row)) for matrix in SETUPS.tolist() for row in matrix)]) + "\n"


def test_setups_follow_the_jobs() -> None:
    """Below the jobs stands a block per machine, with a line per operation before and a column per operation after."""
    assert read(DEMO + BLOCKS) == flexible_job_shop("shop", JOBS, 3, SETUPS)
    assert parse_instance(Source(None, DEMO + BLOCKS)).changeover is not None


BROKEN = {
    "too many jobs announced": ("3 3 1.8\n" + ROWS, 3, "found 2 lines .* announces 3 jobs"),
    "header only": ("2 3\n", 1, "found 0 lines"),
    "comment only": ("# nothing\n", None, "holds no numbers"),
    "too few jobs announced": ("1 3\n" + ROWS, 3, "found 1 lines after the 1 jobs .* 2 lines, one per operation"),
    "short line": ("2 3\n2 2 1 3 2 5 1 3 2\n3 1 2 4 2 1 2 3 6 3 1 3 2 3\n", 3, "ends within job 2, operation 3"),
    "line without last operation": ("1 3\n2 1 1 5\n", 2, "ends before job 1, operation 2; it announces 2 operations"),
    "extra numbers": ("2 3\n2 2 1 3 2 5 1 3 2 1 2 9\n1 1 1 1\n", 2, "goes on with '1' after the 2 operations of job 1"),
    "machine 0": ("1 3\n1 1 0 2\n", 2, "machine 0 of job 1, operation 1 does not exist; expected 1 to 3"),
    "machine 4 of 3": ("1 3\n2 1 1 2 1 4 2\n", 2, "machine 4 of job 1, operation 2 does not exist"),
    "machine twice": ("1 3\n1 2 2 5 2 6\n", 2, "names machine 2 twice"),
    "no machine": ("2 2 1\n2 1 1 3 0\n1 2 1 4 2 2\n", 2, "job 1, operation 2 has no eligible machine"),
    "negative count": ("1 1\n-1\n", 2, "number of operations is '-1'"),
    "huge count": ("1 1\n1 999999999999 1 1\n", 2, "ends within job 1, operation 1"),
    "decimal machine": ("1 2\n1 1 1.5 2\n", 2, "machine is '1.5'"),
    "negative duration": ("1 2\n1 1 1 -2\n", 2, "duration is '-2'"),
    "word": ("1 2\n1 1 1 x\n", 2, "duration is 'x'"),
    "header of one": ("2\n" + ROWS, 1, "the header holds 1 numbers"),
    "header of four": ("2 3 1 1\n" + ROWS, 1, "the header holds 4 numbers"),
    "header with a word": ("2 3 x\n" + ROWS, 1, "the header ends with 'x'"),
    "no machines": ("1 0\n1 1 1 1\n", 1, "number of machines is '0'"),
    "setups cut off": (DEMO + BLOCKS[:-4], 19, "found 4 numbers; expected 5 setups, one per operation"),
    "setups of one machine": ("1 2\n1 1 1 5\n0\n", 3, "found 1 lines after the 1 jobs"),
    "sums too large": ("2 1\n1 1 1 4611686018427387903\n1 1 1 1\n", None, "numbers are too large"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused(case: str) -> None:
    """Each count that lies and each index out of range is refused with file, line and remedy (C02, C17)."""
    text, line, message = BROKEN[case]
    with pytest.raises(FormatError, match=message) as error:
        read(text)
    assert error.value.line == line
    assert str(error.value).startswith("shop.fjs:")


def test_machines_counted_from_0_are_refused() -> None:
    """The counts give the layout away under any suffix, and then machine 0 is refused, never shifted."""
    with pytest.raises(FormatError, match="machine 0 of job 1, operation 1 does not exist") as error:
        read("1 2\n2 2 0 5 1 4 1 1 3\n", "shop.txt")
    assert error.value.line == 2


TWO_READINGS = "1 3\n1 1 2 5\n"
"""Machine 1 for 1, then machine 2 for 5; or one operation that takes 5 on the second machine."""


def test_family_or_suffix_decide_between_two_readings() -> None:
    """A text that is a job shop as well as a flexible one is refused unless family or suffix tell which."""
    with pytest.raises(FormatError, match=r"several formats fit; name the family \(--family\)"):
        read(TWO_READINGS, "shop.txt")
    assert read(TWO_READINGS, "shop.jsp").num_tasks == read(TWO_READINGS, "shop.txt", "jsp").num_tasks == 2
    assert read(TWO_READINGS, "shop.fjs").num_tasks == read(TWO_READINGS, "shop.txt", "fjsp").num_tasks == 1


def test_another_family_is_refused() -> None:
    """A .fjs file is no job shop, and a job shop is no flexible one, whatever family is asked for."""
    with pytest.raises(FormatError, match=r"\.fjs stands for a flexible job shop .* asked for .* 'jsp'"):
        read(DEMO, family="jsp")
    with pytest.raises(FormatError, match="no known format of family 'fjsp'; expected one of: flexible job shop"):
        read("2 2\n0 1 1 2\n1 3 0 4\n", "shop.jsp", "fjsp")


@pytest.mark.parametrize("text", [DEMO, DEMO + BLOCKS, "2 1\n0\n1 1 1 5\n", "0 2\n", "1 2\n1 2 1 0.1 2 0\n"])
def test_round_trip(text: str) -> None:
    """Writing and reading gives an equal instance, setups and decimals included."""
    assert read(write(read(text))) == read(text)
    assert Format.detect(Source(None, write(read(text)))) is Format.FJS


@settings(deadline=None, max_examples=150)
@given(flexible_job_shops(scales=(1,)))
def test_everything_is_carried_or_refused(instance: Instance) -> None:
    """Whatever the instance, what is read back equals what was written, or writing was refused."""
    with contextlib.suppress(UnsupportedError):
        assert read(write(instance), "x.fjs") == instance.replace(name="x")


def test_a_job_shop_can_be_written() -> None:
    """A job shop is a flexible one without a choice."""
    shop = random_job_shop(3, 2, seed=1)
    again = parse_instance(Source(Path(f"{shop.name}.fjs"), write(shop)))
    assert again == shop.replace(family="fjsp")


def test_what_the_layout_cannot_carry_is_refused_by_name() -> None:
    """Release dates, operators and setups of another form are named, not dropped."""
    shop = brandimarte_like(2, 2, seed=0, operations=(1, 1))
    shared = Changeover(np.zeros((1, 2, 2)), np.zeros(2), np.arange(2), np.array([-1, -1]))
    for change, feature in (
        ({"job_release": np.array([0, 3])}, "release dates"),
        ({"job_due": np.array([-1, 0])}, "due dates"),
        ({"moving_delay": 2}, "moving delays"),
        ({"changeover": shared}, "changeovers other than one matrix per machine"),
    ):
        with pytest.raises(UnsupportedError, match=feature):
            write(shop.replace(**change))


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["brandimarte", "fattahi", "kacem", "hurink_sdata", "hurink_edata", "hurink_rdata"])
def test_public_files_round_trip(folder: str, shared: Path) -> None:
    """Every public file is read, by its structure as well as by its suffix, and written back to the same instance."""
    files = sorted((shared / "bench/fjsp" / folder).glob("*.fjs"))
    assert len(files) >= 4
    for file in files:
        instance = read_instance(file)
        assert instance.family == "fjsp"
        assert parse_instance(Source(file, write(instance))) == instance
        assert Format.detect(Source(None, file.read_text())) is Format.FJS


@pytest.mark.shared
def test_public_setups_are_read(shared: Path) -> None:
    """A public file with setups: two machines, four operations, first and last setup as they stand."""
    instance = read_instance(shared / "bench/odd/fjsp_sdst_blank_line_matrix_Fattahi_setup_01.fjs")
    assert instance.changeover is not None
    assert instance.changeover.times.shape == (2, 4, 4)
    assert instance.changeover.times[0, 0].tolist() == [6, 3, 4, 4]
    assert instance.changeover.times[1, 3].tolist() == [3, 4, 3, 6]
