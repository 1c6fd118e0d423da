"""A first schedule for CP-SAT: the best of a few quick rules."""

from __future__ import annotations

from problems.errors import UnknownNameError, UnsupportedError
from problems.instance import Instance
from problems.measure import objective_value
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.cpsat.choose import ModelKind
from solvers.registry import get_solver
from solvers.result import SolverError

RULES = {
    ModelKind.INTERVALS: ("spt-twkr", "fdd-mwkr", "mwkr", "spt", "pair", "eft", "atcs"),
    ModelKind.LOADS: ("insertion", "eft", "sst", "atcs", "lpt"),
    ModelKind.PIECES: ("sjf-cp", "sjf", "fair", "spt-twkr", "fifo"),
    ModelKind.ROUTES: ("insertion",),
    ModelKind.STAGES: ("sjf-cp", "sjf", "fair", "weighted-fair", "fifo"),
}
"""Quick rules by model; each needs milliseconds once compiled."""

SLOWER_RULE = "pilot"
"""Where tasks have a choice of agents: slower than a rule, but 4 to 8 % better than `pair` on generated shops."""

SAMPLES = {"insertion": 256}
"""Rules that gain much from repetition: on 50 cities, 256 insertions take 0.1 s and shorten routes by 3 to 9 %."""


def best_rule_schedule(instance: Instance, kind: ModelKind, time_limit: float | None, seed: int) -> Schedule | None:
    """Best schedule of the quick rules, or None if none of them finds one.

    ``time_limit`` is for each rule. A rule may miss a deadline, or not support a feature of the instance: then it gives
    no hint.
    """
    flexible = kind is ModelKind.INTERVALS and len(instance.eligible_agent) > instance.num_tasks
    rules = (*RULES[kind], *([SLOWER_RULE] if flexible else []))
    schedules = (_schedule(instance, rule, time_limit, seed) for rule in rules)
    found = [schedule for schedule in schedules if schedule is not None]
    return min(found, key=lambda schedule: objective_value(instance, schedule), default=None)


def _schedule(instance: Instance, rule: str, time_limit: float | None, seed: int) -> Schedule | None:
    try:
        return get_solver(rule)(instance, Budget(time_limit, SAMPLES.get(rule, 1)), seed).schedule
    except (SolverError, UnknownNameError, UnsupportedError):
        return None
