"""The exponent of weighted fair shares, chosen on instances that it is not tested on (arXiv 1810.01963, 7.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from problems.instance import FloatArray, Instance
from problems.measure import in_source_unit
from problems.simulator import compile_problem
from solvers.registry import WEIGHTED_FAIR
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

ALPHAS = tuple(number / 10 for number in range(-20, 21))
"""Exponents that the paper tries."""


def sweep_alpha(instances: Iterable[Instance], alphas: Sequence[float] = ALPHAS) -> FloatArray:
    """Mean objective of ``weighted-fair:alpha`` over the instances by alpha, float64 [K], in the unit of the source."""
    priorities = [rule_priority(f"{WEIGHTED_FAIR}:{alpha}") for alpha in alphas]
    values = []
    for instance in instances:
        runner = Runner(compile_problem(instance))
        values.append([in_source_unit(instance, int(runner.sample(priority)[0])) for priority in priorities])
    return np.mean(np.array(values, np.float64), axis=0)


def tuned_alpha(instances: Iterable[Instance], alphas: Sequence[float] = ALPHAS) -> float:
    """Exponent with the smallest mean objective over the instances; of several, the one nearest to 0.

    Parameters
    ----------
    instances
        Other ones than those that the rule is tested on.
    alphas
        Exponents to try.
    """
    means = sweep_alpha(instances, alphas)
    return min(zip(means.tolist(), map(abs, alphas), alphas, strict=True))[2]
