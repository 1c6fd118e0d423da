"""Published formulations as solvers: weights that were trained ahead, as for `tuned` and `policy`."""

from __future__ import annotations

import time
from functools import partial
from importlib import import_module
from pathlib import Path

from marl.presets.learned import GREEDY, Played, PresetPolicy, load_parameters
from marl.weights import Weights, weights_for
from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from solvers.budget import Budget
from solvers.result import LogEntry, Result, finish

SIDE_BY_SIDE = 16
"""Most episodes that are played together."""


def policy_of(weights: Weights) -> PresetPolicy:
    """The policy that the weights of a published formulation describe."""
    name = weights.card["policy"]
    network = import_module(f"marl.presets.{name}_training").new_network(0)
    load_parameters(network, weights.arrays["parameters"])
    return PresetPolicy(network, import_module(f"marl.presets.{name}_play").play)


def solve(instance: Instance, budget: Budget, seed: int, preset: str, weights: Path | None = None) -> Result:
    """Schedule greedily, or take the best of ``budget.samples`` episodes of which the first is greedy.

    Raises
    ------
    UnsupportedError
        If no weights are given and none are shipped, or the preset does not know a feature of the instance.
    WeightsError
        If the weights are of another policy or family.
    """
    policy, started = policy_of(weights_for(preset, instance.family, weights)), time.perf_counter()
    bound, best, log, number = lower_bound(instance), None, list[LogEntry](), GREEDY
    while number < budget.samples and not _is_late(budget, started, number):
        # The greedy episode goes first alone: it is the answer if there is no time for more.
        count = min(SIDE_BY_SIDE, budget.samples - number) if number else 1
        played = policy.play(policy.model, instance, range(number, number + count), seed)
        best = min([*([best] if best else []), *played], key=_value)
        seconds = time.perf_counter() - started
        log.append(LogEntry(seconds, in_source_unit(instance, best.value), in_source_unit(instance, bound)))
        number += count
    assert best is not None
    knows = instance.is_online and number > 1
    seconds = time.perf_counter() - started
    return finish(instance, preset, seed, seconds, best.schedule, bound, log=log, clairvoyant=knows)


def _value(played: Played) -> int:
    return played.value


def _is_late(budget: Budget, started: float, number: int) -> bool:
    return number > GREEDY and budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit


solve_schedulenet = partial(solve, preset="schedulenet")
solve_decima = partial(solve, preset="decima")
