"""Random multiple travelling salesmen problems."""

from __future__ import annotations

import numpy as np

from problems.families.mtsp import multiple_tsp
from problems.instance import Instance

UNIT_SQUARE_SCALE = 1_000_000
"""Integer length units per side of the unit square."""


def random_multiple_tsp(num_cities: int, num_salesmen: int, seed: int, name: str | None = None) -> Instance:
    """Cities and depot uniform in the unit square.

    Parameters
    ----------
    num_cities
        Number of cities, the depot not counted.
    num_salesmen
        Number of salesmen.
    seed
        Same seed, same instance.
    name
        Name of the instance; made from size and seed if None.
    """
    places = np.random.default_rng(seed).random((num_cities + 1, 2))  # [N, 2], the depot first
    name = name if name is not None else f"mtsp-{num_cities}-s{seed}-m{num_salesmen}"
    return multiple_tsp(name, places, num_salesmen, scale=UNIT_SQUARE_SCALE)
