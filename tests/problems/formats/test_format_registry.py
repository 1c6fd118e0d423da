"""Recognising formats, refusing what is none, and writing whole files or nothing."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import FormatError, InstanceError, UnknownNameError, UnsupportedError
from problems.formats import FORMATS, Format, Source, parse_instance, read_instance, write_instance, write_text
from problems.generators import random_job_shop, random_multiple_tsp


def test_every_format_has_an_entry() -> None:
    """Each member of the enum is registered with a suffix."""
    assert set(FORMATS) == set(Format)
    assert all(entry.suffixes for entry in FORMATS.values())


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=300) | st.text("0123456789 .\n-e#:NODETIMES", max_size=200).map(str.encode))
def test_junk_is_refused_without_a_traceback(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever bytes a file holds, reading gives an instance or a FormatError that names the file."""
    path = tmp_path_factory.getbasetemp() / "junk.txt"
    path.write_bytes(data)
    try:
        read_instance(path)
    except FormatError as error:
        assert "junk.txt" in str(error)


number_lines = st.lists(
    st.lists(st.integers(0, 3).map(str) | st.sampled_from(["SSD", "M0", "M1", "0.5", "-1", "99"]), max_size=7).map(
        " ".join
    ),
    max_size=7,
).map("\n".join)


@settings(deadline=None, max_examples=300)
@given(number_lines, st.sampled_from(["junk.txt", "junk.fjs", "junk.upms"]), st.sampled_from([None, "fjsp", "upms"]))
def test_lines_of_numbers_are_read_or_refused(text: str, name: str, family: str | None) -> None:
    """Small numbers in any arrangement give an instance of the family asked for, or a FormatError with the file."""
    try:
        instance = parse_instance(Source(Path(name), text), family)
    except FormatError as error:
        assert str(error).startswith(name)
    else:
        assert family in (None, instance.family)


@settings(deadline=None, max_examples=100)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), lambda x: st.lists(x, max_size=2)))
def test_json_of_any_shape_is_refused_without_a_traceback(value: object) -> None:
    """Any JSON value in the place of agents, jobs or changeovers gives an instance or a FormatError."""
    for key in ("agents", "jobs", "changeover", "waves", "resources", "coordinates", "name", "scale"):
        document = {"schema": "makespan-instance", "version": 1, "agents": ["a"], "jobs": []} | {key: value}
        with contextlib.suppress(FormatError):
            parse_instance(Source(None, json.dumps(document)))


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "is empty"),
        (b" \r\n\t\n", None, "is empty"),
        (b"\xef\xbb\xbf", None, "is empty"),
        (b"2 2\n0 1\x00 1\n", 2, "binary data"),
        (b"\x89PNG\r\n\x1a\n\x00", 3, "binary data"),
        (b"\xff\xfe\x00", 1, "binary data"),
        (b"hello world\n", 1, "no known format"),
        (b"# only a comment\n", None, "no known format"),
    ],
)
def test_what_is_no_instance_is_refused(data: bytes, line: int | None, message: str, tmp_path: Path) -> None:
    """Empty files (C13), binary data and prose are refused with the file's name."""
    (tmp_path / "x.jsp").write_bytes(data)
    with pytest.raises(FormatError, match=message) as error:
        read_instance(tmp_path / "x.jsp")
    assert (error.value.path, error.value.line) == (tmp_path / "x.jsp", line)


def test_unreadable_places_are_refused(tmp_path: Path) -> None:
    """A folder, a missing file and an impossible name give a FormatError."""
    with pytest.raises(FormatError, match="is a folder"):
        read_instance(tmp_path)
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_instance(tmp_path / "missing.jsp")
    with pytest.raises(FormatError, match="cannot be read"):
        read_instance("x\0y")
    with pytest.raises(FormatError, match="cannot be read"):
        read_instance(tmp_path / ("x" * 5000))


def test_two_fitting_formats_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two formats claim a text, none is guessed."""
    monkeypatch.setitem(FORMATS, Format.TSPLIB, replace(FORMATS[Format.TSPLIB], detect=lambda source: True))
    with pytest.raises(FormatError, match="several formats fit"):
        parse_instance(Source(None, "1 1\n0 1\n"))


def test_family_and_agents_must_fit(tmp_path: Path) -> None:
    """A file of another family, or a number of agents where the file fixes it, is refused."""
    write_instance(random_job_shop(2, 2, 0), tmp_path / "a.jsp")
    with pytest.raises(FormatError, match="no known format of family 'mtsp'; expected one of: TSPLIB"):
        read_instance(tmp_path / "a.jsp", family="mtsp")
    with pytest.raises(FormatError, match="number of agents is fixed"):
        read_instance(tmp_path / "a.jsp", agents=2)
    with pytest.raises(FormatError, match="at most 100000 are read"):
        read_instance(tmp_path / "a.jsp", agents=10**9)


def test_format_is_chosen_by_suffix_or_name(tmp_path: Path) -> None:
    """A suffix chooses the format, a name overrides it, and mistakes list the alternatives."""
    shop = random_job_shop(2, 3, 0)
    write_instance(shop, tmp_path / "a.txt", "taillard")
    assert Format.detect(Source(None, (tmp_path / "a.txt").read_text())) is Format.TAILLARD
    write_instance(shop, tmp_path / "a.txt")
    assert Format.detect(Source(None, (tmp_path / "a.txt").read_text())) is Format.JSPLIB
    with pytest.raises(UnknownNameError, match="choose one of: jsplib, taillard"):
        write_instance(shop, tmp_path / "a.txt", "xml")
    with pytest.raises(FormatError, match=r"use one of \.jsp"):
        write_instance(shop, tmp_path / "a.xml")


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When writing fails the old file is untouched and no temporary file stays."""
    target = tmp_path / "a.tsp"
    target.write_text("old")
    with pytest.raises(UnsupportedError):
        write_instance(random_job_shop(2, 2, 0), target)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        write_instance(random_multiple_tsp(3, 2, 0), target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tsp"]
    assert target.read_text() == "old"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder and a folder that does not exist are refused."""
    with pytest.raises(FormatError, match="is a folder"):
        write_text(tmp_path, "x")
    with pytest.raises(FormatError, match="cannot be written: No such file"):
        write_text(tmp_path / "no" / "x.json", "x")
    with pytest.raises(FormatError, match="cannot be written"):
        write_text(tmp_path / "x.json", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    """A new file has the permissions of any new file; a replaced one keeps its own; a link stays a link."""
    mask = os.umask(0o022)
    try:
        write_text(tmp_path / "a", "1")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(mask)
    (tmp_path / "a").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    write_text(tmp_path / "link", "2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == "2"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_format_errors_are_instance_errors() -> None:
    """Callers that catch InstanceError catch unreadable files too."""
    with pytest.raises(InstanceError):
        parse_instance(Source(None, "what"))
