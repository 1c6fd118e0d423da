"""Compile or load what a solver needs before the clock starts, and say so where it takes long."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path

from problems.errors import MakespanError
from problems.families import FAMILIES
from problems.simulator.jit import is_cold
from solvers.budget import Budget
from solvers.registry import get_solver
from training.log import say

TINY = Budget(time_limit=1.0, samples=2)


@cache
def prepare(family: str, solver: str, weights: Path | None = None) -> None:
    """Run ``solver`` once on a small instance of ``family``, so that its runtimes hold no compilation.

    A solver that refuses the family is left alone: it will tell when it is asked in earnest.
    """
    if is_cold():
        say("compiling once for all later runs, which takes a minute or two ('warm-up' does it ahead)")
    instance = FAMILIES.get(family, FAMILIES["jsp"]).small_instance(0)
    with contextlib.suppress(MakespanError):
        get_solver(solver, weights)(instance, TINY, 0)
