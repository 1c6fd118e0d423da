"""Runs a CP-SAT model: limits, anytime log, and a status that is true."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ortools.sat.python import cp_model

from problems.errors import InstanceError
from problems.instance import Instance
from problems.measure import in_source_unit
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.result import LogEntry, Status

LARGEST_SEED = 2**31 - 1
"""CP-SAT takes seeds of 31 bits."""

_STATUS: dict[Any, Status] = {
    cp_model.OPTIMAL: Status.OPTIMAL,
    cp_model.FEASIBLE: Status.FEASIBLE,
    cp_model.INFEASIBLE: Status.INFEASIBLE,
    cp_model.UNKNOWN: Status.UNKNOWN,
}

_INEXACT = {status: status for status in Status} | {
    Status.OPTIMAL: Status.FEASIBLE,
    Status.INFEASIBLE: Status.UNKNOWN,
}
"""What a status of a model that leaves out schedules says of the instance."""


class Formulation(Protocol):
    """A CP-SAT model of an instance that minimises one integer variable.

    Attributes
    ----------
    exact
        Whether an optimum of the model is one of the instance. Else its bounds and proofs say nothing and are ignored.
    """

    exact: bool
    model: cp_model.CpModel
    objective: cp_model.IntVar

    def configure(self, parameters: Any, budget: Budget, polish: bool) -> None:
        """Set the solver parameters that suit the model; ``polish`` says that the hint is already a good one."""

    def hint(self, schedule: Schedule) -> None:
        """Give every variable its value in ``schedule``."""

    def schedule(self, value: Callable[[Any], int]) -> Schedule:
        """Schedule of a solution, given the value of each variable; at least as good as the solution."""


@dataclass(frozen=True)
class Outcome:
    """What CP-SAT said.

    Attributes
    ----------
    status
        What its claim about the model says of the instance.
    objective
        Value of the objective variable, None without a solution.
    bound
        Proved lower bound on it; None if infeasible, or if the model is not exact.
    schedule
        That of its best solution, or None.
    """

    status: Status
    objective: int | None
    bound: int | None
    schedule: Schedule | None


class AnytimeLog:
    """Improvements of objective and bound, in the unit of the source, with seconds since ``started``.

    Routes appear with their rounded lengths; the result itself is measured on real ones.
    """

    def __init__(self, instance: Instance, started: float) -> None:
        self._instance = instance
        self._started = started
        self.entries: list[LogEntry] = []

    def add(self, objective: float | None = None, bound: float | None = None) -> None:
        """Note the present values, integer or float, in integer time; infinite ones are not known yet."""
        known = self.entries[-1] if self.entries else LogEntry(0.0, None, None)
        entry = LogEntry(
            round(time.perf_counter() - self._started, 4),
            _better(min, known.objective, self._unit(objective, math.floor)),
            _better(max, known.bound, self._unit(bound, math.ceil)),
        )
        if entry[1:] != known[1:]:
            self.entries.append(entry)

    def _unit(self, value: float | None, rounding: Callable[[float], int]) -> int | float | None:
        if value is None or not math.isfinite(value):
            return None
        whole = value if isinstance(value, int) else rounding(value + (1e-6 if rounding is math.floor else -1e-6))
        return in_source_unit(self._instance, whole)


def _better(choose: Callable[..., Any], old: int | float | None, new: int | float | None) -> int | float | None:
    known = [value for value in (old, new) if value is not None]
    return choose(known) if known else None


class _Solutions(cp_model.CpSolverSolutionCallback):
    def __init__(self, log: AnytimeLog, exact: bool) -> None:
        super().__init__()
        self._log, self._exact = log, exact

    def on_solution_callback(self) -> None:
        self._log.add(self.objective_value, self.best_objective_bound if self._exact else None)


def run(
    formulation: Formulation,
    instance: Instance,
    budget: Budget,
    seed: int,
    log: AnytimeLog,
    polish: bool = False,
) -> Outcome:
    """Minimise within the budget's time limit and workers.

    Raises
    ------
    InstanceError
        If the numbers are too large for CP-SAT's 64-bit integers.
    """
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = budget.workers
    solver.parameters.random_seed = seed % LARGEST_SEED
    if budget.time_limit is not None:
        solver.parameters.max_time_in_seconds = budget.time_limit
    formulation.configure(solver.parameters, budget, polish)
    if formulation.exact:
        solver.best_bound_callback = lambda bound: log.add(bound=bound)
    status = solver.solve(formulation.model, _Solutions(log, formulation.exact))
    if status == cp_model.MODEL_INVALID:
        raise InstanceError(
            f"'{instance.name}' cannot be verified by CP-SAT: numbers too large; use a coarser unit of time "
            f"({formulation.model.validate().strip()})"
        )
    return _outcome(formulation, solver, _STATUS[status])


def _outcome(formulation: Formulation, solver: cp_model.CpSolver, status: Status) -> Outcome:
    """Read values only where there are any: without a solution CP-SAT returns arbitrary numbers."""
    if not formulation.exact:
        status = _INEXACT[status]
    if status is Status.INFEASIBLE:
        return Outcome(status, None, None, None)
    bound = int(solver.response_proto.inner_objective_lower_bound) if formulation.exact else None
    if status is Status.UNKNOWN:
        return Outcome(status, None, bound, None)
    return Outcome(status, solver.value(formulation.objective), bound, formulation.schedule(solver.value))
