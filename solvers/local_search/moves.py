"""Moves of critical operations: which are safe, and what they are worth.

Along a critical path, operations that follow each other on one machine form blocks. Only a move to or over the edge of
a block, or to another machine, can shorten the schedule: N6 (Balas and Vazacopoulos 1998,
doi:10.1287/mnsc.44.2.262) extended to N7 (Zhang et al. 2007, doi:10.1016/j.cor.2005.12.002), and insertions on other
machines (Mastrolilli and Gambardella 2000, doi:10.1002/(SICI)1099-1425(200001/02)3:1<3::AID-JOS32>3.0.CO;2-Y).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.instance import IntArray
from problems.simulator.jit import inlined, jit
from problems.simulator.random import uniform
from solvers.local_search.shop import Plan, Shop

NO_MOVE = -1
FAR = 2**62

# The row of a choice.
VALUE, TASK, NODE, TIES, TABU_TASK, TABU_NODE, NUM_TABU = range(7)

TABU_SLOTS = 65521
"""A prime: pairs of nodes share slots so rarely that a wrong tabu does not show."""


class Memory(NamedTuple):
    """What a search remembers and the room that it needs.

    Attributes
    ----------
    tabu : int64 [TABU_SLOTS]
        Until which iteration a pair of nodes must not come about; see `slot`.
    path : int64 [T]
        The critical path, at the end of the array.
    ends : int64 [T]
        Ends of a block after a move.
    choice : int64 [7]
        The best move so far, and one of the tabu ones.
    room : int64 [N + T]
        As `solvers.local_search.times.move` needs it.
    stream : uint64 [1]
        Random numbers.
    """

    tabu: IntArray
    path: IntArray
    ends: IntArray
    choice: IntArray
    room: IntArray
    stream: np.ndarray


def new_memory(shop: Shop) -> Memory:
    """An empty memory."""
    num_tasks = len(shop.job_before)
    num_nodes = num_tasks + len(shop.available) + len(shop.release)
    path, ends = np.zeros((2, num_tasks), np.int64)
    tabu, room = np.zeros(TABU_SLOTS, np.int64), np.zeros(num_nodes + num_tasks, np.int64)
    return Memory(tabu, path, ends, np.zeros(7, np.int64), room, np.zeros(1, np.uint64))


@inlined
def slot(plan: Plan, first: int, second: int) -> int:
    """Place in the tabu list of "``first`` before ``second``", or of "operation on the machine of a node"."""
    return (first * len(plan.position) + second) % TABU_SLOTS


@jit
def critical_path(shop: Shop, plan: Plan, makespan: int, memory: Memory) -> int:
    """Write a critical path, a random one where there are several; returns where in ``memory.path`` it begins."""
    num_tasks, path, stream = len(shop.job_before), memory.path, memory.stream
    task, ties = -1, 0
    for node in range(num_tasks, num_tasks + len(shop.available)):
        last = plan.before[node]
        if last != node and plan.end[last] == makespan:
            ties += 1
            if ties == 1 or uniform(stream) * ties < 1.0:
                task = last
    place = num_tasks
    while task >= 0:
        place -= 1
        path[place] = task
        start = plan.end[task] - plan.duration[task]
        on_machine, in_job = plan.before[task], shop.job_before[task]
        by_machine = on_machine < num_tasks and plan.end[on_machine] == start
        by_job = in_job < num_tasks and plan.end[in_job] == start
        if by_machine and by_job and uniform(stream) < 0.5:
            by_machine = False
        task = on_machine if by_machine else (in_job if by_job else -1)
    return place


@inlined
def _may_follow(shop: Shop, plan: Plan, task: int, other: int) -> bool:
    """Whether no path leads from the job successor of ``task`` to ``other``, as far as times can tell."""
    after = shop.job_after[task]
    return after >= len(shop.job_before) or (
        after != other
        and (
            plan.tail[after] - plan.duration[after] < plan.tail[other]
            or plan.end[other] - plan.duration[other] < plan.end[after]
        )
    )


@inlined
def _may_precede(shop: Shop, plan: Plan, task: int, other: int) -> bool:
    """Whether no path leads from ``other`` to the job predecessor of ``task``, as far as times can tell."""
    before = shop.job_before[task]
    return before >= len(shop.job_before) or (
        before != other
        and (
            plan.end[before] - plan.duration[before] < plan.end[other]
            or plan.tail[other] - plan.duration[other] < plan.tail[before]
        )
    )


@inlined
def _value_behind(shop: Shop, plan: Plan, memory: Memory, i: int, j: int) -> int:
    """Longest path through operations i to j of the critical path once i stands right behind j (all in one block)."""
    path, ends, duration = memory.path, memory.ends, plan.duration
    task = path[i]
    end = plan.end[plan.before[task]]
    for k in range(i + 1, j + 1):
        other = path[k]
        end = max(end, plan.end[shop.job_before[other]]) + duration[other]
        ends[k] = end
    tail = max(plan.tail[plan.after[path[j]]], plan.tail[shop.job_after[task]]) + duration[task]
    value = max(end, plan.end[shop.job_before[task]]) + tail
    for k in range(j, i, -1):
        other = path[k]
        tail = max(tail, plan.tail[shop.job_after[other]]) + duration[other]
        value = max(value, ends[k] - duration[other] + tail)
    return value


@inlined
def _value_in_front(shop: Shop, plan: Plan, memory: Memory, i: int, j: int) -> int:
    """Longest path through operations i to j of the critical path once j stands right in front of i."""
    path, ends, duration = memory.path, memory.ends, plan.duration
    task = path[j]
    end = max(plan.end[plan.before[path[i]]], plan.end[shop.job_before[task]]) + duration[task]
    head = end - duration[task]
    for k in range(i, j):
        other = path[k]
        end = max(end, plan.end[shop.job_before[other]]) + duration[other]
        ends[k] = end
    tail, value = plan.tail[plan.after[task]], 0
    for k in range(j - 1, i - 1, -1):
        other = path[k]
        tail = max(tail, plan.tail[shop.job_after[other]]) + duration[other]
        value = max(value, ends[k] - duration[other] + tail)
    return max(value, head + max(tail, plan.tail[shop.job_after[task]]) + duration[task])


@inlined
def _offer(choice: IntArray, value: int, task: int, node: int, stream: np.ndarray) -> None:
    """Take the move if it is the best so far; equal ones are equally likely."""
    if value < choice[VALUE]:
        choice[VALUE], choice[TASK], choice[NODE], choice[TIES] = value, task, node, 1
    elif value == choice[VALUE]:
        choice[TIES] += 1
        if uniform(stream) * choice[TIES] < 1.0:
            choice[TASK], choice[NODE] = task, node


@inlined
def _offer_tabu(choice: IntArray, task: int, node: int, stream: np.ndarray) -> None:
    """Remember one of the tabu moves, all equally likely."""
    choice[NUM_TABU] += 1
    if uniform(stream) * choice[NUM_TABU] < 1.0:
        choice[TABU_TASK], choice[TABU_NODE] = task, node


@jit
def _look_behind(shop: Shop, plan: Plan, memory: Memory, i: int, j: int, iteration: int, best: int) -> None:
    """Offer to move operation i of the path right behind operation j of its block."""
    path, task = memory.path, memory.path[i]
    if not _may_follow(shop, plan, task, path[j]):
        return
    value = _value_behind(shop, plan, memory, i, j)
    if value >= best:
        for k in range(i + 1, j + 1):
            if memory.tabu[slot(plan, path[k], task)] > iteration:
                _offer_tabu(memory.choice, task, path[j], memory.stream)
                return
    _offer(memory.choice, value, task, path[j], memory.stream)


@jit
def _look_in_front(shop: Shop, plan: Plan, memory: Memory, i: int, j: int, iteration: int, best: int) -> None:
    """Offer to move operation j of the path right in front of operation i of its block."""
    path, task = memory.path, memory.path[j]
    if not _may_precede(shop, plan, task, path[i]):
        return
    value = _value_in_front(shop, plan, memory, i, j)
    if value >= best:
        for k in range(i, j):
            if memory.tabu[slot(plan, task, path[k])] > iteration:
                _offer_tabu(memory.choice, task, plan.before[path[i]], memory.stream)
                return
    _offer(memory.choice, value, task, plan.before[path[i]], memory.stream)


@jit
def _look_at_block(
    shop: Shop,
    plan: Plan,
    memory: Memory,
    first: int,
    last: int,
    front: bool,
    rear: bool,
    iteration: int,
    best: int,
) -> None:
    """Offer the moves of the block at ``first`` to ``last`` of the path, whose front or rear may be of no use."""
    for i in range(first, last):
        if rear:
            _look_behind(shop, plan, memory, i, last, iteration, best)
        if front and i > first:
            _look_behind(shop, plan, memory, first, i, iteration, best)
    for j in range(first + 1, last + 1):
        if front and (j > first + 1 or (last == j and not rear)):  # else the swap was offered above
            _look_in_front(shop, plan, memory, first, j, iteration, best)
        if rear and first < j < last - 1:
            _look_in_front(shop, plan, memory, j, last, iteration, best)


@jit
def _look_elsewhere(shop: Shop, plan: Plan, memory: Memory, task: int, iteration: int, best: int) -> None:
    """Offer to insert ``task`` at each safe place of the other machines that can do it."""
    num_tasks = len(shop.job_before)
    head, job_tail = plan.end[shop.job_before[task]], plan.tail[shop.job_after[task]]
    for pair in range(shop.pair_ptr[task], shop.pair_ptr[task + 1]):
        machine = shop.pair_machine[pair]
        if machine == plan.machine[task]:
            continue
        is_tabu = memory.tabu[slot(plan, task, num_tasks + machine)] > iteration
        node = num_tasks + machine
        while True:
            following = plan.after[node]
            if node < num_tasks and not _may_follow(shop, plan, task, node):
                break  # nor may it follow what comes later
            if following >= num_tasks or _may_precede(shop, plan, task, following):
                value = max(head, plan.end[node]) + shop.pair_duration[pair] + max(job_tail, plan.tail[following])
                if is_tabu and value >= best:
                    _offer_tabu(memory.choice, task, node, memory.stream)
                else:
                    _offer(memory.choice, value, task, node, memory.stream)
            node = following
            if node >= num_tasks:
                break


@jit
def choose_move(shop: Shop, plan: Plan, memory: Memory, makespan: int, iteration: int, best: int) -> bool:
    """Put the best move of a critical path into ``memory.choice``; False if there is none.

    A move that is tabu counts only if it promises less than ``best``; where all are tabu, one of them is taken.
    """
    num_tasks, path, choice = len(shop.job_before), memory.path, memory.choice
    choice[VALUE], choice[TASK], choice[TIES], choice[NUM_TABU] = FAR, NO_MOVE, 0, 0
    start = critical_path(shop, plan, makespan, memory)
    first = start
    while first < num_tasks:
        last = first
        while last + 1 < num_tasks and plan.after[path[last]] == path[last + 1]:
            last += 1
        if last > first:
            begins = plan.end[path[first]] - plan.duration[path[first]]
            front = first > start or begins > shop.available[plan.machine[path[first]]]
            _look_at_block(shop, plan, memory, first, last, front, last + 1 < num_tasks, iteration, best)
        first = last + 1
    if len(shop.pair_machine) > num_tasks:
        for index in range(start, num_tasks):
            _look_elsewhere(shop, plan, memory, path[index], iteration, best)
    if choice[TASK] == NO_MOVE and choice[NUM_TABU] > 0:
        choice[TASK], choice[NODE] = choice[TABU_TASK], choice[TABU_NODE]
    return choice[TASK] != NO_MOVE
