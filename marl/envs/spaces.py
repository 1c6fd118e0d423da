"""The spaces of observations and actions."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from graphs.schema import NUM_FEATURES
from marl.envs.schema import AGENT_FEATURES, GLOBAL_FEATURES


def observation_space(slots: int) -> spaces.Dict:
    """Space of one agent's observation with ``slots`` slots; see `marl.envs.aec.SchedulingEnv`."""
    return spaces.Dict(
        {
            "candidates": _real((slots + 1, NUM_FEATURES)),
            "agent": _real((len(AGENT_FEATURES),)),
            "global": _real((len(GLOBAL_FEATURES),)),
            "action_mask": spaces.Box(0, 1, (slots + 1,), np.int8),
        }
    )


def state_space(agents: int) -> spaces.Box:
    """Space of the state that all agents share: the global row, then the row of each agent."""
    return _real((len(GLOBAL_FEATURES) + agents * len(AGENT_FEATURES),))


def _real(shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(-np.inf, np.inf, shape, np.float32)
