"""Taillard's job shops, bit by bit.

E. Taillard, "Benchmarks for basic scheduling problems", European Journal of Operational Research 64 (1993),
278-285, https://doi.org/10.1016/0377-2217(93)90182-M.
"""

from __future__ import annotations

import json
from functools import cache
from math import floor
from pathlib import Path
from typing import Any

from problems.errors import UnknownNameError
from problems.families.jsp import job_shop
from problems.instance import Instance

_MULTIPLIER, _QUOTIENT, _REMAINDER, _MODULUS = 16807, 127773, 2836, 2**31 - 1


class TaillardRandom:
    """Lehmer's generator x <- 16807 x mod (2^31 - 1), by Schrage's method as in the paper.

    Parameters
    ----------
    seed
        Integer from 1 to 2^31 - 2.
    """

    def __init__(self, seed: int) -> None:
        if not 0 < seed < _MODULUS:
            raise ValueError(f"seed is {seed}; expected 1 to {_MODULUS - 1}")
        self._state = seed

    def uniform(self, low: int, high: int) -> int:
        """Next integer from ``low`` to ``high``, both included."""
        high_part, low_part = divmod(self._state, _QUOTIENT)
        state = _MULTIPLIER * low_part - high_part * _REMAINDER
        self._state = state + _MODULUS if state < 0 else state
        return low + floor(self._state / _MODULUS * (high - low + 1))


def taillard_job_shop(name: str, num_jobs: int, num_machines: int, time_seed: int, machine_seed: int) -> Instance:
    """Job shop with durations from 1 to 99 drawn job by job, and machine orders shuffled job by job.

    Raises
    ------
    ValueError
        If a seed lies outside 1 to 2^31 - 2.
    """
    times, orders = TaillardRandom(time_seed), TaillardRandom(machine_seed)
    durations = [[times.uniform(1, 99) for _ in range(num_machines)] for _ in range(num_jobs)]
    machines = [_shuffled(num_machines, orders) for _ in range(num_jobs)]
    return job_shop(name, [list(zip(*job, strict=True)) for job in zip(machines, durations, strict=True)], num_machines)


def _shuffled(size: int, random: TaillardRandom) -> list[int]:
    order = list(range(size))
    for position in range(size):
        other = random.uniform(position, size - 1)
        order[position], order[other] = order[other], order[position]
    return order


@cache
def taillard_table() -> dict[str, Any]:
    """Built-in seeds and bounds: ``source``, ``date`` and ``instances`` by name; read once, on first use."""
    path = Path(__file__).parent.parent / "taillard.json"
    return json.loads(path.read_text(encoding="utf-8"))


def taillard_names() -> list[str]:
    """Names of the built-in instances, ta01 to ta80."""
    return list(taillard_table()["instances"])


def taillard(name: str) -> Instance:
    """Instance ``ta01`` to ``ta80``.

    Raises
    ------
    UnknownNameError
        If there is no such instance.
    """
    known = taillard_table()["instances"]
    if name not in known:
        raise UnknownNameError("Taillard instance", name, ["ta01 to ta80"])
    entry = known[name]
    return taillard_job_shop(name, entry["jobs"], entry["machines"], entry["time_seed"], entry["machine_seed"])
