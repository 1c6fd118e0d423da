"""Every rule that the data of an instance must keep, in one place."""

from __future__ import annotations

import numpy as np

from problems.errors import InstanceError
from problems.instance import NO_STATE, NO_TIME, Instance, IntArray

LARGEST_SUM = 2**62
"""Sums of times must stay below this, so that no 64-bit sum in the simulator or in CP-SAT wraps around."""


MOST_PIECES = 10_000_000
"""Most rows that a schedule may have, so that a slip of the pen does not fill the memory."""


def validate(instance: Instance) -> None:
    """Raise `InstanceError` naming the first rule that ``instance`` breaks."""
    _check_shapes(instance)
    _check_indices(instance)
    _check_eligibility(instance)
    _check_times(instance)
    _check_acyclic(instance)
    _check_changeover(instance)
    _check_waves(instance)
    _check_resources(instance)
    _check_sums(instance)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InstanceError(message)


def _require_pointer(field: str, pointer: IntArray, size: int) -> None:
    rising = pointer[0] == 0 and pointer[-1] == size and bool(np.all(np.diff(pointer) >= 0))
    _require(rising, f"{field} must rise from 0 to {size}")


def _check_shapes(instance: Instance) -> None:
    A, J, T = instance.num_agents, instance.num_jobs, instance.num_tasks
    _require(instance.scale >= 1, f"scale is {instance.scale}; it must be a positive integer")
    lengths = {
        "agent_available": A,
        "job_release": J,
        "job_reveal": J,
        "job_due": J,
        "job_deadline": J,
        "job_weight": J,
        "task_pieces": T,
        "eligible_ptr": T + 1,
        "predecessor_ptr": T + 1,
        "eligible_duration": len(instance.eligible_agent),
    }
    for field, length in lengths.items():
        found = getattr(instance, field).shape
        _require(found == (length,), f"{field} has shape {found}; expected ({length},)")
    _require_pointer("eligible_ptr", instance.eligible_ptr, len(instance.eligible_agent))
    _require_pointer("predecessor_ptr", instance.predecessor_ptr, len(instance.predecessor_task))
    _require(len(set(instance.agent_names)) == A, "agent_names must differ from each other")


def _check_indices(instance: Instance) -> None:
    def within(field: str, values: IntArray, size: int) -> None:
        bad = values[(values < 0) | (values >= size)]
        _require(len(bad) == 0, f"{field} holds {bad[0] if len(bad) else ''}; allowed are 0 to {size - 1}")

    within("task_job", instance.task_job, instance.num_jobs)
    within("eligible_agent", instance.eligible_agent, instance.num_agents)
    within("predecessor_task", instance.predecessor_task, instance.num_tasks)


def _check_eligibility(instance: Instance) -> None:
    for task in range(instance.num_tasks):
        agents, _ = instance.eligible(task)
        if len(agents) == 0:
            raise InstanceError(f"{describe_task(instance, task)} has no eligible agent")
        if not np.all(agents[1:] > agents[:-1]):
            raise InstanceError(f"{describe_task(instance, task)} must list its agents in increasing order, once")


def _check_times(instance: Instance) -> None:
    for field in ("agent_available", "job_release", "job_reveal", "job_weight", "eligible_duration"):
        values = getattr(instance, field)
        _require(
            bool(np.all(values >= 0)),
            f"{field} holds {values.min() if len(values) else 0}; it must not be negative",
        )
    for field in ("job_due", "job_deadline"):
        values = getattr(instance, field)
        _require(
            bool(np.all(values >= NO_TIME)),
            f"{field} holds {values.min() if len(values) else 0}; use {NO_TIME} for none",
        )
    _require(bool(np.all(instance.task_pieces >= 1)), "task_pieces must be at least 1")
    pieces = sum(instance.task_pieces.tolist())
    _require(pieces <= MOST_PIECES, f"task_pieces add up to {pieces}; at most {MOST_PIECES} are planned")
    _require(instance.moving_delay >= 0, f"moving_delay is {instance.moving_delay}; it must not be negative")


def _check_acyclic(instance: Instance) -> None:
    """Kahn's algorithm; a cycle is named by its tasks."""
    waiting = np.diff(instance.predecessor_ptr).copy()
    pointer, follower = instance.successors
    stack = [int(task) for task in np.flatnonzero(waiting == 0)]
    done = 0
    while stack:
        task = stack.pop()
        done += 1
        for after in follower[pointer[task] : pointer[task + 1]]:
            waiting[after] -= 1
            if waiting[after] == 0:
                stack.append(int(after))
    if done < instance.num_tasks:
        cycle = find_cycle(instance, {int(task) for task in np.flatnonzero(waiting > 0)})
        raise InstanceError("precedence has a cycle: " + " -> ".join(describe_task(instance, task) for task in cycle))


