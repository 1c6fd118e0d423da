"""Random flexible job shops and parallel machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from problems import Instance, InstanceError, UnknownNameError
from problems.formats import read_instance
from problems.generators import (
    brandimarte_like,
    hurink_like,
    random_hurink,
    random_job_shop,
    random_with_operators,
    sd1,
    sd2,
    taillard,
    vallada_ruiz,
    with_operators,
)


def machine_counts(instance: Instance) -> np.ndarray:
    """Number of machines of each operation."""
    return np.diff(instance.eligible_ptr)


def job_lengths(instance: Instance) -> np.ndarray:
    return np.bincount(instance.task_job, minlength=instance.num_jobs)


@pytest.mark.parametrize("make", [brandimarte_like, random_hurink, sd1, sd2, vallada_ruiz, random_with_operators])
def test_a_seed_gives_one_instance(make: Callable[..., Instance]) -> None:
    """The same seed gives the same instance and another seed another, whose name differs."""
    first = make(6, 4, seed=7)
    np.random.seed(1)
    assert make(6, 4, seed=7) == first
    other = make(6, 4, seed=8)
    assert other.name != first.name and other.replace(name=first.name) != first
    assert (first.num_jobs, first.num_agents) == (6, 4)


def test_brandimarte_draws_from_a_few_kinds() -> None:
    """Lengths, machines and durations fill their limits, and operations repeat as in his instances."""
    instance = brandimarte_like(60, 5, seed=1, operations=(3, 5), flexibility=4, low=2, high=6, kinds=40)
    assert set(job_lengths(instance).tolist()) == {3, 4, 5}
    assert set(machine_counts(instance).tolist()) == {1, 2, 3, 4}
    assert set(instance.eligible_duration.tolist()) == {2, 3, 4, 5, 6}
    assert len({tuple(row) for row in instance.durations.tolist()}) <= 40 < instance.num_tasks
    assert machine_counts(brandimarte_like(9, 2, seed=1, flexibility=9)).max() <= 2


@pytest.mark.parametrize(("flexibility", "mean", "most"), [("edata", 1.15, 2), ("rdata", 2, 3), ("vdata", 6.5, 12)])
def test_hurink_adds_machines_to_a_job_shop(flexibility: str, mean: float, most: int) -> None:
    """Each operation keeps its machine and duration; the number of machines is that of Hurink's sets."""
    shop = taillard("ta01")
    instance = hurink_like(shop, flexibility, seed=3)
    counts = machine_counts(instance)
    assert (instance.family, instance.num_tasks, instance.num_agents) == ("fjsp", 225, 15)
    assert counts.min() == 1 and counts.max() == most
    assert counts.mean() == pytest.approx(mean, rel=0.12)
    for task in range(shop.num_tasks):
        machines, durations = instance.eligible(task)
        assert shop.eligible(task)[0][0] in machines
        assert set(durations.tolist()) == set(shop.eligible(task)[1].tolist())


def test_hurink_keeps_what_else_the_job_shop_has() -> None:
    """Release dates and precedence of the job shop stay."""
    shop = random_job_shop(3, 3, seed=0).replace(job_release=np.array([0, 4, 9]))
    instance = hurink_like(shop, "rdata", seed=1)
    assert instance.job_release.tolist() == [0, 4, 9]
    assert instance.predecessor_task.tolist() == shop.predecessor_task.tolist()


def test_hurink_refuses_what_it_cannot_widen() -> None:
    """An unknown flexibility and a shop that is flexible already are refused."""
    shop = random_job_shop(3, 3, seed=0)
    with pytest.raises(UnknownNameError, match="choose one of: edata, rdata, vdata"):
        hurink_like(shop, "sdata", seed=1)
    with pytest.raises(InstanceError, match="a choice of machines already"):
        hurink_like(hurink_like(shop, "vdata", seed=1), "rdata", seed=1)


