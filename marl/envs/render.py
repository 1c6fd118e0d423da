"""A schedule as text."""

from __future__ import annotations

import numpy as np

from problems.instance import Instance
from problems.schedule import Schedule


def routes_as_text(instance: Instance, schedule: Schedule) -> str:
    """One line per agent: its tasks in order, as ``job.position[start,end)`` in the unit of the source."""
    position = _positions(instance)
    lines = []
    for agent, name in enumerate(instance.agent_names):
        cells = [
            f"{instance.job_names[instance.task_job[task]]}.{position[task]}"
            f"[{instance.to_unit(start)},{instance.to_unit(end)})"
            for task, start, end in zip(
                *(column[schedule.agent == agent] for column in (schedule.task, schedule.start, schedule.end)),
                strict=True,
            )
        ]
        lines.append(f"{name}: {' '.join(cells)}".rstrip())
    return "\n".join(lines)


def _positions(instance: Instance) -> np.ndarray:
    """1-based position of each task in its job."""
    position = np.zeros(instance.num_tasks, np.int64)
    seen: dict[int, int] = {}
    for task, job in enumerate(instance.task_job.tolist()):
        seen[job] = seen.get(job, 0) + 1
        position[task] = seen[job]
    return position
