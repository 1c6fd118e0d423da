"""The registry of solvers: names, loading on use, refusals."""

from __future__ import annotations

import subprocess
import sys

import pytest

from problems import UnknownNameError, UnsupportedError
from solvers import SOLVERS, get_entry, get_solver

PROMISED = [
    "spt",
    "lpt",
    "fifo",
    "mor",
    "mwkr",
    "fdd-mwkr",
    "spt-twkr",
    "random",
    "nearest",
    "insertion",
    "pilot",
    "local-search",
    "tuned",
    "policy",
    "cp-sat",
    "auto",
]


@pytest.mark.parametrize("name", PROMISED)
def test_promised_names_exist(name: str):
    """Later commands call solvers by these names."""
    assert SOLVERS[name].name == name and SOLVERS[name].summary


def test_unknown_name_lists_the_alternatives():
    """A typing error is answered with the names there are."""
    with pytest.raises(UnknownNameError, match="spt-twkr"):
        get_solver("sptt")


def test_pilot_takes_dispatch_rules_only():
    """Pilot rolls out rules that rank candidates; everything else is refused by name."""
    assert get_entry("pilot:mwkr").name == "pilot"
    for rule in ("insertion", "cp-sat", "pilot"):
        with pytest.raises(UnsupportedError, match=rule):
            get_entry(f"pilot:{rule}")
    with pytest.raises(UnknownNameError, match="mwkr"):
        get_entry("pilot:nonsense")
    with pytest.raises(UnsupportedError, match="only pilot"):
        get_entry("spt:mwkr")


def test_importing_the_registry_stays_light():
    """Listing solvers must not import a solver library."""
    heavy = "{'torch', 'ortools', 'numba', 'networkx', 'wandb'}"
    code = f"import sys, solvers; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
