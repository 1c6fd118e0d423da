"""Published formulations beside our policies and the strongest rule: the same instances, the same minutes of training.

What learns ahead is trained for the given minutes, then answers in one pass: `schedulenet`, `decima` and `tuned` from
nothing, `policy` on top of the shipped `tuned`. What learns on the instance itself, `jssenv` and `rule-actions`, has
the same minutes for all instances together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.rows import Row, reported
from benchmarks.training_runs import strongest_rule, train_to
from marl.instances import training_instance
from marl.messages import HELD_OUT_SEED
from problems.errors import UnsupportedError
from problems.generators import taillard
from problems.instance import FloatArray, Instance
from problems.simulator import compile_problem
from solvers.budget import Budget
from solvers.registry import Solver, get_solver
from solvers.rollout import Runner

MINUTES, SEED, COUNT = 20.0, 1, 5
"""Of training; of its run; instances of each kind."""

LARGER = ("ta01", "ta11", "ta21", "ta31", "ta41")
AHEAD = {"jsp": ("schedulenet", "tuned", "policy"), "spark": ("decima", "tuned", "policy")}
ON_THE_INSTANCE = ("jssenv", "rule-actions")
COMMAND = "python -m benchmarks --long --only preset-table"


def rows(minutes: float = MINUTES) -> Iterator[Row]:
    """Job shops, then Spark clusters: over two hours with the defaults."""
    yield from job_shops(minutes)
    yield from clusters(minutes)


def job_shops(minutes: float) -> Iterator[Row]:
    """Held-out shops of the sizes that ScheduleNet is trained on, and larger ones of Taillard."""
    small = [training_instance("schedulenet", HELD_OUT_SEED + number) for number in range(COUNT)]
    kinds = {"7-14 jobs on 2-5 machines": small, "Taillard, 15x15 to 30x20": [taillard(name) for name in LARGER]}
    on_instance = 60 * minutes / sum(map(len, kinds.values()))
    with TemporaryDirectory() as folder:
        solvers = _trained("jsp", minutes, Path(folder))
        for kind, instances in kinds.items():
            yield from compared("jsp", f"{kind}, {minutes:g} minutes", instances, solvers, Budget())
            own = {name: get_solver(name) for name in ON_THE_INSTANCE}
            what = f"{kind}, {on_instance:g} s on each"
            yield from compared("jsp", what, instances, own, Budget(time_limit=on_instance))


def clusters(minutes: float) -> Iterator[Row]:
    """Held-out clusters of preset decima."""
    instances = [training_instance("decima", HELD_OUT_SEED + number) for number in range(2 * COUNT)]
    with TemporaryDirectory() as folder:
        solvers = _trained("spark", minutes, Path(folder))
        yield from compared("spark", f"clusters of preset decima, {minutes:g} minutes", instances, solvers, Budget())


def _trained(family: str, minutes: float, folder: Path) -> dict[str, Solver]:
    """Solvers with weights that are trained now."""
    found = {}
    for policy in AHEAD[family]:
        place = folder / policy
        place.mkdir()
        found[policy] = get_solver(policy, train_to(place, family, policy, minutes, SEED))
    return found


def compared(
    family: str, what: str, instances: Sequence[Instance], solvers: dict[str, Solver], budget: Budget
) -> Iterator[Row]:
    """Mean objective of each solver relative to the rule that is strongest on the same instances."""
    strongest, _ = strongest_rule(family, [Runner(compile_problem(instance)) for instance in instances])
    reference = _objectives(get_solver(strongest), instances, Budget())
    for name, solver in solvers.items():
        ratio = _or_reason(partial(_ratio, solver, instances, budget, reference))
        yield reported(f"{name}: objective over that of {strongest}, {len(instances)} {what}", ratio, COMMAND)


def _ratio(solver: Solver, instances: Sequence[Instance], budget: Budget, reference: FloatArray) -> float:
    return float((_objectives(solver, instances, budget) / reference).mean())


def _or_reason(measure: Callable[[], float]) -> float | str:
    """The number, or why there is none: an optional dependency may be missing."""
    try:
        return measure()
    except UnsupportedError as error:
        return str(error)


def _objectives(solver: Solver, instances: Sequence[Instance], budget: Budget) -> FloatArray:
    found = map(partial(_objective, solver, budget), instances)
    return np.array(list(found), np.float64)


def _objective(solver: Solver, budget: Budget, instance: Instance) -> float:
    objective = solver(instance, budget, SEED).objective
    assert objective is not None
    return float(objective)
