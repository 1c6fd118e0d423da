"""Where the instances of an environment come from: always the same one, or a new one at each reset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from problems.errors import InstanceError, UnknownNameError
from problems.families import get_family
from problems.families.registry import load_entry
from problems.instance import Instance

InstanceLike: TypeAlias = Instance | str | Path | Callable[[int], Instance]
CUSTOM = "custom"
"""The family of instances of no family; it has no generators."""

InstanceSource: TypeAlias = Callable[[int], Instance]
"""Makes an instance from a seed."""


class Fixed:
    """Source of one and the same instance.

    Parameters
    ----------
    instance
        The instance.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance

    def __call__(self, seed: int) -> Instance:
        """Return the instance, whatever the seed."""
        return self.instance


def instance_source(
    family: str,
    instance: InstanceLike | None = None,
    num_agents: int | None = None,
    generator: str | None = None,
    generator_options: Mapping[str, Any] | None = None,
) -> InstanceSource:
    """Source of instances of ``family``.

    Parameters
    ----------
    family
        Name of the family; "custom" for instances of no family.
    instance
        An instance, a built-in name ("ta01"), a file, or a function from a seed to an instance.
    num_agents
        Number of agents, for files that leave it open.
    generator, generator_options
        Name of one of the family's generators ("random") and its arguments but the seed, instead of ``instance``.

    Raises
    ------
    InstanceError
        If both or neither of ``instance`` and ``generator`` are given, or the instance is of another family.
    UnknownNameError
        If there is no such family, generator or built-in instance.
    """
    known = {} if family == CUSTOM else get_family(family).generators
    if (instance is None) == (generator is None):
        raise InstanceError("give either an instance or generator=, not both and not neither")
    if generator is not None:
        if generator not in known:
            raise UnknownNameError(f"generator of {family}", generator, sorted(known))
        return _of_family(family, _generated(known[generator], dict(generator_options or {})))
    if generator_options is not None:
        raise InstanceError("generator_options= needs generator=")
    if callable(instance):
        return _of_family(family, instance)
    if not isinstance(instance, Instance):
        assert instance is not None
        instance = _load(family, instance, num_agents)
    return _of_family(family, Fixed(instance))


def _generated(entry: str, options: dict[str, Any]) -> InstanceSource:
    function = load_entry(entry)

    def generate(seed: int) -> Instance:
        made = function(**options, seed=seed)
        return made[0] if isinstance(made, tuple) else made

    return generate


def _load(family: str, name: str | Path, num_agents: int | None) -> Instance:
    if Path(name).is_file():
        from problems.formats import read_instance

        return read_instance(name, family=family, agents=num_agents)
    from problems.generators import taillard, taillard_names

    if str(name) not in taillard_names():
        raise UnknownNameError("instance or file", str(name), [f"{taillard_names()[0]} to {taillard_names()[-1]}"])
    return taillard(str(name))


def _of_family(family: str, source: InstanceSource) -> InstanceSource:
    """``source``, refusing instances of another family ("custom" instances fit every family)."""

    def check(instance: Instance) -> Instance:
        if instance.family not in (family, CUSTOM):
            raise InstanceError(
                f"instance '{instance.name}' is of family '{instance.family}', the environment of '{family}'"
            )
        return instance

    if isinstance(source, Fixed):
        check(source.instance)
        return source
    return lambda seed: check(source(seed))
