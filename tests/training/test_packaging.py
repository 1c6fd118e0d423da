"""What is installed is pinned, and the pins are what the package asks for."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def requirements() -> list[Requirement]:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    groups = [setup["options"]["install_requires"], *setup["options.extras_require"].values()]
    lines = dict.fromkeys(line for group in groups for line in group.split("\n") if line.strip())
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("requirement", requirements(), ids=lambda requirement: requirement.name)
def test_every_requirement_is_pinned_to_a_version_it_allows(requirement):
    """A fresh machine installs exactly what the suite passed with."""
    assert requirement.name in pins()
    assert pins()[requirement.name] in requirement.specifier


def test_pins_are_exact_and_in_order():
    """One version each, no local build tag that other machines could not find."""
    found = pins()
    assert len(found) > 50 and all("+" not in version for version in found.values())
    assert list(found) == sorted(found, key=str.lower)
