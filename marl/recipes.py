"""How each family is learnt: instances to train on, where the search starts, and what it is measured by.

A family without a recipe is solved by rules, CP-SAT and policies trained for others. A recipe is all that training
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from graphs.schema import NUM_FEATURES, NUM_SHOP_FEATURES
from problems.errors import UnknownNameError
from problems.families.spark_variants import with_executors, with_preset
from problems.generators import (
    brandimarte_like,
    random_hurink,
    random_job_shop,
    random_multiple_tsp,
    random_spark,
    sd1,
    sd2,
    vallada_ruiz,
)
from problems.generators.arrivals import STREAM_INTERVAL
from problems.generators.upms import SETUP_HIGHS
from problems.instance import Instance


@dataclass(frozen=True)
class Unit:
    """A hidden unit: it adds ``output * max(0, weights . features + bias)`` to the score.

    Attributes
    ----------
    weights
        By feature name; all others are 0.
    bias, output
        Numbers.
    """

    weights: dict[str, float]
    bias: float
    output: float


@dataclass(frozen=True)
class Recipe:
    """What learning needs to know of a family.

    Attributes
    ----------
    instance
        Makes a training instance from a seed, of mixed sizes.
    sizes
        The sizes in words, for the card.
    rule
        The dispatching rule that validation compares with.
    start
        First weight of the small network's linear part by feature name; all others are 0.
    first_unit
        The first hidden unit where it, too, starts as more than chance.
    num_features
        Number of leading features that it sees.
    may_wait
        Whether waiting competes with the candidates.
    temperature
        Size of the noise on the scores in sampling: the best of several on held-out generated instances.
    variant
        What sets the instances apart from those that are usual for the family; empty if nothing does.
    """

    instance: Callable[[int], Instance]
    sizes: str
    rule: str
    start: dict[str, float]
    first_unit: Unit | None = None
    num_features: int = NUM_FEATURES
    may_wait: bool = True
    temperature: float = 1.0
    variant: str = ""


JOB_SHOP_SIZES = ((10, 10), (15, 15), (20, 15), (20, 20), (30, 15), (30, 20))
"""Jobs x machines."""

STREAM_EXECUTORS = 50
"""Executors that are about as busy as those of the paper with a job every `STREAM_INTERVAL`."""

FLEXIBILITIES = ("edata", "rdata", "vdata")


def _job_shop(seed: int) -> Instance:
    jobs, machines = JOB_SHOP_SIZES[seed % len(JOB_SHOP_SIZES)]
    return random_job_shop(jobs, machines, seed)


def _flexible_job_shop(seed: int) -> Instance:
    random = np.random.default_rng([seed, 1])
    kind = seed % 6
    jobs, machines = int(random.integers(8, 25)), int(random.integers(4, 13))
    if kind < len(FLEXIBILITIES):
        return random_hurink(jobs, machines, seed, FLEXIBILITIES[kind])
    if kind == 3:
        return sd1(jobs, min(machines, 10), seed)
    if kind == 4:
        return sd2(jobs, min(machines, 10), seed)
    fewest = int(random.integers(3, 10))
    return brandimarte_like(
        jobs,
        machines,
        seed,
        operations=(fewest, fewest + int(random.integers(1, 6))),
        flexibility=int(random.integers(2, 7)),
        low=int(random.integers(1, 6)),
        high=int(random.integers(10, 31)),
    )


def _multiple_tsp(seed: int) -> Instance:
    random = np.random.default_rng([seed, 1])
    cities = int(np.exp(random.uniform(np.log(20), np.log(100))))
    return random_multiple_tsp(cities, int(random.integers(2, 9)), seed)


def _parallel_machines(seed: int) -> Instance:
    random = np.random.default_rng([seed, 1])
    setup = int(random.choice(SETUP_HIGHS))
    if seed % 3 == 0:
        return vallada_ruiz(int(random.integers(6, 13)), int(random.integers(2, 6)), setup, seed)
    jobs = int(np.exp(random.uniform(np.log(15), np.log(80))))
    return vallada_ruiz(jobs, int(random.integers(3, 16)), setup, seed)


def _spark_jobs(seed: int) -> Instance:
    """Batches of 20 and of fewer jobs, streams, and jobs whose pieces are given out one by one."""
    random = np.random.default_rng([seed, 1])
    kind, executors = seed % 4, int(random.choice((10, 20, 30, 50)))
    if kind == 0:
        return random_spark(20, int(random.choice((10, 50))), seed, "decima")
    if kind == 1:
        return random_spark(int(random.integers(4, 21)), executors, seed, "decima")
    if kind == 2:
        interval = STREAM_INTERVAL * STREAM_EXECUTORS / executors
        return random_spark(int(random.integers(30, 61)), executors, seed, "decima", interval=interval)
    most = int(np.exp(random.uniform(np.log(20), np.log(100))))
    arrivals = float(random.choice((5_000, 15_000))) if seed % 8 == 7 else None
    return random_spark(int(random.integers(4, 13)), executors, seed, "default", interval=arrivals, max_tasks=most)


def _any_family(seed: int) -> Instance:
    families = families_with_recipe()
    return RECIPES[families[seed % len(families)]].instance(seed // len(families))


SOFT_LIMIT = Unit({"log_job_work_left": 0.02, "work_per_agent": -1.0}, bias=4.3, output=-1.25)
"""Counts agents of a job against it once there is little work left for each (about 74 mean durations), on top of "least
work left first". The best of 160 random settings of five numbers on 16 generated batches; see docs/learning.md."""

