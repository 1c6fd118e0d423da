"""Files of every family: what is written is read back equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from dressing import CASES, SEEDS, dressed, measured, plain, schedule_by

from problems.families import FAMILIES
from problems.formats import Format, read_instance, read_schedule, write_instance, write_schedule

FORMATS = [(family, name) for family, entry in sorted(FAMILIES.items()) for name in entry.formats]


@pytest.mark.parametrize(("family", "name"), FORMATS)
def test_every_format_of_a_family_gives_back_its_instances(family: str, name: str, tmp_path: Path):
    """Small instances pass through each format that the registry names, and are recognised by structure."""
    for seed in SEEDS:
        instance = plain(family, seed)
        path = tmp_path / f"{instance.name}.txt"
        write_instance(instance, path, Format(name))
        assert read_instance(path, family=family) == instance


@pytest.mark.parametrize("family", CASES)
def test_json_gives_back_every_switch(family: str, tmp_path: Path):
    """Releases, due dates, moves, setups, resources, samples and the rest survive in JSON, whatever the family."""
    for seed in SEEDS:
        for instance in (plain(family, seed), dressed(family, seed), measured(family, seed)):
            write_instance(instance, tmp_path / "instance.json")
            assert read_instance(tmp_path / "instance.json") == instance


@pytest.mark.parametrize("suffix", ["json", "csv"])
@pytest.mark.parametrize("family", CASES)
def test_schedules_are_read_back_equal(family: str, suffix: str, tmp_path: Path):
    """Schedules with pieces, changeovers and operators survive in both formats."""
    for seed in SEEDS:
        for instance in (plain(family, seed), dressed(family, seed)):
            schedule = schedule_by("random", instance, seed)
            write_schedule(schedule, instance, tmp_path / f"schedule.{suffix}")
            assert read_schedule(tmp_path / f"schedule.{suffix}", instance) == schedule
