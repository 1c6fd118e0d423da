"""Every solver by name, loaded on use: importing this module imports no solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from problems.errors import UnknownNameError, UnsupportedError
from problems.instance import Instance
from solvers.budget import Budget
from solvers.result import Result

Solver: TypeAlias = Callable[[Instance, Budget, int], Result]
"""Called as ``solver(instance, budget, seed)``."""

DISPATCH_RULES = {
    "spt": "shortest processing time",
    "lpt": "longest processing time",
    "fifo": "first come, first served",
    "mor": "most operations remaining",
    "mwkr": "most work remaining",
    "fdd-mwkr": "least flow due date / work remaining",
    "spt-twkr": "least processing time / work remaining of the job",
    "random": "any candidate",
    "nearest": "nearest task by changeover time",
    "pair": "least (p / shortest p) x p / work remaining of the job, on fast agents only",
    "eft": "earliest finish time, setup included",
    "sst": "shortest setup time",
    "atcs": "apparent tardiness cost with setups",
    "sjf": "job with the least work remaining first",
    "sjf-cp": "job with the least work in all first, its critical path first",
    "fair": "equal shares of the agents for all jobs",
    "naive-weighted-fair": "shares in proportion to the work of the jobs",
    "weighted-fair": "shares in proportion to a power of the work of the jobs (weighted-fair:-1)",
    "tetris": "stages that fit the free agents, of jobs with little work remaining",
}

WEIGHTED_FAIR = "weighted-fair"
"""The rule that takes a number, the power of the jobs' work."""

RULE_FAMILIES = {
    "nearest": ("mtsp", "upms"),
    "pair": ("fjsp",),
    "eft": ("upms",),
    "sst": ("upms",),
    "atcs": ("upms",),
    "sjf": ("spark",),
    "sjf-cp": ("spark",),
    "fair": ("spark",),
    "naive-weighted-fair": ("spark",),
    "weighted-fair": ("spark",),
    "tetris": ("spark",),
}
"""Families that a rule is meant for, where it is not meant for all."""


LEARNED = ("tuned", "policy", "schedulenet", "decima")
"""Solvers that weights of one's own can be given to."""

TRAINED_FAMILIES = ("jsp", "fjsp", "mtsp", "upms", "spark")
"""Families that the shipped weights of ``tuned`` and ``policy`` were trained for."""


class SolverKind(StrEnum):
    """How a solver works."""

    DISPATCH = "dispatch"
    PLAN = "plan"
    SEARCH = "search"
    EXACT = "exact"
    POLICY = "policy"


@dataclass(frozen=True)
class SolverEntry:
    """One line of the registry.

    Attributes
    ----------
    name
        As users type it.
    kind
        Dispatch rules rank candidates and can guide `pilot`; plan rules make task orders and cannot.
    families
        Families it is meant for; None for all. A solver refuses an instance by its structure, not by its family.
    load
        ``module:function``. Dispatch rules and `pilot` are called with a keyword ``rule`` in addition.
    summary
        One line for people.
    """

    name: str
    kind: SolverKind
    families: tuple[str, ...] | None
    load: str
    summary: str


def _dispatch(name: str, summary: str) -> SolverEntry:
    return SolverEntry(
        name, SolverKind.DISPATCH, RULE_FAMILIES.get(name), "solvers.rules.dispatch:solve_dispatch", summary
    )


