"""A shop as local search sees it: operations in chains, machines that can do them, and a plan with its times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_TIME, Instance, IntArray, Opens
from problems.objective import Objective
from problems.schedule import Schedule


class Shop(NamedTuple):
    """What does not change during a search.

    Nodes 0 to T - 1 are the operations, T to T + M - 1 stand for the machines, and T + M to T + M + J - 1 for the
    jobs. The node of a machine closes its sequence to a ring; the node of a job lies before its first and after its
    last operation.

    Attributes
    ----------
    job_before, job_after : int64 [T]
        Neighbours of each operation in its job.
    pair_ptr, pair_machine, pair_duration : int64 [T + 1], [E], [E]
        Machines that can do each operation, and how long it takes there.
    available : int64 [M]
        From when each machine may begin.
    release : int64 [J]
        From when each job may begin.
    """

    job_before: IntArray
    job_after: IntArray
    pair_ptr: IntArray
    pair_machine: IntArray
    pair_duration: IntArray
    available: IntArray
    release: IntArray


class Plan(NamedTuple):
    """A complete plan with the times that follow from it; N = T + M + J nodes.

    Attributes
    ----------
    machine, duration : int64 [N]
        Machine of each operation (the node of machine m has m), and its duration there (0 for other nodes).
    before, after : int64 [N]
        Neighbours in the ring of the machine.
    end : int64 [N]
        Earliest end of each operation; from when a machine or a job is there.
    tail : int64 [N]
        Longest path from the start of each operation to the end of the schedule; 0 for other nodes.
    order, position : int64 [T], [N]
        The operations in an order in which nothing comes before what it waits for, and where each stands in it.
    """

    machine: IntArray
    duration: IntArray
    before: IntArray
    after: IntArray
    end: IntArray
    tail: IntArray
    order: IntArray
    position: IntArray


def unlike_shop(instance: Instance) -> list[str]:
    """What keeps ``instance`` from being a shop that local search knows, in words."""
    successors = np.bincount(instance.predecessor_task, minlength=instance.num_tasks)
    features = {
        f"the objective {instance.objective}": instance.objective is not Objective.MAKESPAN,
        "changeovers (changeover)": instance.changeover is not None,
        "a moving delay (moving_delay)": instance.moving_delay > 0,
        "random durations by wave (waves)": instance.waves is not None,
        "renewable resources or operators (resources)": instance.resources is not None,
        "tasks of several pieces (task_pieces)": bool((instance.task_pieces > 1).any()),
        "stages that open when their parents are dispatched (opens)": instance.opens is not Opens.FINISHED,
        "jobs revealed after time 0 (job_reveal)": bool((instance.job_reveal > 0).any()),
        "deadlines (job_deadline)": bool((instance.job_deadline != NO_TIME).any()),
        "agents that retire early (retire)": instance.retire,
        "precedence that is not one chain per task": bool(
            (np.diff(instance.predecessor_ptr) > 1).any() or (successors > 1).any()
        ),
    }
    return [name for name, present in features.items() if present]


def compile_shop(instance: Instance) -> Shop:
    """Arrays of ``instance`` for the compiled search.

    Raises
    ------
    UnsupportedError
        If the instance is not a shop with chains and the makespan as objective; the message names what it has instead.
    """
    features = unlike_shop(instance)
    if features:
        raise UnsupportedError(f"local-search does not support {', '.join(features)}: '{instance.name}'")
    job_node = instance.num_tasks + instance.num_agents + instance.task_job
    job_before, job_after = job_node.copy(), job_node.copy()
    follower = np.repeat(np.arange(instance.num_tasks), np.diff(instance.predecessor_ptr))
    job_before[follower] = instance.predecessor_task
    job_after[instance.predecessor_task] = follower
    return Shop(
        job_before,
        job_after,
        instance.eligible_ptr.copy(),
        instance.eligible_agent.copy(),
        instance.eligible_duration.copy(),
        instance.agent_available.copy(),
        instance.job_release.copy(),
    )


def new_plan(shop: Shop) -> Plan:
    """Room for a plan."""
    num_tasks = len(shop.job_before)
    machine, duration, before, after, end, tail, position = np.zeros(
        (7, num_tasks + len(shop.available) + len(shop.release)), np.int64
    )
    machine[num_tasks : num_tasks + len(shop.available)] = np.arange(len(shop.available))
    return Plan(machine, duration, before, after, end, tail, np.zeros(num_tasks, np.int64), position)


class Sketch(NamedTuple):
    """What a plan is kept by.

    Attributes
    ----------
    order, machine : int64 [T]
        The operations in an order in which nothing comes before what it waits for, and the machine of each.
    start : int64 [T]
        Earliest start of each operation.
    """

    order: IntArray
    machine: IntArray
    start: IntArray


def sketch_of(schedule: Schedule, instance: Instance) -> Sketch:
    """The plan behind a schedule, rows in order of start, then end, then precedence."""
    machine, start, end, rank = np.zeros((4, len(schedule)), np.int64)
    machine[schedule.task], start[schedule.task], end[schedule.task] = schedule.agent, schedule.start, schedule.end
    rank[list(instance.topological_order)] = np.arange(len(rank))
    return Sketch(np.lexsort((rank, end, start)), machine, start)


def sequences(sketch: Sketch, num_machines: int) -> list[list[int]]:
    """Task order of each machine, the plan that `replay` takes."""
    plan: list[list[int]] = [[] for _ in range(num_machines)]
    for task in sketch.order.tolist():
        plan[sketch.machine[task]].append(task)
    return plan
