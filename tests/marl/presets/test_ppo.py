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
    with pytest.raises(UnsupportedError, match=r"pip install makespan\[rl\]"):
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
    """A run stops soon after its time limit."""
    result = get_solver(preset)(SMALL[preset], Budget(time_limit=0.5), 0)
    assert result.checked and 0.5 <= result.runtime_s < 10.0


@pytest.mark.usefixtures("library")
def test_ppo_learns_which_rules_are_good(monkeypatch):
    """Where the slowest machine takes ten times as long, the last episodes are shorter than the first, by far."""
    kept = []
    monkeypatch.setattr(ppo, "Best", lambda: kept.append(_best()) or kept[-1])
    shop = flexible_job_shop("slow", [[{0: 2, 1: 20, 2: 3}, {0: 30, 1: 2, 2: 4}] for _ in range(5)], 3)
    ppo.solve_rule_actions(shop, Budget(samples=180), 0)
    objectives = kept[0].objectives
    assert np.mean(objectives[-31:-1]) < 0.8 * np.mean(objectives[:30])


_best = ppo.Best
