"""From a state to its agent-task graph: flat arrays of nodes and edges, filled by compiled code in room made ahead.

Nodes are all agents, the tasks with pieces left whose job is revealed, and the jobs of these tasks: what is done has
left the graph, what is not revealed is not in it, nor in any of its numbers. Notation as in `graphs.features`: t the
present instant, P the mean duration plus changeover, lb a lower bound on the time that the tasks of the graph still
take. A length x is given relative to lb, relative to P, or squashed: x / (x + P), which tells small lengths apart and
stays below 1.
"""

from __future__ import annotations

import numpy as np

from graphs.arrays import (
    ALL_TASKS,
    BOUND,
    END_NODE,
    FIRST_NODE,
    MEAN_WEIGHT,
    MEMBERS,
    NEAR,
    NUM_FIXED,
    ON_AGENT,
    ON_JOB,
    ON_TASK,
    OPEN_TASKS,
    PAIRS,
    PRECEDENCES,
    TARGET,
    TINY,
    WORK,
    Graph,
)
from graphs.schema import NUM_NEIGHBOURS
from problems.simulator.arrays import (
    ARE_ALIKE,
    COMPLETION,
    DUE,
    FREE,
    HAS_CHANGEOVER,
    HAS_MANY_SIDES,
    HEAD,
    JOB,
    JOB_WORK,
    LAST,
    LEFT,
    LENGTH,
    LOCAL,
    NEAREST,
    NONE,
    NOW,
    NUM_OPEN,
    OPEN_SLOT,
    PAIR_AGENT,
    PAIR_HI,
    PAIR_LO,
    PAIR_TIME,
    PIECES_LEFT,
    PLACE,
    READY,
    RELEASE,
    SHORTEST,
    SUCC_HI,
    SUCC_LO,
    TAIL,
    UNIT,
    WEIGHT,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.candidates import FAR
from problems.simulator.jit import jit
from problems.simulator.switches.changeover import changeover_time, return_time
from problems.simulator.switches.opens import is_revealed
from problems.simulator.switches.placement import placement


@jit
def encode(problem: Problem, state: State, graph: Graph) -> None:
    """Write the agent-task graph of ``state`` to ``graph``."""
    _list_nodes(problem, state, graph)
    _measure(problem, state, graph)
    graph.numbers[TARGET] = 1.0
    if problem.flags[HAS_CHANGEOVER]:
        _measure_routes(problem, state, graph)
    _fill_agents(problem, state, graph)
    _fill_jobs(problem, state, graph)
    _fill_tasks(problem, state, graph)
    _link_pairs(problem, state, graph)
    _link_precedences(problem, graph)
    _link_neighbours(problem, graph)


@jit
def _list_nodes(problem: Problem, state: State, graph: Graph) -> None:
    """Number the nodes, and link tasks to their jobs."""
    first_task = len(state.agents)
    first_job = first_task + len(state.tasks)
    task_node, job_node, weight = first_task, first_job, 0
    graph.job_node[:] = NONE
    for task in range(len(state.tasks)):
        job = problem.tasks[task, JOB]
        graph.task_node[task] = NONE
        if state.tasks[task, PIECES_LEFT] == 0 or not is_revealed(problem, state, job):
            continue
        if graph.job_node[job] == NONE:
            graph.job_node[job] = job_node
            graph.jobs[job_node - first_job] = job
            graph.job_base[job] = -FAR
            weight += problem.jobs[job, WEIGHT]
            job_node += 1
        graph.task_node[task] = task_node
        graph.tasks[task_node - first_task] = task
        task_node += 1
    graph.ranges[ON_AGENT, FIRST_NODE], graph.ranges[ON_AGENT, END_NODE] = 0, first_task
    graph.ranges[ON_TASK, FIRST_NODE], graph.ranges[ON_TASK, END_NODE] = first_task, task_node
    graph.ranges[ON_JOB, FIRST_NODE], graph.ranges[ON_JOB, END_NODE] = first_job, job_node
    graph.numbers[MEAN_WEIGHT] = max(weight / max(job_node - first_job, 1), 1e-9)


@jit
def _num_tasks(graph: Graph) -> int:
    return graph.ranges[ON_TASK, END_NODE] - graph.ranges[ON_TASK, FIRST_NODE]


@jit
def _measure(problem: Problem, state: State, graph: Graph) -> None:
    """Earliest starts, the work that each agent may still get, and lb."""
    now, bound = state.clock[NOW], 0
    for slot in range(state.clock[NUM_OPEN]):
        task = state.open[slot]
        if graph.task_node[task] != NONE:
            job = problem.tasks[task, JOB]
            ready = max(state.tasks[task, READY], now)
            graph.job_base[job] = max(graph.job_base[job], ready - problem.tasks[task, HEAD])
    graph.agent_totals[:] = 0
    for place in range(_num_tasks(graph)):
        task = graph.tasks[place]
        early = max(state.tasks[task, READY], now)
        is_open = state.tasks[task, OPEN_SLOT] != NONE
        if not is_open:
            early = max(early, graph.job_base[problem.tasks[task, JOB]] + problem.tasks[task, HEAD])
        graph.early[place] = early
        bound = max(bound, early - now + problem.tasks[task, SHORTEST] + problem.tasks[task, TAIL])
        low, high = problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]
        for pair in range(low, high):
            totals = graph.agent_totals[problem.pairs[pair, PAIR_AGENT]]
            totals[WORK] += state.tasks[task, PIECES_LEFT] * (problem.pairs[pair, PAIR_TIME] // (high - low))
            totals[ALL_TASKS] += 1
            totals[OPEN_TASKS] += is_open
    for agent in range(len(state.agents)):
        if graph.agent_totals[agent, ALL_TASKS] > 0:
            free_in = max(state.agents[agent, FREE] - now, 0)
            bound = max(bound, free_in + graph.agent_totals[agent, WORK])
    graph.numbers[BOUND] = max(float(bound), problem.means[UNIT])


@jit
def _measure_routes(problem: Problem, state: State, graph: Graph) -> None:
    """Lengths of the routes so far, and the length that the longest one can be expected to reach."""
    total, longest, remotest = 0.0, 0.0, 0
    for agent in range(len(state.agents)):
        length = float(state.agents[agent, LENGTH] + return_time(problem, agent, state.agents[agent, LAST]))
        graph.closing[agent] = length
        total += length
        longest = max(longest, length)
    for place in range(_num_tasks(graph)):
        task = graph.tasks[place]
        total += problem.tasks[task, NEAREST]
        remotest = max(remotest, return_time(problem, problem.pairs[problem.tasks[task, PAIR_LO], PAIR_AGENT], task))
    graph.numbers[TARGET] = max(longest, total / len(state.agents), 2.0 * remotest, problem.means[UNIT])


@jit
def _fill_agents(problem: Problem, state: State, graph: Graph) -> None:
    now, unit, bound = state.clock[NOW], problem.means[UNIT], graph.numbers[BOUND]
    per_agent = np.log((_num_tasks(graph) + 1.0) / len(state.agents))
    for agent in range(len(state.agents)):
        free_in = float(max(state.agents[agent, FREE] - now, 0))
        work = graph.agent_totals[agent, WORK]
        out = graph.rows[agent]
        out[0] = free_in / bound
        out[1] = free_in / (free_in + unit)
        out[2] = 1.0 if free_in == 0.0 else 0.0
        out[3] = work / bound
        out[4] = (free_in + work) / bound
        out[5] = np.log(graph.agent_totals[agent, OPEN_TASKS] + 1.0)
        out[6] = np.log(graph.agent_totals[agent, ALL_TASKS] + 1.0)
        out[7] = graph.closing[agent] / graph.numbers[TARGET] if problem.flags[HAS_CHANGEOVER] else 0.0
        out[8] = per_agent


@jit
def _fill_jobs(problem: Problem, state: State, graph: Graph) -> None:
    now, bound = state.clock[NOW], graph.numbers[BOUND]
    first = graph.ranges[ON_JOB, FIRST_NODE]
    for node in range(first, graph.ranges[ON_JOB, END_NODE]):
        job = graph.jobs[node - first]
        work = float(state.jobs[job, WORK_LEFT])
        out = graph.rows[node]
        out[0] = work / bound
        out[1] = np.log(state.jobs[job, LEFT] + 1.0)
        out[2] = 0.0  # longest path: its tasks fill it in
        out[3] = max(state.jobs[job, COMPLETION] - now, 0) / bound
        out[4] = 1.0 - work / max(problem.jobs[job, JOB_WORK], 1)
        out[5], out[6] = 0.0, 0.0
        if problem.jobs[job, DUE] != NONE:
            out[5], out[6] = (problem.jobs[job, DUE] - now) / bound, 1.0
        out[7] = problem.jobs[job, WEIGHT] / graph.numbers[MEAN_WEIGHT]
        out[8], out[9] = 0.0, 0.0
        if problem.flags[HAS_MANY_SIDES]:
            out[8] = state.jobs[job, LOCAL] / len(state.agents)
            out[9] = np.log1p(max(now - problem.jobs[job, RELEASE], 0) / problem.means[UNIT])


@jit
def _fill_tasks(problem: Problem, state: State, graph: Graph) -> None:
    now, unit, bound = state.clock[NOW], problem.means[UNIT], graph.numbers[BOUND]
    has_routes, first = problem.flags[HAS_CHANGEOVER], graph.ranges[ON_TASK, FIRST_NODE]
    for node in range(first, graph.ranges[ON_TASK, END_NODE]):
        task = graph.tasks[node - first]
        job = problem.tasks[task, JOB]
        early_in = float(graph.early[node - first] - now)
        path = early_in + problem.tasks[task, SHORTEST] + problem.tasks[task, TAIL]
        out, job_row = graph.rows[node], graph.rows[graph.job_node[job]]
        for column in range(NUM_FIXED):
            out[column] = graph.fixed[task, column]
        pieces = state.tasks[task, PIECES_LEFT]
        out[4] = np.log(float(pieces)) if pieces > 1 else 0.0
        out[5] = early_in / bound
        out[6] = early_in / (early_in + unit)
        out[7] = problem.tasks[task, TAIL] / bound
        out[8] = path / bound
        out[9], out[10], out[11] = 0.0, 0.0, 0.0
        if state.tasks[task, OPEN_SLOT] != NONE:
            out[9] = 1.0
            if state.tasks[task, READY] <= now:
                waited = float(now - state.tasks[task, READY])
                out[10], out[11] = 1.0, waited / (waited + unit)
        out[12], out[13] = 0.0, 0.0
        if problem.jobs[job, DUE] != NONE:
            out[12], out[13] = (problem.jobs[job, DUE] - now - path) / bound, 1.0
        out[14], out[15] = 0.0, 0.0  # nearest: `_link_neighbours` fills it in
        if has_routes:
            home = return_time(problem, problem.pairs[problem.tasks[task, PAIR_LO], PAIR_AGENT], task)
            out[15] = home / graph.numbers[TARGET]
        job_row[2] = max(job_row[2], np.float32(path / bound))


@jit
def _link_pairs(problem: Problem, state: State, graph: Graph) -> None:
    """Agents and the remaining tasks they are eligible for; tasks and their jobs.

    Alike agents would all have the same edges, so only those are linked that are free, to tasks that are open.
    """
    now, unit, bound, count = state.clock[NOW], problem.means[UNIT], graph.numbers[BOUND], 0
    has_routes, first = problem.flags[HAS_CHANGEOVER], graph.ranges[ON_TASK, FIRST_NODE]
    for place in range(_num_tasks(graph)):
        task = graph.tasks[place]
        shortest, early = problem.tasks[task, SHORTEST], graph.early[place]
        is_open = state.tasks[task, OPEN_SLOT] != NONE
        for pair in range(problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]):
            agent, duration = problem.pairs[pair, PAIR_AGENT], problem.pairs[pair, PAIR_TIME]
            if problem.flags[ARE_ALIKE] and not (is_open and state.agents[agent, FREE] <= now):
                continue
            way = changeover_time(problem, state, agent, task)
            _, start, _ = placement(problem, state, agent, task, early, way)
            delay = float(max(start - way - now, 0))
            graph.edges[count, 0], graph.edges[count, 1] = agent, first + place
            out = graph.edge_rows[count]
            out[0] = duration / unit
            out[1] = 0.0
            if duration > shortest:
                out[1] = np.log(duration / max(float(shortest), TINY * unit))
            out[2] = delay / (delay + unit)
            out[3] = way / unit
            out[4] = 1.0 if is_open and delay == 0.0 and state.agents[agent, FREE] <= now else 0.0
            if has_routes:
                length = state.agents[agent, LENGTH] + way + return_time(problem, agent, task)
                out[5] = length / graph.numbers[TARGET]
            else:
                out[5] = (start + duration + problem.tasks[task, TAIL] - now) / bound
            last = state.agents[agent, LAST]
            is_same = last != NONE and problem.tasks[last, JOB] == problem.tasks[task, JOB]
            out[6] = 1.0 if is_same and problem.flags[HAS_MANY_SIDES] else 0.0
            count += 1
    graph.edge_ptr[PAIRS], graph.edge_ptr[MEMBERS] = 0, count
    for place in range(_num_tasks(graph)):
        graph.edges[count, 0] = first + place
        graph.edges[count, 1] = graph.job_node[problem.tasks[graph.tasks[place], JOB]]
        graph.edge_rows[count, :] = 0.0
        count += 1
    graph.edge_ptr[PRECEDENCES] = count


