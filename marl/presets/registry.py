"""The presets by name, loaded on use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from marl.envs.source import InstanceLike, instance_source
from problems.errors import UnknownNameError

if TYPE_CHECKING:
    from marl.presets.base import PresetEnv


@dataclass(frozen=True)
class Preset:
    """One published formulation for a single agent.

    Attributes
    ----------
    family
        Family of the instances that it is meant for.
    load
        ``module:class`` of the environment.
    source
        Where it was published.
    """

    family: str
    load: str
    source: str


PRESETS = {
    "jssenv": Preset("jsp", "marl.presets.jssenv:JssEnv", "arXiv 2104.03760"),
    "rule-actions": Preset("fjsp", "marl.presets.rule_actions:RuleActionsEnv", "arXiv 2509.07019"),
    "decima": Preset("spark", "marl.presets.decima:DecimaEnv", "arXiv 1810.01963"),
}


def make_preset(
    name: str,
    instance: InstanceLike | None = None,
    *,
    generator: str | None = None,
    generator_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> PresetEnv[Any, Any]:
    """Gymnasium environment of a published formulation.

    Parameters
    ----------
    name
        "jssenv", "rule-actions" or "decima".
    instance, generator, generator_options
        As in `marl.envs.source.instance_source`; instances that are generated are of one size.
    **options
        Of `marl.presets.base.PresetEnv`.

    Raises
    ------
    UnknownNameError
        If there is no such preset; the message lists those there are.
    InstanceError, UnsupportedError
        If the preset cannot play the instance.

    Examples
    --------
    >>> from marl.presets.registry import make_preset
    >>> env = make_preset("jssenv", "ta01")
    >>> observation, info = env.reset(seed=0)
    >>> action = env.action_space.sample(env.action_masks().astype("int8"))
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """
    made = load_preset(name)
    return made(instance_source(PRESETS[name].family, instance, None, generator, generator_options), **options)


def load_preset(name: str) -> type[PresetEnv[Any, Any]]:
    """Class of the environment of a preset, imported now.

    Raises
    ------
    UnknownNameError
        If there is no such preset; the message lists those there are.
    """
    if name not in PRESETS:
        raise UnknownNameError("preset", name, list(PRESETS))
    module, made = PRESETS[name].load.split(":")
    return getattr(import_module(module), made)
