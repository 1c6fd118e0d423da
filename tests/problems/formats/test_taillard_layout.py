"""Taillard's two-block layout: recognised by structure, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import FormatError, Instance, UnsupportedError
from problems.formats import Source, parse_instance
from problems.formats.registry import Format
from problems.formats.taillard import write

PLAIN = "3 3\n3 2 4\n5 1 3\n2 4 1\n1 2 3\n2 1 3\n3 1 2\n"
LABELLED = (
    "Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound\n 3 3 1 1 13 13\n"
    "Times\n3 2 4\n5 1 3\n2 4 1\nMachines\n1 2 3\n2 1 3\n3 1 2\n"
)
STANDARD = "3 3\n0 3 1 2 2 4\n1 5 0 1 2 3\n2 2 0 4 1 1\n"


def read(text: str) -> Instance:
    return parse_instance(Source(Path("shop.txt"), text))


@pytest.mark.parametrize("text", [PLAIN, LABELLED, LABELLED.replace("Times", "times:").replace("\n", "\r\n")])
def test_both_layouts_give_one_instance(text: str) -> None:
    """Plain and labelled blocks give the instance of the machine/duration pairs (C01)."""
    assert Format.detect(Source(None, text)) is Format.TAILLARD
    assert Format.detect(Source(None, STANDARD)) is Format.JSPLIB
    assert read(text) == read(STANDARD)


def test_labels_decide_the_order_of_the_blocks() -> None:
    """Labelled blocks may come in either order and a machine may then appear twice in a job."""
    text = "1 2\nMachines\n1 1\nTimes\n5 6\n"
    assert read(text) == read("1 2\n0 5 0 6\n")


def test_one_by_one_is_the_same_in_either_order() -> None:
    """Where both readings give one instance there is nothing to refuse."""
    assert read("1 1\n1\n1\n") == read("1 1\n0 1\n")


BROKEN = {
    "either order": ("2 2\n1 2\n2 1\n2 1\n2 1\n", 4, "both blocks could be the machines; expected the times first"),
    "machines first": ("2 2\n1 2\n2 1\n30 40\n50 60\n", 4, "machine 30 does not exist; expected 1 to 2"),
    "machines from 0": ("2 2\n5 6\n7 8\n0 1\n1 0\n", 4, "machine 0 does not exist; expected 1 to 2"),
    "machine twice": ("1 2\n5 6\n1 1\n", 3, "appears twice"),
    "short row": ("2 2\n5 6\n7\n1 2\n2 1\n", 3, "expected 2 numbers"),
    "long row": ("2 2\n5 6\n7 8\n1 2\n2 1 2\n", 5, "expected 2 numbers"),
    "header of three": ("1 2 3\n5 6\n1 2\n", 1, "the header holds 3 numbers"),
    "no machines": ("1 2\nTimes\n5 6\n", None, "lacks both 'Times' and 'Machines'"),
    "no header": ("Times\n5 6\nMachines\n1 2\n", None, "lacks a header"),
    "two headers": ("1 2\n1 2\nTimes\n5 6\nMachines\n1 2\n", 2, "second line of numbers"),
    "short block": ("2 2\nTimes\n5 6\nMachines\n1 2\n2 1\n", 3, "block of times has 1 lines; expected 2"),
    "several instances": (LABELLED + LABELLED, 13, "a second block 'times'; expected one instance"),
    "words": ("1 2\nTimes\nfive six\nMachines\n1 2\n", 3, "expected 2 numbers"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_or_ambiguous_files_are_refused(case: str) -> None:
    """A file that fits no reading, or two, is refused with the line and what was expected."""
    text, line, message = BROKEN[case]
    with pytest.raises(FormatError, match=message) as error:
        read(text)
    assert error.value.line == line


@pytest.mark.parametrize("text", [STANDARD, "2 2\n0 0.25 1 3\n1 1 0 0\n", "0 2\n", "1 2\n0 5 0 6\n"])
def test_round_trip(text: str) -> None:
    """Writing and reading a job shop gives an equal one."""
    assert read(write(read(text))) == read(text)


def test_ragged_jobs_are_refused_by_name() -> None:
    """The layout has one column per machine and refuses other jobs."""
    with pytest.raises(UnsupportedError, match="fewer or more operations than machines"):
        write(read("2 2\n0 1\n0 1 1 1\n"))
