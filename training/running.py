"""Run one solver on one instance and describe the outcome as a row."""

from __future__ import annotations

import hashlib
from pathlib import Path

from problems.bounds import BestKnown, best_known
from problems.families import FAMILIES
from problems.families.spark_variants import preset_of
from problems.formats import json_writer
from problems.instance import Instance
from solvers.budget import Budget
from solvers.registry import get_solver
from solvers.result import Result, SolverError, checked_objective
from training.preparing import prepare
from training.rows import Row, relative_excess


def solve_instance(instance: Instance, solver: str, budget: Budget, seed: int, weights: Path | None = None) -> Result:
    """Run ``solver`` as `solvers.registry.get_solver` gives it, with the same seed, and check its schedule again.

    Raises
    ------
    SolverError
        If the checker refuses the schedule, or the objective is not the schedule's.
    MakespanError
        If the solver is unknown or refuses the instance.
    """
    prepare(instance.family, solver, weights)
    result = get_solver(solver, weights)(instance, budget, seed)
    if result.schedule is not None:
        value = checked_objective(instance, result.schedule, solver)
        if value != result.objective:
            raise SolverError(f"{solver} claims {result.objective} on '{instance.name}'; its schedule is worth {value}")
    return result


def describe(row: Row, instance: Instance, path: Path | None) -> None:
    """Fill in what a row says about its instance, read from ``path`` if not built in, and its published values."""
    row.instance, row.family, row.agents = instance.name, instance.family, instance.num_agents
    row.preset, row.group, row.fingerprint = preset_of(instance), group_of(instance), fingerprint(instance)
    known = best_known(instance, () if path is None else (path.parent,), path)
    if known is not None:
        _describe_known(row, known)


def _describe_known(row: Row, known: BestKnown) -> None:
    row.best_known, row.best_known_lower = known.upper, known.lower
    row.best_known_source = known.source
    row.best_known_date = None if known.date is None else str(known.date)


def record(row: Row, result: Result) -> None:
    """Fill in what a row says about its result."""
    row.status, row.objective, row.lower_bound = result.status.value, result.objective, result.lower_bound
    row.gap, row.runtime_s = result.gap, round(result.runtime_s, 6)
    row.checked, row.tolerance, row.clairvoyant = result.checked, result.tolerance, result.clairvoyant
    row.gap_to_best_known = relative_excess(result.objective, row.best_known)
    row.versions = {name: version for name, version in result.versions.items() if version is not None}


def fingerprint(instance: Instance) -> str:
    """Hash of all that the instance says, name included."""
    return hashlib.sha256(json_writer.write(instance).encode()).hexdigest()[:16]


def group_of(instance: Instance) -> str:
    """Name of the group over which a report averages: the size that the family's literature tabulates by."""
    if instance.family in ("jsp", "fjsp", "upms"):
        return f"{instance.num_jobs}x{instance.num_agents}"
    label = FAMILIES[instance.family].agent_label if instance.family in FAMILIES else "agent"
    plural = {"salesman": "salesmen"}.get(label, label + "s")
    if instance.family == "mtsp":
        return f"{instance.num_agents} {plural}"
    if instance.family == "spark":
        return f"{instance.num_jobs} jobs, {instance.num_agents} {plural}, {preset_of(instance)}"
    return f"{instance.num_tasks} tasks, {instance.num_agents} {plural}"
