"""What a short training from nothing reaches, against the strongest dispatch rule of each family."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np

from benchmarks.rows import Row, at_most
from marl.instances import training_instance
from marl.messages import HELD_OUT_SEED
from marl.policies.shipped import priority_of
from marl.recipes import families_with_recipe
from marl.training import run
from marl.weights import load_weights
from problems.instance import FloatArray
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.registry import DISPATCH_RULES, RULE_FAMILIES
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

MINUTES, SEEDS, COUNT = 20.0, (1, 2, 3), 96
"""Of each run; seeds of the runs; held-out instances."""


def rows(minutes: float = MINUTES, seeds: tuple[int, ...] = SEEDS) -> Iterator[Row]:
    """Every family with every seed, one after the other: five hours with the defaults."""
    for family in families_with_recipe():
        yield family_row(family, minutes, seeds)


def family_row(family: str, minutes: float, seeds: tuple[int, ...]) -> Row:
    """Mean objective of greedy `tuned` relative to the rule that is best on the same held-out instances."""
    runners = [Runner(compile_problem(training_instance(family, HELD_OUT_SEED + number))) for number in range(COUNT)]
    rules = [rule for rule in DISPATCH_RULES if family in RULE_FAMILIES.get(rule, (family,))]
    objectives = {rule: _objectives(runners, rule_priority(rule)) for rule in rules}
    strongest = min(rules, key=lambda rule: float((objectives[rule] / objectives[rules[0]]).mean()))
    ratios = []
    for seed in seeds:
        found = _objectives(runners, trained(family, minutes, seed))
        ratios.append(float((found / objectives[strongest]).mean()))
    what = (
        f"tuned: {minutes:g} minutes of training from nothing, {family}, relative to {strongest} on {COUNT} instances"
    )
    what = f"{what} (seeds: {', '.join(f'{ratio:.4f}' for ratio in ratios)})"
    return at_most(
        what, float(np.mean(ratios)), 1.0, f"python -m training train --family {family} --minutes {minutes:g}"
    )


def trained(family: str, minutes: float, seed: int) -> Priority:
    """The best weights of a run."""
    with TemporaryDirectory() as folder:
        settings = SimpleNamespace(
            family=family,
            policy="tuned",
            algorithm=None,
            minutes=minutes,
            updates=None,
            seed=seed,
            resume=False,
            out=Path(folder),
        )
        run(settings, lambda update, metrics: None)
        return priority_of(load_weights(Path(folder) / f"tuned-{family}.safetensors"))


def _objectives(runners: list[Runner], priority: Priority) -> FloatArray:
    return np.array([float(runner.sample(priority)[0]) for runner in runners])
