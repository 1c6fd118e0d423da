"""Local search as a solver: tabu search on shops, ruin and recreate on routes and loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from problems.errors import UnsupportedError
from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.local_search.clock import Clock, Plan, improvements
from solvers.local_search.sequence_search import search_sequences
from solvers.local_search.shop import unlike_shop
from solvers.local_search.shop_search import search_shop
from solvers.result import LogEntry, Result, finish
from solvers.sequences import unlike_sequences


def is_supported(instance: Instance) -> bool:
    """Whether local search knows the kind of problem."""
    return not unlike_sequences(instance) or not unlike_shop(instance)


def _search_of(instance: Instance) -> Callable[..., tuple[Plan, list[tuple[float, int]]]]:
    """The search that knows the kind of problem.

    Raises
    ------
    UnsupportedError
        If none does; the message names what keeps the nearer one from it.
    """
    missing = {search_shop: unlike_shop(instance), search_sequences: unlike_sequences(instance)}
    search = min(missing, key=lambda search: len(missing[search]))
    if missing[search]:
        raise UnsupportedError(f"local-search does not support {', '.join(missing[search])}: '{instance.name}'")
    return search


def solve_local_search(
    instance: Instance, budget: Budget, seed: int, *, starts: Sequence[Schedule] = (), name: str = "local-search"
) -> Result:
    """Minimise the makespan of a shop, the longest route, or the largest load.

    Job shops and flexible ones are searched by tabu search on the critical path; minmax routes of like agents and
    agents that never wait for anything (parallel machines with setups) by ruin and recreate.

    Without a time limit ``budget.samples`` searches are made, and the same seed gives the same schedule for any number
    of workers. With a time limit the time decides how far the search gets, so what is found depends on the machine.

    Parameters
    ----------
    instance
        The problem.
    budget
        Limits; each worker is a thread.
    seed
        Of the starts and all searches.
    starts
        Schedules to start from, before those that are sampled.
    name
        Name of the solver in the result.

    Raises
    ------
    UnsupportedError
        If the instance has features that the search does not know; the message names them.
    """
    clock = Clock(budget.time_limit)
    search = _search_of(instance)
    bound = lower_bound(instance)
    if instance.num_tasks == 0:
        schedule = replay(instance, [[] for _ in range(instance.num_agents)])
        return finish(instance, name, seed, clock.seconds(), schedule, bound)
    plan, log = search(instance, budget, seed, starts, bound, clock)
    schedule = replay(instance, plan)
    unit = [(seconds, in_source_unit(instance, value)) for seconds, value in improvements(log)]
    entries = [LogEntry(seconds, value, in_source_unit(instance, bound)) for seconds, value in unit]
    return finish(instance, name, seed, clock.seconds(), schedule, bound, log=entries)
