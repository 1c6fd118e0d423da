"""The pilot method (Duin and Voss 1999, doi:10.1002/(SICI)1097-0037(199910)34:3<181::AID-NET2>3.0.CO;2-Y).

At each decision every candidate is tried and completed by a dispatching rule; the best completion decides. Where
durations or jobs are revealed as time goes on, completions are of what is believed: durations are the expected ones,
and no job comes that is not known.
"""

from __future__ import annotations

import time

from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.simulator import Filter, compile_problem, schedule_of
from solvers.budget import Budget
from solvers.result import Result, finish
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority


def default_rule(instance: Instance) -> str:
    """The rule that guides pilot where none is named, by what there is to choose."""
    if instance.changeover is not None and not instance.eligible_duration.any():
        return "nearest"
    if len(instance.eligible_agent) == instance.num_tasks:
        return "spt-twkr"
    if instance.moving_delay > 0 or bool((instance.task_pieces > 1).any()):
        return "weighted-fair"
    return "pair" if len(instance.predecessor_task) else "eft"


def _options_filter(instance: Instance) -> Filter:
    """What is tried: with a choice of agents, reservations too; else what the rule may choose, as in published figures.

    On generated flexible shops (edata, rdata, Brandimarte-like) reservations shorten schedules by 0.6 to 1.2 %. Where
    anything is revealed later, trials are of the rule's own candidates: what is reserved may be overtaken by events.
    """
    has_choice = len(instance.eligible_agent) > instance.num_tasks
    return Filter.ACTIVE if has_choice and not instance.is_online else Filter.NON_DELAY


def solve_pilot(instance: Instance, budget: Budget, seed: int, rule: str = "") -> Result:
    """Schedule by the pilot method with ``rule``; it is deterministic, so samples and seed change nothing.

    When ``budget.time_limit`` is over, the rule makes the decisions that are left.
    """
    started = time.perf_counter()
    chosen = rule or default_rule(instance)
    runner = Runner(compile_problem(instance))
    runner.pilot(rule_priority(chosen), budget.time_limit, _options_filter(instance))
    solver = f"pilot:{rule}" if rule else "pilot"
    seconds, schedule = time.perf_counter() - started, schedule_of(runner.best)
    return finish(instance, solver, seed, seconds, schedule, lower_bound(instance), clairvoyant=False)
