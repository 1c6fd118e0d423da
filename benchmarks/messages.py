"""What the attention network adds to its prior, on held-out instances, three seeds, and at equal time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.rows import Row, holds, reported
from marl.instances import training_instance
from marl.messages import HELD_OUT_SEED, compare, silenced
from marl.policies.shipped import shipped_priority
from marl.recipes import families_with_recipe, temperature_of
from marl.weights import load_shipped
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.rollout import Runner

COMMAND = "python -m benchmarks --shared DIR --only messages"

EQUAL_TIME_COUNT = 16
"""Instances per family that are compared at equal time."""


def comparison() -> Iterator[Row]:
    """`policy` against `tuned`, against itself without messages, and against as many samples of `tuned` as it takes."""
    for family in families_with_recipe():
        policy = shipped_priority("policy", family)
        against_prior = compare(policy, shipped_priority("tuned", family), family)
        what = f"policy: gain over tuned, {family}, held-out, % (spread of 3 seeds {100 * against_prior.spread:.2f})"
        yield reported(what, 100 * against_prior.gain, COMMAND, f"gain over tuned {family}")
        found = compare(policy, silenced(policy), family)
        what = f"policy: gain by messages, {family}, held-out, % (spread of 3 seeds {100 * found.spread:.2f})"
        yield reported(what, 100 * found.gain, COMMAND, f"gain by messages {family}")
        claimed = load_shipped("policy", family).card["messages"]["help"]
        what = f"policy: the card of {family} says whether messages help"
        yield holds(what, claimed, str(found.helps), claimed == found.helps, COMMAND)
        ratio, samples = equal_time(family)
        what = f"policy, one pass, over tuned sampled for as long (median {samples:.0f} samples), {family}, held-out"
        yield reported(what, ratio, COMMAND, f"equal time {family}")


def equal_time(family: str) -> tuple[float, float]:
    """Mean ratio of one pass of `policy` to the best of as many samples of `tuned` as take as long; their number."""
    policy, tuned = shipped_priority("policy", family), shipped_priority("tuned", family)
    ratios, counts = [], []
    for number in range(EQUAL_TIME_COUNT):
        runner = Runner(compile_problem(training_instance(family, HELD_OUT_SEED + number)))
        greedy, seconds = int(runner.sample(policy)[0]), _seconds(runner, policy)
        counts.append(max(1, round(seconds / _seconds(runner, tuned))))
        ratios.append(greedy / int(runner.sample(tuned, counts[-1], 1, temperature_of(family)).min()))
    return float(np.mean(ratios)), float(np.median(counts))


def _seconds(runner: Runner, priority: Priority) -> float:
    runner.sample(priority)
    started = time.perf_counter()
    runner.sample(priority)
    return time.perf_counter() - started
