"""Presets as solvers: Maskable PPO on the instance itself."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from marl.presets import ppo
from problems.errors import UnsupportedError
from problems.families import flexible_job_shop
from problems.generators import brandimarte_like, random_job_shop
from solvers.budget import Budget
from solvers.registry import get_solver

SMALL = {
    "jssenv": random_job_shop(4, 3, 1, low=1, high=9),
    "rule-actions": brandimarte_like(4, 3, 1, operations=(2, 3), low=1, high=9),
}
presets = pytest.mark.parametrize("preset", sorted(SMALL))


@pytest.fixture
def library():
    """Skips a test where the library that learns is not installed."""
    pytest.importorskip("sb3_contrib")


@presets
def test_without_the_library_the_solver_says_what_to_install(preset, monkeypatch):
    """The library is optional; the error names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(UnsupportedError, match=r"pip install -c constraints.txt"):
        get_solver(preset)(SMALL[preset], Budget(samples=1), 0)


def test_every_preset_that_solves_has_settings():
    """A preset without settings could not be trained."""
    assert set(ppo.SETTINGS) == set(SMALL)


@presets
@pytest.mark.usefixtures("library")
def test_the_same_seed_gives_the_same_schedule(preset):
    """A run of a number of episodes is reproducible, and its log shows only improvements."""
    first, again, other = (get_solver(preset)(SMALL[preset], Budget(samples=8), seed) for seed in (3, 3, 4))
    assert first.schedule.start.tolist() == again.schedule.start.tolist()
    assert first.checked and other.checked
    values = [entry.objective for entry in first.log]
    assert values == sorted(set(values), reverse=True) and values[-1] == first.objective


@presets
@pytest.mark.usefixtures("library")
def test_the_time_limit_ends_the_run(preset):
    """A run stops soon after its time limit; its result names the version of the library."""
    result = get_solver(preset)(SMALL[preset], Budget(time_limit=0.5), 0)
    assert result.checked and 0.5 <= result.runtime_s < 10.0
    assert result.versions["sb3-contrib"]


@pytest.mark.usefixtures("library")
def test_ppo_learns_which_rules_are_good(monkeypatch):
    """Where slow machines take ten times as long and fast ones are always free, the last episodes are much shorter."""
    runs = []

    class Kept(ppo.Best):
        def __init__(self):
            super().__init__()
            runs.append(self)

    monkeypatch.setattr(ppo, "Best", Kept)
    shop = flexible_job_shop("slow", [[{0: 2, 1: 2, 2: 20, 3: 20}] * 3 for _ in range(2)], 4)
    ppo.solve_rule_actions(shop, Budget(samples=600), 0)
    objectives = runs[0].objectives
    assert np.mean(objectives[-51:-1]) < 0.6 * np.mean(objectives[:50])
