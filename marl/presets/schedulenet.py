"""Job shops as ScheduleNet (arXiv 2106.03051) sees them: the agent-task graph of one machine that is asked.

Machines decide one after the other, in random order, among the operations that can start now and waiting: play
``marl.env("jsp", ..., candidate_filter="non-delay", order="shuffled")``. The network is in
`marl.presets.schedulenet_network`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from marl.envs.episode import Episode
from problems.errors import UnsupportedError
from problems.instance import IntArray
from problems.simulator.arrays import COMPLETION, FREE, JOB, LEFT, NOW, READY, STAGE, UNIT, WAITED
from solvers.local_search.shop import unlike_shop

NODE_KINDS = ("assigned-agent", "unassigned-agent", "assigned-task", "processable-task", "unprocessable-task")
ASSIGNED_AGENT, UNASSIGNED_AGENT, ASSIGNED_TASK, PROCESSABLE_TASK, UNPROCESSABLE_TASK = range(len(NODE_KINDS))

NODE_FEATURES = (
    "is_agent",
    "is_target",
    "is_assigned",
    "is_waiting",
    "is_processable",
    "is_accessible",
    "wait_time",
    "processing_time",
    "time_to_complete",
    "operations_left",
    "completion_ratio",
)
"""Columns of a node's row.

A machine, and the one that is asked; busy, or being processed; the machine waits; the operation is the next one of its
job on the machine that is asked, and it can start there now; time that the operation has waited since the one before it
ended, its duration, and time left of what is being processed, in units of the mean duration; operations of its job that
have not ended, per machine; share of them that have ended. Zeros where a column does not apply. The paper names the
columns but not their units.
"""

NONE = -1


class MachineGraph(NamedTuple):
    """Agent-task graph of a decision, N nodes, M edges.

    Attributes
    ----------
    rows : float32 [N, 11]
        Machines first, in order, then the operations that have not ended.
    kind : int64 [N]
        Place in `NODE_KINDS`.
    edges : int64 [2, M]
        Source and target: machine and operation that it can process, both ways; operations of the same job; machines.
    edge_rows : float32 [M, 1]
        1 where the source is a machine that can process the target.
    task : int64 [N]
        Operation that a node stands for, -1 for machines.
    target
        Node of the machine that is asked.
    """

    rows: NDArray[np.float32]
    kind: IntArray
    edges: IntArray
    edge_rows: NDArray[np.float32]
    task: IntArray
    target: int


def machine_graph(episode: Episode, machine: int) -> MachineGraph:
    """Graph of the present state of a job shop, for ``machine``.

    Parameters
    ----------
    episode
        Of an environment (``env.episode``) that plays without reservations.
    machine
        The machine that is asked.

    Raises
    ------
    UnsupportedError
        If the instance is no job shop; the message names what it has instead.
    """
    _require_job_shop(episode)
    num_machines = episode.instance.num_agents
    tasks, machine_of = _left(episode), episode.instance.eligible_agent
    agent_rows, agent_kind = _machines(episode, machine)
    task_rows, task_kind = _operations(episode, machine, tasks)
    edges, can_process = _edges(episode.instance.task_job[tasks], machine_of[tasks], num_machines)
    return MachineGraph(
        np.concatenate([agent_rows, task_rows]).astype(np.float32),
        np.concatenate([agent_kind, task_kind]),
        edges,
        can_process[:, None].astype(np.float32),
        np.concatenate([np.full(num_machines, NONE), tasks]),
        machine,
    )


def _require_job_shop(episode: Episode) -> None:
    instance = episode.instance
    found = unlike_shop(instance)
    if len(instance.eligible_agent) != instance.num_tasks:
        found.append("operations with a choice of machines")
    if found:
        raise UnsupportedError(f"the preset schedulenet does not support {', '.join(found)}: '{instance.name}'")


def _ended(episode: Episode) -> IntArray:
    """Operations of each job that have ended, int64 [J]."""
    instance, state = episode.instance, episode.state
    started = np.bincount(instance.task_job, minlength=instance.num_jobs) - state.jobs[:, LEFT]
    return started - (state.jobs[:, COMPLETION] > state.clock[NOW])


def _left(episode: Episode) -> IntArray:
    """Operations that have not ended, increasing."""
    tasks = episode.problem.tasks
    return np.flatnonzero(tasks[:, STAGE] >= _ended(episode)[tasks[:, JOB]])


def _machines(episode: Episode, machine: int) -> tuple[NDArray[np.float64], IntArray]:
    """Rows and kinds of the machines."""
    state = episode.state
    left = np.maximum(state.agents[:, FREE] - state.clock[NOW], 0)
    rows = np.zeros((len(left), len(NODE_FEATURES)))
    rows[:, 0], rows[machine, 1], rows[:, 2] = 1.0, 1.0, left > 0
    rows[:, 3], rows[:, 8] = state.agents[:, WAITED], left / episode.problem.means[UNIT]
    return rows, np.where(left > 0, ASSIGNED_AGENT, UNASSIGNED_AGENT)


def _operations(episode: Episode, machine: int, tasks: IntArray) -> tuple[NDArray[np.float64], IntArray]:
    """Rows and kinds of the operations ``tasks``."""
    instance, state, now = episode.instance, episode.state, int(episode.state.clock[NOW])
    unit, job = episode.problem.means[UNIT], instance.task_job[tasks]
    ended, count = _ended(episode)[job], np.bincount(instance.task_job)[job]
    end = state.jobs[job, COMPLETION]
    is_next = episode.problem.tasks[tasks, STAGE] == ended
    is_assigned = is_next & (end > now)
    can_start = is_next & ~is_assigned & (instance.eligible_agent[tasks] == machine)
    rows = np.zeros((len(tasks), len(NODE_FEATURES)))
    rows[:, 2], rows[:, 4] = is_assigned, can_start
    rows[:, 5] = can_start & (state.agents[machine, FREE] <= now)
    rows[:, 6] = np.where(is_next & ~is_assigned, now - state.tasks[tasks, READY], 0) / unit
    rows[:, 7] = instance.eligible_duration[tasks] / unit
    rows[:, 8] = np.where(is_assigned, end - now, 0) / unit
    rows[:, 9], rows[:, 10] = (count - ended) / instance.num_agents, ended / count
    kind = np.where(is_assigned, ASSIGNED_TASK, np.where(is_next, PROCESSABLE_TASK, UNPROCESSABLE_TASK))
    return rows, kind


def _edges(job: IntArray, machine_of: IntArray, num_machines: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """Edges of the graph, and which of them lead from a machine to an operation that it can process."""
    nodes = num_machines + np.arange(len(job))
    same_job = (job[:, None] == job) & ~np.eye(len(job), dtype=np.bool_)
    first, second = np.nonzero(same_job)
    others = np.argwhere(~np.eye(num_machines, dtype=np.bool_)).T
    parts = [
        np.stack([machine_of, nodes]),
        np.stack([nodes, machine_of]),
        np.stack([nodes[first], nodes[second]]),
        others,
    ]
    edges = np.concatenate(parts, axis=1)
    return edges, np.arange(edges.shape[1]) < len(job)
