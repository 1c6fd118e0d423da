"""Times of a plan, and how they change when an operation moves."""

from __future__ import annotations

from problems.instance import IntArray
from problems.simulator.jit import inlined, jit
from solvers.local_search.shop import Plan, Shop


@jit
def duration_on(shop: Shop, task: int, machine: int) -> int:
    """Duration of ``task`` on a machine that can do it."""
    for pair in range(shop.pair_ptr[task], shop.pair_ptr[task + 1]):
        if shop.pair_machine[pair] == machine:
            return shop.pair_duration[pair]
    return -1


@jit
def load_plan(shop: Shop, plan: Plan, order: IntArray, machine: IntArray) -> int:
    """Make ``plan`` the one in which each machine does its tasks as they come in ``order``; returns its makespan.

    ``order`` and ``machine`` are int64 [T]; in ``order`` no task comes before its predecessor.
    """
    num_tasks, num_machines = len(shop.job_before), len(shop.available)
    for m in range(num_machines):
        node = num_tasks + m
        plan.before[node] = plan.after[node] = node
        plan.end[node] = shop.available[m]
    for job in range(len(shop.release)):
        plan.end[num_tasks + num_machines + job] = shop.release[job]
    for index in range(num_tasks):
        task = order[index]
        plan.machine[task] = machine[task]
        plan.duration[task] = duration_on(shop, task, machine[task])
        node = num_tasks + machine[task]
        _link(plan.before, plan.after, task, plan.before[node])
        plan.order[index], plan.position[task] = task, index
    return update_times(shop, plan, 0, num_tasks - 1)


@inlined
def _link(before: IntArray, after: IntArray, task: int, node: int) -> None:
    following = after[node]
    after[node] = before[following] = task
    before[task], after[task] = node, following


@jit
def update_times(shop: Shop, plan: Plan, first: int, last: int) -> int:
    """Ends from place ``first`` of the order on, tails from place ``last`` back; returns the makespan."""
    num_tasks = len(shop.job_before)
    order, before, after, duration, end, tail = plan.order, plan.before, plan.after, plan.duration, plan.end, plan.tail
    for index in range(first, num_tasks):
        task = order[index]
        end[task] = max(end[before[task]], end[shop.job_before[task]]) + duration[task]
    for index in range(last, -1, -1):
        task = order[index]
        tail[task] = max(tail[after[task]], tail[shop.job_after[task]]) + duration[task]
    longest = 0
    for node in range(num_tasks, num_tasks + len(shop.available)):
        if before[node] != node:  # a machine without work ends nothing
            longest = max(longest, end[before[node]])
    return longest


@jit
def move(shop: Shop, plan: Plan, task: int, node: int, room: IntArray) -> int:
    """Move ``task`` to right after ``node`` (an operation or a machine) and update all; returns the makespan.

    The move must not close a cycle. ``room`` is int64 [N + T]: a mark per node, all 0, and space for tasks.
    """
    before, after = plan.before, plan.after
    after[before[task]], before[after[task]] = after[task], before[task]
    _link(before, after, task, node)
    if plan.machine[task] != plan.machine[node]:
        plan.machine[task] = plan.machine[node]
        plan.duration[task] = duration_on(shop, task, plan.machine[node])
    num_tasks, following, place = len(shop.job_before), after[task], plan.position[task]
    first = last = place
    if node < num_tasks and plan.position[node] > place:
        last = plan.position[node]
        _sink(plan.order, plan.position, before, shop.job_before, task, place, last, room)
    elif following < num_tasks and plan.position[following] < place:
        first = plan.position[following]
        _rise(plan.order, plan.position, after, shop.job_after, task, first, place, room)
    return update_times(shop, plan, first, last)


@jit
def _sink(
    order: IntArray,
    position: IntArray,
    before: IntArray,
    job_before: IntArray,
    task: int,
    first: int,
    last: int,
    room: IntArray,
) -> None:
    """Bring ``task`` and what follows from it, all at ``first`` of the order or later, behind place ``last``."""
    space = len(position)
    place, count = first, 0
    room[task] = 1
    for index in range(first, last + 1):
        other = order[index]
        if room[other] or room[before[other]] or room[job_before[other]]:
            room[other] = 1
            room[space + count] = other
            count += 1
        else:
            order[place], position[other] = other, place
            place += 1
    for index in range(count):
        other = room[space + index]
        order[place + index], position[other] = other, place + index
        room[other] = 0


@jit
def _rise(
    order: IntArray,
    position: IntArray,
    after: IntArray,
    job_after: IntArray,
    task: int,
    first: int,
    last: int,
    room: IntArray,
) -> None:
    """Bring ``task`` and what it waits for, all at place ``last`` of the order or earlier, before place ``first``."""
    space = len(position)
    place, count = last, 0
    room[task] = 1
    for index in range(last, first - 1, -1):
        other = order[index]
        if room[other] or room[after[other]] or room[job_after[other]]:
            room[other] = 1
            room[space + count] = other
            count += 1
        else:
            order[place], position[other] = other, place
            place -= 1
    for index in range(count):
        other = room[space + index]
        order[place - index], position[other] = other, place - index
        room[other] = 0
