"""Measure everything, print one table, fail on a miss."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

from benchmarks import (
    ablations,
    clusters,
    command_line,
    environment_speed,
    flexible_shops,
    job_shops,
    messages,
    parallel_machines,
    preset_table,
    presets,
    routes,
    spark,
    throughput,
    training_runs,
    universal,
)
from benchmarks.rows import Row, as_table, measure, read_results, write_results

RESULTS = Path(__file__).parent / "results"


def sections(
    shared: Path, jssenv: str | None, long: bool, minutes: float = training_runs.MINUTES
) -> dict[str, Callable[[], Iterator[Row]]]:
    """Every section by name, in order."""
    return {
        "rules": job_shops.rules,
        "learned": job_shops.learned,
        "throughput": throughput.rows,
        "messages": messages.comparison,
        "universal": universal.rows,
        "command-line": command_line.waiting,
        "compiling": command_line.compiling,
        "proofs": lambda: job_shops.proofs(shared),
        "generated": lambda: job_shops.generated(shared),
        "auto": job_shops.auto,
        "routes": lambda: routes.library(shared),
        "route-proofs": lambda: routes.proofs(shared),
        "fjsp": lambda: flexible_shops.rows(shared),
        "fjsp-proofs": lambda: flexible_shops.proofs(shared, long),
        "upms": lambda: parallel_machines.heuristics(shared),
        "upms-proofs": lambda: parallel_machines.exact(shared, long),
        "cluster-proofs": clusters.proofs,
        "spark": lambda: spark.rows(shared),
        "spark-learned": lambda: spark.learned(shared),
        "environments": lambda: environment_speed.rows(jssenv),
        "presets": lambda: presets.rows(jssenv),
    } | (_trainings(minutes) if long else {})


def _trainings(minutes: float) -> dict[str, Callable[[], Iterator[Row]]]:
    """Sections that train for so many minutes a run."""
    return {
        "train": lambda: training_runs.rows(minutes),
        "preset-table": lambda: preset_table.rows(minutes),
        "ablations": lambda: ablations.rows(minutes),
    }


def main() -> int:
    """Run the sections; 0 if every bar holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--shared", type=Path, required=True, help="folder with the public instances (bench/)")
    parser.add_argument(
        "--jssenv", help="Python of an environment with JSSEnv 1.1.0; the sections environments and presets need it"
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="what takes hours, too: longer CP-SAT runs, trainings (train, preset-table, ablations)",
    )
    parser.add_argument(
        "--minutes", type=float, default=training_runs.MINUTES, help="of each training with --long (default: 20)"
    )
    parser.add_argument("--only", help="comma-separated sections; the results are then left alone")
    parser.add_argument("--update", action="store_true", help="with --only: replace these sections in the results")
    options = parser.parse_args()
    known = sections(options.shared, options.jssenv, options.long, options.minutes)
    chosen = options.only.split(",") if options.only else list(known)
    _require_possible(parser, options, chosen, known)
    measured = {name: measure(known[name], partial(_tell, name)) for name in chosen}
    rows = [row for found in measured.values() for row in found]
    print(as_table(rows))
    if options.update or not options.only:
        kept = read_results(RESULTS / "bench.json") if options.only else {}
        write_results(measured, RESULTS, "bench", kept)
    missed = [row for row in rows if row.passed is False]
    for row in missed:
        print(f"missed: {row.what}: {row.measured}, asked {row.asked}", file=sys.stderr)
    return 1 if missed else 0


def _tell(section: str, row: Row) -> None:
    print(f"{section}: {row.what}: {row.measured} {row.asked}", file=sys.stderr, flush=True)


def _require_possible(
    parser: argparse.ArgumentParser, options: argparse.Namespace, chosen: list[str], known: Collection[str]
) -> None:
    """Refuse what cannot be measured before any time is spent."""
    for name in chosen:
        if name not in known:
            parser.error(f"unknown section '{name}'; choose from {', '.join(known)}")
    for name in {"environments", "presets"}.intersection(chosen):
        if options.jssenv is None:
            parser.error(f"the section {name} needs --jssenv PYTHON")
    if not (options.shared / "bench").is_dir():
        parser.error(f"--shared {options.shared}: there is no folder 'bench' in it")


if __name__ == "__main__":
    sys.exit(main())
