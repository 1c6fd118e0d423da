"""One compiled call per environment step: act, go on to the next decision, and say who can do what.

What agents see is written by a second call, only when somebody looks.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphs.features import Context, fill_row, fill_wait_row, new_context, prepare
from graphs.schema import NUM_FEATURES
from marl.envs.schema import AGENT_FEATURES, GLOBAL_FEATURES
from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import (
    FREE,
    LAST,
    LENGTH,
    LOAD,
    NONE,
    NOW,
    NUM_OPEN,
    OPEN_SLOT,
    QUEUED,
    TASKS_LEFT,
    WAITED,
    Problem,
    State,
)
from problems.simulator.candidates import (
    AGENT,
    BEGIN,
    FAR,
    TASK,
    Candidates,
    may_wait,
    new_candidates,
    next_decision,
    next_event,
)
from problems.simulator.engine import commit, objective_value, wait
from problems.simulator.jit import jit
from problems.simulator.random import uniform
from problems.simulator.switches.changeover import return_time

# Board.numbers
COUNT, VALUE = range(2)


class Order(IntEnum):
    """Whom to ask first.

    ``INDEX``     the asked agent of the lowest index
    ``SHUFFLED``  any asked agent, with equal chances
    """

    INDEX = 0
    SHUFFLED = 1


INDEX = int(Order.INDEX)

NOBODY = -1


class Board(NamedTuple):
    """What Python reads after a step, and room for it.

    Attributes
    ----------
    numbers : int64 [2]
        Candidates of all asked agents; objective of the commitments so far.
    slot_task : int64 [A, S]
        Task that an agent takes by choosing a slot, -1 where it has no candidate.
    mask : int8 [A, S + 1]
        Legal actions of each agent.
    task_slot : int64 [T]
        Slot of each task.
    features : float64 [F]
        Room for one row.
    """

    numbers: IntArray
    slot_task: IntArray
    mask: NDArray[np.int8]
    task_slot: IntArray
    features: FloatArray


class View(NamedTuple):
    """Observations of some agents, float32: candidates [A, S + 1, F], agent [A, Fa], world [A, Fg]."""

    candidates: NDArray[np.float32]
    agent: NDArray[np.float32]
    world: NDArray[np.float32]


class Work(NamedTuple):
    """The candidates of the present decision, and what their rows share."""

    found: Candidates
    context: Context


def new_work(problem: Problem) -> Work:
    """Empty work space for ``problem``."""
    return Work(new_candidates(problem), new_context(problem))


def new_board(num_agents: int, num_slots: int, task_slot: IntArray) -> Board:
    """Empty board on which all agents may only wait."""
    board = Board(
        numbers=np.zeros(2, np.int64),
        slot_task=np.full((num_agents, num_slots), NONE, np.int64),
        mask=np.zeros((num_agents, num_slots + 1), np.int8),
        task_slot=task_slot,
        features=np.zeros(NUM_FEATURES),
    )
    board.mask[:, num_slots] = 1
    return board


def new_view(num_agents: int, num_slots: int) -> View:
    """Observations full of zeros."""
    return View(
        candidates=np.zeros((num_agents, num_slots + 1, NUM_FEATURES), np.float32),
        agent=np.zeros((num_agents, len(AGENT_FEATURES)), np.float32),
        world=np.zeros((num_agents, len(GLOBAL_FEATURES)), np.float32),
    )


@jit
def decide(problem: Problem, state: State, work: Work, board: Board, candidate_filter: int) -> int:
    """Go on to the next decision; returns the number of candidates, 0 when all tasks are done."""
    count = next_decision(problem, state, candidate_filter, work.found)
    board.numbers[COUNT] = count
    board.numbers[VALUE] = objective_value(problem, state)
    return count


@jit
def act(
    problem: Problem,
    state: State,
    work: Work,
    board: Board,
    stream: NDArray[np.uint64],
    agent: int,
    slot: int,
    candidate_filter: int,
    order: int,
) -> int:
    """``agent`` chooses ``slot``; returns the agent that is asked next, ``NOBODY`` when all tasks are done.

    The choice is legal. With ``agent`` = ``NOBODY`` nothing is chosen: the first decision is looked for.
    """
    if agent != NOBODY:
        task = board.slot_task[agent, slot] if slot < board.slot_task.shape[1] else NONE
        if task == NONE:
            wait(state, agent)
        else:
            commit(problem, state, agent, task)
    count = decide(problem, state, work, board, candidate_filter)
    if count == 0:
        return NOBODY
    row = _first_row(work.found, count, order, stream)
    chosen = work.found.table[row, AGENT]
    offer(problem, state, work, board, chosen)
    return chosen


@jit
def _first_row(found: Candidates, count: int, order: int, stream: NDArray[np.uint64]) -> int:
    """Candidate row of the agent to ask: the lowest index, or any asked agent with equal chances."""
    if order == INDEX:
        return 0
    asked = 1
    for row in range(1, count):
        if found.table[row, AGENT] != found.table[row - 1, AGENT]:
            asked += 1
    skip = int(uniform(stream) * asked)
    for row in range(1, count):
        if skip == 0:
            break
        if found.table[row, AGENT] != found.table[row - 1, AGENT]:
            skip -= 1
            if skip == 0:
                return row
    return 0


@jit
def _forget(board: Board, agent: int) -> None:
    """``agent`` may only wait."""
    for slot in range(board.slot_task.shape[1]):
        board.slot_task[agent, slot] = NONE
        board.mask[agent, slot] = 0
    board.mask[agent, -1] = 1


@jit
def offer(problem: Problem, state: State, work: Work, board: Board, agent: int) -> None:
    """Write to the board what ``agent`` can do if it is the next to choose; only wait, if it is not asked."""
    count, offered = board.numbers[COUNT], 0
    _forget(board, agent)
    for row in range(count):
        if work.found.table[row, AGENT] == agent:
            task = work.found.table[row, TASK]
            board.slot_task[agent, board.task_slot[task]] = task
            board.mask[agent, board.task_slot[task]] = 1
            offered += 1
    if offered > 0:
        board.mask[agent, -1] = may_wait(problem, state, work.found, count, agent)


@jit
def offer_all(problem: Problem, state: State, work: Work, board: Board) -> None:
    """Write to the board what every agent can do when all choose at once.

    Unless an event will come, the asked agent of the lowest index may not wait: so not everybody waits for ever.
    """
    count = board.numbers[COUNT]
    for agent in range(len(board.mask)):
        _forget(board, agent)
    for row in range(count):
        agent, task = work.found.table[row, AGENT], work.found.table[row, TASK]
        board.slot_task[agent, board.task_slot[task]] = task
        board.mask[agent, board.task_slot[task]] = 1
    if count > 0 and next_event(problem, state) == FAR:
        board.mask[work.found.table[0, AGENT], -1] = 0


@jit
def act_together(
    problem: Problem,
    state: State,
    work: Work,
    board: Board,
    slots: IntArray,
    lost: NDArray[np.int8],
    candidate_filter: int,
) -> int:
    """All asked agents choose at once, ``slots`` (int64 [A]); returns the number of candidates of the next decision.

    The choices are legal. Of several agents that choose the same last piece the lowest index gets it; the others are
    marked in ``lost`` (int8 [A]).
    """
    num_slots = board.slot_task.shape[1]
    somebody = False
    for agent in range(len(slots)):
        lost[agent] = 0
        task = board.slot_task[agent, slots[agent]] if slots[agent] < num_slots else NONE
        if task == NONE:
            continue
        if state.tasks[task, OPEN_SLOT] == NONE:
            lost[agent] = 1
        else:
            commit(problem, state, agent, task)
            somebody = True
    if not somebody:
        for row in range(board.numbers[COUNT]):
            wait(state, work.found.table[row, AGENT])
    count = decide(problem, state, work, board, candidate_filter)
    offer_all(problem, state, work, board)
    return count


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
                fill_row(problem, state, work.found, row, work.context, board.features)
                _copy_features(board.features, view.candidates, line, board.task_slot[work.found.table[row, TASK]])
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
    unit, now, startable, asked = problem.unit[0], state.clock[NOW], 0, 0
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
    unit, now, num_agents, num_tasks = problem.unit[0], state.clock[NOW], len(state.agents), len(state.tasks)
    asked, before, event = 0, NOBODY, next_event(problem, state)
    for row in range(board.numbers[COUNT]):
        if work.found.table[row, AGENT] != before:
            before = work.found.table[row, AGENT]
            asked += 1
    view.world[line, 0] = now / unit
    view.world[line, 1] = board.numbers[VALUE] / unit
    view.world[line, 2] = state.clock[TASKS_LEFT] / max(num_tasks, 1)
    view.world[line, 3] = np.log(1.0 + state.clock[NUM_OPEN])
    view.world[line, 4] = asked / num_agents
    view.world[line, 5] = 1.0 if event < FAR else 0.0
    view.world[line, 6] = (event - now) / unit if event < FAR else 0.0
    view.world[line, 7] = np.log(max(num_tasks, 1))
    view.world[line, 8] = np.log(num_agents)


@jit
def last_end(problem: Problem, state: State) -> int:
    """When the last agent is done, and home where agents return, in integer time."""
    end = 0
    for agent in range(len(state.agents)):
        last = state.agents[agent, LAST]
        if last != NONE:
            end = max(end, state.agents[agent, FREE] + return_time(problem, agent, last))
    return end
