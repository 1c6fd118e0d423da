"""Building multiple travelling salesmen problems."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import InstanceError, Objective
from problems.families import job_shop, multiple_tsp
from problems.families.mtsp import default_scale, floored_distances, is_multiple_tsp, with_salesmen


def test_switches_of_the_family() -> None:
    """Cities are tasks without duration, travel is a changeover from the depot and back, the longest route counts."""
    instance = multiple_tsp("t", [[0, 0], [3, 4], [0, 1]], 2, scale=100_000)
    changeover = instance.changeover
    assert changeover is not None
    assert changeover.times.tolist() == [[[0, 500_000, 100_000], [500_000, 0, 424_264], [100_000, 424_264, 0]]]
    assert changeover.task_state.tolist() == [1, 2]
    assert changeover.agent_home.tolist() == [0, 0]
    assert changeover.returns and not instance.retire
    assert instance.objective is Objective.LONGEST_ROUTE
    assert instance.durations.tolist() == [[0, 0], [0, 0]]
    assert instance.agent_names == ("salesman_0", "salesman_1")
    assert (instance.family, instance.scale, instance.num_jobs) == ("mtsp", 100_000, 2)


def test_no_city_is_a_problem_too() -> None:
    """A depot without cities is allowed."""
    assert multiple_tsp("t", [[1, 1]], 1).num_tasks == 0


places = st.lists(st.tuples(*[st.floats(-100, 100) | st.integers(-50, 50).map(float)] * 2), min_size=1, max_size=5)


@settings(deadline=None)
@given(places, st.sampled_from([10_000, 10**6]))
def test_lengths_are_floored_without_rounding_error(coordinates: list[tuple[float, float]], scale: int) -> None:
    """Each integer length is the floor of the scaled distance, by exact fractions."""
    lengths = floored_distances(np.array(coordinates), scale)
    for i, a in enumerate(coordinates):
        for j, b in enumerate(coordinates):
            squared = sum((Fraction(p) - Fraction(q)) ** 2 for p, q in zip(a, b, strict=True)) * scale**2
            assert int(lengths[i, j]) ** 2 <= squared < (int(lengths[i, j]) + 1) ** 2


def test_float_error_at_an_integer_is_caught() -> None:
    """Thousandths, whose products with the scale round to integers in floats, are floored exactly."""
    wrong = 0
    for k in range(1, 1000):
        place = k / 1000
        exact = int(Fraction(place) * 10_000)
        wrong += int(place * 10_000) != exact
        assert floored_distances(np.array([[0.0, 0.0], [place, 0.0]]), 10_000)[0, 1] == exact
    assert wrong > 100


def test_mistakes_are_refused() -> None:
    """Wrong shapes, no salesman, coordinates that are not finite or too large are refused."""
    for coordinates, salesmen, scale, message in (
        ([[0, 0, 0]], 1, 10, "coordinates have shape"),
        (np.zeros((0, 2)), 1, 10, "depot in row 0"),
        ([[0, 0]], 0, 10, "num_salesmen is 0"),
        ([[0, 0]], 1, 0, "scale is 0"),
        ([[0, 0], [np.nan, 0]], 1, 10, "finite"),
        ([[0, 0], [1e300, 0]], 1, 10, "too large for a scale of 10"),
        ([[0, 0], [1e15, 0]], 1, 10, "must stay below 2\\^53"),
    ):
        with pytest.raises(InstanceError, match=message):
            multiple_tsp("t", coordinates, salesmen, scale)


def test_scale_is_finer_for_small_maps() -> None:
    """The scale is 10^4 for maps of ten units and more, and finer for smaller ones, within reason."""
    assert default_scale(np.array([[0, 0], [10, 0]])) == 10_000
    assert default_scale(np.array([[0, 0], [5000, 1]])) == 10_000
    assert default_scale(np.array([[0, 0], [1, 0.5]])) == 100_000
    assert default_scale(np.array([[0, 0], [0.0, 1e-30]])) == 10**9
    assert default_scale(np.array([[2, 2], [2, 2]])) == 10_000


def test_another_number_of_salesmen() -> None:
    """The cities stay; a problem of another kind is refused."""
    two = multiple_tsp("map-m2", [[0, 0], [3, 4]], 2)
    assert with_salesmen(two, 5) == multiple_tsp("map-m5", [[0, 0], [3, 4]], 5)
    assert is_multiple_tsp(two.replace(job_names=("Rome",), agent_names=("Ann", "Bob")))
    for other in (two.replace(retire=True), job_shop("s", [[(0, 1)]], 1)):
        assert not is_multiple_tsp(other)
        with pytest.raises(InstanceError, match="only for multiple travelling salesmen"):
            with_salesmen(other, 3)