RECIPES = {
    "jsp": Recipe(
        instance=_job_shop,
        sizes="10x10, 15x15, 20x15, 20x20, 30x15, 30x20, in equal shares",
        rule="spt-twkr",
        start={"log_duration": -1.0, "log_job_work": 1.0, "is_reservation": -4.0},
        num_features=NUM_SHOP_FEATURES,
        may_wait=False,
    ),
    "fjsp": Recipe(
        instance=_flexible_job_shop,
        sizes="8 to 24 jobs on 4 to 12 machines: edata, rdata, vdata, SD1, SD2, Brandimarte-like, in equal shares",
        rule="pair",
        start={
            "log_duration": -1.0,
            "log_job_work": 1.0,
            "log_relative_duration": -2.0,
            "is_reservation": -4.0,
            "is_wait": -6.0,
        },
    ),
    "mtsp": Recipe(
        instance=_multiple_tsp,
        sizes="20 to 100 cities, log-uniform, with 2 to 8 salesmen",
        rule="nearest",
        start={"changeover": -1.0, "closing_length": -3.0, "is_wait": -8.0},
        temperature=0.3,
    ),
    "upms": Recipe(
        instance=_parallel_machines,
        sizes="6 to 12 jobs on 2 to 5 machines (a third), 15 to 80 jobs on 3 to 15; setups to 9, 49, 99 or 124",
        rule="eft",
        start={"regret": -2.0, "other_end": 1.0, "is_reservation": -4.0, "is_wait": -2.0},
    ),
    "spark": Recipe(
        instance=_spark_jobs,
        sizes="batches of 4 to 20 jobs and streams of 30 to 60 (preset decima, three quarters), 4 to 12 jobs of up to "
        "100 pieces a stage (preset default), on 10 to 50 executors",
        rule="weighted-fair",
        start={
            "log_job_work_left": -1.0,
            "log_job_work": -0.1,
            "is_same_job": 2.5,
            "use_of_one_more": 0.75,
            "log_job_slowdown": -0.5,
            "is_reservation": -1.0,
            "is_wait": -8.0,
        },
        first_unit=SOFT_LIMIT,
    ),
}
"""Recipes by family."""

UNIVERSAL = "universal"
"""Stands for all families together, and for problems of none."""

RECIPES[UNIVERSAL] = Recipe(
    instance=_any_family,
    sizes="those of all families, in equal shares",
    rule="the rule of its family",
    start={name: weight for recipe in RECIPES.values() for name, weight in recipe.start.items()},
)


def families_with_recipe() -> list[str]:
    """Families that can be trained for, one by one."""
    return [family for family in RECIPES if family != UNIVERSAL]


def _published_job_shop(seed: int) -> Instance:
    random = np.random.default_rng([seed, 1])
    return random_job_shop(int(random.integers(7, 15)), int(random.integers(2, 6)), seed)


def _schedulenet() -> Recipe:
    """Job shops of the sizes that ScheduleNet was trained on (arXiv 2106.03051)."""
    return replace(RECIPES["jsp"], instance=_published_job_shop, sizes="7 to 14 jobs on 2 to 5 machines, any as likely")


def _decima() -> Recipe:
    """Spark clusters as usual, or of a variant, under the preset of Decima (arXiv 1810.01963)."""
    usual = RECIPES["spark"]
    return replace(
        usual,
        instance=lambda seed: with_preset(usual.instance(seed), "decima"),
        sizes=f"{usual.sizes}; all with preset decima",
    )


PRESET_RECIPES = {"schedulenet": _schedulenet, "decima": _decima}
"""Recipes of the published formulations that are trained, by the policy's name."""


def recipe_of(family: str) -> Recipe:
    """Recipe of ``family``, or of a published formulation.

    Raises
    ------
    UnknownNameError
        If there is none; the message lists those there are.
    """
    if family in PRESET_RECIPES:
        return PRESET_RECIPES[family]()
    if family not in RECIPES:
        raise UnknownNameError("family to train on", family, list(RECIPES))
    return RECIPES[family]


@contextmanager
def spark_variant(executors: int | None, preset: str | None) -> Iterator[None]:
    """Make all training and validation instances of Spark jobs for one number of executors, or one preset.

    None leaves the choice to the recipe. The variant ends with the ``with`` block.
    """
    usual = RECIPES["spark"]

    def instance(seed: int) -> Instance:
        made = usual.instance(seed)
        made = made if executors is None else with_executors(made, executors)
        return made if preset is None else with_preset(made, preset)

    told = [f"{executors} executors"] if executors is not None else []
    told += [f"preset {preset}"] if preset is not None else []
    variant = ", ".join(told)
    RECIPES["spark"] = replace(usual, instance=instance, sizes=f"{usual.sizes}; all with {variant}", variant=variant)
    try:
        yield
    finally:
        RECIPES["spark"] = usual


def temperature_of(family: str) -> float:
    """Temperature for sampling schedules of ``family``."""
    return RECIPES[family if family in RECIPES else UNIVERSAL].temperature
