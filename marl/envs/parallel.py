"""The Parallel environment: all agents choose at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pettingzoo import ParallelEnv

from marl.envs.base import Observation, SchedulingBase
from marl.envs.source import InstanceSource
from problems.errors import IllegalActionError

Returns = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class ParallelSchedulingEnv(SchedulingBase, ParallelEnv[str, Observation, int]):
    """Agents of a scheduling problem choose tasks, all of them at once.

    Agents, actions, observations, rewards and parameters are those of `marl.envs.aec.SchedulingEnv`. What differs:

    Step
        Every living agent gives an action. Agents that are not asked have only *wait*. The choices of the asked agents
        are committed in order of their index. Of several that choose the same last piece, the lowest index gets it; the
        others are asked again at the same instant, and so are those that waited. If everybody waits, time goes on to
        the next event. So that it can, the asked agent of the lowest index may not wait where no event will come.
    Termination
        As in the AEC environment, but agents leave with the step that ends them. ``max_steps`` counts calls of `step`.
        Without any task, the first step terminates.
    Info
        As in the AEC environment; and ``lost`` = True for an agent whose choice went to another one in this step.

    Parameters
    ----------
    source, **options
        As in `marl.envs.aec.SchedulingEnv`; ``order`` has no meaning here and is refused.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "makespan_parallel_v0", "render_modes": ["ansi"]}

    def __init__(self, source: InstanceSource, **options: Any) -> None:
        if "order" in options:
            raise TypeError("order= has no meaning where all agents choose at once")
        super().__init__(source, **options)
        self.agents: list[str] = []

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode; observations and infos of all agents."""
        episode = self._begin(seed, options)
        self.agents = self.possible_agents[: episode.instance.num_agents]
        self._returned, self._steps = 0.0, 0
        self._lost = np.zeros(len(self.agents), np.int8)
        episode.begin_together()
        return self._observe_all(), self._infos({})

    def step(self, actions: Mapping[str, Any]) -> Returns:
        """Let all agents choose; see the class.

        Raises
        ------
        IllegalActionError
            If a living agent has no action or an illegal one, or an agent is unknown; nothing has changed.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        slots = self._read(actions)
        self._steps += 1
        count = self._episode.act_together(slots, self._lost)
        terminated = count == 0
        truncated = not terminated and self._steps == self._max_steps
        outcome = self._episode.outcome() if terminated else {}
        reward = self._reward(outcome)
        names = self.agents
        returns = (
            self._observe_all(),
            dict.fromkeys(names, reward),
            dict.fromkeys(names, terminated),
            dict.fromkeys(names, truncated),
            self._infos(outcome),
        )
        if terminated or truncated:
            self.agents = []
        return returns

    def _read(self, actions: Mapping[str, Any]) -> np.ndarray:
        """Slot of each agent, int64 [A]."""
        for name in actions:
            if name not in self._index:
                raise IllegalActionError(f"there is no agent {name!r}; there are {', '.join(self.possible_agents)}")
        slots = np.zeros(len(self.agents), np.int64)
        for number, name in enumerate(self.agents):
            if name not in actions:
                raise IllegalActionError(f"{name} has no action; agents that have nothing to do wait ({self.slots})")
            slots[number] = self._legal_slot(number, name, actions[name])
        return slots

    def _reward(self, outcome: dict[str, Any]) -> float:
        returned = -float(outcome["objective"]) if outcome else -self._episode.partial_objective()
        reward, self._returned = returned - self._returned, returned
        return reward

    def _observe_all(self) -> dict[str, Observation]:
        """Observations of all living agents: disjoint parts of fresh arrays."""
        view, mask = self._episode.look_all(), self._episode.board.mask.copy()
        return {
            name: {
                "candidates": view.candidates[number],
                "agent": view.agent[number],
                "global": view.world[number],
                "action_mask": mask[number],
            }
            for number, name in enumerate(self.agents)
        }

    def _infos(self, outcome: dict[str, Any]) -> dict[str, dict[str, Any]]:
        infos: dict[str, dict[str, Any]] = {}
        for number, name in enumerate(self.agents):
            infos[name] = {**self._episode.asked_info(number), **outcome}
            if self._lost[number]:
                infos[name]["lost"] = True
        return infos
