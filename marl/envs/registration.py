"""The environments in PettingZoo's registry: ``pettingzoo.make("aec", "makespan/jsp-v0", instance="ta01")``."""

from __future__ import annotations

import pettingzoo

from marl.envs.source import CUSTOM
from problems.families import FAMILIES

NAMESPACE = "makespan"
ENTRIES = {"aec": "marl.envs.make:make_env", "parallel": "marl.envs.make:make_parallel_env"}


def environment_id(family: str) -> str:
    """Id of the environments of ``family``, the same in both registries."""
    return f"{NAMESPACE}/{family}-v0"


def register_environments() -> list[str]:
    """Register every family, and "custom", in both registries and return the ids; a second call changes nothing.

    PettingZoo before 1.26 has no registry; then nothing is registered, and `marl.env` is the way.
    """
    if not hasattr(pettingzoo, "register"):
        return []
    families = (*FAMILIES, CUSTOM)
    for kind, registry in (("aec", pettingzoo.aec_registry), ("parallel", pettingzoo.parallel_registry)):
        for family in families:
            if environment_id(family) not in registry:
                pettingzoo.register(kind, environment_id(family), ENTRIES[kind], kwargs={"family": family})
    return [environment_id(family) for family in families]
