"""Figures of the public Spark simulator (arXiv 1810.01963) with the TPC-H profile; `benchmarks.spark` has more."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.spark import PROFILE, PUBLIC, public_batch
from problems.simulator import compile_problem
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority


@pytest.mark.shared
@pytest.mark.parametrize("setting", PUBLIC, ids=str)
def test_rules_give_what_they_gave_in_the_public_simulator(shared: Path, setting: tuple[int, int, int]) -> None:
    """On the same jobs, whatever their luck, mean completion times are within 2 % of the public simulator's."""
    num_executors, delay, batches = setting
    totals = dict.fromkeys(PUBLIC[setting], 0.0)
    for seed in range(batches):
        runner = Runner(compile_problem(public_batch(shared / PROFILE, num_executors, delay, seed)))
        for rule in totals:
            totals[rule] += int(runner.sample(rule_priority(rule))[0]) / 20_000
    assert {rule: total / batches for rule, total in totals.items()} == pytest.approx(PUBLIC[setting], rel=0.02)
