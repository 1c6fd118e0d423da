"""``warm-up``: compile everything ahead, so that the next command answers at once."""

from __future__ import annotations

import time

from problems.errors import MakespanError
from problems.families import FAMILIES
from solvers.budget import Budget
from solvers.registry import SOLVERS, SolverKind
from training.commands.arguments import WarmUpOptions
from training.log import say
from training.running import solve_instance


def run(options: WarmUpOptions) -> int:
    """Run every compiled solver once on a small instance of every family."""
    started = time.perf_counter()
    for family in FAMILIES.values():
        instance = family.small_instance(0)
        for entry in SOLVERS.values():
            if entry.kind is SolverKind.EXACT or (entry.families and family.name not in entry.families):
                continue
            try:
                solve_instance(instance, entry.name, Budget(samples=2), 0)
            except MakespanError as error:
                say(f"{family.name}, {entry.name}: {error}")
    print(f"compiled in {time.perf_counter() - started:.1f} s")
    return 0
