"""Files appear whole or not at all."""

from __future__ import annotations

import math

import pytest

from training.files import produce_whole, to_csv, to_json, write_whole
from training.options import OptionError


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    """Nothing half-written, no temporary file left."""
    path = tmp_path / "x.txt"
    write_whole(path, "old")

    def fail(target):
        target.write_text("half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        produce_whole(path, fail)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("x.txt", "old")]


def test_folders_are_made_on_the_way(tmp_path):
    """A path into a new folder works."""
    write_whole(tmp_path / "a" / "b" / "x.txt", "text")
    assert (tmp_path / "a" / "b" / "x.txt").read_text() == "text"


def test_an_impossible_place_is_named(tmp_path):
    """Writing below a file is an error that names the path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="file"):
        write_whole(tmp_path / "file" / "x.txt", "text")


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_json_is_strict(value):
    """Infinities and NaN never reach JSON."""
    with pytest.raises(ValueError, match="JSON"):
        to_json({"x": value})


def test_csv_leaves_unknown_values_empty():
    """None is an empty cell, nested values are JSON."""
    text = to_csv(("a", "b", "c"), [{"a": None, "b": True, "c": {"k": 1}}])
    assert text == 'a,b,c\n,true,"{""k"": 1}"\n'
