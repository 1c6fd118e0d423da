"""One compiled call per environment step: act, go on to the next decision, and say who can do what.

What agents see is written by a second call (`marl.envs.views`), only when somebody looks.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphs.context import Context, new_context
from marl.envs.board import COUNT, VALUE, Board, chosen_task, offer, offer_all
from problems.instance import IntArray
from problems.simulator.arrays import LAST, NONE, UNTIL, Problem, State
from problems.simulator.candidates import AGENT, Candidates, new_candidates, next_decision
from problems.simulator.engine import LEGAL, commit, commit_under, legality, objective_value, wait
from problems.simulator.jit import jit
from problems.simulator.random import uniform
from problems.simulator.switches.changeover import return_time


class Order(IntEnum):
    """Whom to ask first.

    ``INDEX``     the asked agent of the lowest index
    ``SHUFFLED``  any asked agent, with equal chances
    """

    INDEX = 0
    SHUFFLED = 1


INDEX = int(Order.INDEX)

NOBODY = -1


class Work(NamedTuple):
    """The candidates of the present decision, and what their rows share."""

    found: Candidates
    context: Context


def new_work(problem: Problem) -> Work:
    """Empty work space for ``problem``."""
    return Work(new_candidates(problem), new_context(problem))


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
        task = chosen_task(board, agent, slot)
        if task == NONE:
            wait(state, agent)
        else:
            _take(problem, state, board, agent, task, slot)
    count = decide(problem, state, work, board, candidate_filter)
    if count == 0:
        return NOBODY
    row = _first_row(work.found, count, order, stream)
    chosen = work.found.table[row, AGENT]
    offer(problem, state, work.found, board, chosen)
    return chosen


@jit
def _take(problem: Problem, state: State, board: Board, agent: int, task: int, slot: int) -> None:
    """Commit ``agent`` to ``task``, or as many agents as the limit of the slot allows."""
    limit = board.limits[slot % len(board.limits)]
    if limit == 0:
        commit(problem, state, agent, task)
    else:
        commit_under(problem, state, agent, task, limit)


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
    somebody = False
    for agent in range(len(slots)):
        lost[agent] = 0
        task = chosen_task(board, agent, slots[agent])
        if task == NONE:
            continue
        if legality(problem, state, agent, task) != LEGAL:
            lost[agent] = 1
        else:
            _take(problem, state, board, agent, task, slots[agent])
            somebody = True
    if not somebody:
        for row in range(board.numbers[COUNT]):
            wait(state, work.found.table[row, AGENT])
    count = decide(problem, state, work, board, candidate_filter)
    offer_all(problem, state, work.found, board)
    return count


@jit
def last_end(problem: Problem, state: State) -> int:
    """When the last agent is done, and home where agents return, in integer time."""
    end = 0
    for agent in range(len(state.agents)):
        last = state.agents[agent, LAST]
        if last != NONE:
            end = max(end, state.agents[agent, UNTIL] + return_time(problem, agent, last))
    return end
