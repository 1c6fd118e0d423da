"""One small network for all families, and for problems of none."""

import pytest

from problems.build import Job, Task, build_instance
from problems.check import check
from problems.families import FAMILIES
from problems.instance import Instance
from solvers import Budget
from solvers.registry import get_solver


def mixed() -> Instance:
    """Two agents, a job of two tasks one of which both can do, and a job of one task: of no family."""
    jobs = [Job([Task({0: 4}), Task({0: 3, 1: 5})]), Job([Task({1: 6})])]
    return build_instance("mixed", "custom", ["a", "b"], jobs)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_is_solved_with_and_without_its_name(family):
    """The checker accepts its schedules; an instance that is called custom is solved alike, but for its samples."""
    instance = FAMILIES[family].small_instance(2)
    named, nameless = (
        get_solver("universal")(each, Budget(), 1) for each in (instance, instance.replace(family="custom"))
    )
    assert check(instance, named.schedule).valid
    assert named.objective == nameless.objective


def test_a_problem_of_no_family_is_solved():
    """A JSON-like instance without a family gets a valid schedule, sampled or not."""
    for samples in (1, 20):
        result = get_solver("universal")(mixed(), Budget(samples=samples), 0)
        assert check(mixed(), result.schedule).valid
    assert result.objective == 7
