"""What importing this package brings along."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "numba", "ortools", "wandb", "networkx", "matplotlib", "scipy", "pandas")


@pytest.mark.parametrize(
    "module", ["problems", "problems.families", "problems.formats", "problems.generators", "problems.bounds"]
)
def test_only_numpy_is_imported(module: str) -> None:
    """Reading, generating and bounding instances starts fast: no library but numpy is imported."""
    code = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
