"""Sections that train: the rule that they compare with, what they tell, and what cannot be measured."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import ablations, preset_table, training_runs
from problems.errors import UnsupportedError
from problems.generators import random_job_shop
from problems.simulator import compile_problem
from solvers import Budget, get_solver
from solvers.registry import DISPATCH_RULES
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

SHOPS = [random_job_shop(5, 4, seed) for seed in range(6)]


def test_the_strongest_rule_is_chosen_on_the_instances_themselves():
    """No dispatch rule of the family has a better mean than the one that is compared with."""
    runners = [Runner(compile_problem(shop)) for shop in SHOPS]
    name, values = training_runs.strongest_rule("jsp", runners)
    assert values.tolist() == training_runs.objectives(runners, rule_priority(name)).tolist()
    for rule in DISPATCH_RULES:
        if rule not in training_runs.RULE_FAMILIES:
            assert np.mean(training_runs.objectives(runners, rule_priority(rule)) / values) >= 0.97


def test_a_row_states_minutes_mean_and_spread(monkeypatch):
    """The minutes, each seed's ratio and their standard deviation stand in the text; the mean is what is judged."""
    monkeypatch.setattr(training_runs, "training_instance", lambda family, seed: SHOPS[seed % len(SHOPS)])
    rules = {1: "spt", 2: "mwkr", 3: "random"}
    monkeypatch.setattr(training_runs, "trained", lambda family, minutes, seed: rule_priority(rules[seed]))
    row = training_runs.family_row("jsp", 2.5, (1, 2, 3), 6)
    assert "2.5 minutes" in row.what and "on 6 instances" in row.what and "--minutes 2.5" in row.command
    ratios = [float(part) for part in row.what.split(": ")[-1].split(";")[0].split(", ")]
    assert row.measured == pytest.approx(np.mean(ratios), abs=1e-3) and row.passed is False
    deviation = float(row.what.split("standard deviation ")[1])
    assert deviation == pytest.approx(np.std(ratios, ddof=1), abs=1e-3)


def test_every_solver_is_compared_with_the_strongest_rule():
    """A ratio for what answers, the reason for what needs something that is not there."""

    def refuses(instance, budget, seed):
        raise UnsupportedError("the extra is not installed")

    solvers = {"spt": get_solver("spt"), "refuses": refuses}
    first, second = preset_table.compared("jsp", "shops", SHOPS, solvers, Budget())
    assert float(first.measured) >= 1.0 and first.what.startswith("spt: objective over that of ")
    assert second.measured == "the extra is not installed"


def test_sections_that_train_need_long_and_take_minutes(tmp_path, monkeypatch):
    """They are left out without --long, and the minutes reach all."""
    assert not {"train", "preset-table", "ablations"} & set(command.sections(tmp_path, None, long=False))
    told = []
    for module in (training_runs, preset_table, ablations):
        monkeypatch.setattr(module, "rows", lambda minutes: told.append(minutes) or iter(()))
    known = command.sections(tmp_path, None, long=True, minutes=3.0)
    for name in ("train", "preset-table", "ablations"):
        assert list(known[name]()) == []
    assert told == [3.0, 3.0, 3.0]
