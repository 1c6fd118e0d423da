"""What agents see, written by a second compiled call, only when somebody looks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphs.context import prepare
from graphs.features import fill_row, fill_wait_row
from graphs.schema import NUM_FEATURES
from marl.envs.board import COUNT, VALUE, Board, slot_of
from marl.envs.kernels import Work
from marl.envs.schema import AGENT_FEATURES, GLOBAL_FEATURES
from problems.instance import FloatArray
from problems.simulator.arrays import (
    FREE,
    LAST,
    LEFT,
    LENGTH,
    LOAD,
    NONE,
    NOW,
    NUM_OPEN,
    NUM_REVEALED,
    QUEUED,
    TASK_HI,
    TASK_LO,
    UNIT,
    WAITED,
    Problem,
    State,
)
from problems.simulator.candidates import AGENT, BEGIN, FAR, TASK, known_event, next_event
from problems.simulator.jit import jit
from problems.simulator.switches.changeover import return_time


class View(NamedTuple):
    """Observations of some agents, float32: candidates [A, S + 1, F], agent [A, Fa], world [A, Fg]."""

    candidates: NDArray[np.float32]
    agent: NDArray[np.float32]
    world: NDArray[np.float32]


def new_view(num_agents: int, num_slots: int) -> View:
    """Observations full of zeros."""
    return View(
        candidates=np.zeros((num_agents, num_slots + 1, NUM_FEATURES), np.float32),
        agent=np.zeros((num_agents, len(AGENT_FEATURES)), np.float32),
        world=np.zeros((num_agents, len(GLOBAL_FEATURES)), np.float32),
    )


@jit
def look(problem: Problem, state: State, work: Work, board: Board, view: View, agent: int) -> None:
    """Write what ``agent`` sees to row 0 of ``view``; the board holds what it can do."""
    if board.numbers[COUNT] > 0:
        prepare(problem, state, work.found, board.numbers[COUNT], work.context)
    fill(problem, state, work, board, view, agent, 0)


@jit
def look_all(problem: Problem, state: State, work: Work, board: Board, view: View) -> None:
    """Write what every agent sees to ``view``; the board holds what they can do."""
    if board.numbers[COUNT] > 0:
        prepare(problem, state, work.found, board.numbers[COUNT], work.context)
    for agent in range(len(view.agent)):
        fill(problem, state, work, board, view, agent, agent)


@jit
def fill(problem: Problem, state: State, work: Work, board: Board, view: View, agent: int, line: int) -> None:
    """Write what ``agent`` sees to row ``line`` of ``view``, after `prepare`."""
    count = board.numbers[COUNT]
    view.candidates[line, :, :] = 0.0
    if count > 0:
        for row in range(count):
            if work.found.table[row, AGENT] == agent:
                slot = slot_of(board, agent, work.found.table[row, TASK])
                if slot != NONE:
                    fill_row(problem, state, work.found, row, work.context, board.features)
                    for level in range(len(board.limits)):
                        _copy_features(board.features, view.candidates, line, slot + level)
        fill_wait_row(problem, state, agent, work.context, board.features)
        _copy_features(board.features, view.candidates, line, view.candidates.shape[1] - 1)
    _fill_agent(problem, state, work, count, view, agent, line)
    _fill_world(problem, state, work, board, view, line)


@jit
def _copy_features(features: FloatArray, candidates: NDArray[np.float32], line: int, slot: int) -> None:
    for column in range(len(features)):
        candidates[line, slot, column] = features[column]


@jit
def _fill_agent(problem: Problem, state: State, work: Work, count: int, view: View, agent: int, line: int) -> None:
    unit, now, startable, asked = problem.means[UNIT], state.clock[NOW], 0, 0
    for row in range(count):
        if work.found.table[row, AGENT] == agent:
            asked = 1
            startable += work.found.table[row, BEGIN] <= now
    length = state.agents[agent, LENGTH]
    view.agent[line, 0] = agent / len(state.agents)
    view.agent[line, 1] = asked
    view.agent[line, 2] = state.agents[agent, WAITED]
    view.agent[line, 3] = max(state.agents[agent, FREE] - now, 0) / unit
    view.agent[line, 4] = state.agents[agent, LOAD] / unit
    view.agent[line, 5] = length / unit
    view.agent[line, 6] = (length + return_time(problem, agent, state.agents[agent, LAST])) / unit
    view.agent[line, 7] = np.log(1.0 + startable)
    view.agent[line, 8] = np.log(1.0 + state.agents[agent, QUEUED])


@jit
def _fill_world(problem: Problem, state: State, work: Work, board: Board, view: View, line: int) -> None:
    unit, now, num_agents = problem.means[UNIT], state.clock[NOW], len(state.agents)
    num_tasks, left = _count_known(problem, state)
    event = known_event(state)
    view.world[line, 0] = now / unit
    view.world[line, 1] = board.numbers[VALUE] / unit
    view.world[line, 2] = left / max(num_tasks, 1)
    view.world[line, 3] = np.log(1.0 + state.clock[NUM_OPEN])
    view.world[line, 4] = _count_asked(work, board.numbers[COUNT]) / num_agents
    view.world[line, 5] = 1.0 if next_event(problem, state) < FAR else 0.0
    view.world[line, 6] = (event - now) / unit if event < FAR else 0.0
    view.world[line, 7] = np.log(max(num_tasks, 1))
    view.world[line, 8] = np.log(num_agents)


@jit
def _count_asked(work: Work, count: int) -> int:
    """Number of agents that have a candidate; the rows of an agent stand together."""
    asked, before = 0, NONE
    for row in range(count):
        if work.found.table[row, AGENT] != before:
            before = work.found.table[row, AGENT]
            asked += 1
    return asked


@jit
def _count_known(problem: Problem, state: State) -> tuple[int, int]:
    """Numbers of tasks that agents know of: all of them, and those with pieces left."""
    num_tasks, left = 0, 0
    for number in range(state.clock[NUM_REVEALED]):
        job = problem.reveals[number]
        num_tasks += problem.jobs[job, TASK_HI] - problem.jobs[job, TASK_LO]
        left += state.jobs[job, LEFT]
    return num_tasks, left