def test_sd1_follows_its_procedure() -> None:
    """Jobs have 0.8 m to 1.2 m operations; durations lie within 20 % of a mean, rounded, and within 1 to 20."""
    instance = sd1(60, 10, seed=1)
    assert set(job_lengths(instance).tolist()) == {8, 9, 10, 11, 12}
    assert set(machine_counts(instance).tolist()) == set(range(1, 11))
    assert (instance.eligible_duration.min(), instance.eligible_duration.max()) == (1, 20)
    for task in range(instance.num_tasks):
        durations = instance.eligible(task)[1]
        assert any(
            max(1, round(0.8 * mean)) <= durations.min() and durations.max() <= min(20, round(1.2 * mean))
            for mean in range(1, 21)
        )


def test_sd2_follows_its_procedure() -> None:
    """Jobs have as many operations as there are machines; durations are 1 to 99 and differ between machines."""
    instance = sd2(60, 10, seed=1)
    assert set(job_lengths(instance).tolist()) == {10}
    assert set(machine_counts(instance).tolist()) == set(range(1, 11))
    assert (instance.eligible_duration.min(), instance.eligible_duration.max()) == (1, 99)
    assert instance.eligible_duration.std() == pytest.approx(28.6, rel=0.05)


@pytest.mark.parametrize("setup_high", [9, 124])
def test_vallada_ruiz_follows_its_procedure(setup_high: int) -> None:
    """Durations fill 1 to 100, setups 1 to the largest; none precedes a first job."""
    instance = vallada_ruiz(100, 10, setup_high, seed=2)
    changeover = instance.changeover
    assert changeover is not None and changeover.agent_home.tolist() == [-1] * 10
    assert set(instance.durations.ravel().tolist()) == set(range(1, 101))
    own = np.eye(100, dtype=bool)
    assert changeover.times[:, own].max() == 0
    assert set(changeover.times[:, ~own].ravel().tolist()) == set(range(1, setup_high + 1))


@pytest.mark.parametrize("options", [{"share": 0.0}, {"share": 0.4}, {"share": 1.0}])
def test_operators_leave_nobody_and_no_machine_out(options: dict[str, Any]) -> None:
    """Each operator serves a machine and each machine has an operator, whatever the share."""
    base = vallada_ruiz(5, 7, 9, seed=1)
    for num_operators in (1, 3, 9):
        instance = with_operators(base, num_operators, seed=4, **options)
        assert instance.resources is not None
        serves = instance.resources.operator_serves
        assert serves.shape == (num_operators, 7)
        assert serves.any(axis=0).all() and serves.any(axis=1).all()
        assert instance.replace(resources=None, name=base.name) == base


@pytest.mark.shared
@pytest.mark.parametrize("flexibility", ["edata", "rdata"])
def test_hurink_resembles_his_sets(flexibility: str, shared: Path) -> None:
    """Over la01 to la40 the mean and the largest number of machines are near those of the public set."""
    public, ours = [], []
    for number in range(1, 41):
        public.append(read_instance(shared / f"bench/fjsp/hurink_{flexibility}/la{number:02d}_{flexibility}.fjs"))
        shop = read_instance(shared / f"bench/jsp/la{number:02d}.txt")
        ours.append(hurink_like(shop, flexibility, seed=number))
        assert public[-1].num_tasks == ours[-1].num_tasks
    counts = [np.concatenate([machine_counts(instance) for instance in group]) for group in (public, ours)]
    assert counts[0].mean() == pytest.approx(counts[1].mean(), rel=0.05)
    assert abs(int(counts[0].max()) - int(counts[1].max())) <= 1


@pytest.mark.shared
def test_vallada_ruiz_resembles_their_set(shared: Path) -> None:
    """Durations and setups of a public instance fill the same ranges with the same means, and its diagonal is 0."""
    public = read_instance(shared / "bench/upms/sdst_large/I_100_20_S_1-99_1.txt")
    ours = vallada_ruiz(100, 20, 99, seed=1)
    for instance in (public, ours):
        assert instance.changeover is not None
        times = instance.changeover.times
        assert (instance.durations.min(), instance.durations.max(), times.max()) == (1, 100, 99)
        assert times[:, np.arange(100), np.arange(100)].max() == 0 and times[:, 0, 1:].min() >= 1
        assert instance.durations.mean() == pytest.approx(50.5, rel=0.04)
        assert times.sum() / (20 * 100 * 99) == pytest.approx(50, rel=0.02)
