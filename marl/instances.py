"""Generated instances to train and validate on; benchmark sets are never among them."""

from __future__ import annotations

from marl.recipes import recipe_of
from problems.instance import Instance

VALIDATION_SEED = 2**40
"""Validation seeds start here; training seeds lie far below, so the two never meet."""


def training_instance(family: str, seed: int) -> Instance:
    """Random instance of ``family``, of one of the sizes of its recipe.

    Raises
    ------
    UnknownNameError
        If the family has no recipe.
    """
    return recipe_of(family).instance(seed)


def validation_instances(family: str, count: int) -> list[Instance]:
    """The held-out instances of ``family``, always the same."""
    return [training_instance(family, VALIDATION_SEED + number) for number in range(count)]
