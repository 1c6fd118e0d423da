"""One instance being played: its arrays, and what the compiled functions read and write."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marl.envs import board, kernels, views
from marl.envs.board import BY_AGE, VALUE, new_board
from marl.envs.entry import bound
from marl.envs.kernels import Order
from marl.envs.slots import ages_of_tasks, gives_slots_by_age, slots_of_tasks
from marl.envs.views import View, new_view
from problems.bounds import best_known, lower_bound
from problems.errors import IllegalActionError
from problems.instance import Instance, IntArray
from problems.measure import in_source_unit, objective_value
from problems.objective import Objective
from problems.schedule import Schedule
from problems.simulator import Filter, compile_problem, new_state, schedule_of
from problems.simulator.arrays import TASKS_LEFT
from problems.simulator.engine import reset
from problems.simulator.random import seed_stream


class Episode:
    """State of an environment between two resets.

    Parameters
    ----------
    instance
        The problem.
    slots
        Number of slots, at least those of the instance.
    candidate_filter, order
        As in the environments.
    limits : int64 [L]
        Parallelism limits, increasing; a single 0 where a choice is for one agent.
    """

    def __init__(
        self, instance: Instance, slots: int, candidate_filter: Filter, order: Order, limits: IntArray
    ) -> None:
        self.instance, self.slots = instance, slots
        self.problem = compile_problem(instance)
        self.state = new_state(self.problem)
        self.work = kernels.new_work(self.problem)
        by_age = gives_slots_by_age(instance, slots, len(limits))
        task_slot = ages_of_tasks(instance) if by_age else slots_of_tasks(instance)
        self.board = new_board(instance.num_agents, slots, task_slot, by_age, limits)
        self.view = new_view(1, slots)
        self.stream = np.zeros(1, np.uint64)
        self._bind(int(candidate_filter), int(order))
        self._bound: int | float | None = None
        divisor = instance.scale
        if instance.objective is Objective.MEAN_FLOW_TIME:
            divisor *= max(1, instance.num_jobs)
        self._divisor = divisor
        self._grid = 1 << (divisor - 1).bit_length()

    def start(self, seed: int) -> None:
        """Go back to the empty schedule; ``seed`` decides the order of asking where it is random."""
        reset(self.problem, self.state)
        seed_stream(self.stream, seed, 0)

    @property
    def done(self) -> bool:
        """Whether all tasks are committed."""
        return bool(self.state.clock[TASKS_LEFT] == 0)

    def act(self, agent: int, slot: int) -> int:
        """Let ``agent`` choose ``slot`` (`NOBODY`: begin); returns who is asked next, `NOBODY` at the end."""
        return self._act(agent, slot, *self._options)

    def begin_together(self) -> int:
        """Look for the first decision; returns the number of its candidates."""
        count = kernels.decide(*self._arrays, self._options[0])
        board.offer_all(self.problem, self.state, self.work.found, self.board)
        return int(count)

    def act_together(self, slots: NDArray[np.int64], lost: NDArray[np.int8]) -> int:
        """Let all asked agents choose at once; returns the number of candidates of the next decision."""
        return self._act_together(slots, lost, self._options[0])

    def asked_info(self, agent: int) -> dict[str, Any]:
        """Info of an agent that may choose now."""
        info: dict[str, Any] = {"action_mask": self.board.mask[agent].copy()}
        if self.board.numbers[BY_AGE]:
            info["hidden"] = int(self.board.hidden[agent])
        return info

    def slot_of(self, agent: int, task: int) -> int:
        """Slot by which ``agent``, which is asked, chooses ``task`` now, under the smallest limit where there are any.

        Raises
        ------
        IllegalActionError
            If the task has no slot, the candidates being more than the slots.
        """
        slot = int(board.slot_of(self.board, agent, task))
        if slot < 0:
            raise IllegalActionError(
                f"task {task} has no slot: its agent has {int(self.board.hidden[agent])} candidates more than the "
                f"environment has slots ({self.slots}); make it with more slots"
            )
        return slot

    def offer(self, agent: int) -> None:
        """Write to the board what ``agent`` could choose if it were the next one."""
        self._offer(agent)

    def look(self, agent: int) -> None:
        """Write what ``agent`` sees to row 0 of the view."""
        self._look(agent)

    def look_all(self) -> View:
        """What every agent sees, in fresh arrays."""
        view = new_view(self.instance.num_agents, self.slots)
        self._look_all(view)
        return view

    def _bind(self, candidate_filter: int, order: int) -> None:
        arrays, slots = (self.problem, self.state, self.work, self.board), np.zeros(self.instance.num_agents, np.int64)
        lost = np.zeros(len(slots), np.int8)
        self._arrays, self._options = arrays, (candidate_filter, order)
        self._act = bound(kernels.act, (*arrays, self.stream), (0, 0, candidate_filter, order))
        self._act_together = bound(kernels.act_together, arrays, (slots, lost, candidate_filter))
        self._offer = bound(board.offer, (self.problem, self.state, self.work.found, self.board), (0,))
        self._look = bound(views.look, (*arrays, self.view), (0,))
        self._look_all = bound(views.look_all, arrays, (self.view,))

    def partial_objective(self) -> float:
        """Objective of the commitments so far, in the unit of the source.

        Rounded to a multiple of 2^-k, k the least with 2^k >= the divisor of the unit: so sums and differences of
        such numbers are exact in float64, in any order.
        """
        value = int(self.board.numbers[VALUE])
        if self._divisor == 1:
            return float(value)
        return float((value * self._grid + self._divisor // 2) // self._divisor) / self._grid

    def schedule(self) -> Schedule:
        """All commitments so far."""
        return schedule_of(self.state)

    def outcome(self) -> dict[str, Any]:
        """Objective, makespan, lower bound and gap of the complete schedule, in the unit of the source.

        Raises
        ------
        RuntimeError
            If tasks are left although nobody is asked; the simulator never lets that happen.
        """
        if not self.done:
            raise RuntimeError(f"nobody is asked, but tasks of instance '{self.instance.name}' are left")
        objective = objective_value(self.instance, self.schedule())
        bound = self.lower_bound()
        end = int(kernels.last_end(self.problem, self.state))
        return {
            "objective": objective,
            "makespan": self.instance.to_unit(end),
            "lower_bound": bound,
            "gap": 0.0 if objective == bound else (objective - bound) / objective,
        }

    def lower_bound(self) -> int | float:
        """Best bound known without search: the published one, else a cheap one; in the unit of the source."""
        if self._bound is None:
            known = best_known(self.instance)
            if known is not None and known.lower is not None:
                self._bound = known.lower
            else:
                self._bound = in_source_unit(self.instance, lower_bound(self.instance))
        return self._bound


def read_action(action: Any, slots: int) -> int:
    """Slot that ``action`` means.

    Raises
    ------
    IllegalActionError
        If it is no integer (floats, booleans and None are refused, NumPy integers are taken) or out of range.
    """
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if isinstance(action, bool) or not isinstance(action, int | np.integer):
        raise IllegalActionError(f"action {action!r} is no integer; expected a slot from 0 to {slots}")
    if not 0 <= action <= slots:
        raise IllegalActionError(f"action {action} is out of range; expected a slot from 0 to {slots}")
    return int(action)