_ENTRIES = (
    *(_dispatch(name, summary) for name, summary in DISPATCH_RULES.items()),
    SolverEntry(
        "insertion",
        SolverKind.PLAN,
        ("mtsp", "upms"),
        "solvers.rules.insertion:solve_insertion",
        "greedy insertion that keeps the longest route or load short",
    ),
    SolverEntry(
        "pilot",
        SolverKind.SEARCH,
        None,
        "solvers.rules.pilot:solve_pilot",
        "tries every candidate with a rollout of a dispatch rule (pilot:RULE)",
    ),
    SolverEntry(
        "local-search",
        SolverKind.SEARCH,
        ("jsp", "fjsp", "mtsp", "upms"),
        "solvers.local_search.solve:solve_local_search",
        "tabu search on the critical path of shops; ruin and recreate on routes and loads",
    ),
    SolverEntry(
        "tuned",
        SolverKind.POLICY,
        TRAINED_FAMILIES,
        "marl.policies.shipped:solve_tuned",
        "small learned priority on candidate features",
    ),
    SolverEntry(
        "policy",
        SolverKind.POLICY,
        TRAINED_FAMILIES,
        "marl.policies.shipped:solve_policy",
        "graph attention network over agents and tasks",
    ),
    SolverEntry(
        "auction",
        SolverKind.POLICY,
        ("mtsp", "upms"),
        "marl.policies.auction:solve_auction",
        "agents bid for tasks with a small learned network; parts of the plans are awarded anew",
    ),
    SolverEntry(
        "universal",
        SolverKind.POLICY,
        None,
        "marl.policies.shipped:solve_universal",
        "one small learned priority for all families, and for problems of none",
    ),
    SolverEntry(
        "jssenv",
        SolverKind.SEARCH,
        ("jsp",),
        "marl.presets.ppo:solve_jssenv",
        "Maskable PPO on the instance itself, as seen in JSSEnv (needs the extra 'rl')",
    ),
    SolverEntry(
        "rule-actions",
        SolverKind.SEARCH,
        ("jsp", "fjsp"),
        "marl.presets.ppo:solve_rule_actions",
        "PPO on the instance itself, which chooses dispatching rules (needs the extra 'rl')",
    ),
    SolverEntry(
        "schedulenet",
        SolverKind.POLICY,
        ("jsp",),
        "marl.presets.solving:solve_schedulenet",
        "ScheduleNet as published, trained here",
    ),
    SolverEntry(
        "decima",
        SolverKind.POLICY,
        ("spark",),
        "marl.presets.solving:solve_decima",
        "Decima as published, trained here (Spark preset decima)",
    ),
    SolverEntry(
        "cp-sat",
        SolverKind.EXACT,
        None,
        "solvers.cpsat.solve:solve_cpsat",
        "OR-Tools CP-SAT, hinted from the best rule",
    ),
    SolverEntry("auto", SolverKind.EXACT, None, "solvers.auto:solve_auto", "samples of tuned, then CP-SAT from there"),
)

SOLVERS: dict[str, SolverEntry] = {entry.name: entry for entry in _ENTRIES}


def get_entry(name: str) -> SolverEntry:
    """Entry of ``name``, which may be of the form ``pilot:RULE`` or ``weighted-fair:ALPHA``.

    Raises
    ------
    UnknownNameError
        If there is no such solver; the message lists the alternatives.
    UnsupportedError
        If a part after a colon is neither a dispatch rule of `pilot` nor a finite number for `weighted-fair`.
    """
    base, colon, rule = name.partition(":")
    if base not in SOLVERS:
        raise UnknownNameError("solver", name, list(SOLVERS))
    if colon and base == WEIGHTED_FAIR:
        _require_number(rule)
    elif colon:
        _require_dispatch(base, rule)
    return SOLVERS[base]


def _require_number(alpha: str) -> None:
    try:
        is_number = math.isfinite(float(alpha))
    except ValueError:
        is_number = False
    if not is_number:
        raise UnsupportedError(f"{WEIGHTED_FAIR} takes a number, as in {WEIGHTED_FAIR}:-0.5; got '{alpha}'")


def _require_dispatch(base: str, rule: str) -> None:
    if base != "pilot":
        raise UnsupportedError(f"'{base}' takes no rule; only pilot does, as in pilot:spt-twkr")
    if rule.partition(":")[0] not in SOLVERS:
        raise UnknownNameError("dispatch rule", rule, list(DISPATCH_RULES))
    if get_entry(rule).kind is not SolverKind.DISPATCH:
        raise UnsupportedError(
            f"pilot rolls out dispatch rules; '{rule}' is a {get_entry(rule).kind} solver and cannot rank candidates. "
            f"Choose one of: {', '.join(DISPATCH_RULES)}"
        )


def get_solver(name: str, weights: Path | None = None) -> Solver:
    """The callable behind ``name``, imported now; ``weights`` take the place of the shipped ones.

    Raises
    ------
    UnknownNameError, UnsupportedError
        As `get_entry`; also if the solver has no weights of its own.
    """
    entry = get_entry(name)
    if weights is not None and entry.name not in LEARNED:
        raise UnsupportedError(f"'{name}' takes no weights; {', '.join(LEARNED)} do")
    module, function = entry.load.split(":")
    solve = getattr(import_module(module), function)
    if entry.kind is SolverKind.DISPATCH:
        return partial(solve, rule=name)
    if weights is not None:
        return partial(solve, weights=weights)
    rule = name.partition(":")[2]
    return partial(solve, rule=rule) if rule else solve
