"""One small network for all families against each family's own, on held-out instances."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.rows import Row, at_most
from marl.messages import compare
from marl.policies.shipped import shipped_priority
from marl.recipes import UNIVERSAL, families_with_recipe

COMMAND = "python -m benchmarks --shared DIR --only universal"


def rows() -> Iterator[Row]:
    """How much worse it is than the family's own network, three seeds."""
    universal = shipped_priority("tuned", UNIVERSAL)
    for family in families_with_recipe():
        found = compare(shipped_priority("tuned", family), universal, family)
        what = (
            f"universal: above the family's tuned, {family}, held-out, % (spread of 3 seeds {100 * found.spread:.2f})"
        )
        yield at_most(what, 100 * found.gain, 1.0, COMMAND, f"universal {family}")
