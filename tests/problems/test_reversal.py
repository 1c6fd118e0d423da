"""Instances from their end to their beginning."""

import numpy as np
import pytest

from problems.families import FAMILIES
from problems.generators import random_job_shop, random_multiple_tsp, vallada_ruiz
from problems.instance import NO_TIME
from problems.reversal import is_reversible, reversed_instance


@pytest.mark.parametrize("family", ["jsp", "fjsp", "mtsp", "upms"])
def test_reversed_twice_is_the_instance(family):
    """What is turned round and round again is as it was."""
    instance = FAMILIES[family].small_instance(1)
    assert reversed_instance(reversed_instance(instance)) == instance


def test_precedence_and_changeovers_are_turned_round():
    """The last task of a job becomes its first, the setup from i to j the one from j to i."""
    shop = random_job_shop(3, 4, 0)
    turned = reversed_instance(shop)
    for task in range(shop.num_tasks):
        for before in shop.predecessors(task):
            assert task in turned.predecessors(int(before))
    assert len(turned.predecessor_task) == len(shop.predecessor_task)
    machines = vallada_ruiz(5, 2, 9, 0)
    assert np.array_equal(reversed_instance(machines).changeover.times[1], machines.changeover.times[1].T)


def _late(shop):
    due = np.full(shop.num_jobs, NO_TIME)
    due[0] = 10**6
    return shop.replace(job_deadline=due)


def test_what_tells_the_beginning_from_the_end_is_refused():
    """Releases, deadlines, machines that come later, one-way trips and revealed durations cannot be turned round."""
    shop = random_job_shop(3, 3, 0)
    release = np.array([0, 1, 0])
    trip = random_multiple_tsp(6, 2, 0)
    one_way = trip.replace(changeover=type(trip.changeover)(**{**vars(trip.changeover), "returns": False}))
    others = (
        shop.replace(job_release=release),
        shop.replace(agent_available=release),
        _late(shop),
        one_way,
        FAMILIES["spark"].small_instance(0),
    )
    assert is_reversible(shop) and is_reversible(trip)
    for instance in others:
        assert not is_reversible(instance)
        with pytest.raises(ValueError, match="cannot be reversed"):
            reversed_instance(instance)
