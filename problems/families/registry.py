"""The families of problems. A new one is an entry here and a module that builds its instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from problems.errors import UnknownNameError
from problems.instance import Instance


@dataclass(frozen=True)
class Family:
    """What the other packages know of a family.

    Attributes
    ----------
    name, title
        Short name ("jsp") and the name people use.
    agent_label
        What an agent is called ("machine").
    formats
        Names of the file formats that hold it.
    generators
        Entry names ``module:function`` of its generators, by short name.
    rules
        Names of the rules that apply to it.
    small_instance
        Instance small enough for an exact solver in a test, made from a seed.
    plot
        Entry name of the function that draws a schedule, loaded on use.
    """

    name: str
    title: str
    agent_label: str
    formats: tuple[str, ...]
    generators: dict[str, str]
    rules: tuple[str, ...]
    small_instance: Callable[[int], Instance]
    plot: str


def load_entry(entry: str) -> Callable[..., Any]:
    """Function behind an entry name ``module:function``."""
    module, function = entry.split(":")
    return getattr(import_module(module), function)


def _small_job_shop(seed: int) -> Instance:
    from problems.generators import random_job_shop

    return random_job_shop(3, 3, seed, low=1, high=9)


def _small_flexible_job_shop(seed: int) -> Instance:
    from problems.generators import brandimarte_like

    return brandimarte_like(3, 3, seed, operations=(2, 3), low=1, high=9)


def _small_parallel_machines(seed: int) -> Instance:
    from problems.generators import vallada_ruiz

    return vallada_ruiz(6, 2, 49, seed)


def _small_multiple_tsp(seed: int) -> Instance:
    from problems.generators import random_multiple_tsp

    return random_multiple_tsp(6, 2, seed)


def _small_spark(seed: int) -> Instance:
    from problems.generators import random_spark

    return random_spark(2, 2, seed, fixed=True, max_stages=3, max_tasks=2)


FAMILIES: dict[str, Family] = {
    "jsp": Family(
        name="jsp",
        title="job shop",
        agent_label="machine",
        formats=("jsplib", "taillard", "json"),
        generators={
            "random": "problems.generators:random_job_shop",
            "known-optimum": "problems.generators:known_optimum_job_shop",
            "taillard": "problems.generators:taillard_job_shop",
        },
        rules=("spt", "lpt", "fifo", "mor", "mwkr", "fdd-mwkr", "spt-twkr", "random"),
        small_instance=_small_job_shop,
        plot="training.plots.gantt:plot_gantt",
    ),
    "fjsp": Family(
        name="fjsp",
        title="flexible job shop",
        agent_label="machine",
        formats=("fjs", "json"),
        generators={
            "random": "problems.generators:brandimarte_like",
            "edata": "problems.generators.fjsp:random_edata",
            "rdata": "problems.generators.fjsp:random_rdata",
            "vdata": "problems.generators.fjsp:random_vdata",
            "sd1": "problems.generators:sd1",
            "sd2": "problems.generators:sd2",
        },
        rules=("pair", "mor", "mwkr", "spt", "fifo", "random"),
        small_instance=_small_flexible_job_shop,
        plot="training.plots.gantt:plot_gantt",
    ),
    "mtsp": Family(
        name="mtsp",
        title="minmax multiple travelling salesmen",
        agent_label="salesman",
        formats=("tsplib", "json"),
        generators={"random": "problems.generators:random_multiple_tsp"},
        rules=("nearest", "insertion", "random"),
        small_instance=_small_multiple_tsp,
        plot="training.plots.routes:plot_routes",
    ),
    "spark": Family(
        name="spark",
        title="Spark jobs",
        agent_label="executor",
        formats=("spark-json", "json"),
        generators={
            "random": "problems.generators:random_spark",
            "stream": "problems.generators:spark_stream",
            "fixed": "problems.generators:fixed_spark",
            "tpch": "problems.generators:tpch_batch",
            "alibaba": "problems.generators:alibaba_batch",
        },
        rules=("fifo", "sjf", "sjf-cp", "fair", "naive-weighted-fair", "weighted-fair", "tetris", "random"),
        small_instance=_small_spark,
        plot="training.plots.executors:plot_executors",
    ),
    "upms": Family(
        name="upms",
        title="unrelated parallel machines with setups",
        agent_label="machine",
        formats=("upms", "json"),
        generators={
            "random": "problems.generators:vallada_ruiz",
            "operators": "problems.generators:random_with_operators",
        },
        rules=("eft", "sst", "atcs", "insertion", "random"),
        small_instance=_small_parallel_machines,
        plot="training.plots.gantt:plot_gantt",
    ),
}
"""Every family by name."""


def get_family(name: str) -> Family:
    """Family called ``name``.

    Raises
    ------
    UnknownNameError
        If there is none; the message lists those there are.
    """
    if name not in FAMILIES:
        raise UnknownNameError("family", name, sorted(FAMILIES))
    return FAMILIES[name]
