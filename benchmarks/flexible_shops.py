"""Flexible job shops: rules, pilot and CP-SAT on the instances of Brandimarte and of Hurink, Jurisch and Thole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.library import best_upper, gap_of, learned_solvers, mean_gap, objective_at, read_family
from benchmarks.rows import Row, at_most, holds, reported
from problems.formats import read_instance, write_instance
from solvers.budget import Budget
from solvers.registry import get_solver
from solvers.result import Result

FAMILY = "fjsp"
BARS = {"brandimarte": {"pair": 15.0, "pilot": 8.0}, "hurink_edata": {"pilot": 7.5}}
"""Largest mean gap in percent of a solver on a set."""

SETS = {
    "brandimarte": ("mk01-mk10", "mk0*.fjs", "mk10.fjs"),
    "hurink_edata": ("Hurink edata, all 66", "*.fjs"),
    "hurink_edata la": ("Hurink edata, la01-la40", "la*.fjs"),
    "hurink_rdata la": ("Hurink rdata, la01-la40", "la*.fjs"),
}
"""What is measured: the folder is the first word of the name; how people call it; which files are meant.

Published numbers are about the ten of Brandimarte and the forty of Hurink that were made from la01 to la40.
"""

REPORTED = ("mwkr", "spt", "fifo", "mor")
SAMPLES = {"pair": (100, 512), "tuned": (100, 512), "policy": (100,)}
"""How many samples are measured, by solver."""

CP_SAT_SECONDS, CP_SAT_BAR = 60.0, 2.5
MOMENTS = (10.0, 60.0, 300.0)
"""Seconds after which the value of CP-SAT is told; the last one in long runs only."""


def files(shared: Path, name: str) -> list[Path]:
    """Instance files of a set."""
    folder = shared / "bench/fjsp" / name.split()[0]
    return sorted(path for pattern in SETS[name][1:] for path in folder.glob(pattern))


def rows(shared: Path) -> Iterator[Row]:
    """Rules, pilot and policies on flexible job shops, and their files."""
    yield from heuristics(shared)
    yield written(shared)


def proofs(shared: Path, long: bool) -> Iterator[Row]:
    """CP-SAT on flexible job shops; ``long`` gives it five minutes instead of one."""
    return exact(shared, MOMENTS[-1] if long else CP_SAT_SECONDS)


def heuristics(shared: Path) -> Iterator[Row]:
    """Rules, pilot and the learned policies: mean gaps on every set."""
    learned = learned_solvers(read_family(files(shared, "brandimarte")[0], FAMILY))
    for name, (title, *_) in SETS.items():
        for solver in ("pair", "pilot", *REPORTED, *learned):
            yield _gap_row(shared, name, title, solver, 1)
        for solver, counts in SAMPLES.items():
            if solver in ("pair", *learned):
                yield from (_gap_row(shared, name, title, solver, samples) for samples in counts)


def _gap_row(shared: Path, name: str, title: str, solver: str, samples: int) -> Row:
    gap = mean_gap(files(shared, name), FAMILY, solver, Budget(samples=samples))
    passes = "one pass" if samples == 1 else f"best of {samples}"
    what, key = f"{solver}: mean gap on {title}, {passes}, %", f"{name} {solver} {samples}"
    command = f"{_evaluate(name, solver)} --samples {samples}"
    bar = BARS.get(name, {}).get(solver) if samples == 1 else None
    return reported(what, gap, command, key) if bar is None else at_most(what, gap, bar, command, key)


def exact(shared: Path, seconds: float) -> Iterator[Row]:
    """CP-SAT with two workers: mk01 proved, and the mean gap of ten instances at several moments."""
    paths = files(shared, "brandimarte")
    results = {path: get_solver("cp-sat")(read_family(path, FAMILY), Budget(seconds, workers=2), 1) for path in paths}
    first = results[paths[0]]
    what, command = f"cp-sat: mk01 proved, {first.runtime_s:.1f} s", "python -m training solve mk01.fjs --solver cp-sat"
    yield holds(what, first.objective, "40 proved", first.status == "optimal" and first.objective == 40, command)
    command = f"{_evaluate('brandimarte', 'cp-sat')} --time-limit {seconds:g} --workers 2"
    yield reported("cp-sat: proved of mk01-mk10", sum(one.status == "optimal" for one in results.values()), command)
    for moment in MOMENTS:
        if moment <= seconds:
            yield _moment_row(results, moment, command)


def _moment_row(results: dict[Path, Result], moment: float, command: str) -> Row:
    """Mean gap at one moment of all runs."""
    what, key = f"cp-sat: mean gap on mk01-mk10 at {moment:g} s, 2 workers, %", f"brandimarte cp-sat {moment:g}"
    values = {path: objective_at(result, moment) for path, result in results.items()}
    if None in values.values():
        return holds(what, "no schedule", "a schedule of each", False, command)
    gaps = [gap_of(value, best_upper(read_family(path, FAMILY), path)) for path, value in values.items()]  # type: ignore[arg-type]
    if moment == CP_SAT_SECONDS:
        return at_most(what, float(np.mean(gaps)), CP_SAT_BAR, command, key)
    return reported(what, float(np.mean(gaps)), command, key)


def written(shared: Path) -> Row:
    """Every public file, read, written and read back."""
    paths = sorted((shared / "bench/fjsp").rglob("*.fjs"))
    with TemporaryDirectory() as folder:
        equal = sum(_survives(path, Path(folder) / path.name) for path in paths)
    what, asked = "files of flexible job shops read, written and read back equal", f"{len(paths)}"
    return holds(what, equal, asked, equal == len(paths) > 0, "make test SHARED=DIR")


def _survives(path: Path, copy: Path) -> bool:
    instance = read_family(path, FAMILY)
    write_instance(instance, copy)
    return read_instance(copy) == instance


def _evaluate(name: str, solver: str) -> str:
    files = " ".join(f"DIR/{name.split()[0]}/{pattern}" for pattern in SETS[name][1:])
    return f"python -m training evaluate --family fjsp --instances {files} --solvers {solver} --out DIR"