@jit
def _link_precedences(problem: Problem, graph: Graph) -> None:
    count, first = graph.edge_ptr[PRECEDENCES], graph.ranges[ON_TASK, FIRST_NODE]
    for place in range(_num_tasks(graph)):
        task = graph.tasks[place]
        for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
            after = graph.task_node[problem.successors[slot]]
            if after != NONE:
                graph.edges[count, 0], graph.edges[count, 1] = first + place, after
                graph.edge_rows[count, :] = 0.0
                count += 1
    graph.edge_ptr[NEAR], graph.edge_ptr[NEAR + 1] = count, count


@jit
def _link_neighbours(problem: Problem, graph: Graph) -> None:
    """Each task and its nearest remaining ones, where there are changeovers."""
    if not problem.flags[HAS_CHANGEOVER]:
        return
    unit, count, first = problem.means[UNIT], graph.edge_ptr[NEAR], graph.ranges[ON_TASK, FIRST_NODE]
    for node in range(first, graph.ranges[ON_TASK, END_NODE]):
        task, found = graph.tasks[node - first], 0
        for slot in range(graph.neighbours.shape[1]):
            other = graph.neighbours[task, slot]
            if graph.task_node[other] == NONE:
                continue
            way = FAR
            for matrix in range(len(problem.changeover)):
                way = min(way, problem.changeover[matrix, problem.tasks[task, PLACE], problem.tasks[other, PLACE]])
            if found == 0:
                graph.rows[node, 14] = way / unit
            graph.edges[count, 0], graph.edges[count, 1] = graph.task_node[other], node
            graph.edge_rows[count, :] = 0.0
            graph.edge_rows[count, 0] = way / unit
            count += 1
            found += 1
            if found == NUM_NEIGHBOURS:
                break
    graph.edge_ptr[NEAR + 1] = count
