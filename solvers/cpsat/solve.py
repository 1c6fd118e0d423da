"""CP-SAT as a solver: choose a model, hint it, run it, replay its plan, tell the truth about the result.

What hinted runs report: a hint that passes the checker is an incumbent of its own, kept outside CP-SAT, because CP-SAT
may run out of time before it has even repeated a complete hint. So such a run is never worse than its hint and ends
``feasible`` even if CP-SAT found nothing. A run without a hint ends ``unknown`` with no objective in that case. A time
limit below `SHORTEST_LIMIT_FOR_RULES` leaves no time to make a hint from rules.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from problems.check import check
from problems.instance import NO_TIME, Instance
from problems.lower_bounds import lower_bound
from problems.measure import integer_objective, objective_value
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.cpsat.hints import best_rule_schedule
from solvers.result import Result, SolverError, Status, finish

if TYPE_CHECKING:
    from solvers.cpsat import engine

SHORTEST_LIMIT_FOR_RULES = 0.1
"""Seconds; with less, CP-SAT starts without a hint."""

SHARE_OF_RULES = 0.1
"""Part of the time limit that each rule may use."""

Hint = Schedule | Literal["rule"] | None


def solve_cpsat(
    instance: Instance,
    budget: Budget,
    seed: int,
    *,
    hint: Hint = "rule",
    polish: bool = False,
    name: str = "cp-sat",
) -> Result:
    """Minimise with OR-Tools CP-SAT.

    Parameters
    ----------
    instance
        The problem.
    budget
        Time limit (None: until it is proved) and workers.
    seed
        Of CP-SAT. Only one worker without a time cut repeats the same schedule; the optimum is always the same.
    hint
        A schedule to start from, ``"rule"`` for the best quick rule, or None. Hints of any quality never change the
        optimum; a schedule that fails the checker is not used.
    polish
        Whether the hint is a good one, so that improving it deserves most of the time.
    name
        Name of the solver in the result.

    Raises
    ------
    UnsupportedError
        If no model covers the instance.
    InstanceError
        If the numbers are too large for CP-SAT.
    SolverError
        If CP-SAT, the simulator and the checker disagree.
    """
    started = time.perf_counter()
    kind = choose_model(instance)
    incumbent = _incumbent(instance, kind, budget, seed, hint)
    if instance.num_tasks == 0:
        incumbent = replay(instance, [[] for _ in range(instance.num_agents)])
        return finish(instance, name, seed, _since(started), incumbent, integer_objective(instance, incumbent))
    return _solve(instance, kind, budget, seed, incumbent, polish, name, started)


def _since(started: float) -> float:
    return time.perf_counter() - started


def _incumbent(instance: Instance, kind: ModelKind, budget: Budget, seed: int, hint: Hint) -> Schedule | None:
    """The hint as a checked schedule, or None."""
    if isinstance(hint, Schedule):
        return hint if check(instance, hint).valid else None
    hurried = budget.time_limit is not None and budget.time_limit < SHORTEST_LIMIT_FOR_RULES
    if hint is None or hurried:
        return None
    limit = None if budget.time_limit is None else budget.time_limit * SHARE_OF_RULES
    return best_rule_schedule(instance, kind, limit, seed)


def _solve(
    instance: Instance,
    kind: ModelKind,
    budget: Budget,
    seed: int,
    incumbent: Schedule | None,
    polish: bool,
    name: str,
    started: float,
) -> Result:
    bound = lower_bound(instance)
    if _rest(budget, started).time_limit == 0.0:  # to make the model could take longer than all the rest
        return finish(instance, name, seed, _since(started), incumbent, bound)
    from solvers.cpsat import engine

    log = engine.AnytimeLog(instance, started)
    known = None if incumbent is None else integer_objective(instance, incumbent)
    log.add(known, bound)
    formulation = _formulate(instance, kind, known)
    formulation.model.add(formulation.objective >= bound)
    if incumbent is not None:
        formulation.hint(incumbent)
    outcome = engine.run(formulation, instance, _rest(budget, started), seed, log, polish)
    schedule = _better(instance, _compared(instance, outcome, name), incumbent)
    if outcome.bound is not None:
        bound = max(bound, outcome.bound)
    log.add(None if schedule is None else integer_objective(instance, schedule), bound)
    infeasible = outcome.status is Status.INFEASIBLE
    if infeasible and not bool((instance.job_deadline != NO_TIME).any()):
        raise SolverError(
            f"CP-SAT calls '{instance.name}' infeasible, but without deadlines every instance has a schedule"
        )
    result = finish(instance, name, seed, _since(started), schedule, bound, infeasible, log.entries)
    if schedule is not None and result.schedule is None:
        raise SolverError(f"CP-SAT's schedule of '{instance.name}' misses a deadline")
    if outcome.status is Status.OPTIMAL and result.status is not Status.OPTIMAL:
        raise SolverError(f"CP-SAT calls {outcome.objective} optimal, but its schedule is worth {result.objective}")
    return result


def _formulate(instance: Instance, kind: ModelKind, upper: int | None) -> engine.Formulation:
    """The model of its kind; imports OR-Tools."""
    if kind is ModelKind.ROUTES:
        from solvers.cpsat.routes import RoutesModel

        return RoutesModel(instance, upper)
    if kind is ModelKind.LOADS:
        from solvers.cpsat.loads import LoadsModel

        return LoadsModel(instance, upper)
    if kind is ModelKind.PIECES:
        from solvers.cpsat.pieces import PiecesModel

        return PiecesModel(instance, upper)
    if kind is ModelKind.STAGES:
        from solvers.cpsat.stages import StagesModel

        return StagesModel(instance, upper)
    from solvers.cpsat.intervals import IntervalModel

    return IntervalModel(instance, upper)


def _rest(budget: Budget, started: float) -> Budget:
    """What is left after hint and model are made."""
    if budget.time_limit is None:
        return budget
    return replace(budget, time_limit=max(0.0, budget.time_limit - _since(started)))


def _compared(instance: Instance, outcome: engine.Outcome, name: str) -> Schedule | None:
    """CP-SAT's schedule, if it is worth what CP-SAT says.

    One that is not proved optimal may gain from the replay of its plan, which starts everything as early as it can.
    """
    if outcome.schedule is None or outcome.objective is None:
        return None
    value = integer_objective(instance, outcome.schedule)
    if value > outcome.objective or (outcome.status is Status.OPTIMAL and value != outcome.objective):
        raise SolverError(
            f"{name} says {outcome.objective} ({outcome.status}) on '{instance.name}', but its schedule says {value}"
        )
    return outcome.schedule


def _better(instance: Instance, found: Schedule | None, incumbent: Schedule | None) -> Schedule | None:
    """The better of two schedules; CP-SAT's if they are equal."""
    known = [schedule for schedule in (found, incumbent) if schedule is not None]
    return min(known, key=lambda schedule: objective_value(instance, schedule), default=None)