def find_cycle(instance: Instance, blocked: set[int]) -> list[int]:
    """Walk back through blocked predecessors until a task repeats; returns the cycle in order of time."""
    path = [min(blocked)]
    while True:
        before = next(int(task) for task in instance.predecessors(path[-1]) if int(task) in blocked)
        if before in path:
            return [before, *reversed(path[path.index(before) :])]
        path.append(before)


def _check_changeover(instance: Instance) -> None:
    changeover = instance.changeover
    if changeover is None:
        _require(instance.coordinates is None, "coordinates are given without changeover times")
        return
    matrices, states, other = changeover.times.shape if changeover.times.ndim == 3 else (0, 0, -1)
    _require(states == other, f"changeover.times has shape {changeover.times.shape}; expected (K, S, S)")
    _require(bool(np.all(changeover.times >= 0)), "changeover.times must not be negative")
    for field, length, low, high in (
        ("agent_matrix", instance.num_agents, 0, matrices),
        ("task_state", instance.num_tasks, 0, states),
        ("agent_home", instance.num_agents, NO_STATE, states),
    ):
        values = getattr(changeover, field)
        _require(values.shape == (length,), f"changeover.{field} has shape {values.shape}; expected ({length},)")
        _require(
            bool(np.all((values >= low) & (values < high))),
            f"changeover.{field} must lie in {low} to {high - 1}",
        )
    if changeover.returns:
        _require(bool(np.all(changeover.agent_home != NO_STATE)), "agents that return need a home state")
    if instance.coordinates is not None:
        expected = (states, 2)
        _require(
            instance.coordinates.shape == expected,
            f"coordinates have shape {instance.coordinates.shape}; expected {expected}",
        )
        _require(bool(np.all(np.isfinite(instance.coordinates))), "coordinates must be finite")


def _check_waves(instance: Instance) -> None:
    waves = instance.waves
    if waves is None:
        return
    cells = instance.num_tasks * 3 * len(waves.levels)
    _require(
        len(waves.levels) > 0 and bool(np.all(np.diff(waves.levels) > 0)),
        "waves.levels must increase and not be empty",
    )
    _require(
        waves.sample_ptr.shape == (cells + 1,),
        f"waves.sample_ptr has shape {waves.sample_ptr.shape}; expected ({cells + 1},)",
    )
    rising = (
        waves.sample_ptr[0] == 0
        and waves.sample_ptr[-1] == len(waves.samples)
        and bool(np.all(np.diff(waves.sample_ptr) >= 0))
    )
    _require(rising, f"waves.sample_ptr must rise from 0 to {len(waves.samples)}")
    _require(bool(np.all(waves.samples >= 0)) and waves.warm_up >= 0, "waves hold a negative time")


def _check_resources(instance: Instance) -> None:
    resources = instance.resources
    if resources is None:
        return
    count = len(resources.capacity)
    shapes = {
        "task_use": (instance.num_tasks, count),
        "changeover_use": (instance.num_agents, count),
        "operator_serves": (len(resources.operator_serves), instance.num_agents),
    }
    for field, expected in shapes.items():
        found = getattr(resources, field).shape
        _require(found == expected, f"resources.{field} has shape {found}; expected {expected}")
    for field in ("task_use", "changeover_use"):
        use = getattr(resources, field)
        fits = bool(np.all((use >= 0) & (use <= resources.capacity)))
        _require(fits, f"resources.{field} must lie between 0 and the capacity")
    largest = max(resources.capacity.tolist(), default=0)
    _require(
        2 * instance.num_pieces * largest < LARGEST_SUM,
        f"resources.capacity holds {largest}; sums of uses could pass 2^62, so use a coarser unit",
    )


def _check_sums(instance: Instance) -> None:
    """Bound the end of any semi-active schedule, in unlimited integers."""
    total = max((int(time) for time in instance.job_release), default=0)
    total += max((int(time) for time in instance.agent_available), default=0)
    longest = instance.durations.max(axis=1) if instance.num_tasks else np.zeros(0, np.int64)
    step = instance.moving_delay
    if instance.changeover is not None and instance.changeover.times.size:
        step += 2 * int(instance.changeover.times.max())
    if instance.waves is not None and len(instance.waves.samples):
        longest = np.maximum(longest, instance.waves.samples.max() + instance.waves.warm_up)
    total += sum(int(pieces) * (int(time) + step) for pieces, time in zip(instance.task_pieces, longest, strict=True))
    total *= max(1, sum(int(value) for value in instance.job_weight))
    _require(
        total < LARGEST_SUM,
        f"the numbers are too large: sums of times can reach {total}, the limit is 2^62; use a coarser unit of time",
    )


def describe_task(instance: Instance, task: int) -> str:
    """Name a task as people count it: its job's name and its 1-based position in the job."""
    job = int(instance.task_job[task])
    position = int(np.count_nonzero(instance.task_job[:task] == job)) + 1
    return f"job {instance.job_names[job]}, task {position}"
