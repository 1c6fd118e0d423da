"""The one model: agents choose tasks. Every family is data for these arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from problems.objective import Objective

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

NO_TIME = -1
"""Stands for "no due date" or "no deadline"."""

NO_STATE = -1
"""Home state of an agent whose first changeover costs nothing."""


class Opens(StrEnum):
    """When a task becomes a candidate: its predecessors are planned to their end, or merely dispatched."""

    FINISHED = "finished"
    DISPATCHED = "dispatched"


class Serves(StrEnum):
    """How long an agent stays with a task: it decides after each piece, or goes on until no piece is left.

    ``STAGE`` is how Spark runs (arXiv 1810.01963): decisions are made for all agents of a stage that runs out of
    pieces, while some of them still work; see `problems.simulator.rounds`.
    """

    PIECE = "piece"
    STAGE = "stage"


class BetweenLevels(StrEnum):
    """Which level counts for a number of executors at which nothing was measured.

    ``BELOW`` is the next smaller one. ``INVERTED`` draws one of its two neighbours, the left one the more often the
    nearer the number is to the *right* one: a slip of the simulator of arXiv 1810.01963 that published figures contain.
    """

    BELOW = "below"
    INVERTED = "inverted"


@dataclass(frozen=True, eq=False)
class Changeover:
    """Times that an agent needs between two tasks: travel, or a sequence-dependent setup.

    Attributes
    ----------
    times : int64 [K, S, S]
        ``times[k, s, t]`` is the changeover from state s to state t under matrix k.
    agent_matrix : int64 [A]
        The matrix that each agent uses.
    task_state : int64 [T]
        The state that an agent is in once it has done the task (the city, the setup family).
    agent_home : int64 [A]
        The state of each agent at the start; ``NO_STATE`` if its first task needs no changeover.
    returns : bool
        Whether each agent that did any task goes back to its home state at the end.
    needs_task : bool
        Whether a changeover may begin only when its task is ready (not anticipatory).
    """

    times: IntArray
    agent_matrix: IntArray
    task_state: IntArray
    agent_home: IntArray
    returns: bool = False
    needs_task: bool = False


@dataclass(frozen=True, eq=False)
class Waves:
    """Random piece durations of a stage by wave (0 fresh, 1 first, 2 rest) and parallelism level.

    Attributes
    ----------
    levels : int64 [L]
        Numbers of executors at which durations were measured, increasing.
    sample_ptr : int64 [T * 3 * L + 1]
        Samples of (task, wave, level) lie at ``sample_ptr[(task * 3 + wave) * L + level]`` and the next.
    samples : int64 [*]
        Measured durations.
    warm_up : int
        Added to a fresh piece where no fresh duration was measured.
    seed : int
        A realised duration is a pure function of (seed, job, stage, piece, wave, level); see
        `problems.simulator.switches.duration`.
    between : BetweenLevels
        Which level counts between two levels.
    """

    levels: IntArray
    sample_ptr: IntArray
    samples: IntArray
    warm_up: int = 0
    seed: int = 0
    between: BetweenLevels = BetweenLevels.BELOW


@dataclass(frozen=True, eq=False)
class Resources:
    """Renewable resources, used while a task is processed or while a changeover lasts.

    Attributes
    ----------
    capacity : int64 [R]
        Units of each resource.
    task_use : int64 [T, R]
        Units that a task uses while it is processed.
    changeover_use : int64 [A, R]
        Units that a changeover on the agent uses.
    operator_serves : bool [W, A]
        Named operators and the agents they can serve; where an agent has any, each of its changeovers
        longer than 0 needs one of them.
    """

    capacity: IntArray
    task_use: IntArray
    changeover_use: IntArray
    operator_serves: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Instance:
    """An immutable scheduling problem, validated on construction.

    A agents, T tasks, J jobs, E eligible (task, agent) pairs, P precedence arcs. Times are integers;
    ``scale`` of them make one unit of the source, in which objectives are reported.

    Attributes
    ----------
    name, family
        Free name; family name ("jsp", "mtsp", ..., or "custom" for a problem of no family).
    objective
        What is minimised.
    agent_names, agent_available : A names, int64 [A]
        From when each agent may begin.
    job_names, job_release, job_reveal, job_due, job_deadline, job_weight : J names, int64 [J]
        From when tasks of the job may start; from when agents know of it; ``NO_TIME`` stands for none.
    task_job, task_pieces : int64 [T]
        The job of a task; its number of identical pieces (1 except for stages of a DAG job).
    eligible_ptr, eligible_agent, eligible_duration : int64 [T + 1], [E], [E]
        Agents that can process task i, increasing, with its expected duration there, at
        ``eligible_ptr[i]:eligible_ptr[i + 1]``.
    predecessor_ptr, predecessor_task : int64 [T + 1], [P]
        Tasks that must end before task i starts.
    changeover, moving_delay, waves, resources
        Switches that are off (None, 0) unless the family has them. ``moving_delay`` is the time an agent
        needs when its next task belongs to another job.
    opens
        When a task becomes a candidate.
    serves
        How long an agent stays with a task.
    retire
        Whether an agent may leave for good before all tasks are done.
    coordinates : float64 [S, 2] or None
        Places of the changeover states; then route lengths are recomputed on real Euclidean distances.
    scale
        Integer time units per unit of the source.

    Raises
    ------
    InstanceError
        If the data contradict each other; the message names the field, the value and the rule.
    """

    name: str
    family: str
    objective: Objective
    agent_names: tuple[str, ...]
    agent_available: IntArray
    job_names: tuple[str, ...]
    job_release: IntArray
    job_reveal: IntArray
    job_due: IntArray
    job_deadline: IntArray
    job_weight: IntArray
    task_job: IntArray
    task_pieces: IntArray
    eligible_ptr: IntArray
    eligible_agent: IntArray
    eligible_duration: IntArray
    predecessor_ptr: IntArray
    predecessor_task: IntArray
    changeover: Changeover | None = None
    moving_delay: int = 0
    waves: Waves | None = None
    resources: Resources | None = None
    opens: Opens = Opens.FINISHED
    serves: Serves = Serves.PIECE
    retire: bool = False
    coordinates: FloatArray | None = None
    scale: int = 1

    def __post_init__(self) -> None:
        from problems.validate import validate

        for part in (self, self.changeover, self.waves, self.resources):
            if part is not None:
                _freeze_arrays(part)
        validate(self)

    @property
    def num_agents(self) -> int:
        """Number of agents, A."""
        return len(self.agent_names)

    @property
    def num_jobs(self) -> int:
        """Number of jobs, J."""
        return len(self.job_names)

    @property
    def num_tasks(self) -> int:
        """Number of tasks, T."""
        return len(self.task_job)

    @property
    def num_pieces(self) -> int:
        """Number of rows of a complete schedule: the pieces of all tasks."""
        return int(self.task_pieces.sum())

    @property
    def is_online(self) -> bool:
        """Whether something is revealed only as time goes on: jobs, or durations."""
        return self.waves is not None or bool((self.job_reveal > 0).any())

    @cached_property
    def durations(self) -> IntArray:
        """Duration of each task on each agent, int64 [T, A]; -1 where the agent is not eligible."""
        matrix = np.full((self.num_tasks, self.num_agents), -1, np.int64)
        task = np.repeat(np.arange(self.num_tasks), np.diff(self.eligible_ptr))
        matrix[task, self.eligible_agent] = self.eligible_duration
        return _read_only(matrix)

    @cached_property
    def successors(self) -> tuple[IntArray, IntArray]:
        """Precedence seen from the other end: CSR pointer int64 [T + 1] and tasks int64 [P]."""
        follower = np.repeat(np.arange(self.num_tasks), np.diff(self.predecessor_ptr))
        order = np.argsort(self.predecessor_task, kind="stable")
        counts = np.bincount(self.predecessor_task, minlength=self.num_tasks)
        pointer = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return _read_only(pointer), _read_only(follower[order].astype(np.int64))

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """All tasks, each after its predecessors."""
        pointer, follower = self.successors
        waiting = np.diff(self.predecessor_ptr)
        order = [int(task) for task in np.flatnonzero(waiting == 0)]
        for task in order:
            for after in follower[pointer[task] : pointer[task + 1]]:
                waiting[after] -= 1
                if waiting[after] == 0:
                    order.append(int(after))
        return tuple(order)

    def predecessors(self, task: int) -> IntArray:
        """Tasks that must end before ``task`` starts."""
        return self.predecessor_task[self.predecessor_ptr[task] : self.predecessor_ptr[task + 1]]

    def eligible(self, task: int) -> tuple[IntArray, IntArray]:
        """Eligible agents of ``task`` and its durations on them."""
        part = slice(self.eligible_ptr[task], self.eligible_ptr[task + 1])
        return self.eligible_agent[part], self.eligible_duration[part]

    def to_unit(self, time: int) -> int | float:
        """Turn an integer time of the model into the unit of the source (an int where it is exact)."""
        whole, rest = divmod(int(time), self.scale)
        return whole if rest == 0 else int(time) / self.scale

    def replace(self, **changes: Any) -> Instance:
        """Copy with some fields changed; the copy is validated anew."""
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        return _equal(self, other)

    def __hash__(self) -> int:
        return hash((self.name, self.family, self.num_agents, self.num_tasks))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _freeze_arrays(part: Any) -> None:
    """Give every array of a dataclass its declared dtype and forbid writing to it."""
    for field in fields(part):
        value = getattr(part, field.name)
        if not isinstance(value, np.ndarray):
            continue
        dtype = {"coordinates": np.float64, "operator_serves": np.bool_}.get(field.name, np.int64)
        object.__setattr__(part, field.name, _read_only(np.array(value, dtype=dtype)))


def _equal(left: Any, right: Any) -> bool:
    """Compare two dataclasses of arrays field by field."""
    if type(left) is not type(right):
        return False
    for field in fields(left):
        a, b = getattr(left, field.name), getattr(right, field.name)
        if isinstance(a, Changeover | Waves | Resources):
            same = _equal(a, b)
        elif isinstance(a, np.ndarray):
            same = isinstance(b, np.ndarray) and np.array_equal(a, b)
        else:
            same = a == b
        if not same:
            return False
    return True
