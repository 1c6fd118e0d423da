"""Plans of what is left of a schedule, kept and improved while the schedule goes on, whoever makes it.

A completion starts from a plan of the whole instance. Whenever it is asked, it takes what has been committed since out
of that plan, improves the rest by local search, and tells which task each agent would do next. Who follows it gets a
schedule at least as good as the first plan; who does not is told what would be best from where they are.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import Instance, IntArray
from problems.simulator import schedule_of
from problems.simulator.arrays import FREE, LAST, LENGTH, NONE, NOW, PIECES_LEFT, READY, Problem, State
from solvers.budget import Budget
from solvers.local_search.ruin import begin_ruin, new_ruin_memory, ruin_and_recreate
from solvers.local_search.shop import Shop, Sketch, compile_shop, sketch_of, unlike_shop
from solvers.local_search.tabu import Searcher
from solvers.priority import Priority
from solvers.registry import get_solver
from solvers.rollout import Runner
from solvers.sequences import Legs, is_routes, legs_of, load_routes, plan_of, unlike_sequences

NO_TASK = -1


class Completion(Protocol):
    """A plan of what is left."""

    def first_tasks(self, state: State) -> IntArray:
        """The task that each agent would do next, int64 [A]; -1 for none."""


class SequenceCompletion:
    """Ruin and recreate of minmax routes, or of the loads of agents that never wait.

    Parameters
    ----------
    instance
        Of a kind that `solvers.sequences` knows.
    first, more, per_task
        Changes of the first plan per task; of later ones, in all and per task that is left.
    temperature
        How much worse a plan may become on the way, as a share of its length.
    """

    def __init__(
        self, instance: Instance, first: int = 100, more: int = 100, per_task: int = 4, temperature: float = 0.003
    ) -> None:
        self.legs, self.is_routes, self.available = legs_of(instance), is_routes(instance), instance.agent_available
        self.more, self.per_task, self.temperature = more, per_task, temperature
        self.is_two_way = self.is_routes and np.array_equal(self.legs.lengths[0], self.legs.lengths[0].T)
        found = get_solver("insertion")(instance, Budget(), 0).schedule
        assert found is not None  # what is planned here has no deadlines to miss
        self.plan, self._asked = found.sequences(instance.num_agents), 0
        self._changes = first * instance.num_tasks

    def first_tasks(self, state: State) -> IntArray:
        """See `Completion`."""
        left = np.flatnonzero(state.tasks[:, PIECES_LEFT] > 0)
        place = np.full(len(state.tasks), NO_TASK)
        place[left] = np.arange(len(left))
        kept = [[int(place[task]) for task in sequence if place[task] != NO_TASK] for sequence in self.plan]
        memory, costs, legs = new_ruin_memory(len(left), len(kept)), np.zeros(2), self._legs_left(state, left)
        load_routes(legs, memory.routes, kept)
        begin_ruin(memory, costs, 0, self._asked)
        ruin_and_recreate(legs, memory, costs, self._changes, self.temperature * costs[0])
        self.plan = [left[sequence].tolist() for sequence in plan_of(memory.best)]
        if self.is_two_way:
            self._turn(state)
        self._asked += 1
        self._changes = self.more + self.per_task * len(left)
        return np.array([sequence[0] if sequence else NO_TASK for sequence in self.plan])

    def _turn(self, state: State) -> None:
        """Drive routes that have not begun from the end that is nearer to home: either way is as long."""
        home = self.legs.lengths[0, 0]
        for agent, sequence in enumerate(self.plan):
            if sequence and state.agents[agent, LAST] == NONE and home[sequence[-1] + 1] < home[sequence[0] + 1]:
                sequence.reverse()

    def _legs_left(self, state: State, left: IntArray) -> Legs:
        """Lengths between the tasks that are left, for each agent from where it is and with what it has done."""
        numbers, num_agents = left + 1, len(state.agents)
        lengths = np.zeros((num_agents, len(left) + 1, len(left) + 1), np.int64)
        for agent, own in enumerate(self.legs.lengths[self.legs.matrix]):
            last = state.agents[agent, LAST]
            if self.is_routes:
                done = state.agents[agent, LENGTH]
            elif last == NONE:  # the legs from home hold the time from which it is available
                done = max(state.clock[NOW] - self.available[agent], 0)
            else:
                done = max(state.agents[agent, FREE], state.clock[NOW])
            at = 0 if last == NONE else last + 1
            lengths[agent, 1:, 1:] = own[np.ix_(numbers, numbers)]
            lengths[agent, 1:, 0] = own[numbers, 0]
            lengths[agent, 0, 1:] = np.where(own[at, numbers] < 0, own[at, numbers], own[at, numbers] + done)
            lengths[agent, 0, 0] = done + own[at, 0]
        return Legs(lengths, np.arange(num_agents))


class ShopCompletion:
    """Tabu search on the critical path of a job shop or a flexible one.

    Parameters
    ----------
    instance
        Of a kind that `solvers.local_search.shop` knows.
    problem
        The compiled instance.
    priority
        Makes the first plan: the best of `samples`.
    samples
        Schedules that it samples.
    first, more
        Moves of the first plan, and of later ones.
    """

    def __init__(
        self,
        instance: Instance,
        problem: Problem,
        priority: Priority,
        samples: int = 16,
        first: int = 3000,
        more: int = 40,
    ) -> None:
        self.shop, self.job = compile_shop(instance), instance.task_job
        runner = Runner(problem)
        runner.sample(priority, samples)
        sketch = sketch_of(schedule_of(runner.best), instance)
        self.order, self.machine = sketch.order, sketch.machine
        self.more, self._moves, self._asked = more, first, 0

    def first_tasks(self, state: State) -> IntArray:
        """See `Completion`."""
        is_left = state.tasks[:, PIECES_LEFT] > 0
        left = np.flatnonzero(is_left)
        place = np.full(len(is_left), NO_TASK)
        place[left] = np.arange(len(left))
        searcher = Searcher(self._shop_left(state, left, place))
        order = place[self.order[is_left[self.order]]]
        searcher.begin(Sketch(order, self.machine[left], np.zeros(len(left), np.int64)), 0, self._asked)
        searcher.run(self._moves, 0)
        best = searcher.best()
        self.order, self.machine[left] = left[best.order], best.machine
        self._asked, self._moves = self._asked + 1, self.more
        first = np.full(len(state.agents), NO_TASK)
        first[self.machine[self.order[::-1]]] = self.order[::-1]  # of several, the earliest is written last
        return first

    def _shop_left(self, state: State, left: IntArray, place: IntArray) -> Shop:
        """The shop of the operations that are left, from now on."""
        shop, now = self.shop, state.clock[NOW]
        job_node = len(left) + len(shop.available) + self.job[left]

        def linked(neighbours: IntArray) -> IntArray:
            """Neighbours in the job, numbered anew; the node of the job where they are done or there are none."""
            found = np.append(place, NO_TASK)[np.minimum(neighbours[left], len(place))]
            return np.where(found == NO_TASK, job_node, found)

        before = linked(shop.job_before)
        is_next = before == job_node
        release = np.zeros(len(shop.release), np.int64)
        release[self.job[left[is_next]]] = np.maximum(state.tasks[left[is_next], READY], now)
        pairs = np.concatenate([np.arange(shop.pair_ptr[task], shop.pair_ptr[task + 1]) for task in left])
        return Shop(
            before,
            linked(shop.job_after),
            np.append(0, np.cumsum(np.diff(shop.pair_ptr)[left])),
            shop.pair_machine[pairs],
            shop.pair_duration[pairs],
            np.maximum(state.agents[:, FREE], now),
            release,
        )


def completion_of(instance: Instance, problem: Problem, priority: Priority) -> Completion:
    """A completion of ``instance``; of a shop, from a plan that ``priority`` makes of the compiled ``problem``.

    Raises
    ------
    UnsupportedError
        If local search does not know the kind of problem; the message names what keeps the nearer kind from it.
    """
    if not unlike_sequences(instance):
        return SequenceCompletion(instance)
    if not unlike_shop(instance):
        return ShopCompletion(instance, problem, priority)
    missing = min(unlike_sequences(instance), unlike_shop(instance), key=len)
    raise UnsupportedError(f"no completion: local search does not support {', '.join(missing)}: '{instance.name}'")
