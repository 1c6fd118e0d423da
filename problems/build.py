"""Build an `Instance` from jobs and tasks as people think of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from problems.errors import InstanceError
from problems.instance import NO_TIME, Instance
from problems.objective import Objective


@dataclass(frozen=True)
class Task:
    """One task of a job.

    Attributes
    ----------
    durations
        Expected duration by eligible agent.
    after
        Positions, within the same job, of the tasks that must end before; None means the task before it.
    pieces
        Number of identical pieces.
    """

    durations: Mapping[int, int]
    after: Sequence[int] | None = None
    pieces: int = 1


@dataclass(frozen=True)
class Job:
    """A job: tasks, and the times that bind them."""

    tasks: Sequence[Task]
    name: str | None = None
    release: int = 0
    reveal: int | None = None
    due: int = NO_TIME
    deadline: int = NO_TIME
    weight: int = 1


@dataclass
class _Csr:
    pointer: list[int] = field(default_factory=lambda: [0])
    items: list[int] = field(default_factory=list)

    def append(self, row: Sequence[int]) -> None:
        self.items.extend(row)
        self.pointer.append(len(self.items))

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.pointer, np.int64), np.array(self.items, np.int64)


def build_instance(
    name: str,
    family: str,
    agent_names: Sequence[str],
    jobs: Sequence[Job],
    objective: Objective = Objective.MAKESPAN,
    **switches: Any,
) -> Instance:
    """Flatten ``jobs`` into the arrays of an `Instance`.

    Parameters
    ----------
    name, family, agent_names, objective
        As in `Instance`.
    jobs
        Jobs in order; their tasks are numbered one job after the other.
    **switches
        Further fields of `Instance` (``changeover=``, ``scale=``, ...).

    Raises
    ------
    InstanceError
        If the jobs do not make a valid instance.
    """
    eligible, predecessors = _Csr(), _Csr()
    durations: list[int] = []
    task_job: list[int] = []
    pieces: list[int] = []
    for number, job in enumerate(jobs):
        first = len(task_job)
        for position, task in enumerate(job.tasks):
            agents = sorted(task.durations)
            eligible.append(agents)
            durations.extend(int(task.durations[agent]) for agent in agents)
            after = task.after if task.after is not None else range(max(position - 1, 0), position)
            unknown = [other for other in after if not 0 <= other < len(job.tasks)]
            if unknown:
                raise InstanceError(
                    f"job {job.name or number + 1}, task {position + 1} comes after unknown task {unknown[0]}"
                )
            predecessors.append([first + other for other in after])
            task_job.append(number)
            pieces.append(task.pieces)
    eligible_ptr, eligible_agent = eligible.arrays()
    predecessor_ptr, predecessor_task = predecessors.arrays()
    return Instance(
        name=name,
        family=family,
        objective=objective,
        agent_names=tuple(agent_names),
        agent_available=switches.pop("agent_available", np.zeros(len(agent_names), np.int64)),
        job_names=tuple(job.name if job.name is not None else str(number + 1) for number, job in enumerate(jobs)),
        job_release=np.array([job.release for job in jobs], np.int64),
        job_reveal=np.array([0 if job.reveal is None else job.reveal for job in jobs], np.int64),
        job_due=np.array([job.due for job in jobs], np.int64),
        job_deadline=np.array([job.deadline for job in jobs], np.int64),
        job_weight=np.array([job.weight for job in jobs], np.int64),
        task_job=np.array(task_job, np.int64),
        task_pieces=np.array(pieces, np.int64),
        eligible_ptr=eligible_ptr,
        eligible_agent=eligible_agent,
        eligible_duration=np.array(durations, np.int64),
        predecessor_ptr=predecessor_ptr,
        predecessor_task=predecessor_task,
        **switches,
    )
