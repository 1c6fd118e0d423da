"""What every solver returns, and the one way to make it."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from problems.check import Kind, check
from problems.errors import MakespanError
from problems.families.spark_variants import preset_of
from problems.instance import NO_TIME, Instance
from problems.measure import in_source_unit
from problems.objective import Objective
from problems.schedule import Schedule

PACKAGES = ("makespan", "numpy", "numba", "ortools", "torch")
ROUNDING = 1e-9
"""Relative error allowed to sums of floats; far below any tolerance."""


@cache
def installed_versions() -> dict[str, str | None]:
    """Versions by name, read from the packages' metadata without importing them."""
    return {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


class SolverError(MakespanError, RuntimeError):
    """A solver contradicts itself or the checker; its result must not be used."""


class Status(StrEnum):
    """What is known about a schedule."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


class LogEntry(NamedTuple):
    """Best objective and bound known after some seconds, in the unit of the source; None while unknown."""

    seconds: float
    objective: int | float | None
    bound: int | float | None


@dataclass(frozen=True)
class Result:
    """One run of one solver on one instance.

    Attributes
    ----------
    instance_name, family, solver, seed
        What was run.
    status
        ``OPTIMAL`` only if the bound meets the objective within ``tolerance``.
    objective, lower_bound
        In the unit of the source; None where unknown.
    runtime_s
        Wall time in seconds.
    schedule
        A schedule that passed the checker, or None.
    log
        How objective and bound improved.
    tolerance
        How far a proved optimum may lie from the true one, in the unit of the source: routes are planned on lengths
        rounded down to ``1 / scale``, so a route of L legs is at most ``L / scale`` longer. 0 where all is integer.
    versions
        Of Python and the packages that matter; None for one that is not installed.
    clairvoyant
        Whether the schedule was chosen with knowledge of durations or jobs before they were revealed, as the best of
        several episodes is; never to be compared with results that were not.
    preset
        Of a Spark cluster; results of different presets are not comparable. None for other families.

    Raises
    ------
    SolverError
        If status, objective, bound and schedule contradict each other.
    """

    instance_name: str
    family: str
    solver: str
    status: Status
    objective: int | float | None
    lower_bound: int | float | None
    runtime_s: float
    seed: int
    schedule: Schedule | None = None
    log: tuple[LogEntry, ...] = ()
    tolerance: float = 0.0
    versions: dict[str, str | None] = field(default_factory=lambda: dict(installed_versions()))
    preset: str | None = None
    clairvoyant: bool = False

    def __post_init__(self) -> None:
        for name in ("objective", "lower_bound"):
            value = getattr(self, name)
            _require(value is None or math.isfinite(value), f"{self.solver} reports the {name} {value}")
        solved = self.status in (Status.OPTIMAL, Status.FEASIBLE)
        _require(
            solved == (self.objective is not None) == (self.schedule is not None),
            f"{self.solver} reports the status '{self.status}' with the objective {self.objective}",
        )
        if self.objective is not None and self.lower_bound is not None:
            _require(
                self.lower_bound <= self.objective + ROUNDING * abs(self.objective),
                f"{self.solver} reports the objective {self.objective}, below the lower bound {self.lower_bound}",
            )
        if self.status is Status.OPTIMAL:
            _require(
                _meets(self.objective, self.lower_bound, self.tolerance),
                f"{self.solver} calls {self.objective} optimal with the lower bound {self.lower_bound}",
            )

    @property
    def checked(self) -> bool:
        """Whether there is a schedule; then it has passed the checker."""
        return self.schedule is not None

    @property
    def gap(self) -> float | None:
        """Gap to the bound as a fraction of the objective; 0 where both are equal, None without both."""
        if self.objective is None or self.lower_bound is None:
            return None
        if self.lower_bound >= self.objective:
            return 0.0
        return (self.objective - self.lower_bound) / self.objective

    def to_json(self) -> dict[str, Any]:
        """Everything but the schedule and the log, as plain JSON values."""
        return {
            "instance": self.instance_name,
            "family": self.family,
            "preset": self.preset,
            "solver": self.solver,
            "status": self.status.value,
            "objective": self.objective,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "runtime_s": self.runtime_s,
            "seed": self.seed,
            "checked": self.checked,
            "clairvoyant": self.clairvoyant,
            "tolerance": self.tolerance,
            "versions": self.versions,
        }


def finish(
    instance: Instance,
    solver: str,
    seed: int,
    runtime_s: float,
    schedule: Schedule | None,
    bound: int | None = None,
    infeasible: bool = False,
    log: Sequence[LogEntry] = (),
    clairvoyant: bool | None = None,
) -> Result:
    """Check ``schedule`` and tell the truth about it.

    Parameters
    ----------
    instance, solver, seed, runtime_s, log
        As in `Result`.
    schedule
        The best one found, or None. One that misses deadlines and is right in all else counts as none found: rules
        and policies do not look at deadlines.
    bound
        Lower bound on `problems.measure.integer_objective`, in integer time; None if there is none.
    infeasible
        Whether it is proved that there is no schedule.
    clairvoyant
        As in `Result`; None for a solver that looks at all of the instance, which is clairvoyant where anything is
        revealed later.

    Raises
    ------
    SolverError
        If the schedule fails the checker, or is better than the bound, or exists although none can.
    """
    if schedule is not None and _only_misses_deadlines(instance, schedule):
        schedule, log = None, ()
    if schedule is None:
        status, objective = (Status.INFEASIBLE if infeasible else Status.UNKNOWN), None
    else:
        _require(not infeasible, f"{solver} has a schedule for '{instance.name}', which it calls infeasible")
        status, objective = Status.FEASIBLE, checked_objective(instance, schedule, solver)
    lower = None if bound is None or infeasible else in_source_unit(instance, bound)
    if objective is not None and _meets(objective, lower, tolerance(instance)):
        status = Status.OPTIMAL
    return Result(
        instance_name=instance.name,
        family=instance.family,
        preset=preset_of(instance),
        solver=solver,
        status=status,
        objective=objective,
        lower_bound=lower,
        runtime_s=runtime_s,
        seed=seed,
        schedule=schedule,
        log=tuple(log),
        tolerance=tolerance(instance),
        clairvoyant=instance.is_online if clairvoyant is None else clairvoyant,
    )


def _only_misses_deadlines(instance: Instance, schedule: Schedule) -> bool:
    if not bool((instance.job_deadline != NO_TIME).any()):
        return False
    return {violation.kind for violation in check(instance, schedule).violations} == {Kind.DEADLINE}


def checked_objective(instance: Instance, schedule: Schedule, solver: str) -> int | float:
    """Objective of ``schedule`` in the unit of the source, recomputed by the checker.

    Raises
    ------
    SolverError
        If the checker refuses the schedule; the message names the first violation.
    """
    report = check(instance, schedule)
    if not report.valid or report.objective is None:
        count, first = len(report.violations), report.violations[0].message
        raise SolverError(f"{solver} made an invalid schedule of '{instance.name}' ({count} violations): {first}")
    return report.objective


def tolerance(instance: Instance) -> float:
    """Absolute distance within which a bound on rounded lengths counts as met, in the unit of the source."""
    if instance.objective is Objective.LONGEST_ROUTE and instance.coordinates is not None:
        return (instance.num_tasks + 1) / instance.scale
    return 0.0


def _meets(objective: int | float | None, bound: int | float | None, within: float) -> bool:
    return objective is not None and bound is not None and objective - bound <= within


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise SolverError(message)
