"""Presets as solvers: Maskable PPO of Stable-Baselines3 contrib learns on the very instance, as the sources do.

The best schedule of all episodes counts, and of a last one in which the policy takes its likeliest actions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any

import gymnasium

from marl.envs.source import Fixed
from marl.presets.registry import load_preset
from problems.errors import UnsupportedError
from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.result import LogEntry, Result, finish

LIBRARY = "sb3-contrib"


@dataclass(frozen=True)
class Settings:
    """Of one run of Maskable PPO, in the words of Stable-Baselines3.

    Attributes
    ----------
    num_envs
        Environments that are played side by side.
    n_steps
        Decisions per environment between two updates.
    batch_size, n_epochs, gamma, gae_lambda, clip_range, vf_coef, normalize_advantage
        As in the library. There is no entropy bonus.
    rate, last_rate, decisions
        The learning rate goes from ``rate`` to ``last_rate`` over so many decisions.
    layers
        Units of the hidden layers (ReLU) of the policy, and of the value function, which shares none.
    key
        Entry of the observation that the networks see; None for all of it.
    """

    num_envs: int
    n_steps: int
    batch_size: int
    gamma: float
    clip_range: float
    rate: float
    last_rate: float
    decisions: int
    layers: tuple[int, ...]
    vf_coef: float
    normalize_advantage: bool
    n_epochs: int = 10
    gae_lambda: float = 1.0
    key: str | None = None


def jssenv_settings(instance: Instance) -> Settings:
    """Those of the source's published script, with 4 environments in place of 4 for each processor.

    That script also has a penalty on the divergence of policies, which the library does not offer.
    """
    return Settings(
        num_envs=4,
        n_steps=704,
        batch_size=4 * 704,
        gamma=1.0,
        clip_range=0.5337,
        rate=4.79e-4,
        last_rate=2.832e-5,
        decisions=15_000_000,
        layers=(470, 470),
        vf_coef=0.75,
        normalize_advantage=True,
        key="real_obs",
    )


def rule_actions_settings(instance: Instance) -> Settings:
    """Those of the authors' public code: batches of 9 episodes, as one has a decision for each operation.

    There the value function has a learning rate of its own, three times as large, and decisions are replayed by
    priority; here both networks share one optimiser and nothing is replayed.
    """
    return Settings(
        num_envs=1,
        n_steps=9 * instance.num_tasks,
        batch_size=3 * instance.num_tasks,
        gamma=0.999,
        clip_range=0.2,
        rate=1e-3,
        last_rate=1e-3,
        decisions=10**9,
        layers=(2 * instance.num_jobs,),
        vf_coef=1.0,
        normalize_advantage=False,
    )


SETTINGS: dict[str, Callable[[Instance], Settings]] = {
    "jssenv": jssenv_settings,
    "rule-actions": rule_actions_settings,
}


class Best:
    """The best schedule of a run so far, when it was found, and what all episodes were worth."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self.objective: int | float | None = None
        self.schedule: Schedule | None = None
        self.objectives: list[int | float] = []
        self.log: list[tuple[float, int | float]] = []

    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return time.perf_counter() - self._started

    def offer(self, objective: int | float, schedule: Schedule) -> None:
        """Take note of an episode that has ended."""
        self.objectives.append(objective)
        if self.objective is None or objective < self.objective:
            self.objective, self.schedule = objective, schedule
            self.log.append((self.seconds(), objective))


class Watched(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Environment that offers the schedule of each episode to a `Best`."""

    def __init__(self, env: gymnasium.Env[Any, Any], best: Best) -> None:
        super().__init__(env)
        self._best = best

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and look whether the episode has ended."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            self._best.offer(info["objective"], self.get_wrapper_attr("schedule")())
        return observation, reward, terminated, truncated, info


def solve(instance: Instance, budget: Budget, seed: int, preset: str) -> Result:
    """Train ``preset`` on the instance for the time limit, or without one for ``budget.samples`` episodes.

    The result is one of a search: what was learned is thrown away. With a number of episodes the same seed gives the
    same schedule; the library seeds the global generators of random, NumPy and torch to that end.

    Raises
    ------
    UnsupportedError
        If Stable-Baselines3 contrib is not installed, or the preset does not know a feature of the instance.
    """
    best, settings = Best(), SETTINGS[preset](instance)
    make = partial(_make_env, preset, instance, settings.key, best)
    model = _make_model(settings, make, seed)
    model.learn(settings.decisions, callback=lambda *_: not _is_over(best, budget))
    _play_likeliest(model, make())
    bound = lower_bound(instance)
    log = [LogEntry(seconds, objective, in_source_unit(instance, bound)) for seconds, objective in best.log]
    result = finish(instance, preset, seed, best.seconds(), best.schedule, bound, log=log)
    return replace(result, versions={**result.versions, LIBRARY: version(LIBRARY)})


solve_jssenv = partial(solve, preset="jssenv")
solve_rule_actions = partial(solve, preset="rule-actions")


def _is_over(best: Best, budget: Budget) -> bool:
    if budget.time_limit is None:
        return len(best.objectives) >= budget.samples
    return best.seconds() >= budget.time_limit


def _make_env(preset: str, instance: Instance, key: str | None, best: Best) -> gymnasium.Env[Any, Any]:
    env: gymnasium.Env[Any, Any] = Watched(load_preset(preset)(Fixed(instance)), best)
    if key is None:
        return env
    space = env.observation_space[key]  # type: ignore[index]
    return gymnasium.wrappers.TransformObservation(env, lambda seen: seen[key], space)


def _make_model(settings: Settings, make: Callable[[], gymnasium.Env[Any, Any]], seed: int) -> Any:
    """Maskable PPO with ``settings`` on environments that ``make`` makes."""
    try:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv
        from torch import nn
    except ImportError as error:
        raise UnsupportedError(
            f"presets learn with Stable-Baselines3 contrib, which is not installed ({error}); "
            "pip install -c constraints.txt -e '.[rl]'"
        ) from None
    drop = settings.rate - settings.last_rate
    layers = list(settings.layers)
    return MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([make] * settings.num_envs),
        learning_rate=lambda left: settings.last_rate + drop * left,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        normalize_advantage=settings.normalize_advantage,
        ent_coef=0.0,
        vf_coef=settings.vf_coef,
        policy_kwargs={"activation_fn": nn.ReLU, "net_arch": {"pi": layers, "vf": layers}},
        seed=seed % 2**32,
        device="cpu",
    )


def _play_likeliest(model: Any, env: gymnasium.Env[Any, Any]) -> None:
    """One episode in which the policy takes its likeliest actions."""
    observation, _ = env.reset()
    done = False
    while not done:
        masks = env.get_wrapper_attr("action_masks")()
        action, _ = model.predict(observation, action_masks=masks, deterministic=True)
        observation, _, done, _, _ = env.step(int(action))
