"""Spark clusters for one agent, with the features and the actions of Decima (arXiv 1810.01963)."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from marl.presets.base import PresetEnv
from marl.presets.decima_game import ClusterGame
from problems.instance import Instance

Observation: TypeAlias = dict[str, NDArray[Any]]


class DecimaEnv(PresetEnv[Observation, ClusterGame]):
    """One agent orders executors to stages (Mao et al. 2019, arXiv 1810.01963).

    Decisions, candidates and what follows from an order are those of preset ``decima`` of Spark clusters. T stages of
    all jobs, J jobs, M executors.

    Action
        ``Discrete(T * M)``: stage i and limit l, 1 to M, as action M * i + l - 1. Executors that are asked are ordered
        to the stage until its job has l executors, or the stage has enough, or all have orders. Legal are the stages on
        offer, each with the limits above the number of executors that its job has, those that are asked not counted.
        Where no stage is on offer the executors stay idle, without a decision.
    Observation
        ``Dict``:

        - ``stages`` float32 [T, 5]: the three columns of the job; work of the pieces that have not begun, / 100 s,
          by their expected duration; number of these pieces, / 200,
        - ``jobs`` float32 [J, 3]: executors at the job, on their way or ordered to it, / 20; 2 if the executors that
          are asked are at the job, else -2; number of the executors that are asked, / 20,
        - ``is_present`` int8 [J]: the job has arrived and is not done; rows of other jobs, and of their stages, are 0,
        - ``is_unended`` int8 [T]: the job is present, and some piece of the stage has not ended,
        - ``stage_mask`` int8 [T] and ``limit_mask`` int8 [J, M]: what may be chosen.

        The edges do not change; they are those of ``instance``. `marl.presets.decima_network` is the network.
    Reward
        - (time until the next decision, summed over the jobs that are present) / 100 s. The undiscounted return is
        - J * mean completion time / 100 s.
    Termination
        When the last piece has begun. The last reward counts the time until all jobs are done.
    Info
        At the end ``objective``, the mean completion time in the unit of the source.

    In the authors' code the duration of a piece in the features is the mean of all that was measured for its stage;
    here it is the expected duration of the simulator, that of a piece which follows another one of its stage.

    Parameters
    ----------
    source, illegal
        As in `marl.presets.base.PresetEnv`.
    """

    _game: ClusterGame

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool [T * M]."""
        game, limits = self._game, np.arange(1, self.instance.num_agents + 1)
        above = limits >= game.least_limits()[:, None]
        return (game.can_choose()[:, None] & above[self.instance.task_job]).ravel()

    def _new_game(self, instance: Instance) -> ClusterGame:
        return ClusterGame(instance)

    def _spaces(self, game: ClusterGame) -> tuple[spaces.Dict, spaces.Discrete]:
        jobs, stages, executors = game.instance.num_jobs, game.instance.num_tasks, game.instance.num_agents
        seen: dict[str, spaces.Space[Any]] = {
            "stages": spaces.Box(-np.inf, np.inf, (stages, 5), np.float32),
            "jobs": spaces.Box(-np.inf, np.inf, (jobs, 3), np.float32),
            "is_present": spaces.Box(0, 1, (jobs,), np.int8),
            "is_unended": spaces.Box(0, 1, (stages,), np.int8),
            "stage_mask": spaces.Box(0, 1, (stages,), np.int8),
            "limit_mask": spaces.Box(0, 1, (jobs, executors), np.int8),
        }
        return spaces.Dict(seen), spaces.Discrete(stages * executors)

    def _begin(self) -> None:
        self._game.begin()

    def _play(self, action: int) -> float:
        stage, limit = divmod(action, self.instance.num_agents)
        return -self._game.choose(stage, limit + 1) / self._game.unit

    def _observe(self) -> Observation:
        game, owner = self._game, self.instance.task_job
        present = game.present()
        limits = np.arange(1, self.instance.num_agents + 1)
        return {
            "stages": np.where(present[owner, None], game.stage_rows(), 0.0).astype(np.float32),
            "jobs": np.where(present[:, None], game.job_rows(), 0.0).astype(np.float32),
            "is_present": present.astype(np.int8),
            "is_unended": (present[owner] & game.unended()).astype(np.int8),
            "stage_mask": game.can_choose().astype(np.int8),
            "limit_mask": (present[:, None] & (limits >= game.least_limits()[:, None])).astype(np.int8),
        }
