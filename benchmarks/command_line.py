"""How long a person waits: help, an answer for a 15x15 file, the first compilation, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, at_most, reported
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


def compiling() -> Iterator[Row]:
    """All that is ever compiled, into an empty cache."""
    command = [sys.executable, "-m", "training", "warm-up"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MAKESPAN_CACHE_DIR": folder}
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        seconds = time.perf_counter() - started
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 2**20
    shown = "MAKESPAN_CACHE_DIR=$(mktemp -d) python -m training warm-up"
    yield reported(f"compiling everything once: seconds (cache of {size:.0f} MB)", seconds, shown)


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
