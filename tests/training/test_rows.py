"""Rows: seeds, gaps, and values that cannot be true."""

from __future__ import annotations

import pytest

from training.rows import (
    COLUMNS,
    SUMMARY_KEYS,
    Row,
    flag_below_bounds,
    labels,
    relative_excess,
    slack,
    slug,
)


def row(objective: float | None, solver: str = "a", **values: object) -> Row:
    return Row("x", solver, 0, status="feasible", objective=objective, checked=True, agents=2, **values)  # type: ignore[arg-type]


def test_columns_start_with_those_of_solve():
    """The tables of evaluate extend the object that solve --json prints."""
    assert set(SUMMARY_KEYS) <= set(COLUMNS) and len(set(COLUMNS)) == len(COLUMNS)
    assert list(row(1).summary()) == list(SUMMARY_KEYS)


def test_rows_survive_json():
    """A row read back is the same row."""
    assert Row.from_json(row(3, gap=0.5).as_json()) == row(3, gap=0.5)


@pytest.mark.parametrize(
    ("value", "reference", "expected"),
    [(110, 100, 0.1), (0, 0, 0.0), (5, 0, None), (None, 1, None), (1, None, None)],
)
def test_gap_to_best_known(value, reference, expected):
    """objective / best_known - 1, 0 for 0/0, None where it is not defined."""
    found = relative_excess(value, reference)
    assert found == expected if expected is None else found == pytest.approx(expected)


def test_a_value_below_a_published_bound_is_an_error():
    """A claimed 16 below the proved optimum 24 is flagged, and no negative gap is shown."""
    claimed = row(16, best_known=24, gap_to_best_known=16 / 24 - 1, best_known_lower=24, best_known_source="proof")
    flag_below_bounds([claimed])
    assert not claimed.solved
    assert claimed.gap_to_best_known is None
    assert "16 lies below the published bound (proof), 24" in str(claimed.reason)


def test_a_value_below_the_bound_of_another_solver_is_an_error():
    """Two rows that contradict each other are not both believed."""
    rows = [row(10), row(12, "b", lower_bound=11)]
    flag_below_bounds(rows)
    assert [found.solved for found in rows] == [False, True]


def test_the_same_instance_from_another_folder_is_the_same():
    """What counts is what a file holds, so results of two folders can be compared."""
    rows = [row(10, file="a/x", fingerprint="1"), row(12, "b", file="b/x", fingerprint="1", lower_bound=11)]
    flag_below_bounds(rows)
    assert [found.solved for found in rows] == [False, True] and labels(rows) == {rows[0].key: "x"}


def test_bounds_of_other_instances_do_not_count():
    """The same name with another number of agents is another instance."""
    rows = [row(10), Row("x", "b", 0, status="feasible", objective=20, checked=True, agents=3, lower_bound=15)]
    flag_below_bounds(rows)
    assert all(found.solved for found in rows)


def test_published_bounds_are_rounded():
    """A tour of 112.07136 does not contradict a bound printed as 112.0714; whole numbers leave no slack."""
    assert slack(112.0714, 0.0) == pytest.approx(0.00005, rel=1e-3)
    assert slack(24, 0.0) < 1e-9
    tour = row(112.07136, best_known_lower=112.0714, best_known_source="x")
    flag_below_bounds([tour])
    assert tour.solved


def test_names_of_files_are_harmless():
    """Nothing in an instance's name can leave the folder."""
    assert slug("../a b/c") == "a-b-c" and slug("..") == "unnamed"
