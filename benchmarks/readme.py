"""The tables of results in README.md, made from the last measurements: ``python -m benchmarks.readme``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "bench.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- results: made by python -m benchmarks.readme -->", "<!-- end of results -->"


@dataclass(frozen=True)
class Line:
    """A line of a table: its title, and a key of `benchmarks.rows.Row` or a published text for each column."""

    title: str
    cells: tuple[str, ...]
    published: bool = False

    def render(self, measured: Mapping[str, float], digits: str) -> str:
        """Markdown; an empty cell where nothing is measured."""
        if self.published:
            return f"| {self.title} | {' | '.join(self.cells)} |"
        shown = (digits.format(measured[key]) if key in measured else "" for key in self.cells)
        return f"| {self.title} | {' | '.join(shown)} |"


@dataclass(frozen=True)
class Table:
    """A table: the head of its columns, its lines, and how a number is written."""

    head: tuple[str, ...]
    lines: Sequence[Line]
    digits: str = "{:.1f} %"

    def render(self, measured: Mapping[str, float]) -> str:
        """Markdown, without lines of which nothing is measured; nothing if nothing at all is."""
        lines = [line for line in self.lines if line.published or any(key in measured for key in line.cells)]
        if all(line.published for line in lines):
            return ""
        rule = "|---" * len(self.head) + "|"
        return "\n".join(
            [f"| {' | '.join(self.head)} |", rule, *(line.render(measured, self.digits) for line in lines)]
        )


SHOPS_AND_ROUTES = Table(
    ("mean gap to the best-known values", "JSP: ta01-ta80", "mTSP: mTSPLib, 16 cases"),
    (
        Line("strongest rule (`spt-twkr`; `insertion`)", ("taillard spt-twkr", "mtsplib insertion 1")),
        Line("`pilot`", ("taillard pilot", "mtsplib pilot 1")),
        Line("`tuned`, one pass", ("taillard tuned", "mtsplib tuned 1")),
        Line("`policy`, one pass", ("taillard policy", "mtsplib policy 1")),
        Line("`auction`, one pass", ("", "mtsplib auction 1")),
        Line("`tuned`, best of 128", ("taillard tuned 128", "mtsplib tuned 128")),
        Line("`tuned`, best of 512", ("taillard tuned 512", "mtsplib tuned 512")),
        Line("`insertion`, best of 512", ("", "mtsplib insertion 512")),
        Line("`auction`, best of 128", ("", "mtsplib auction 128")),
        Line("`auction`, best of 512", ("", "mtsplib auction 512")),
        Line("*published*: L2D, one pass (arXiv 2010.12367)", ("27.1 %", ""), True),
        Line("*published*: ScheduleNet, one pass (arXiv 2106.03051)", ("16.1 %", "16.1 %"), True),
        Line("*published*: best of 512 of a learned policy (MP-ASIL, 2025)", ("7.4 %", ""), True),
    ),
)
"""Published numbers are as later papers cite them, against the same best-known values as far as they say."""

MACHINES = Table(
    (
        "mean gap to the best-known values",
        "FJSP: mk01-mk10",
        "FJSP: Hurink edata, la01-la40",
        "FJSP: rdata",
        "UPMS: 6-12 jobs",
        "UPMS: 50-200 jobs",
    ),
    (
        Line(
            "strongest rule (`pair`; `insertion`)",
            (
                "brandimarte pair 1",
                "hurink_edata la pair 1",
                "hurink_rdata la pair 1",
                "sdst_small insertion 1",
                "sdst_large insertion 1",
            ),
        ),
        Line(
            "`pilot`",
            (
                "brandimarte pilot 1",
                "hurink_edata la pilot 1",
                "hurink_rdata la pilot 1",
                "sdst_small pilot 1",
                "sdst_large pilot 1",
            ),
        ),
        Line(
            "`tuned`, one pass",
            (
                "brandimarte tuned 1",
                "hurink_edata la tuned 1",
                "hurink_rdata la tuned 1",
                "sdst_small tuned 1",
                "sdst_large tuned 1",
            ),
        ),
        Line(
            "`policy`, one pass",
            (
                "brandimarte policy 1",
                "hurink_edata la policy 1",
                "hurink_rdata la policy 1",
                "sdst_small policy 1",
                "sdst_large policy 1",
            ),
        ),
        Line("`auction`, one pass", ("", "", "", "sdst_small auction 1", "sdst_large auction 1")),
        Line(
            "`pair`; `insertion`, best of 100",
            (
                "brandimarte pair 100",
                "hurink_edata la pair 100",
                "hurink_rdata la pair 100",
                "sdst_small insertion 100",
                "sdst_large insertion 100",
            ),
        ),
        Line(
            "`tuned`, best of 100",
            (
                "brandimarte tuned 100",
                "hurink_edata la tuned 100",
                "hurink_rdata la tuned 100",
                "sdst_small tuned 100",
                "sdst_large tuned 100",
            ),
        ),
        Line(
            "`policy`, best of 100",
            (
                "brandimarte policy 100",
                "hurink_edata la policy 100",
                "hurink_rdata la policy 100",
                "sdst_small policy 100",
                "",
            ),
        ),
        Line("`auction`, best of 100", ("", "", "", "sdst_small auction 100", "sdst_large auction 100")),
        Line(
            "`tuned`, best of 512",
            ("brandimarte tuned 512", "hurink_edata la tuned 512", "hurink_rdata la tuned 512", "", ""),
        ),
        Line("`cp-sat`, 60 s, 2 workers", ("brandimarte cp-sat 60", "", "", "", "")),
        Line("*published*: DANIEL, one pass [1]", ("13.6 %", "16.3 %", "11.4 %", "", ""), True),
        Line("*published*: DANIEL, best of 100 [1]", ("9.5 %", "9.1 %", "5.0 %", "", ""), True),
        Line(
            "*published*: best of 100 of a learned policy (MP-ASIL, 2025) [1]",
            ("7.3 %", "7.2 %", "4.7 %", "", ""),
            True,
        ),
    ),
)
"""DANIEL measures against a list of its own in which mk01, mk06 and mk10 are one or more lower or higher."""

SPARK = Table(
    ("mean job completion time in s, 100 batches of 20 jobs", "decima, 50 executors", "decima, 10", "default, 50"),
    tuple(
        Line(f"`{rule}`", tuple(f"spark {cluster} {rule}" for cluster in ("decima 50", "decima 10", "default 50")))
        for rule in ("fifo", "sjf-cp", "fair", "weighted-fair:-1", "tuned", "policy")
    ),
    "{:.0f}",
)
"""Under the rules of the public simulator (preset decima) and under our own."""

TABLES = (SHOPS_AND_ROUTES, MACHINES, SPARK)


def block(measured: Mapping[str, float] | None = None) -> str:
    """The part of the README between the two marks, made from ``measured`` (None: the results of the last run)."""
    if measured is None:
        rows = json.loads(RESULTS.read_text())["rows"]
        measured = {row["key"]: row["measured"] for row in rows if row["key"]}
    return "\n\n".join(text for text in (table.render(measured) for table in TABLES) if text)


def main() -> None:
    """Put the tables into the README."""
    before, rest = README.read_text().split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n{block()}\n{END}{after}")


if __name__ == "__main__":
    main()
