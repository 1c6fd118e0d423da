"""An instance in the hands of one decision maker, who sees all agents at once."""

from __future__ import annotations

import numpy as np

from marl.envs.entry import bound
from problems.instance import Instance, IntArray
from problems.schedule import Schedule
from problems.simulator import Filter, compile_problem, new_state, schedule_of
from problems.simulator.arrays import FREE, NOW, TASKS_LEFT, UNTIL
from problems.simulator.candidates import AGENT, FAR, new_candidates, next_decision
from problems.simulator.engine import commit, reset, wait


class Game:
    """One episode of an instance, commitment by commitment.

    Only tasks that can begin now are offered (the filter ``non-delay``), as in all environments that move a clock and
    ask what to start.

    Parameters
    ----------
    instance
        The problem.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.problem = compile_problem(instance)
        self.state = new_state(self.problem)
        self._found = new_candidates(self.problem)
        arrays = (self.problem, self.state)
        self._reset = bound(reset, arrays, ())
        self._decide = bound(next_decision, arrays, (int(Filter.NON_DELAY), self._found))
        self._commit = bound(commit, arrays, (0, 0))
        self._wait = bound(wait, (self.state,), (0,))
        self._table = self._found.table[:0]

    @property
    def now(self) -> int:
        """The present instant; after the last commitment, the end of the schedule."""
        return self.end if self.done else int(self.state.clock[NOW])

    @property
    def done(self) -> bool:
        """Whether all tasks are committed."""
        return bool(self.state.clock[TASKS_LEFT] == 0)

    @property
    def end(self) -> int:
        """End of the commitments so far."""
        return int(self.state.agents[:, UNTIL].max())

    @property
    def free(self) -> IntArray:
        """When the commitments of each agent end, int64 [A]."""
        return self.state.agents[:, FREE]

    @property
    def next_end(self) -> int:
        """When the next running task ends; `FAR` if none is running."""
        later = self.free[self.free > self.now]
        return int(later.min()) if len(later) else FAR

    def start(self) -> None:
        """Go back to the empty schedule."""
        self._reset()

    def decide(self) -> IntArray:
        """Move the clock to the next decision.

        Returns
        -------
        table : int64 [N, 5]
            Agent, task, begin, start and end of all pairs that can begin now; none are left when all is committed.
        """
        self._table = self._found.table[: self._decide(int(Filter.NON_DELAY), self._found)]
        return self._table

    def commit(self, agent: int, task: int) -> None:
        """Start ``task`` on ``agent``; the pair is in the last table."""
        self._commit(agent, task)

    def hold(self) -> None:
        """Nobody starts anything before the next event."""
        for agent in np.unique(self._table[:, AGENT]):
            self._wait(int(agent))

    def idle_time(self, since: int, until: int) -> int:
        """Time that all agents together are idle from ``since`` to ``until``, if nothing starts in between."""
        length = until - since
        return int((length - np.clip(self.free - since, 0, length)).sum())

    def schedule(self) -> Schedule:
        """All commitments so far."""
        return schedule_of(self.state)
