"""The arrays the compiled simulator works on: what is given (`Problem`) and what has happened (`State`).

Both are named tuples of few arrays with named columns, so that a state copies with a handful of block moves
and a compiled function takes either at little cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.instance import FloatArray, IntArray
from problems.objective import Objective

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
        Jobs in order of their reveal, then of their release.
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
