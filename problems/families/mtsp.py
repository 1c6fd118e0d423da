"""Minmax multiple travelling salesmen: closed tours from one depot visit every city, the longest is minimised."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np

from problems.build import Job, Task, build_instance
from problems.errors import InstanceError
from problems.instance import Changeover, FloatArray, Instance, IntArray
from problems.objective import Objective

SMALLEST_SCALE = 10_000
"""Integer length units per unit of the coordinates, at least."""

FINEST_SPAN = 100_000
"""The larger side of the map measures at least this many integer length units."""

LARGEST_LENGTH = 2.0**53
"""Above this, neighbouring floats are more than one unit apart and a floored length means nothing."""


def multiple_tsp(
    name: str,
    coordinates: FloatArray,
    num_salesmen: int,
    scale: int = SMALLEST_SCALE,
) -> Instance:
    """Instance with the depot in row 0; city i is job and task i - 1, of duration 0, for every salesman.

    Travel times are ``floor(scale * distance)``, so that a bound on the integer problem holds for the real one.
    A salesman may stay at home.

    Parameters
    ----------
    name
        Name of the instance.
    coordinates : float64 [N, 2]
        Places of the depot and the cities.
    num_salesmen
        Number of salesmen, named ``salesman_0``, ``salesman_1``, ...
    scale
        Integer length units per unit of the coordinates.

    Raises
    ------
    InstanceError
        If the coordinates are not finite pairs or too large for the scale, or there is no salesman or no depot.
    """
    places = np.array(coordinates, np.float64)
    if places.ndim != 2 or places.shape[1] != 2 or len(places) == 0:
        raise InstanceError(f"coordinates have shape {places.shape}; expected (N, 2) with the depot in row 0")
    if num_salesmen < 1:
        raise InstanceError(f"num_salesmen is {num_salesmen}; expected at least 1")
    num_cities = len(places) - 1
    everyone = dict.fromkeys(range(num_salesmen), 0)
    return build_instance(
        name=name,
        family="mtsp",
        agent_names=[f"salesman_{number}" for number in range(num_salesmen)],
        jobs=[Job(tasks=[Task(everyone)]) for _ in range(num_cities)],
        objective=Objective.LONGEST_ROUTE,
        changeover=Changeover(
            times=floored_distances(places, scale)[None],
            agent_matrix=np.zeros(num_salesmen, np.int64),
            task_state=np.arange(1, num_cities + 1),
            agent_home=np.zeros(num_salesmen, np.int64),
            returns=True,
        ),
        coordinates=places,
        scale=scale,
    )


def floored_distances(coordinates: FloatArray, scale: int) -> IntArray:
    """``floor(scale * Euclidean distance)`` of every pair of places, int64 [N, N], without rounding error.

    Raises
    ------
    InstanceError
        If a place is not finite or a length passes 2^53.
    """
    if scale < 1:
        raise InstanceError(f"scale is {scale}; it must be a positive integer")
    if not np.all(np.isfinite(coordinates)):
        raise InstanceError("coordinates must be finite")
    with np.errstate(over="ignore"):
        gap = coordinates[:, None, :] - coordinates[None, :, :]  # [N, N, 2]
        scaled = float(scale) * np.sqrt((gap * gap).sum(axis=2))  # [N, N]
    if not np.all(scaled < LARGEST_LENGTH):
        raise InstanceError(f"the coordinates are too large for a scale of {scale}; a length must stay below 2^53")
    lengths = np.floor(scaled).astype(np.int64)
    near = np.abs(scaled - np.rint(scaled)) <= 1e-15 * (scaled + 1.0) * 8
    for i, j in zip(*np.nonzero(near), strict=True):
        lengths[i, j] = _exact_length(coordinates[i], coordinates[j], scale)
    return lengths


def _exact_length(a: FloatArray, b: FloatArray, scale: int) -> int:
    """Floor of one scaled distance, where the float product lies too near an integer to tell."""
    squared = sum((Fraction(float(p)) - Fraction(float(q))) ** 2 for p, q in zip(a, b, strict=True)) * scale**2
    return isqrt(squared.numerator // squared.denominator)


def default_scale(coordinates: FloatArray) -> int:
    """Smallest power of ten from 10^4 on that gives the map at least 10^5 units on its larger side."""
    with np.errstate(over="ignore"):
        span = float(np.ptp(coordinates, axis=0).max()) if len(coordinates) else 0.0
    scale = SMALLEST_SCALE
    while 0 < span * scale < FINEST_SPAN and scale < 10**9:
        scale *= 10
    return scale


def is_multiple_tsp(instance: Instance) -> bool:
    """Whether `multiple_tsp` would make the same instance, names of agents and jobs aside."""
    if instance.coordinates is None or instance.num_agents == 0:
        return False
    plain = multiple_tsp(instance.name, instance.coordinates, instance.num_agents, instance.scale)
    return instance.replace(agent_names=plain.agent_names, job_names=plain.job_names, family="mtsp") == plain


def with_salesmen(instance: Instance, num_salesmen: int) -> Instance:
    """The same cities for another number of salesmen.

    Raises
    ------
    InstanceError
        If the instance is not a plain multiple travelling salesmen problem with coordinates.
    """
    if instance.coordinates is None or not is_multiple_tsp(instance):
        raise InstanceError(
            f"the number of agents of {instance.name} is fixed; it can be chosen only for multiple travelling salesmen"
        )
    name = instance.name.removesuffix(f"-m{instance.num_agents}") + f"-m{num_salesmen}"
    return multiple_tsp(name, instance.coordinates, num_salesmen, instance.scale)
