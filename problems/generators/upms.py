"""Random unrelated parallel machines with setups, as in the published benchmark, and with operators for the setups."""

from __future__ import annotations

import numpy as np

from problems.families.upms import parallel_machines
from problems.instance import Instance, Resources

LARGEST_DURATION = 100
"""Largest duration in the published files."""

SETUP_HIGHS = (9, 49, 99, 124)
"""Largest setups of the four groups of the published instances."""


def vallada_ruiz(
    num_jobs: int, num_machines: int, setup_high: int = 99, seed: int = 0, name: str | None = None
) -> Instance:
    """Durations uniform in 1 to 100 and setups uniform in 1 to ``setup_high``; a first job needs no setup.

    The procedure of Vallada and Ruiz (2011), https://doi.org/10.1016/j.ejor.2011.01.011. It is told with durations
    up to 99; those of the published files reach 100, as here.

    Parameters
    ----------
    num_jobs, num_machines
        Size; the published sets have 6 to 12 jobs on 2 to 5 machines and 50 to 250 jobs on 10 to 30.
    setup_high
        Largest setup; `SETUP_HIGHS` in the published sets.
    seed
        Same seed, same instance.
    name
        Name of the instance; made from size and seed if None.
    """
    random = np.random.default_rng(seed)
    durations = random.integers(1, LARGEST_DURATION, (num_jobs, num_machines), endpoint=True)
    setups = random.integers(1, setup_high, (num_machines, num_jobs, num_jobs), endpoint=True)
    setups[:, np.arange(num_jobs), np.arange(num_jobs)] = 0  # a job does not follow itself
    name = name or f"upms-{num_jobs}x{num_machines}-S{setup_high}-s{seed}"
    return parallel_machines(name, durations, setups)


def with_operators(instance: Instance, num_operators: int, seed: int, share: float = 0.5) -> Instance:
    """The same instance with named setup operators, each of whom serves a random part of the machines.

    Every operator serves at least one machine and every machine is served by at least one operator.

    Parameters
    ----------
    instance
        An instance with setups and without resources.
    num_operators
        Number of operators, at least one.
    seed
        Same seed, same operators.
    share
        Probability that an operator serves a machine.
    """
    random = np.random.default_rng([seed, num_operators])  # not the stream that made the instance
    num_machines = instance.num_agents
    serves = random.random((num_operators, num_machines)) < share  # [W, M]
    for machine in np.flatnonzero(~serves.any(axis=0)):
        serves[random.integers(num_operators), machine] = True
    for operator in np.flatnonzero(~serves.any(axis=1)):
        serves[operator, random.integers(num_machines)] = True
    resources = Resources(
        capacity=np.zeros(0, np.int64),
        task_use=np.zeros((instance.num_tasks, 0), np.int64),
        changeover_use=np.zeros((num_machines, 0), np.int64),
        operator_serves=serves,
    )
    return instance.replace(resources=resources, name=f"{instance.name}-w{num_operators}")


def random_with_operators(
    num_jobs: int, num_machines: int, setup_high: int = 99, seed: int = 0, num_operators: int | None = None
) -> Instance:
    """Instance of `vallada_ruiz` with operators (`with_operators`), by default one for every two machines.

    UPMSR-S: there is no public set of such instances; this one is described here in full.
    """
    count = num_operators if num_operators is not None else (num_machines + 1) // 2
    return with_operators(vallada_ruiz(num_jobs, num_machines, setup_high, seed), count, seed)
