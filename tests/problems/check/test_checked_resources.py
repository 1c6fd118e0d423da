"""Rules about capacities and operators."""

from __future__ import annotations

import numpy as np
import pytest
from small_tables import SHOP_ROWS, kinds, mutate, only, shop, table

from problems import Changeover, Instance, Job, Resources, Task
from problems.build import build_instance
from problems.check import Kind, check


def crane(capacity: int, changeover_use: int = 0, serves: list[list[bool]] | None = None) -> Instance:
    """Two machines with setup 2 before their task of 3, which uses one unit of a resource."""
    changeover = Changeover(np.array([[[0, 0], [2, 0]]]), np.zeros(2), np.zeros(2), np.array([1, 1]))
    resources = Resources(
        np.array([capacity]),
        np.full((2, 1), min(1, capacity)),
        np.full((2, 1), changeover_use),
        np.array(serves if serves is not None else np.zeros((0, 2)), bool).reshape(-1, 2),
    )
    jobs = [Job([Task({0: 3})]), Job([Task({1: 3})])]
    return build_instance("crane", "custom", ("M0", "M1"), jobs, changeover=changeover, resources=resources)


def test_capacity_of_tasks_and_changeovers():
    """A renewable resource is shared by tasks and by changeovers; touching intervals do not add up."""
    together = table((0, 0, 2, 5, 0, 2), (1, 1, 2, 5, 0, 2))
    assert check(crane(2), together).valid
    assert kinds(crane(1), together) == {Kind.CAPACITY}
    apart = table((0, 0, 2, 5, 0, 2), (1, 1, 5, 8, 3, 5))
    assert check(crane(1), apart).valid
    violation = only(crane(1, changeover_use=1), apart)
    assert (violation.kind, violation.task, violation.times) == (Kind.CAPACITY, 1, (3, 2, 1))


@pytest.mark.parametrize(
    ("operator", "right"), [(0, True), (-1, False), (1, False), (2, False)], ids=["right", "none", "wrong", "unknown"]
)
def test_operators(operator: int, right: bool):
    """A changeover needs an operator who serves the machine."""
    instance = crane(2, serves=[[True, True], [False, True]])
    schedule = table((0, 0, 2, 5, 0, 2, operator), (1, 1, 4, 7, 2, 4, 1))
    assert kinds(instance, schedule) == (set() if right else {Kind.OPERATOR})


def test_operator_that_nobody_asked_for():
    """A row without a changeover that needs one must not name an operator."""
    assert kinds(shop(), mutate(table(*SHOP_ROWS), 0, resource=0)) == {Kind.OPERATOR}


def test_operator_is_in_one_place():
    """One operator does one changeover at a time."""
    instance = crane(2, serves=[[True, True]])
    both = table((0, 0, 2, 5, 0, 2, 0), (1, 1, 3, 6, 1, 3, 0))
    assert kinds(instance, both) == {Kind.OPERATOR_OVERLAP}
    assert check(instance, mutate(both, 1, changeover_start=2, changeover_end=4, start=4, end=7)).valid
