"""Cheap valid lower bounds, in integer time units."""

from __future__ import annotations

from problems.instance import Instance
from problems.lower_bounds.loads import load_bound
from problems.lower_bounds.paths import Paths
from problems.lower_bounds.routes import route_bound
from problems.lower_bounds.sums import sum_bound
from problems.objective import Objective

__all__ = ["lower_bound"]


def lower_bound(instance: Instance) -> int:
    """Bound that no complete schedule of ``instance`` can beat, in integer time units.

    It bounds `problems.measure.integer_objective`, which for a mean is the sum over the jobs;
    `problems.measure.in_source_unit` turns it into the unit of the source.

    ``MAKESPAN``: the longest path; for each agent its heads, its load and its tails over the tasks that no other
    agent can do; all work shared among all agents. ``LONGEST_ROUTE``: the farthest task there and back, and the
    lightest tree that connects all tasks shared among the agents. The others: each job's longest path, and the ends of
    all jobs in order if the agents together, or one agent alone, always went on with the job that has the least work
    left. Changeovers count at their least. With random durations the least measured ones are used, so the bound holds
    whatever durations come true.

    Returns
    -------
    int
        At least 0.
    """
    if instance.objective is Objective.LONGEST_ROUTE:
        return route_bound(instance)
    paths = Paths(instance)
    if instance.objective is Objective.MAKESPAN:
        return max([load_bound(instance, paths), *paths.ends.tolist()])
    return sum_bound(instance, paths)
