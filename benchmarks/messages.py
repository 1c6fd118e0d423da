"""What the attention network adds to its prior, on held-out instances, three seeds."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.rows import Row, holds, reported
from marl.messages import compare, silenced
from marl.policies.shipped import shipped_priority
from marl.weights import load_shipped

COMMAND = "python -m benchmarks --shared DIR --only messages"


def comparison() -> Iterator[Row]:
    """`policy` against `tuned`, and against itself without messages."""
    for family in ("jsp", "mtsp"):
        policy = shipped_priority("policy", family)
        against_prior = compare(policy, shipped_priority("tuned", family), family)
        what = f"policy: gain over tuned, {family}, held-out, % (spread of 3 seeds {100 * against_prior.spread:.2f})"
        yield reported(what, 100 * against_prior.gain, COMMAND)
        found = compare(policy, silenced(policy), family)
        what = f"policy: gain by messages, {family}, held-out, % (spread of 3 seeds {100 * found.spread:.2f})"
        yield reported(what, 100 * found.gain, COMMAND)
        claimed = load_shipped("policy", family).card["messages"]["help"]
        what = f"policy: the card of {family} says whether messages help"
        yield holds(what, claimed, str(found.helps), claimed == found.helps, COMMAND)
