"""Generated instances to train and validate on; benchmark sets are never among them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from problems.errors import UnknownNameError
from problems.generators import random_job_shop, random_multiple_tsp
from problems.instance import Instance

JOB_SHOP_SIZES = ((10, 10), (15, 15), (20, 15), (20, 20), (30, 15), (30, 20))
"""Jobs x machines."""

SMALLEST_TOUR, LARGEST_TOUR = 20, 100
"""Cities without the depot."""

VALIDATION_SEED = 2**40
"""Validation seeds start here; training seeds lie far below, so the two never meet."""


def _job_shop(seed: int) -> Instance:
    jobs, machines = JOB_SHOP_SIZES[seed % len(JOB_SHOP_SIZES)]
    return random_job_shop(jobs, machines, seed)


def _multiple_tsp(seed: int) -> Instance:
    random = np.random.default_rng([seed, 1])
    cities = int(np.exp(random.uniform(np.log(SMALLEST_TOUR), np.log(LARGEST_TOUR))))
    return random_multiple_tsp(cities, int(random.integers(2, 9)), seed)


_MAKERS: dict[str, Callable[[int], Instance]] = {"jsp": _job_shop, "mtsp": _multiple_tsp}


def training_instance(family: str, seed: int) -> Instance:
    """Random instance of ``family``; sizes cycle (job shops) or are drawn (routes) by the seed.

    Raises
    ------
    UnknownNameError
        If nothing is generated for the family.
    """
    if family not in _MAKERS:
        raise UnknownNameError("family to train on", family, list(_MAKERS))
    return _MAKERS[family](seed)


def validation_instances(family: str, count: int) -> list[Instance]:
    """The held-out instances of ``family``, always the same."""
    return [training_instance(family, VALIDATION_SEED + number) for number in range(count)]
