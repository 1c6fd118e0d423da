"""Taillard's instances, bit by bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import UnknownNameError
from problems.formats import read_instance
from problems.generators import taillard, taillard_job_shop, taillard_names
from problems.generators.taillard import TaillardRandom, taillard_table


def test_generator_is_lehmers() -> None:
    """From seed 1 the 10000th state is 1043618065, the published check of this generator (Park and Miller 1988)."""
    random = TaillardRandom(1)
    for _ in range(10_000):
        random.uniform(0, 1)
    assert random._state == 1043618065


def test_first_operations_of_ta01() -> None:
    """The first job of ta01 starts as published."""
    instance = taillard("ta01")
    assert instance.eligible_agent[:5].tolist() == [6, 12, 4, 7, 3]
    assert instance.eligible_duration[:5].tolist() == [94, 66, 10, 53, 26]
    assert (instance.name, instance.num_jobs, instance.num_agents) == ("ta01", 15, 15)


def test_built_in_list_is_complete() -> None:
    """There are eighty instances of the published sizes, each with bounds, date and source."""
    assert taillard_names() == [f"ta{number:02d}" for number in range(1, 81)]
    sizes = [(15, 15), (20, 15), (20, 20), (30, 15), (30, 20), (50, 15), (50, 20), (100, 20)]
    table = taillard_table()
    for number, entry in enumerate(table["instances"].values()):
        assert (entry["jobs"], entry["machines"]) == sizes[number // 10]
        assert 0 < entry["lower"] <= entry["upper"]
        assert entry["lower_source"] and entry["upper_source"]
    assert table["date"] == "2026-06-01"


def test_unknown_names_and_seeds_are_refused() -> None:
    """A name outside the list and a seed outside the generator's range are refused."""
    with pytest.raises(UnknownNameError, match="ta01 to ta80"):
        taillard("ta81")
    for seed in (0, -1, 2**31 - 1):
        with pytest.raises(ValueError, match="seed is"):
            taillard_job_shop("x", 2, 2, seed, 1)


@pytest.mark.shared
def test_all_equal_the_public_files(shared: Path) -> None:
    """ta01 to ta80 equal the public files."""
    for name in taillard_names():
        assert taillard(name) == read_instance(shared / f"bench/jsp/{name}.txt")
