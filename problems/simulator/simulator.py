"""The simulator as Python objects see it: ask, commit, wait, copy, read the schedule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from problems.errors import IllegalActionError, InstanceError, UnsupportedError
from problems.instance import Instance, Serves
from problems.schedule import Schedule
from problems.simulator import candidates, engine
from problems.simulator.arrays import (
    NOW,
    NUM_ROWS,
    ROW_AGENT,
    ROW_CHANGEOVER_END,
    ROW_CHANGEOVER_START,
    ROW_END,
    ROW_OPERATOR,
    ROW_START,
    ROW_TASK,
    TASKS_LEFT,
    Problem,
    State,
    new_state,
)
from problems.simulator.candidates import AGENT, TASK, Filter
from problems.simulator.tables import compile_problem
from problems.validate import describe_task

_REASONS = {
    engine.UNKNOWN_AGENT: "there is no such agent",
    engine.UNKNOWN_TASK: "there is no such task",
    engine.NOT_ELIGIBLE: "the agent is not eligible for it",
    engine.NOT_OPEN: "it is done, or a predecessor is not planned yet",
    engine.NOT_ASKED: "the agent is not asked now, or the stage is no candidate",
    engine.NOT_REVEALED: "its job is not revealed yet",
}


class Simulator:
    """Builds one schedule of an instance, commitment by commitment.

    Parameters
    ----------
    instance
        The problem.
    candidate_filter
        Which tasks a free agent may choose.
    problem
        The compiled arrays of ``instance``, if they are at hand.

    Examples
    --------
    >>> from problems.generators import random_job_shop
    >>> simulator = Simulator(random_job_shop(3, 2, seed=0))
    >>> while not simulator.done:
    ...     agent, task = simulator.candidates()[0]
    ...     simulator.commit(agent, task)
    >>> schedule = simulator.schedule()
    """

    def __init__(
        self,
        instance: Instance,
        candidate_filter: Filter = Filter.ACTIVE,
        problem: Problem | None = None,
    ) -> None:
        self.instance = instance
        self.filter = Filter(candidate_filter)
        self.problem = compile_problem(instance) if problem is None else problem
        self.state: State = new_state(self.problem)
        self._found = candidates.new_candidates(self.problem)

    @property
    def now(self) -> int:
        """The present instant."""
        return int(self.state.clock[NOW])

    @property
    def done(self) -> bool:
        """Whether all tasks are committed."""
        return bool(self.state.clock[TASKS_LEFT] == 0)

    def reset(self) -> None:
        """Go back to the empty schedule."""
        engine.reset(self.problem, self.state)

    def candidates(self) -> list[tuple[int, int]]:
        """Move to the next decision; (agent, task) pairs of all asked agents, ordered by agent, then task."""
        count = candidates.next_decision(self.problem, self.state, int(self.filter), self._found)
        return sorted((int(row[AGENT]), int(row[TASK])) for row in self._found.table[:count])

    def commit(self, agent: int, task: int, limit: int | None = None) -> None:
        """Append one piece of ``task`` to the sequence of ``agent``, as early as possible.

        With a ``limit`` the choice repeats for other agents that are asked now while the job has fewer of them. Where
        agents serve stages, the agent is ordered to the stage; see `problems.simulator.switches.service`.

        Raises
        ------
        IllegalActionError
            If the agent cannot take the task now, or the job has ``limit`` agents; the state is unchanged.
        """
        reason = int(engine.legality(self.problem, self.state, agent, task))
        if reason != engine.LEGAL:
            raise IllegalActionError(f"agent {agent} cannot take task {task}: {_REASONS[reason]}")
        if limit is None:
            engine.commit(self.problem, self.state, agent, task)
            return
        executors = int(engine.executors(self.problem, self.state, agent, task))
        if executors >= limit:
            raise IllegalActionError(f"the job of task {task} has {executors} agents; the limit {limit} gives it none")
        engine.commit_under(self.problem, self.state, agent, task, limit)

    def wait(self, agent: int) -> None:
        """Let ``agent`` be asked again after the next commitment at this instant, or at the next event.

        Raises
        ------
        IllegalActionError
            If the agent is busy, or nothing can change any more; the state is unchanged.
        """
        count = candidates.collect(self.problem, self.state, int(self.filter), self._found)
        asked = {int(other) for other in self._found.table[:count, AGENT]}
        if agent not in asked:
            raise IllegalActionError(f"agent {agent} is not asked now, so it cannot wait")
        if not candidates.may_wait(self.problem, self.state, self._found, count, agent):
            raise IllegalActionError(f"agent {agent} cannot wait: no other agent is asked and no event will come")
        engine.wait(self.state, agent)

    def copy(self) -> Simulator:
        """Independent copy of the simulator with its present state."""
        twin = Simulator(self.instance, self.filter, self.problem)
        engine.copy_state(self.state, twin.state)
        return twin

    def objective(self) -> int:
        """Objective of the commitments so far, in integer time (a sum over jobs where it is a mean)."""
        return int(engine.objective_value(self.problem, self.state))

    def schedule(self) -> Schedule:
        """All commitments so far."""
        return schedule_of(self.state)


def schedule_of(state: State) -> Schedule:
    """Schedule of the commitments in ``state``."""
    return schedule_from_rows(state.rows[: state.clock[NUM_ROWS]])


def schedule_from_rows(rows: np.ndarray) -> Schedule:
    """Schedule of simulator rows, int64 [N, 7]; pieces of a task are numbered in order of their commitment."""
    task = rows[:, ROW_TASK]
    order = np.argsort(task, kind="stable")
    first = np.searchsorted(task[order], task[order])
    piece = np.empty(len(task), np.int64)
    piece[order] = np.arange(len(task)) - first
    return Schedule(
        task=task,
        piece=piece,
        agent=rows[:, ROW_AGENT],
        start=rows[:, ROW_START],
        end=rows[:, ROW_END],
        changeover_start=rows[:, ROW_CHANGEOVER_START],
        changeover_end=rows[:, ROW_CHANGEOVER_END],
        resource=rows[:, ROW_OPERATOR],
    )


def replay(instance: Instance, plan: Sequence[Sequence[int]], problem: Problem | None = None) -> Schedule:
    """Turn a plan into the schedule in which everything happens as early as the plan allows.

    Parameters
    ----------
    instance
        The problem.
    plan
        Order of tasks of each agent; a task stands once per piece.
    problem
        The compiled arrays of ``instance``, if they are at hand.

    Raises
    ------
    UnsupportedError
        If agents serve stages: a plan does not say which orders they get.
    InstanceError
        If the plan has another number of agents, names a task that cannot be done there, leaves one out, or
        its orders contradict the precedence.
    """
    if instance.serves is Serves.STAGE:
        raise UnsupportedError(f"replay cannot turn a plan into orders; the agents of '{instance.name}' serve stages")
    if len(plan) != instance.num_agents:
        raise InstanceError(f"the plan has {len(plan)} agents; the instance has {instance.num_agents}")
    simulator = Simulator(instance, Filter.FULL, problem)
    position = [0] * len(plan)
    while True:
        moved = False
        for agent, order in enumerate(plan):
            while position[agent] < len(order) and _try_commit(simulator, agent, order[position[agent]]):
                position[agent] += 1
                moved = True
        if not moved and not _reveal_next(simulator):
            break
    blocked = [
        (agent, order[at]) for agent, (order, at) in enumerate(zip(plan, position, strict=True)) if at < len(order)
    ]
    if blocked:
        agent, task = blocked[0]
        raise InstanceError(
            f"the plan cannot go on: agent {agent} is to do task {task}, which {_why(simulator, agent, task)}"
        )
    if not simulator.done:
        task = int(np.flatnonzero(simulator.state.tasks[:, 0] > 0)[0])
        raise InstanceError(f"the plan leaves out {describe_task(instance, task)}")
    return simulator.schedule()


def _try_commit(simulator: Simulator, agent: int, task: int) -> bool:
    if engine.legality(simulator.problem, simulator.state, agent, task) != engine.LEGAL:
        return False
    engine.commit(simulator.problem, simulator.state, agent, task)
    return True


def _reveal_next(simulator: Simulator) -> bool:
    """Move the clock to the next reveal; False if all jobs are known."""
    later = simulator.instance.job_reveal[simulator.instance.job_reveal > simulator.now]
    if len(later) == 0:
        return False
    engine.advance(simulator.problem, simulator.state, int(later.min()))
    return True


def _why(simulator: Simulator, agent: int, task: int) -> str:
    reason = int(engine.legality(simulator.problem, simulator.state, agent, task))
    return f"is refused: {_REASONS[reason]}"
