"""Random flexible job shops, after the procedures that published benchmarks were made with."""

from __future__ import annotations

from functools import partial

import numpy as np

from problems.errors import InstanceError, UnknownNameError
from problems.families.fjsp import flexible_job_shop
from problems.generators.jsp import random_job_shop
from problems.instance import Instance

Durations = dict[int, int]
"""Duration of an operation by machine."""

FLEXIBILITIES = ("edata", "rdata", "vdata")
"""How many machines an operation has in Hurink's sets: few, some or many."""

EDATA_SHARE = 0.15
"""Probability that an operation of edata has a second machine."""

MEAN_TIME_HIGH, TIME_SPREAD = 20, 0.2
"""Largest mean duration of an operation in SD1, and how far its machines differ from the mean."""


def brandimarte_like(
    num_jobs: int,
    num_machines: int,
    seed: int,
    operations: tuple[int, int] = (5, 7),
    flexibility: int = 3,
    low: int = 1,
    high: int = 20,
    kinds: int = 15,
    name: str | None = None,
) -> Instance:
    """Flexible job shop in the manner of Brandimarte (1993), https://doi.org/10.1007/BF02023073.

    All numbers are uniform between limits. As in his instances jobs share kinds of operations: an operation is one
    of ``kinds``, which have their own machines and a duration on each.

    Parameters
    ----------
    num_jobs, num_machines
        Size; mk01 has 10 jobs and 6 machines, mk10 has 20 and 15.
    seed
        Same seed, same instance.
    operations
        Least and largest number of operations of a job.
    flexibility
        Largest number of machines of an operation; the number of machines if that is smaller.
    low, high
        Least and largest duration, both included.
    kinds
        Number of different operations.
    name
        Name of the instance; made from size and seed if None.
    """
    random = np.random.default_rng(seed)
    most = min(flexibility, num_machines)
    known = [
        _durations(random, num_machines, int(random.integers(1, most, endpoint=True)), low, high) for _ in range(kinds)
    ]
    lengths = random.integers(*operations, num_jobs, endpoint=True)
    jobs = [[known[kind] for kind in random.integers(0, kinds, length)] for length in lengths]
    return flexible_job_shop(name or f"fjsp-{num_jobs}x{num_machines}-s{seed}", jobs, num_machines)


def hurink_like(job_shop: Instance, flexibility: str, seed: int) -> Instance:
    """Add machines to the operations of a job shop, as Hurink, Jurisch and Thole (1994) did.

    The scheme of https://doi.org/10.1007/BF01719451: an operation keeps its machine and may also go, with the same
    duration, to others drawn at random: in ``edata`` to one other with probability 0.15, in ``rdata`` to 0 to 2
    others, in ``vdata`` to so many that it has 1 to 0.8 times all machines, uniformly.

    Parameters
    ----------
    job_shop
        A plain job shop.
    flexibility
        One of `FLEXIBILITIES`.
    seed
        Same seed, same instance.

    Raises
    ------
    InstanceError
        If an operation has a choice of machines already.
    UnknownNameError
        If there is no such flexibility.
    """
    if flexibility not in FLEXIBILITIES:
        raise UnknownNameError("flexibility", flexibility, list(FLEXIBILITIES))
    if job_shop.num_tasks != len(job_shop.eligible_agent):
        raise InstanceError(f"{job_shop.name} has a choice of machines already; expected a plain job shop")
    random = np.random.default_rng(seed)
    widened = [_widened(random, int(machine), flexibility, job_shop.num_agents) for machine in job_shop.eligible_agent]
    counts = [len(machines) for machines in widened]
    return job_shop.replace(
        name=f"{job_shop.name}-{flexibility}-s{seed}",
        family="fjsp",
        eligible_ptr=np.concatenate([[0], np.cumsum(counts)]),
        eligible_agent=np.array([machine for machines in widened for machine in machines], np.int64),
        eligible_duration=np.repeat(job_shop.eligible_duration, counts),
    )


