"""A Spark cluster played as in Decima (arXiv 1810.01963): a stage and a parallelism limit at each decision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from marl.envs.entry import bound
from marl.presets.game import Game
from problems.errors import UnsupportedError
from problems.instance import FloatArray, Instance, IntArray, Serves
from problems.objective import Objective
from problems.simulator.arrays import (
    COMING,
    ENDS,
    LEFT,
    LOCAL,
    NUM_REVEALED,
    PIECES_LEFT,
    ROUND_JOB,
    ROUND_LEFT,
    STAGES_UNENDED,
    UNENDED,
)
from problems.simulator.candidates import AGENT, TASK
from problems.simulator.engine import commit_under
from problems.simulator.switches.service import executors_of

EXECUTORS_UNIT = 20.0
PIECES_UNIT = 200.0
SECONDS_UNIT = 100
"""What features and rewards are measured in, in the authors' code: 20 executors, 200 pieces, 100 seconds."""


class ClusterGame(Game):
    """What is there, what may be chosen, and what it costs.

    Parameters
    ----------
    instance
        Spark cluster of preset ``decima`` with the mean completion time as its objective.

    Attributes
    ----------
    unit
        100 seconds in integer time.
    table : int64 [N, 5]
        Stages that may be chosen for the executor that is asked; see `Game.decide`.
    """

    def __init__(self, instance: Instance) -> None:
        _require_cluster(instance)
        super().__init__(instance)
        self.unit = SECONDS_UNIT * instance.scale
        self.table = self._table
        self._commit_under = bound(commit_under, (self.problem, self.state), (0, 0, 0))
        self._executors_of = bound(executors_of, (self.state,), (0,))

    def begin(self) -> None:
        """Go to the first decision of a new episode."""
        self.start()
        self.table = self.decide()

    def choose(self, stage: int, limit: int) -> int:
        """Order executors to ``stage`` until its job has ``limit`` of them.

        Returns
        -------
        waited
            Time until the next decision, summed over the jobs that are there.
        """
        since = self.now
        self._commit_under(int(self.table[0, AGENT]), stage, limit)
        self.table = self.decide()
        return self._time_in_system(since, self.now)

    def present(self) -> NDArray[np.bool_]:
        """Jobs that have arrived and are not done, bool [J]."""
        arrived = np.zeros(self.instance.num_jobs, np.bool_)
        arrived[self.problem.reveals[: self.state.clock[NUM_REVEALED]]] = True
        return arrived & (self.state.pools[:, STAGES_UNENDED] > 0)

    def unended(self) -> NDArray[np.bool_]:
        """Stages of which some piece has not ended, bool [T]."""
        return self.state.stages[:, UNENDED] > 0

    def can_choose(self) -> NDArray[np.bool_]:
        """Stages that may be chosen, bool [T]."""
        out = np.zeros(self.instance.num_tasks, np.bool_)
        out[self.table[:, TASK]] = True
        return out

    def least_limits(self) -> IntArray:
        """Least limit that gives each job another executor, int64 [J]."""
        return np.array([self._executors_of(job) + 1 for job in range(self.instance.num_jobs)], np.int64)

    def job_rows(self) -> FloatArray:
        """Rows of jobs, float64 [J, 3].

        Executors at the job, on their way or ordered to it, / 20; 2 if the executors that are asked are at the job,
        else -2; number of these executors, / 20.
        """
        state = self.state
        rows = np.full((self.instance.num_jobs, 3), -2.0)
        rows[:, 0] = (state.jobs[:, LOCAL] + state.pools[:, COMING]) / EXECUTORS_UNIT
        if state.clock[ROUND_JOB] >= 0:
            rows[state.clock[ROUND_JOB], 1] = 2.0
        rows[:, 2] = state.clock[ROUND_LEFT] / EXECUTORS_UNIT
        return rows

    def stage_rows(self) -> FloatArray:
        """Rows of stages, float64 [T, 5].

        The row of its job; work of the pieces that have not begun, / 100 s; their number, / 200.
        """
        left = self.state.tasks[:, PIECES_LEFT]
        work = left * self.instance.durations[:, 0]
        return np.column_stack([self.job_rows()[self.instance.task_job], work / self.unit, left / PIECES_UNIT])

    def _time_in_system(self, since: int, until: int) -> int:
        """Time from ``since`` to ``until`` that jobs were there, summed over jobs."""
        ends = np.where(self.state.jobs[:, LEFT] == 0, self.state.jobs[:, ENDS], until)
        there = np.minimum(ends, until) - np.maximum(self.instance.job_release, since)
        return int(np.maximum(there, 0).sum())


def _require_cluster(instance: Instance) -> None:
    """Refuse what is no cluster of preset decima.

    Raises
    ------
    UnsupportedError
        The message names what the instance has instead.
    """
    if instance.serves is not Serves.STAGE:
        raise UnsupportedError(
            f"the executors of '{instance.name}' decide after each piece; the preset decima needs executors that serve "
            "their stage: make the cluster with preset='decima'"
        )
    if instance.objective is not Objective.MEAN_FLOW_TIME:
        raise UnsupportedError(
            f"the preset decima does not support the objective {instance.objective}: '{instance.name}'"
        )
