"""Tables for a terminal."""

from __future__ import annotations

from training.table import aligned, percent, text


def test_numbers_are_set_to_the_right_and_text_to_the_left():
    """Columns line up."""
    assert aligned(("name", "n"), [["a", 1], ["bcdef", 200]]).splitlines() == [
        "name     n",
        "-----  ---",
        "a        1",
        "bcdef  200",
    ]


def test_unknown_is_an_empty_cell():
    """No number stands for "not known"."""
    assert text(None) == "" and percent(None) is None


def test_numbers_are_written_short():
    """Whole numbers stay whole, others keep six digits."""
    assert [text(3.0), text(0.123456789), text(True), text(12)] == ["3", "0.123457", "yes", "12"]


def test_fractions_become_percentages():
    """Gaps are fractions inside and percentages outside."""
    assert percent(0.12345, 2) == "12.35 %" and percent(-1e-7) == "0.0 %"
