"""The checker against every way to spoil a schedule, on every family."""

from __future__ import annotations

import numpy as np
import pytest
from dressing import CASES, SEEDS, dressed, measured, plain, schedule_by
from mutations import MUTATIONS, SWITCHES, Mutation
from spoiled import Spoiled

from problems.check import Kind, check
from problems.instance import Instance

families = pytest.mark.parametrize("family", CASES)
mutations = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)


MAKERS = (plain, dressed, measured)


def instances(family: str) -> list[Instance]:
    """Small instances of a family: plain, with all switches on, and with random durations."""
    return [make(family, seed) for seed in SEEDS for make in MAKERS]


def places(case: Spoiled, mutation: Mutation, seed: int) -> list[int]:
    """Up to four rows at which a mutation can be done."""
    rows = np.flatnonzero(mutation.where(case))
    return np.random.default_rng(seed).permutation(rows)[:4].tolist()


@families
@mutations
def test_spoiled_schedules_are_refused(family: str, mutation: Mutation):
    """Whatever is done to a valid schedule is found, and called by its name."""
    done, meant = 0, [instance for instance in instances(family) if mutation.applies_to(instance)]
    for seed, instance in enumerate(meant):
        case = Spoiled(instance, schedule_by("random", instance, seed))
        for row in places(case, mutation, seed):
            report = check(instance, mutation.change(case, row))
            assert mutation.kind in {violation.kind for violation in report.violations}, (instance.name, row)
            done += 1
    assert done > 0 or not meant, f"no instance of {family} has a row at which to {mutation.name}"


@mutations
def test_every_mutation_means_something(mutation: Mutation):
    """Each mutation applies to an instance of some family, so none is idle."""
    assert any(mutation.applies_to(instance) for family in CASES for instance in instances(family))


def test_every_kind_of_violation_is_provoked():
    """There is a mutation for everything that the checker can say."""
    assert {mutation.kind for mutation in MUTATIONS} == set(Kind)


def test_mutations_name_known_switches():
    """A mutation can only ask for switches that are defined, and there are at least twenty of them."""
    assert {name for mutation in MUTATIONS for name in mutation.needs} == set(SWITCHES)
    assert len(MUTATIONS) >= 20
