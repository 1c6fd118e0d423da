"""Which task a slot of each agent means now, and which slots are legal: what Python reads after a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphs.schema import NUM_FEATURES
from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import JOB, NONE, ROUND_LEFT, Problem, State
from problems.simulator.candidates import AGENT, FAR, TASK, Candidates, may_wait, next_event
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.service import demand, executors_of

# Board.numbers
COUNT, VALUE, BY_AGE = range(3)


class Board(NamedTuple):
    """What Python reads after a step, and room for it.

    Attributes
    ----------
    numbers : int64 [3]
        Candidates of all asked agents; objective of the commitments so far; whether slots go to the oldest candidates
        of each agent instead of being fixed.
    slot_task : int64 [A, S / L]
        Task that an agent takes by choosing one of the L slots from slot L * i on, -1 where it has no candidate.
    limits : int64 [L]
        Parallelism limit under which a slot of the task commits it; a single 0 where a choice is for one agent.
    mask : int8 [A, S + 1]
        Legal actions of each agent.
    hidden : int64 [A]
        Candidates of each agent that have no slot.
    task_slot : int64 [T]
        Slot of each task; where slots go to the oldest, its rank by age.
    features : float64 [F]
        Room for one row.
    """

    numbers: IntArray
    slot_task: IntArray
    limits: IntArray
    mask: NDArray[np.int8]
    hidden: IntArray
    task_slot: IntArray
    features: FloatArray


def new_board(num_agents: int, num_slots: int, task_slot: IntArray, by_age: bool, limits: IntArray) -> Board:
    """Empty board on which all agents may only wait."""
    board = Board(
        numbers=np.array([0, 0, by_age], np.int64),
        slot_task=np.full((num_agents, num_slots // len(limits)), NONE, np.int64),
        limits=limits,
        mask=np.zeros((num_agents, num_slots + 1), np.int8),
        hidden=np.zeros(num_agents, np.int64),
        task_slot=task_slot,
        features=np.zeros(NUM_FEATURES),
    )
    board.mask[:, num_slots] = 1
    return board


@jit
def offer(problem: Problem, state: State, found: Candidates, board: Board, agent: int) -> None:
    """Write to the board what ``agent`` can do if it is the next to choose; only wait, if it is not asked."""
    count, offered = board.numbers[COUNT], 0
    _forget(board, agent)
    for row in range(count):
        if found.table[row, AGENT] == agent:
            _place(board, agent, found.table[row, TASK])
            offered += 1
    if offered > 0:
        _allow(problem, state, board, agent)
        board.mask[agent, -1] = may_wait(problem, state, found, count, agent)


@jit
def offer_all(problem: Problem, state: State, found: Candidates, board: Board) -> None:
    """Write to the board what every agent can do when all choose at once.

    Unless an event will come, the asked agent of the lowest index may not wait: so not everybody waits for ever.
    """
    count = board.numbers[COUNT]
    for agent in range(len(board.mask)):
        _forget(board, agent)
    for row in range(count):
        _place(board, found.table[row, AGENT], found.table[row, TASK])
    for agent in range(len(board.mask)):
        _allow(problem, state, board, agent)
    if count > 0 and next_event(problem, state) == FAR:
        board.mask[found.table[0, AGENT], -1] = 0


@jit
def _forget(board: Board, agent: int) -> None:
    """``agent`` may only wait."""
    board.slot_task[agent, :] = NONE
    board.mask[agent, :] = 0
    board.mask[agent, -1] = 1
    board.hidden[agent] = 0


@jit
def _place(board: Board, agent: int, task: int) -> None:
    """Give a candidate of ``agent`` its slot; where slots go to the oldest, a younger one moves on or out."""
    if board.numbers[BY_AGE] == 0:
        slot = board.task_slot[task]
    else:
        slot = board.slot_task.shape[1] - 1
        if board.slot_task[agent, slot] != NONE:
            board.hidden[agent] += 1
            if not _is_older(board, task, board.slot_task[agent, slot]):
                return
        while slot > 0 and _is_older(board, task, board.slot_task[agent, slot - 1]):
            board.slot_task[agent, slot] = board.slot_task[agent, slot - 1]
            slot -= 1
    board.slot_task[agent, slot] = task


@jit
def _allow(problem: Problem, state: State, board: Board, agent: int) -> None:
    """Make the slots of all tasks on offer legal; of several limits, those that give more agents than the last one."""
    levels = len(board.limits)
    for slot in range(board.slot_task.shape[1]):
        task, given = board.slot_task[agent, slot], 0
        if task == NONE:
            continue
        for level in range(levels):
            count = _count_given(problem, state, task, board.limits[level])
            board.mask[agent, slot * levels + level] = count > given
            given = max(given, count)


@jit
def _count_given(problem: Problem, state: State, task: int, limit: int) -> int:
    """Number of agents that ``task`` gets under a parallelism limit; one where there is none (0)."""
    if limit == 0:
        return 1
    room = limit - executors_of(state, problem.tasks[task, JOB])
    return min(demand(state, task), room, state.clock[ROUND_LEFT])


@inlined
def _is_older(board: Board, task: int, other: int) -> bool:
    """Whether ``task`` has been known for longer than ``other``; any task is older than an empty slot."""
    return other == NONE or board.task_slot[task] < board.task_slot[other]


@jit
def slot_of(board: Board, agent: int, task: int) -> int:
    """First slot by which ``agent`` chooses ``task``, -1 where it has none."""
    levels = len(board.limits)
    if board.numbers[BY_AGE] == 0:
        return board.task_slot[task] * levels
    for slot in range(board.slot_task.shape[1]):
        if board.slot_task[agent, slot] == task:
            return slot * levels
    return NONE


@inlined
def chosen_task(board: Board, agent: int, slot: int) -> int:
    """Task that ``agent`` chooses by ``slot``, -1 for waiting."""
    place = slot // len(board.limits)
    return board.slot_task[agent, place] if place < board.slot_task.shape[1] else NONE
