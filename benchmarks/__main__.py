"""Measure everything, print one table, fail on a miss."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import command_line, environment_speed, job_shops, messages, routes
from benchmarks.rows import Row, as_table, write_results

RESULTS = Path(__file__).parent / "results"


def sections(shared: Path, jssenv: str) -> dict[str, Callable[[], Iterator[Row]]]:
    """Every section by name, in order."""
    return {
        "rules": job_shops.rules,
        "learned": job_shops.learned,
        "messages": messages.comparison,
        "command-line": command_line.waiting,
        "proofs": lambda: job_shops.proofs(shared),
        "generated": lambda: job_shops.generated(shared),
        "auto": job_shops.auto,
        "routes": lambda: routes.library(shared),
        "route-proofs": lambda: routes.proofs(shared),
        "environments": lambda: environment_speed.rows(jssenv),
    }


def main() -> int:
    """Run the sections; 0 if every bar holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--shared", type=Path, required=True, help="folder with the public instances (bench/)")
    parser.add_argument("--jssenv", required=True, help="Python of an environment with JSSEnv 1.1.0")
    parser.add_argument("--only", help="comma-separated sections; the results folder is then left alone")
    options = parser.parse_args()
    known = sections(options.shared, options.jssenv)
    chosen = options.only.split(",") if options.only else list(known)
    rows: list[Row] = []
    for name in chosen:
        if name not in known:
            parser.error(f"unknown section '{name}'; choose from {', '.join(known)}")
        for row in known[name]():
            print(f"{name}: {row.what}: {row.measured} {row.asked}", file=sys.stderr, flush=True)
            rows.append(row)
    print(as_table(rows))
    if not options.only:
        write_results(rows, RESULTS, "bench")
    missed = [row for row in rows if row.passed is False]
    for row in missed:
        print(f"missed: {row.what}: {row.measured}, asked {row.asked}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
