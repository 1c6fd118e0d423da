"""Agents that learn: PettingZoo environments, policies, training algorithms, trained weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from marl.envs.aec import SchedulingEnv
    from marl.envs.parallel import ParallelSchedulingEnv
    from marl.envs.source import InstanceLike

__all__ = ["env", "parallel_env"]


def env(family: str, instance: InstanceLike | None = None, **options: Any) -> SchedulingEnv:
    """PettingZoo AEC environment of ``family``; see `marl.envs.aec.SchedulingEnv`, which is its specification.

    Parameters
    ----------
    family
        Name of the family ("jsp", "fjsp", "mtsp", "upms", "spark"); "custom" for an instance of no family.
    instance
        An `Instance`, a built-in name ("ta01"), a file, or a function that makes an instance from a seed. Left out,
        ``generator=`` names one of the family's generators and ``generator_options=`` its sizes.
    **options
        Of `marl.envs.aec.SchedulingEnv` and `marl.envs.source.instance_source`.

    Examples
    --------
    >>> import marl
    >>> env = marl.env("jsp", "ta01")
    >>> env.reset(seed=0)
    >>> while env.agents:
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     done = terminated or truncated
    ...     env.step(None if done else env.action_space(env.agent_selection).sample(info["action_mask"]))
    """
    from marl.envs.make import make_env

    return make_env(family, instance, **options)


def parallel_env(family: str, instance: InstanceLike | None = None, **options: Any) -> ParallelSchedulingEnv:
    """PettingZoo Parallel environment of ``family``; see `marl.envs.parallel.ParallelSchedulingEnv`.

    Parameters
    ----------
    family, instance, **options
        As in `env`.
    """
    from marl.envs.make import make_parallel_env

    return make_parallel_env(family, instance, **options)
