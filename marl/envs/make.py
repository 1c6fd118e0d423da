"""Environments from what a person writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marl.envs.aec import SchedulingEnv
from marl.envs.parallel import ParallelSchedulingEnv
from marl.envs.source import InstanceLike, instance_source


def make_env(
    family: str,
    instance: InstanceLike | None = None,
    *,
    num_agents: int | None = None,
    generator: str | None = None,
    generator_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> SchedulingEnv:
    """AEC environment; see `marl.env`."""
    source = instance_source(family, instance, num_agents, generator, generator_options)
    return SchedulingEnv(source, **options)


def make_parallel_env(
    family: str,
    instance: InstanceLike | None = None,
    *,
    num_agents: int | None = None,
    generator: str | None = None,
    generator_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> ParallelSchedulingEnv:
    """Parallel environment; see `marl.parallel_env`."""
    source = instance_source(family, instance, num_agents, generator, generator_options)
    return ParallelSchedulingEnv(source, **options)
