"""The registry of families."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import UnknownNameError
from problems.families import FAMILIES, get_family
from problems.families.registry import load_entry
from problems.formats import Format


@pytest.mark.parametrize("name", FAMILIES)
def test_entries_are_complete(name: str) -> None:
    """Every family has a title, known formats, loadable generators and small instances that differ by seed."""
    family = get_family(name)
    assert family.name == name and family.title and family.agent_label and family.rules
    assert Format.JSON in {Format(known) for known in family.formats}
    assert all(callable(load_entry(entry)) for entry in family.generators.values())
    small = family.small_instance(0)
    assert small.family == name
    assert small.num_tasks <= 10
    assert family.small_instance(0) == small != family.small_instance(1)
    assert small.agent_names[0] == f"{family.agent_label}_0"
    module, function = family.plot.split(":")
    assert function in (Path(__file__).parents[3] / (module.replace(".", "/") + ".py")).read_text()


def test_unknown_families_list_the_known() -> None:
    """A wrong name is refused with the alternatives."""
    with pytest.raises(UnknownNameError, match="unknown family 'vrp'; choose one of: fjsp, jsp, mtsp, spark, upms"):
        get_family("vrp")
