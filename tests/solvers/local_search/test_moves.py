"""Moves keep the plan right: no cycles, and times equal to those of a plain recomputation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from local_shops import random_shop

from problems.generators import random_job_shop
from problems.instance import Instance
from problems.measure import integer_objective
from problems.simulator import replay
from problems.simulator.random import seed_stream
from solvers.budget import Budget
from solvers.local_search.moves import FAR, NODE, TASK, VALUE, choose_move, critical_path, new_memory
from solvers.local_search.shop import Plan, compile_shop, new_plan, sketch_of
from solvers.local_search.times import load_plan, move
from solvers.registry import get_solver

DEDICATED = [
    *(pytest.param(random_shop(10, 4, seed), id=f"dedicated-{seed}") for seed in range(4)),
    pytest.param(random_job_shop(10, 6, 3), id="job-shop"),
]
FLEXIBLE = [pytest.param(random_shop(10, 4, seed, flexibility=3), id=f"flexible-{seed}") for seed in range(4)]


def first_plan(instance: Instance):
    """The plan of a rule, with its shop, a memory and its makespan."""
    shop = compile_shop(instance)
    plan, memory = new_plan(shop), new_memory(shop)
    seed_stream(memory.stream, 1, 0)
    sketch = sketch_of(get_solver("lpt")(instance, Budget(), 0).schedule, instance)
    return shop, plan, memory, load_plan(shop, plan, sketch.order, sketch.machine)


def plain_ends(instance: Instance, orders: list[list[int]], duration) -> dict[int, int]:
    """Earliest ends by repeated passes over jobs and machines, sharing nothing with the search."""
    ends = dict.fromkeys(range(instance.num_tasks), 0)
    for _ in range(instance.num_tasks + 1):
        for agent, order in enumerate(orders):
            free = int(instance.agent_available[agent])
            for task in order:
                ready = max([int(instance.job_release[instance.task_job[task]]), free])
                ready = max([ready, *(ends[int(before)] for before in instance.predecessors(task))])
                free = ends[task] = ready + duration(task, agent)
    return ends


def orders_of(instance: Instance, plan: Plan) -> list[list[int]]:
    """Task order of each machine, read from the links."""
    orders = []
    for agent in range(instance.num_agents):
        node, order = int(plan.after[instance.num_tasks + agent]), []
        while node < instance.num_tasks:
            order.append(node)
            node = int(plan.after[node])
        orders.append(order)
    return orders


@pytest.mark.parametrize("instance", DEDICATED + FLEXIBLE)
def test_moves_keep_ends_order_and_makespan_right(instance: Instance):
    """After each of many moves the incremental times are those of a full recomputation, and of the simulator."""
    shop, plan, memory, makespan = first_plan(instance)
    moves = 0
    for iteration in range(60):
        if not choose_move(shop, plan, memory, makespan, iteration, 0):
            break
        makespan = move(shop, plan, memory.choice[TASK], memory.choice[NODE], memory.room)
        orders = orders_of(instance, plan)
        ends = plain_ends(instance, orders, lambda task, agent: int(instance.durations[task, agent]))
        assert [int(end) for end in plan.end[: instance.num_tasks]] == list(ends.values())
        schedule = replay(instance, orders)
        assert makespan == integer_objective(instance, schedule) == max(ends.values())
        assert sorted(plan.order.tolist()) == list(range(instance.num_tasks))
        assert all(plan.order[plan.position[task]] == task for task in range(instance.num_tasks))
        assert not memory.room[: len(plan.position)].any()
        moves += 1
    assert moves >= 3


@pytest.mark.parametrize("instance", DEDICATED + FLEXIBLE)
def test_tails_reach_the_end_on_the_critical_path(instance: Instance):
    """Start and tail of each critical operation add up to the makespan, and of no operation to more."""
    shop, plan, memory, makespan = first_plan(instance)
    for iteration in range(30):
        starts = plan.end[: instance.num_tasks] - plan.duration[: instance.num_tasks]
        assert (starts + plan.tail[: instance.num_tasks]).max() == makespan
        path = memory.path[critical_path(shop, plan, makespan, memory) :].tolist()
        assert all(starts[task] + plan.tail[task] == makespan for task in path)
        assert all(plan.end[one] == starts[other] for one, other in pairwise(path))
        if not choose_move(shop, plan, memory, makespan, iteration, 0):
            break
        makespan = move(shop, plan, memory.choice[TASK], memory.choice[NODE], memory.room)


@pytest.mark.parametrize("instance", [random_job_shop(10, 6, seed, low=0, high=20) for seed in range(4)])
def test_the_value_of_a_swap_is_the_longest_path_through_both(instance: Instance):
    """What a swap of neighbours promises is exact for paths through the two of them."""
    shop, plan, memory, makespan = first_plan(instance)
    swaps = 0
    for iteration in range(60):
        if not choose_move(shop, plan, memory, makespan, iteration, 0):
            break
        task, node = memory.choice[TASK], memory.choice[NODE]
        other = node if plan.after[task] == node else plan.before[task]
        is_swap = other < instance.num_tasks and node in (plan.after[task], plan.before[other])
        makespan = move(shop, plan, task, node, memory.room)
        if is_swap and memory.choice[VALUE] < FAR:
            through = [plan.end[one] - plan.duration[one] + plan.tail[one] for one in (task, other)]
            assert memory.choice[VALUE] == max(through) <= makespan
            swaps += 1
    assert swaps >= 3
