"""The table of results in README.md, made from the last measurements: ``python -m benchmarks.readme``."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "bench.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- results: made by python -m benchmarks.readme -->", "<!-- end of results -->"

LINES = (
    ("strongest rule (`spt-twkr`; `insertion`)", "taillard spt-twkr", "mtsplib insertion 1"),
    ("`pilot`", "taillard pilot", "mtsplib pilot 1"),
    ("`tuned`, one pass", "taillard tuned", "mtsplib tuned 1"),
    ("`policy`, one pass", "taillard policy", "mtsplib policy 1"),
    ("`tuned`, best of 512", "taillard tuned 512", "mtsplib tuned 512"),
    ("`insertion`, best of 512", "", "mtsplib insertion 512"),
)
"""Title and the keys of the two columns."""

PUBLISHED = (
    ("*published*: L2D, one pass (arXiv 2010.12367)", "27.1 %", ""),
    ("*published*: ScheduleNet, one pass (arXiv 2106.03051)", "16.1 %", "16.1 %"),
    ("*published*: best of 512 of a learned policy (MP-ASIL, 2025)", "7.4 %", ""),
)
"""As later papers cite them, against the same best-known values as far as they say."""


def table(measured: dict[str, float]) -> str:
    """Markdown table; an empty cell where nothing is measured."""
    lines = ["| mean gap to the best-known values | ta01-ta80 | mTSPLib, 16 cases |", "|---|---|---|"]
    for title, *keys in LINES:
        cells = [f"{measured[key]:.1f} %" if key in measured else "" for key in keys]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines += [f"| {' | '.join(line)} |" for line in PUBLISHED]
    return "\n".join(lines)


def block() -> str:
    """The part of the README between the two marks."""
    rows = json.loads(RESULTS.read_text())["rows"]
    return table({row["key"]: row["measured"] for row in rows if row["key"]})


def main() -> None:
    """Put the table into the README."""
    before, rest = README.read_text().split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n{block()}\n{END}{after}")


if __name__ == "__main__":
    main()
