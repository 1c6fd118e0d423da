"""Unusual public files: read as what they are, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import FormatError
from problems.formats import read_instance

KNOWN = {
    "jsp_comment_header_ft06.txt": ("jsp", 6, 6, 197),
    "jsp_double_space_ft06.txt": ("jsp", 6, 6, 197),
    "jsp_zero_duration_orb07.txt": ("jsp", 10, 10, None),
    "jsp_single_machine_gen0066.txt": ("jsp", 5, 1, 5),
    "jsp_leading_trailing_spaces_cscmax_20_15_1.txt": ("jsp", 20, 15, None),
    "jsp_no_final_newline_test33.txt": ("jsp", 3, 3, 126),
    "fjsp_trailing_blank_lines_mk1.fjs": ("fjsp", 10, 6, None),
    "fjsp_long_float_header_mk11.txt": ("fjsp", 30, 5, None),
    "fjsp_sdst_blank_line_matrix_Fattahi_setup_01.fjs": ("fjsp", 2, 2, 314),
    "mtsp_scientific_rand100_3.txt": ("mtsp", 99, 3, 0),
    "upms_crlf_tabs_I_6_2_S_1-9_1.txt": ("upms", 6, 2, 396),
}
"""Family, jobs, agents and sum of all durations, of files that hold an instance of a layout that is read."""

REFUSED = {
    "fjsp_0based_mk01.txt": r":2: machine 0 of job 1, operation 1 does not exist; expected 1 to 6",
    "fjsp_crlf_truncated_HurinkEdata63.fjs": r":11: .* after the 9 operations of job 10",
    "fajsp_comments_YFJS03.txt": r":5: the header holds 3 numbers",
    "jsp_table_zero_dur_3_3.txt": "no known format",
}
"""Files that are refused, and what is said of them."""


@pytest.mark.shared
@pytest.mark.parametrize("name", KNOWN)
def test_odd_files_are_read_as_what_they_are(name: str, shared: Path) -> None:
    """Blanks, comments, line ends and headers out of the ordinary change neither family, size nor durations."""
    family, jobs, agents, total = KNOWN[name]
    instance = read_instance(shared / "bench/odd" / name)
    assert (instance.family, instance.num_jobs, instance.num_agents) == (family, jobs, agents)
    assert total is None or instance.eligible_duration.sum() == total


@pytest.mark.shared
def test_other_odd_files_are_refused(shared: Path) -> None:
    """Whatever else is there is refused by file and line; never read as another problem."""
    others = [file for file in sorted((shared / "bench/odd").iterdir()) if file.name not in KNOWN]
    assert {file.name for file in others} >= set(REFUSED)
    for file in others:
        with pytest.raises(FormatError, match=file.name):
            read_instance(file)


@pytest.mark.shared
@pytest.mark.parametrize("name", REFUSED)
def test_errors_say_where_and_what(name: str, shared: Path) -> None:
    """A file counted from 0, a truncated one and another layout are named by line."""
    with pytest.raises(FormatError, match=REFUSED[name]):
        read_instance(shared / "bench/odd" / name)
