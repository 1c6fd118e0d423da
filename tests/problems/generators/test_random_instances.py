"""Random instances and instances of known optimum."""

from __future__ import annotations

import numpy as np
import pytest

from problems.bounds import lower_bound
from problems.check import check
from problems.generators import (
    known_optimum_job_shop,
    known_optimum_with_schedule,
    random_job_shop,
    random_multiple_tsp,
)

SIZES = [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (6, 6), (15, 5), (5, 15), (20, 10)]


def test_random_job_shop_has_the_size_and_range() -> None:
    """Each job visits every machine once and durations fill the range asked for."""
    instance = random_job_shop(40, 5, seed=1, low=3, high=7)
    assert (instance.num_jobs, instance.num_agents, instance.num_tasks) == (40, 5, 200)
    machines = instance.eligible_agent.reshape(40, 5)
    assert np.array_equal(np.sort(machines, axis=1), np.tile(np.arange(5), (40, 1)))
    assert len(np.unique(machines, axis=0)) > 20
    assert set(instance.eligible_duration.tolist()) == {3, 4, 5, 6, 7}


def test_random_cities_are_uniform_in_the_unit_square() -> None:
    """Depot and cities lie in the unit square and salesmen are as many as asked for."""
    instance = random_multiple_tsp(200, 3, seed=1)
    assert (instance.num_tasks, instance.num_agents) == (200, 3)
    assert instance.coordinates is not None
    assert instance.coordinates.shape == (201, 2)
    assert instance.coordinates.min() >= 0 and instance.coordinates.max() < 1
    assert np.allclose(instance.coordinates.mean(axis=0), 0.5, atol=0.1)


@pytest.mark.parametrize("make", [random_job_shop, random_multiple_tsp, lambda *size: known_optimum_job_shop(*size)[0]])
def test_a_seed_gives_one_instance(make) -> None:
    """The same seed gives the same instance, another seed another, and numpy's global seed plays no part."""
    np.random.seed(0)
    first = make(6, 3, 7)
    np.random.seed(1)
    assert make(6, 3, 7) == first
    assert make(6, 3, 8).replace(name=first.name) != first


def test_names_tell_size_and_seed() -> None:
    """Names made by the generators differ between instances; a given name is kept."""
    assert random_job_shop(2, 3, 4).name == "jsp-2x3-s4"
    assert random_multiple_tsp(5, 2, 4).name == "mtsp-5-s4-m2"
    assert random_job_shop(2, 3, 4, name="mine").name == "mine"
    assert random_multiple_tsp(2, 3, 4, name="mine").name == "mine"


@pytest.mark.parametrize(("num_jobs", "num_machines"), SIZES)
@pytest.mark.parametrize("seed", [0, 1])
def test_known_optimum_is_proved(num_jobs: int, num_machines: int, seed: int) -> None:
    """The constructed schedule is feasible and meets a lower bound, so its makespan is the optimum."""
    instance, schedule = known_optimum_with_schedule(num_jobs, num_machines, seed)
    same, optimum = known_optimum_job_shop(num_jobs, num_machines, seed)
    report = check(instance, schedule)
    assert report.valid, report.violations
    assert same == instance
    assert report.objective == optimum == lower_bound(instance)
    machines = instance.eligible_agent.reshape(num_jobs, num_machines)
    assert np.array_equal(np.sort(machines, axis=1), np.tile(np.arange(num_machines), (num_jobs, 1)))


def test_known_optimum_looks_random() -> None:
    """Cuts are moved per line: neither machines nor jobs share the times at which operations end."""
    instance, schedule = known_optimum_with_schedule(10, 10, seed=3)
    assert len(np.unique(schedule.end)) > 60
    assert instance.eligible_duration.std() > 10


def test_empty_sizes_are_refused() -> None:
    """A rectangle needs a job and a machine."""
    with pytest.raises(ValueError, match="0 jobs and 3 machines"):
        known_optimum_job_shop(0, 3, seed=1)