def _widened(random: np.random.Generator, machine: int, flexibility: str, num_machines: int) -> list[int]:
    """An operation's own machine and others, increasing."""
    if flexibility == "edata":
        wanted = 1 + int(random.random() < EDATA_SHARE)
    else:
        most = 3 if flexibility == "rdata" else max(1, int(0.8 * num_machines))
        wanted = int(random.integers(1, most, endpoint=True))
    others = random.permutation([other for other in range(num_machines) if other != machine])[: wanted - 1]
    return sorted([machine, *map(int, others)])


def random_hurink(num_jobs: int, num_machines: int, seed: int, flexibility: str = "rdata") -> Instance:
    """Random job shop (`random_job_shop`) with the flexibility of `hurink_like`."""
    shop = random_job_shop(num_jobs, num_machines, seed, name=f"fjsp-{num_jobs}x{num_machines}")
    return hurink_like(shop, flexibility, seed)


random_edata = partial(random_hurink, flexibility="edata")
random_rdata = partial(random_hurink, flexibility="rdata")
random_vdata = partial(random_hurink, flexibility="vdata")


def sd1(num_jobs: int, num_machines: int, seed: int, name: str | None = None) -> Instance:
    """Flexible job shop by the procedure SD1 of Song et al. (2023), https://doi.org/10.1109/TII.2022.3189725.

    A job has 0.8 to 1.2 times as many operations as there are machines, an operation 1 to all machines. Its mean
    duration is 1 to 20; on each machine it differs from the mean by up to 20 % and stays within 1 to 20. All uniform.

    Parameters
    ----------
    num_jobs, num_machines
        Size; the published sets are 10x5, 20x5, 15x10, 20x10, 30x10 and 40x10.
    seed
        Same seed, same instance.
    name
        Name of the instance; made from size and seed if None.
    """
    random = np.random.default_rng(seed)
    least, most = max(1, int(0.8 * num_machines)), int(1.2 * num_machines)
    jobs = []
    for length in random.integers(least, most, num_jobs, endpoint=True):
        means = random.integers(1, MEAN_TIME_HIGH, length, endpoint=True)
        jobs.append([_around(random, int(mean), num_machines) for mean in means])
    return flexible_job_shop(name or f"fjsp-sd1-{num_jobs}x{num_machines}-s{seed}", jobs, num_machines)


def _around(random: np.random.Generator, mean: int, num_machines: int) -> Durations:
    """Durations within 20 % of their mean, on 1 to all machines."""
    low = max(1, round(mean * (1 - TIME_SPREAD)))
    high = min(MEAN_TIME_HIGH, round(mean * (1 + TIME_SPREAD)))
    return _durations(random, num_machines, int(random.integers(1, num_machines, endpoint=True)), low, high)


def sd2(num_jobs: int, num_machines: int, seed: int, name: str | None = None) -> Instance:
    """Flexible job shop by the procedure SD2 of Wang et al. (2023), https://doi.org/10.1109/TNNLS.2023.3306421.

    A job has as many operations as there are machines, an operation 1 to all machines, each with its own duration of
    1 to 99. All uniform.

    Parameters
    ----------
    num_jobs, num_machines
        Size; the published sets are 10x5, 20x5, 15x10, 20x10, 30x10 and 40x10.
    seed
        Same seed, same instance.
    name
        Name of the instance; made from size and seed if None.
    """
    random = np.random.default_rng(seed)
    counts = random.integers(1, num_machines, (num_jobs, num_machines), endpoint=True)
    jobs = [[_durations(random, num_machines, int(count), 1, 99) for count in row] for row in counts]
    return flexible_job_shop(name or f"fjsp-sd2-{num_jobs}x{num_machines}-s{seed}", jobs, num_machines)


def _durations(random: np.random.Generator, num_machines: int, count: int, low: int, high: int) -> Durations:
    """Uniform durations on ``count`` machines."""
    machines = random.permutation(num_machines)[:count]
    return {int(machine): int(random.integers(low, high, endpoint=True)) for machine in machines}
