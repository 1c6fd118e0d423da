"""``warm-up``: compile everything ahead, so that the next command answers at once."""

from __future__ import annotations

import time

from problems.families import FAMILIES
from solvers.registry import SOLVERS
from training.commands.arguments import WarmUpOptions
from training.preparing import prepare


def run(options: WarmUpOptions) -> int:
    """Run every solver once on a small instance of every family."""
    started = time.perf_counter()
    for family in FAMILIES.values():
        for entry in SOLVERS.values():
            if entry.families is None or family.name in entry.families:
                prepare(family.name, entry.name)
    print(f"compiled in {time.perf_counter() - started:.1f} s")
    return 0
