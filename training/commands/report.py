"""``report``: evaluations to one HTML page; the gap table is printed too."""

from __future__ import annotations

from training.commands.arguments import ReportOptions
from training.commands.evaluate import gap_table
from training.files import write_whole
from training.options import OptionError
from training.report.build import build_report
from training.report.load import load_evaluations


def run(options: ReportOptions) -> int:
    """Write the page, print its path and the gap table."""
    if not options.folders:
        raise OptionError("DIR is missing; name folders written by 'evaluate'")
    evaluations = load_evaluations(options.folders)
    out = options.out if options.out is not None else options.folders[0] / "report.html"
    write_whole(out, build_report(evaluations))
    print(gap_table(evaluations.rows) + f"\nreport: {out}")
    return 0
