"""Counter-based random numbers for compiled code: the state is one counter, so a stream is cheap to fork."""

from __future__ import annotations

import numpy as np

from problems.simulator.jit import jit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))


@jit
def mix(value: np.uint64) -> np.uint64:
    """Scramble a 64-bit number (the finaliser of SplitMix64, doi:10.1145/2660193.2660195)."""
    value = np.uint64(value)
    value = (value ^ (value >> _SHIFTS[0])) * _MIX_1
    value = (value ^ (value >> _SHIFTS[1])) * _MIX_2
    return value ^ (value >> _SHIFTS[2])


@jit
def seed_stream(stream: np.ndarray, seed: int, number: int) -> None:
    """Start ``stream`` (uint64 [1]) for rollout ``number`` of ``seed``."""
    stream[0] = mix(mix(np.uint64(seed) + _STEP) + np.uint64(number) * _MIX_2)


@jit
def uniform(stream: np.ndarray) -> float:
    """Next number of the stream, in (0, 1)."""
    stream[0] = stream[0] + _STEP
    return (np.float64(mix(stream[0]) >> _SHIFTS[3]) + 0.5) * (1.0 / 9007199254740992.0)


@jit
def gumbel(stream: np.ndarray) -> float:
    """Next standard Gumbel number: the argmax of scores plus such noise is a draw from their softmax."""
    return -np.log(-np.log(uniform(stream)))
