"""Flexible job shops for one agent that chooses dispatching rules instead of operations (arXiv 2509.07019)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from marl.presets.base import PresetEnv
from marl.presets.rule_actions_rules import ACTIONS, JOB_RULES, MachineRule, Offer, Routes
from marl.presets.shop import ShopGame
from problems.instance import Instance, IntArray
from problems.simulator.arrays import COMPLETION
from problems.simulator.candidates import AGENT, END, START, TASK

Observation: TypeAlias = NDArray[np.float32]


class RuleGame(ShopGame):
    """A shop in which composite rules start one operation after the other.

    Parameters
    ----------
    instance
        (Flexible) job shop.
    """

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance, "rule-actions")
        self.longest = max(1, int(instance.eligible_duration.max()))
        self._routes = _routes(instance, self.first, self.num_operations)
        self.table = self._table

    def begin(self) -> None:
        """Go to the first decision of a new episode."""
        self.start()
        self.table = self.decide()

    def play(self, job_rule: str, machine_rule: MachineRule) -> int:
        """Start the operation that the rules pick.

        Returns
        -------
        area
            Its duration plus the time that all machines together are idle until the next decision.
        """
        table, since = self.table, self.now
        duration = table[:, END] - table[:, START]
        task = self._pick(job_rule, table, duration)
        rows = np.flatnonzero(table[:, TASK] == task)
        times = duration[rows]
        row = rows[times.argmin() if machine_rule is MachineRule.FASTEST else times.argmax()]
        takes = int(duration[row])
        self.commit(int(table[row, AGENT]), task)
        self.table = self.decide()
        return takes + self.idle_time(since, self.now)

    def _pick(self, job_rule: str, table: IntArray, duration: IntArray) -> int:
        """Task that the rule prefers among those that can start now."""
        tasks, entry = np.unique(table[:, TASK], return_inverse=True)
        fast, slow = np.full(len(tasks), np.iinfo(np.int64).max), np.zeros(len(tasks), np.int64)
        np.minimum.at(fast, entry, duration)
        np.maximum.at(slow, entry, duration)
        waiting = self.now - self.state.jobs[self.instance.task_job[tasks], COMPLETION]
        return int(tasks[JOB_RULES[job_rule](Offer(tasks, fast, slow, waiting, self._routes)).argmax()])


class RuleActionsEnv(PresetEnv[Observation, RuleGame]):
    """One agent picks a composite rule at each decision (Wu, Yan, Wei, Guan 2025, arXiv 2509.07019).

    Time goes from decision to decision: as long as an operation can start now on some free machine, the agent is asked
    for a rule, which starts one. J jobs, M machines, P the longest duration.

    Action
        ``Discrete(12)``: job rule i // 2 of `marl.presets.rule_actions_rules.JOB_RULES` and machine rule i % 2, the
        fastest or the slowest of the free machines. All are always legal.
    Observation
        float32 [2 J]: operations of each job that have ended, / M; then 1 for each job that can start an operation now.
    Reward
        Minus the *scheduling area*: - (duration of the operation that was started + time that all machines together
        are idle until the next decision) / P. The undiscounted return is - M * makespan / P.
    Termination
        When all operations have ended.
    Info
        At the end ``objective``, the makespan in the unit of the source.

    What the paper's abstract leaves open (the two state variables, the rules, the area) follows the variant "area" of
    the authors' public code. Where that is odd, this differs: work done counts the fastest eligible machines (there,
    those that happened to be free when each operation was started), and a job without work left has an infinite
    FDD/MWKR (there 10000). The code's prioritised replay of decisions is part of its learner, not of this view.

    Parameters
    ----------
    source, illegal
        As in `marl.presets.base.PresetEnv`.
    """

    _game: RuleGame

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool [12]: all, until the end."""
        return np.full(len(ACTIONS), not self._game.done)

    def _new_game(self, instance: Instance) -> RuleGame:
        return RuleGame(instance)

    def _spaces(self, game: RuleGame) -> tuple[spaces.Box, spaces.Discrete]:
        seen = spaces.Box(0.0, np.inf, (2 * game.instance.num_jobs,), np.float32)
        return seen, spaces.Discrete(len(ACTIONS))

    def _begin(self) -> None:
        self._game.begin()

    def _play(self, action: int) -> float:
        return -self._game.play(*ACTIONS[action]) / self._game.longest

    def _observe(self) -> Observation:
        can_start = np.zeros(self.instance.num_jobs)
        can_start[self.instance.task_job[self._game.table[:, TASK]]] = 1.0
        share = self._game.progress().ended / self.instance.num_agents
        return np.concatenate([share, can_start]).astype(np.float32)


def _routes(instance: Instance, first: IntArray, num_operations: IntArray) -> Routes:
    """Work before and after each task in its job."""
    starts = instance.eligible_ptr[:-1]
    fast = np.minimum.reduceat(instance.eligible_duration, starts)
    slow = np.maximum.reduceat(instance.eligible_duration, starts)
    before, after_fast, after_slow, left = (np.zeros(instance.num_tasks, np.int64) for _ in range(4))
    for low, count in zip(first.tolist(), num_operations.tolist(), strict=True):
        part = slice(low, low + count)
        before[part] = np.cumsum(fast[part]) - fast[part]
        after_fast[part] = fast[part].sum() - np.cumsum(fast[part])
        after_slow[part] = slow[part].sum() - np.cumsum(slow[part])
        left[part] = np.arange(count, 0, -1)
    return Routes(before, after_fast, after_slow, left)
