"""The table of a schedule."""

from __future__ import annotations

import numpy as np
import pytest

from problems import Schedule
from problems.schedule import COLUMNS, NO_RESOURCE


def test_rows_are_ordered_and_frozen() -> None:
    """Rows come ordered by start, agent, end, task and piece, whatever order they are given in."""
    schedule = Schedule.from_times([3, 1, 2, 0], [1, 0, 0, 0], [5, 5, 0, 0], [6, 7, 0, 3])
    assert schedule.task.tolist() == [2, 0, 1, 3]
    assert schedule.start.tolist() == [0, 0, 5, 5]
    assert schedule.changeover_end.tolist() == [0, 0, 5, 5]
    assert schedule.resource.tolist() == [NO_RESOURCE] * 4
    with pytest.raises(ValueError, match="read-only"):
        schedule.start[0] = 1
    assert len(schedule) == 4


def test_equality_is_by_rows() -> None:
    """The order of rows does not matter, every column does."""
    columns = {name: np.array([1, 2]) for name in COLUMNS}
    schedule = Schedule(**columns)
    assert schedule == Schedule(**{name: column[::-1] for name, column in columns.items()})
    assert schedule != "schedule"
    for name in COLUMNS:
        assert schedule != Schedule(**columns | {name: np.array([1, 3])})


def test_columns_must_match() -> None:
    """Columns of different lengths or shapes are refused with their shapes."""
    with pytest.raises(ValueError, match="of equal length"):
        Schedule.from_times([0, 1], [0], [0], [0])
    with pytest.raises(ValueError, match="one-dimensional"):
        Schedule(*[np.zeros((1, 1))] * len(COLUMNS))


def test_sequences_of_agents() -> None:
    """A plan is each agent's order of tasks, by changeover and start; zero-length tasks keep their places."""
    none = np.zeros(4, np.int64)
    schedule = Schedule(
        task=[0, 1, 2, 2],
        piece=[0, 0, 0, 1],
        agent=[0, 0, 0, 2],
        start=[4, 4, 0, 1],
        end=[9, 4, 3, 2],
        changeover_start=[4, 3, 0, 1],
        changeover_end=[4, 4, 0, 1],
        resource=none - 1,
    )
    assert schedule.sequences(3) == [[2, 1, 0], [], [2]]
    assert Schedule.from_times([], [], [], []).sequences(1) == [[]]


def test_rows_of_equal_times_keep_their_order():
    """Places closer together than one time unit are visited in the order given, whatever their numbers."""
    task = np.array([4, 1, 3])
    zeros = np.zeros(3, np.int64)
    schedule = Schedule.from_times(task, zeros, zeros, zeros)
    assert schedule.sequences(1) == [[4, 1, 3]]
