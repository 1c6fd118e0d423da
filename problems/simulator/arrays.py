"""The arrays the compiled simulator works on: what is given (`Problem`) and what has happened (`State`).

Both are named tuples of few arrays with named columns, so that a state copies with a handful of block moves
and a compiled function takes either at little cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_STATE, NO_TIME, BetweenLevels, FloatArray, Instance, IntArray, Opens, Serves
from problems.objective import Objective
from problems.simulator.waves import expected_durations

# Problem.agents
AVAILABLE, MATRIX, HOME = 0, 1, 2
# Problem.jobs
RELEASE, REVEAL, DUE, DEADLINE, WEIGHT, JOB_WORK, TASK_LO, TASK_HI, RANK = range(9)
# Problem.tasks
JOB, PIECES, PLACE, PAIR_LO, PAIR_HI, SUCC_LO, SUCC_HI, NUM_PREDS = range(8)
SHORTEST, SHORTEST_AGENT, HEAD, TAIL, TAIL_TASKS, TAIL_NEXT, NEAREST, STAGE, PRED_LO, PRED_HI = range(8, 18)
# Problem.pairs
PAIR_AGENT, PAIR_TIME = 0, 1
# Problem.flags
OBJECTIVE, HAS_CHANGEOVER, NEEDS_TASK, RETURNS, MOVING_DELAY, HAS_PRECEDENCE, IS_DEDICATED = range(7)
HAS_RESOURCES, HAS_MANY_SIDES, ARE_ALIKE = 7, 8, 9
HAS_WAVES, SEED, WARM_UP, IS_INVERTED, OPENS_EARLY, SERVES_STAGE, ASKS_ONE, IS_BELIEF = range(10, 18)
NUM_FLAGS = 18

# Problem.means
UNIT, MEAN_DURATION, MEAN_CHANGEOVER = range(3)

# State.clock
NOW, NUM_ROWS, NUM_OPEN, TASKS_LEFT, NUM_WAITED, NUM_REVEALED, NUM_USES = range(7)
ROUND_LEFT, ROUND_STAGE, ROUND_JOB, ROUND_AGENT, ROUND, SEQUENCE = range(7, 13)
# State.agents
FREE, LAST, WAITED, LENGTH, LOAD, QUEUED, UNTIL, BOUND, RUNS = range(9)
# State.tasks
PIECES_LEFT, PREDS_LEFT, READY, OPEN_SLOT, RIPE = range(5)
# State.queue
QUEUE_TASK, QUEUE_READY, QUEUE_PAIR = range(3)
# State.jobs
LEFT, COMPLETION, WORK_LEFT, LOCAL, ENDS = range(5)
# State.rows
ROW_TASK, ROW_AGENT, ROW_START, ROW_END, ROW_CHANGEOVER_START, ROW_CHANGEOVER_END, ROW_OPERATOR = range(7)
# State.uses
USE_RESOURCE, USE_START, USE_END, USE_UNITS = range(4)
# State.servers
PHASE, TARGET, ORDER, ORDER_NUMBER, SINCE, MOVED = range(6)
# State.stages
ORDERED, MOVING_TO, UNENDED, PREDS_UNENDED, RUNNABLE, CHOSEN = range(6)
# State.pools
COMING, STAGES_UNENDED = 0, 1

NONE = -1
OBJECTIVES = tuple(Objective)
MAKESPAN, LONGEST_ROUTE, MEAN_FLOW, TOTAL_COMPLETION, TOTAL_TARDINESS = range(5)


class Problem(NamedTuple):
    """An instance as the compiled code sees it.

    Attributes
    ----------
    agents : int64 [A, 3]
        Available from, changeover matrix, home state.
    jobs : int64 [J, 9]
        Release, reveal, due, deadline, weight, total shortest work, range of tasks in ``job_tasks``, place in
        ``reveals``.
    tasks : int64 [T, 18]
        Job, pieces, changeover state, range of eligible pairs, range of successors, number of predecessors,
        shortest duration and the agent that has it, shortest work on the longest path before and after the
        task, number of tasks on the path after it, next task on it (-1: none), shortest changeover to the task
        from another one, its place in the job, range of predecessors.
    pairs : int64 [E, 2]
        Eligible agent and duration.
    durations : int64 [T, A]
        The same as a matrix, -1 where not eligible.
    successors, predecessors : int64 [P]
    job_tasks : int64 [T]
        Tasks of each job.
    agent_tasks, agent_ptr : int64 [E], [A + 1]
        Tasks that each agent is eligible for.
    changeover : int64 [K, S, S]
        A single 0 where there is none.
    reveals : int64 [J]
        Jobs in order of their reveal.
    capacity : int64 [R + W]
        Units of each renewable resource; then 1 for each operator.
    task_use, changeover_use : int64 [T, R], [A, R]
        Units of each resource that a task uses, and that a changeover of the agent uses.
    serves : int64 [W, A]
        Whether each operator can serve each agent.
    levels, sample_ptr, samples : int64 [L], [T * 3 * L + 1], [*]
        As in `problems.instance.Waves`; empty without waves.
    expected : int64 [T, 3, A + 1]
        Mean duration of a piece by wave and number of local executors; see `problems.simulator.waves`.
    flags : int64 [18]
        Objective, has changeover, changeover needs its task, agents return, moving delay, has precedence, whether
        each task has a single eligible agent, has resources, whether jobs differ in more than their routes (several
        pieces, moving delays, due dates or weights), whether all agents are the same to all tasks, has waves, their
        seed and warm-up, whether levels are interpolated inversely, whether tasks open when their predecessors are
        dispatched, whether agents serve a stage until no piece is left, whether one of several agents that have done
        the same is asked for all, whether this is a belief: durations are the expected ones, and jobs that are not
        revealed will never come.
    means : float64 [3]
        Mean duration of a pair plus mean changeover, at least 1: the length that features are measured in; the two
        means by themselves. Of the jobs that are known first.
    """

    agents: IntArray
    jobs: IntArray
    tasks: IntArray
    pairs: IntArray
    durations: IntArray
    successors: IntArray
    predecessors: IntArray
    job_tasks: IntArray
    agent_tasks: IntArray
    agent_ptr: IntArray
    changeover: IntArray
    reveals: IntArray
    capacity: IntArray
    task_use: IntArray
    changeover_use: IntArray
    serves: IntArray
    levels: IntArray
    sample_ptr: IntArray
    samples: IntArray
    expected: IntArray
    flags: IntArray
    means: FloatArray


class State(NamedTuple):
    """A partial schedule.

    Where durations are random, ends that lie ahead are kept twice: as they are expected, for everybody to see, and as
    they will be, for the engine alone (``UNTIL``, ``RIPE``, ``ENDS``, and the rows).

    Attributes
    ----------
    clock : int64 [13]
        The present instant, rows written, open tasks, tasks with pieces left, agents that wait, jobs revealed,
        uses of resources on record. Of the round of orders in progress: agents without an order, the stage they are on
        (-1: none), the job whose pool they are in (-1: none), the agent that gave rise to it, its number; last
        sequence number given out. See `problems.simulator.switches.service`.
    agents : int64 [A, 9]
        End of the last commitment, last task, whether it waited since the last change, route length,
        work of open and future tasks it may get, length of its queue, true end of the last commitment, job that it is
        local to (-1: none), whether its last piece is not known to have ended.
    tasks : int64 [T, 5]
        Pieces left, predecessors not committed, ready time, slot in ``open`` (-1: not open), true ready time.
    jobs : int64 [J, 5]
        Tasks left, latest committed end, shortest work left, agents that are local to the job, true latest end.
    open : int64 [T]
        Tasks of revealed jobs whose predecessors are committed and that have pieces left, in no particular order.
    queue : int64 [E, 3]
        The same for each agent: task, ready time, pair; rows ``agent_ptr[a]`` and following, as many as
        ``agents[a, QUEUED]``. A scan reads one block per free agent and skips the busy ones.
    pair_slot : int64 [E]
        Row of ``queue`` that holds the pair, if its task is open.
    uses : int64 [U, 4]
        Resource (operators after the resources), start, end, units of each use that may still matter.
    servers : int64 [A or 0, 6]
        Of agents that serve stages: phase, stage it moves to, stage it is ordered to (-1: none), number of the order,
        sequence number of its last change, when its last move began.
    stages : int64 [T or 0, 6]
        Agents ordered to the stage, agents moving to it, pieces not ended, predecessors not ended, sequence number at
        which its predecessors ended, last round in which it was given its limit.
    pools : int64 [J or 0, 2]
        Agents that are ordered or moving to the job from elsewhere; stages not ended.
    rows : int64 [N, 7]
        Task, agent, start, end, changeover start and end, operator (-1: none) of each commitment.
    """

    clock: IntArray
    agents: IntArray
    tasks: IntArray
    jobs: IntArray
    open: IntArray
    queue: IntArray
    pair_slot: IntArray
    uses: IntArray
    servers: IntArray
    stages: IntArray
    pools: IntArray
    rows: IntArray


def compile_problem(instance: Instance) -> Problem:
    """Arrays of ``instance`` for the compiled simulator.

    Raises
    ------
    UnsupportedError
        If the instance has a feature that the simulator does not know.
    """
    _refuse(instance)
    changeover = instance.changeover
    matrix = np.zeros((1, 1, 1), np.int64) if changeover is None else changeover.times.copy()
    order = np.argsort(instance.eligible_agent, kind="stable")
    owner = np.repeat(np.arange(instance.num_tasks), np.diff(instance.eligible_ptr))
    counts = np.bincount(instance.eligible_agent, minlength=instance.num_agents)
    tasks = _task_table(instance, matrix)
    return Problem(
        agents=_agent_table(instance),
        jobs=_job_table(instance, tasks),
        tasks=tasks,
        pairs=np.stack([instance.eligible_agent, instance.eligible_duration], axis=1),
        durations=instance.durations.copy(),
        successors=instance.successors[1].copy(),
        predecessors=instance.predecessor_task.copy(),
        job_tasks=np.argsort(instance.task_job, kind="stable").astype(np.int64),
        agent_tasks=owner[order].astype(np.int64),
        agent_ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        changeover=matrix,
        reveals=np.argsort(instance.job_reveal, kind="stable").astype(np.int64),
        **_resource_tables(instance),
        **_wave_tables(instance),
        flags=_flags(instance),
        means=_means(instance, matrix),
    )


def _flags(instance: Instance) -> IntArray:
    flags = np.zeros(NUM_FLAGS, np.int64)
    flags[OBJECTIVE] = OBJECTIVES.index(instance.objective)
    flags[MOVING_DELAY] = instance.moving_delay
    flags[HAS_PRECEDENCE] = len(instance.predecessor_task) > 0
    flags[IS_DEDICATED] = len(instance.eligible_agent) == instance.num_tasks
    flags[OPENS_EARLY], flags[SERVES_STAGE] = instance.opens is Opens.DISPATCHED, instance.serves is Serves.STAGE
    flags[HAS_RESOURCES] = instance.resources is not None
    flags[HAS_MANY_SIDES] = instance.moving_delay > 0 or any(
        bool(differ.any())
        for differ in (instance.task_pieces > 1, instance.job_due != NO_TIME, instance.job_weight != 1)
    )
    flags[ARE_ALIKE] = _agents_are_alike(instance)
    if instance.waves is not None:
        flags[HAS_WAVES], flags[SEED], flags[WARM_UP] = 1, instance.waves.seed, instance.waves.warm_up
        flags[IS_INVERTED] = instance.waves.between is BetweenLevels.INVERTED
        flags[ASKS_ONE] = _agents_are_alike(instance) and not instance.agent_available.any()
    if instance.changeover is not None:
        flags[HAS_CHANGEOVER] = 1
        flags[NEEDS_TASK], flags[RETURNS] = instance.changeover.needs_task, instance.changeover.returns
    return flags


def _agents_are_alike(instance: Instance) -> bool:
    """Whether it makes no difference to any task which of several agents does it, but for what they did before."""
    if instance.num_agents < 2 or instance.changeover is not None or instance.resources is not None:
        return False
    everywhere = len(instance.eligible_agent) == instance.num_tasks * instance.num_agents
    return everywhere and bool((instance.durations == instance.durations[:, :1]).all())


def _are_executors(instance: Instance) -> bool:
    """Whether agents are alike, be it a single one, and need no changeovers but moves."""
    return _agents_are_alike(instance) or (instance.num_agents == 1 and instance.changeover is None)


def _wave_tables(instance: Instance) -> dict[str, IntArray]:
    waves, nothing = instance.waves, np.zeros(0, np.int64)
    return {
        "levels": nothing if waves is None else waves.levels.copy(),
        "sample_ptr": nothing if waves is None else waves.sample_ptr.copy(),
        "samples": nothing if waves is None else waves.samples.copy(),
        "expected": expected_durations(instance),
    }


def _resource_tables(instance: Instance) -> dict[str, IntArray]:
    resources = instance.resources
    if resources is None:
        return {
            "capacity": np.zeros(0, np.int64),
            "task_use": np.zeros((instance.num_tasks, 0), np.int64),
            "changeover_use": np.zeros((instance.num_agents, 0), np.int64),
            "serves": np.zeros((0, instance.num_agents), np.int64),
        }
    operators = np.ones(len(resources.operator_serves), np.int64)
    return {
        "capacity": np.concatenate([resources.capacity, operators]),
        "task_use": resources.task_use.copy(),
        "changeover_use": resources.changeover_use.copy(),
        "serves": resources.operator_serves.astype(np.int64),
    }


def _agent_table(instance: Instance) -> IntArray:
    agents = np.zeros((instance.num_agents, 3), np.int64)
    agents[:, AVAILABLE], agents[:, HOME] = instance.agent_available, NO_STATE
    if instance.changeover is not None:
        agents[:, MATRIX], agents[:, HOME] = instance.changeover.agent_matrix, instance.changeover.agent_home
    return agents


def _job_table(instance: Instance, tasks: IntArray) -> IntArray:
    work = np.zeros(instance.num_jobs, np.int64)
    np.add.at(work, instance.task_job, tasks[:, SHORTEST] * instance.task_pieces)
    ends = np.cumsum(np.bincount(instance.task_job, minlength=instance.num_jobs))
    columns = (
        instance.job_release,
        instance.job_reveal,
        instance.job_due,
        instance.job_deadline,
        instance.job_weight,
        work,
        np.concatenate([[0], ends[:-1]])[: instance.num_jobs],
        ends,
        np.argsort(np.argsort(instance.job_reveal, kind="stable")),
    )
    return np.stack(columns, axis=1).reshape(-1, 9)


def _task_table(instance: Instance, matrix: IntArray) -> IntArray:
    tasks = np.zeros((instance.num_tasks, 18), np.int64)
    if instance.num_tasks == 0:
        return tasks
    tasks[:, JOB] = instance.task_job
    tasks[:, PIECES] = instance.task_pieces
    tasks[:, PAIR_LO], tasks[:, PAIR_HI] = instance.eligible_ptr[:-1], instance.eligible_ptr[1:]
    tasks[:, SUCC_LO], tasks[:, SUCC_HI] = instance.successors[0][:-1], instance.successors[0][1:]
    tasks[:, NUM_PREDS] = np.diff(instance.predecessor_ptr)
    tasks[:, PRED_LO], tasks[:, PRED_HI] = instance.predecessor_ptr[:-1], instance.predecessor_ptr[1:]
    tasks[:, STAGE] = _places_in_jobs(instance)
    for task in range(instance.num_tasks):
        agents, durations = instance.eligible(task)
        fastest = int(durations.argmin())
        tasks[task, SHORTEST], tasks[task, SHORTEST_AGENT] = durations[fastest], agents[fastest]
    if instance.changeover is not None:
        places = instance.changeover.task_state
        between = matrix[:, places][:, :, places].min(axis=0)
        np.fill_diagonal(between, np.iinfo(np.int64).max)
        tasks[:, PLACE] = places
        tasks[:, NEAREST] = between.min(axis=0) if instance.num_tasks > 1 else 0
    _fill_paths(instance, tasks)
    return tasks


def _places_in_jobs(instance: Instance) -> IntArray:
    """How many tasks of its job have a smaller number, int64 [T]."""
    order = np.argsort(instance.task_job, kind="stable")
    jobs = instance.task_job[order]
    places = np.empty(instance.num_tasks, np.int64)
    places[order] = np.arange(instance.num_tasks) - np.searchsorted(jobs, jobs)
    return places


def _refuse(instance: Instance) -> None:
    has_waves, serves_stage = instance.waves is not None, instance.serves is Serves.STAGE
    for feature, present in (
        ("return trips that use a resource or an operator", _uses_resources_to_return(instance)),
        ("random durations (waves) with resources", has_waves and instance.resources is not None),
        ("agents that serve stages (serves) and differ", serves_stage and not _are_executors(instance)),
        ("agents that serve stages with resources", serves_stage and instance.resources is not None),
        ("agents that serve stages and are not there at time 0", serves_stage and bool(instance.agent_available.any())),
        ("agents that serve stages which open late (opens)", serves_stage and instance.opens is Opens.FINISHED),
        ("jobs released after their reveal to agents that serve stages", serves_stage and _is_released_late(instance)),
        ("agents that retire early (retire)", instance.retire),
    ):
        if present:
            raise UnsupportedError(f"the simulator does not support {feature} yet; instance '{instance.name}' uses it")


def _is_released_late(instance: Instance) -> bool:
    return bool((instance.job_release > instance.job_reveal).any())


def _uses_resources_to_return(instance: Instance) -> bool:
    resources, changeover = instance.resources, instance.changeover
    if resources is None or changeover is None or not changeover.returns:
        return False
    return bool(resources.changeover_use.any()) or bool(resources.operator_serves.any())


def _fill_paths(instance: Instance, tasks: IntArray) -> None:
    """Longest paths of shortest work before and after each task."""
    order = instance.topological_order
    for task in order:
        for before in instance.predecessors(task):
            tasks[task, HEAD] = max(tasks[task, HEAD], tasks[before, HEAD] + tasks[before, SHORTEST])
    tasks[:, TAIL_NEXT] = NONE
    for task in reversed(order):
        path = tasks[task, TAIL] + tasks[task, SHORTEST]
        for before in instance.predecessors(task):
            if tasks[before, TAIL_NEXT] == NONE or path > tasks[before, TAIL]:
                tasks[before, TAIL], tasks[before, TAIL_NEXT] = path, task
                tasks[before, TAIL_TASKS] = tasks[task, TAIL_TASKS] + 1


def _means(instance: Instance, matrix: IntArray) -> FloatArray:
    is_known = instance.job_reveal == instance.job_reveal.min(initial=np.iinfo(np.int64).max)
    known = np.repeat(is_known[instance.task_job], np.diff(instance.eligible_ptr))
    duration = float(instance.eligible_duration[known].mean()) if known.any() else 0.0
    changeover = float(matrix.mean())
    return np.array([max(duration + changeover, 1.0), duration, changeover])


def belief_of(problem: Problem) -> Problem:
    """What agents believe of ``problem``: durations are as expected, and no job comes that is not revealed yet."""
    flags = problem.flags.copy()
    flags[IS_BELIEF] = 1
    return problem._replace(flags=flags)


def new_state(problem: Problem) -> State:
    """The empty schedule at time 0."""
    num_agents, num_tasks = problem.durations.shape[1], problem.durations.shape[0]
    num_rows = int(problem.tasks[:, PIECES].sum())
    uses_per_row = 2 * problem.task_use.shape[1] + 1 if problem.flags[HAS_RESOURCES] else 0
    serves = int(problem.flags[SERVES_STAGE])
    state = State(
        clock=np.zeros(13, np.int64),
        agents=np.zeros((num_agents, 9), np.int64),
        tasks=np.zeros((num_tasks, 5), np.int64),
        jobs=np.zeros((len(problem.jobs), 5), np.int64),
        open=np.zeros(num_tasks, np.int64),
        queue=np.zeros((len(problem.pairs), 3), np.int64),
        pair_slot=np.zeros(len(problem.pairs), np.int64),
        uses=np.zeros((num_rows * uses_per_row, 4), np.int64),
        servers=np.zeros((num_agents * serves, 6), np.int64),
        stages=np.zeros((num_tasks * serves, 6), np.int64),
        pools=np.zeros((len(problem.jobs) * serves, 2), np.int64),
        rows=np.zeros((num_rows, 7), np.int64),
    )
    from problems.simulator.engine import reset

    reset(problem, state)
    return state
