"""What a text file says, before it becomes an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from problems.errors import FormatError, InstanceError
from problems.families.fjsp import flexible_job_shop
from problems.families.jsp import job_shop
from problems.families.mtsp import default_scale, multiple_tsp
from problems.families.upms import parallel_machines
from problems.formats.source import Source
from problems.instance import Instance, IntArray


@dataclass(frozen=True)
class JobShopRecord:
    """Operations of each job as (machine from 0, exact duration), in order."""

    num_machines: int
    jobs: list[list[tuple[int, Fraction]]]

    def build(self, source: Source) -> Instance:
        """Instance whose scale is the least that makes every duration whole."""
        scale = lcm(*(duration.denominator for job in self.jobs for _, duration in job))
        jobs = [[(machine, int(duration * scale)) for machine, duration in job] for job in self.jobs]
        try:
            return job_shop(source.name, jobs, self.num_machines, scale=scale)
        except (InstanceError, OverflowError) as error:
            raise FormatError(source.path, None, _reason(error)) from None


Time = int | Fraction
"""Exact time of a file, in its own unit."""


@dataclass(frozen=True)
class FlexibleRecord:
    """Operations of each job as exact durations by machine (from 0), and setups [machine][from][to], if any."""

    num_machines: int
    jobs: list[list[dict[int, Fraction]]]
    setups: list[list[list[Time]]] | None

    def build(self, source: Source) -> Instance:
        """Instance whose scale is the least that makes every time whole."""
        durations = [time for job in self.jobs for operation in job for time in operation.values()]
        scale = _scale([*durations, *_flat(self.setups)])
        jobs = [
            [{machine: int(time * scale) for machine, time in operation.items()} for operation in job]
            for job in self.jobs
        ]
        try:
            return flexible_job_shop(source.name, jobs, self.num_machines, _scaled(self.setups, scale), scale=scale)
        except (InstanceError, OverflowError) as error:
            raise FormatError(source.path, None, _reason(error)) from None


@dataclass(frozen=True)
class ParallelRecord:
    """Exact durations [job][machine], and setups [machine][from][to], if any."""

    durations: list[list[Time]]
    setups: list[list[list[Time]]] | None

    def build(self, source: Source) -> Instance:
        """Instance whose scale is the least that makes every time whole."""
        scale = _scale([*_flat([self.durations]), *_flat(self.setups)])
        durations, setups = _scaled([self.durations], scale), _scaled(self.setups, scale)
        assert durations is not None
        try:
            return parallel_machines(source.name, durations[0], setups, scale=scale)
        except (InstanceError, OverflowError) as error:
            raise FormatError(source.path, None, _reason(error)) from None


@dataclass(frozen=True)
class CitiesRecord:
    """Places of the cities, the depot first; ``num_salesmen`` is None where the file does not say."""

    coordinates: list[tuple[float, float]]
    num_salesmen: int | None

    def build(self, source: Source, agents: int | None) -> Instance:
        """Instance for ``agents`` salesmen, else for as many as the file says."""
        salesmen = agents if agents is not None else self.num_salesmen
        if salesmen is None:
            raise FormatError(source.path, None, "does not say how many salesmen there are; give agents=M (--agents M)")
        places = np.array(self.coordinates, np.float64).reshape(-1, 2)
        try:
            stem = source.name.removesuffix(f"-m{self.num_salesmen}")
            return multiple_tsp(f"{stem}-m{salesmen}", places, salesmen, scale=default_scale(places))
        except (InstanceError, OverflowError) as error:
            raise FormatError(source.path, None, _reason(error)) from None


def _flat(matrices: list[list[list[Time]]] | None) -> list[Time]:
    return [time for matrix in matrices or [] for row in matrix for time in row]


def _scale(times: list[Time]) -> int:
    """The least number that makes every time whole."""
    return lcm(*{time.denominator for time in times})


def _scaled(matrices: list[list[list[Time]]] | None, scale: int) -> IntArray | None:
    """Whole times."""
    if matrices is None:
        return None
    return np.array([[[int(time * scale) for time in row] for row in matrix] for matrix in matrices], np.int64)


def _reason(error: Exception) -> str:
    if isinstance(error, OverflowError):
        return "the numbers are too large for 64-bit integers; use a coarser unit of time"
    return str(error)
