"""How much noise the policies sample with."""

from __future__ import annotations

TEMPERATURES = {"jsp": 1.0, "mtsp": 0.3}
"""Size of the Gumbel noise on the scores, by family: the best of 0.2 to 1.4 on held-out generated instances."""

DEFAULT_TEMPERATURE = 1.0


def temperature_of(family: str) -> float:
    """Temperature for sampling schedules of ``family``."""
    return TEMPERATURES.get(family, DEFAULT_TEMPERATURE)
