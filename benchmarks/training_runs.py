"""What a short training from nothing reaches, against the strongest dispatch rule of each family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def rows(minutes: float = MINUTES, seeds: Sequence[int] = SEEDS, count: int = COUNT) -> Iterator[Row]:
    """Every family with every seed, one after the other: five hours with the defaults."""
    for family in families_with_recipe():
        yield family_row(family, minutes, seeds, count)


def family_row(family: str, minutes: float, seeds: Sequence[int], count: int) -> Row:
    """Mean objective of greedy `tuned` relative to the rule that is best on the same held-out instances."""
    runners = [Runner(compile_problem(training_instance(family, HELD_OUT_SEED + number))) for number in range(count)]
    strongest, reference = strongest_rule(family, runners)
    ratios = [float((objectives(runners, trained(family, minutes, seed)) / reference).mean()) for seed in seeds]
    return at_most(
        f"tuned: {minutes:g} minutes of training from nothing, {family}, relative to {strongest} on {count} instances, "
        f"mean of {told(ratios, seeds)}",
        float(np.mean(ratios)),
        1.0,
        f"python -m training train --family {family} --minutes {minutes:g}",
    )


def told(ratios: Sequence[float], seeds: Sequence[int]) -> str:
    """The runs in words: each one's ratio, and how far they lie apart."""
    each = ", ".join(f"{ratio:.4f}" for ratio in ratios)
    deviation = f"; standard deviation {np.std(ratios, ddof=1):.4f}" if len(ratios) > 1 else ""
    return f"seeds {', '.join(map(str, seeds))}: {each}{deviation}"


def strongest_rule(family: str, runners: Sequence[Runner]) -> tuple[str, FloatArray]:
    """Of all dispatch rules that are meant for the family the one with the best mean, and its objectives."""
    rules = [rule for rule in DISPATCH_RULES if family in RULE_FAMILIES.get(rule, (family,))]
    of_rules = {rule: objectives(runners, rule_priority(rule)) for rule in rules}
    least = np.min(list(of_rules.values()), axis=0)  # instances differ in size, so each counts relative to its best
    strongest = min(rules, key=lambda rule: float((of_rules[rule] / least).mean()))
    return strongest, of_rules[strongest]


def train_to(folder: Path, family: str, policy: str, minutes: float, seed: int) -> Path:
    """Where a run of ``minutes`` has left its best weights, in ``folder``."""
    settings = SimpleNamespace(
        family=family,
        policy=policy,
        algorithm=None,
        minutes=minutes,
        updates=None,
        seed=seed,
        resume=False,
        out=folder,
    )
    run(settings, lambda update, metrics: None)
    return folder / f"{policy}-{family}.safetensors"


def trained(family: str, minutes: float, seed: int) -> Priority:
    """The best weights of a run of `tuned`."""
    with TemporaryDirectory() as folder:
        return priority_of(load_weights(train_to(Path(folder), family, "tuned", minutes, seed)))


def objectives(runners: Sequence[Runner], priority: Priority) -> FloatArray:
    """Of greedy episodes, in integer time, float64 [R]."""
    return np.array([float(runner.sample(priority)[0]) for runner in runners])
