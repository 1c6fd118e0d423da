"""Job shops for one agent, with the observation, the no-op and the dense reward of JSSEnv (arXiv 2104.03760)."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from marl.presets.base import PresetEnv
from marl.presets.jssenv_game import JobShopGame
from problems.instance import Instance
from problems.simulator.arrays import WORK_LEFT

Observation: TypeAlias = dict[str, NDArray[Any]]

JOB_FEATURES = (
    "is_legal",
    "time_left",
    "share_of_operations",
    "work_done",
    "queued",
    "waiting",
    "waited_in_all",
)
"""Columns of ``real_obs``; see `JssEnv`."""


class JssEnv(PresetEnv[Observation, JobShopGame]):
    """One agent starts the operations of a job shop (Tassel, Gebser, Schekotihin 2021, arXiv 2104.03760).

    On the same actions, observations, masks and rewards are those of the package JSSEnv 1.1.0. J jobs, M machines; the
    longest operation is P, the longest job W, all work together is S.

    Action
        ``Discrete(J + 1)``: start the next operation of job j now, or J, the *no-op*: let time pass. Illegal actions
        raise `IllegalActionError`. After the action time goes on until a job is legal. Legal is a job that

        - is not being processed and whose machine is free,
        - has not been passed over by a no-op since its machine last started something, and
        - is not *outranked*: its last operation gives way, for this instant, to a shorter one for the same machine
          whose job could go on to a machine that is free now.

        The no-op is legal if at most four jobs on at most three machines are, none of them would end before the next
        event, and another job will need each of those machines before a legal one could have left it; see
        `marl.presets.jssenv_rules.may_pass`.
    Observation
        ``Dict`` of ``action_mask`` int8 [J + 1] and ``real_obs`` float32 [J, 7], all from 0 to 1; a row for each job:

        0. whether the job is legal,
        1. time left of the operation that is being processed, / P,
        2. share of its operations that have ended,
        3. work done, the part of the running operation included, / W,
        4. for how long the machine of its next operation was still busy *when the job came to it*, / P; 1 once the
           job is done,
        5. how long it has been waiting, or, while it is processed, how long it waited before; 0 once it is done; / S,
        6. how long it has waited in all, / S.
    Reward
        (duration of the operation that was started - time that all machines together are idle until the next decision)
        / P. The undiscounted return is (2 S - M * makespan) / P.
    Termination
        When all operations have ended.
    Info
        At the end ``objective``, the makespan in the unit of the source.

    Unlike the source, the sums P, W, S and the numbers are of the instance given, from any format, rather than of one
    file; ``options={"instance": ...}`` of `reset` plays another instance of the same size.

    Parameters
    ----------
    source, illegal
        As in `marl.presets.base.PresetEnv`.
    """

    _game: JobShopGame

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool [J + 1]."""
        return np.append(self._game.legal, self._game.may_pass)

    def _new_game(self, instance: Instance) -> JobShopGame:
        return JobShopGame(instance)

    def _spaces(self, game: JobShopGame) -> tuple[spaces.Dict, spaces.Discrete]:
        jobs = game.instance.num_jobs
        seen: dict[str, spaces.Space[Any]] = {
            "action_mask": spaces.Box(0, 1, (jobs + 1,), np.int8),
            "real_obs": spaces.Box(0.0, 1.0, (jobs, len(JOB_FEATURES)), np.float32),
        }
        return spaces.Dict(seen), spaces.Discrete(jobs + 1)

    def _begin(self) -> None:
        self._game.begin()

    def _play(self, action: int) -> float:
        is_pass = action == self.instance.num_jobs
        gained = self._game.pass_time() if is_pass else self._game.start_job(action)
        return gained / int(self._game.duration.max())

    def _observe(self) -> Observation:
        game, now = self._game, self._game.now
        ended, running, end = game.progress()
        work = game.duration.sum(axis=1)
        longest, total, done = game.duration.max(), work.sum(), ended == game.machine.shape[1]
        left = np.maximum(end - now, 0)
        worked = work - game.state.jobs[:, WORK_LEFT] - left
        columns = (
            game.legal,
            left / longest,
            ended / game.machine.shape[1],
            worked / work.max(),
            np.where(done, longest, game.queued) / longest,
            np.where(running, game.waited, np.where(done, 0, now - end)) / total,
            (np.where(done, end, now) - worked) / total,
        )
        seen = np.stack(columns, axis=1).astype(np.float32)
        return {"action_mask": self.action_masks().astype(np.int8), "real_obs": seen}
