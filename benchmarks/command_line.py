"""How long a person waits: help, and an answer for a 15x15 file, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, at_most
from problems.formats import write_instance
from problems.generators import taillard


def waiting() -> Iterator[Row]:
    """Start-up included, with a warm cache of compiled code."""
    yield _row("--help", ["--help"], 0.5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.jsp"
        write_instance(taillard("ta01"), path)
        for solver in ("spt-twkr", "tuned", "policy"):
            yield _row(f"solve a 15x15 file with {solver}", ["solve", str(path), "--solver", solver, "--json"], 2.0)


def _row(what: str, arguments: list[str], bar: float) -> Row:
    times = []
    for _ in range(6):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "training", *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    times = times[1:]
    spread = max(times) - min(times)
    shown = " ".join("FILE" if argument.endswith(".jsp") else argument for argument in arguments)
    command = f"python -m training {shown}"
    return at_most(f"{what}: seconds (spread {spread:.2f})", float(np.median(times)), bar, command)
