"""Best-known values: from the built-in list and from reference files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from problems import FormatError
from problems.bounds import BestKnown, best_known, lower_bound, reference_rows
from problems.families import multiple_tsp
from problems.formats import read_instance
from problems.generators import random_job_shop, taillard

SHOP = random_job_shop(2, 3, seed=1, name="a1")
TOWN = multiple_tsp("town-m2", [[0, 0], [3, 4], [1, 1]], 2)


def put(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


def test_built_in_values() -> None:
    """Taillard's instances have bounds with source and date, by name and by content."""
    closed = best_known("ta01")
    assert closed is not None
    assert (closed.lower, closed.upper, closed.optimal) == (1231, 1231, True)
    assert closed.date is not None and closed.date >= "2026-06-01" and closed.source
    opened = best_known(taillard("ta41"))
    assert opened is not None
    assert (opened.upper, opened.optimal) == (2005, False)
    assert best_known("ta81") is None


def test_a_name_alone_does_not_make_an_instance_taillards() -> None:
    """Another instance called ta01 has no best-known value; the same data under other labels has."""
    assert best_known(random_job_shop(15, 15, seed=1, name="ta01")) is None
    assert best_known(random_job_shop(2, 2, seed=1, name="ta01")) is None
    assert best_known(taillard("ta01").replace(family="custom", agent_names=tuple("abcdefghijklmno"))) is not None


@pytest.mark.parametrize(
    ("name", "document", "expected"),
    [
        ("bounds.json", {"a1": {"lb": 3, "ub": 5}}, BestKnown(3, 5, False, "bounds.json", None)),
        (
            "bounds.json",
            {"A1": {"lb": 5, "ub": 5, "ub_source": "X", "ub_date": "2020-01-01", "lb_date": "2021-01-01"}},
            BestKnown(5, 5, True, "X", "2021-01-01"),
        ),
        (
            "x_best_known.json",
            {"7": {"file": "sub/a1.txt", "best": 9}},
            BestKnown(None, 9, False, "x_best_known.json", None),
        ),
        (
            "index.json",
            [{"file": "a1.jsp", "expect": {"n": 2, "m": 3, "makespan": 8}}],
            BestKnown(None, 8, False, "index.json", None),
        ),
        ("index.json", [{"file": "a1.jsp", "expect": {"n": 9, "makespan": 8}}], None),
        ("bounds.json", {"a1": {"jobs": 2, "machines": 4, "ub": 5}}, None),
        ("bounds.json", {"a1": {"ub": "5"}, "a2": 3}, None),
        ("bounds.json", '{"a1": {"ub": NaN}}', None),
        ("bounds.json", {"other": {"ub": 5}}, None),
        ("other.json", {"a1": {"ub": 5}}, None),
        (
            "bounds.json",
            {"a1": {"soa_optimum": 7, "best": 7, "verified_ub_src": "V"}},
            BestKnown(7, 7, True, "V", None),
        ),
        (
            "bounds.json",
            {"a1": {"soa_optimum": 80, "trivial_lb": 60, "best": 75}},
            BestKnown(60, 75, False, "bounds.json", None),
        ),
        ("bounds.json", {"a1": {"trivial_lb": 2, "best": 7}}, BestKnown(2, 7, False, "bounds.json", None)),
    ],
)
def test_reference_files(name: str, document: Any, expected: BestKnown | None, tmp_path: Path) -> None:
    """Entries of each shape are matched by name or file, here and one level up, if sizes and numbers make sense."""
    put(tmp_path / name, document)
    (tmp_path / "sub").mkdir()
    assert best_known(SHOP, [tmp_path]) == expected
    assert best_known(SHOP, [tmp_path / "sub"]) == expected
    assert best_known(SHOP, []) is None


def test_values_hold_per_number_of_salesmen(tmp_path: Path) -> None:
    """Cities have one entry per number of salesmen; several entries give the best of each side."""
    entries = {
        f"{name}-m{m}": {"file": "maps/town.tsp", "n": 3, "m": m, "lb": lb, "ub": ub, "ub_source": name}
        for name, m, lb, ub in (("town", 2, 4.5, 6.5), ("alias", 2, 5.5, 6.25), ("town", 3, 1, 2.5))
    }
    put(tmp_path / "maps_best_known.json", {"conventions": "depot first", "instances": entries})
    assert best_known(TOWN, [tmp_path]) == BestKnown(5.5, 6.25, False, "alias", None)
    assert best_known("town-m3", [tmp_path]) == BestKnown(1, 2.5, False, "town", None)
    assert best_known("town-m4", [tmp_path]) is None
    assert best_known("town", [tmp_path]) is None
    assert best_known(TOWN.replace(name="copy"), [tmp_path]) is None
    assert best_known(TOWN.replace(name="copy"), [tmp_path], path=tmp_path / "town.tsp") is not None


def test_rows_of_a_folder(tmp_path: Path) -> None:
    """A folder lists one row per (file, number of salesmen), told apart by subfolder."""
    entries = [
        {"name": "town-m3", "file": "town.tsp", "n": 3, "m": 3, "ub": 2},
        {"name": "town-m2", "file": "town.tsp", "n": 3, "m": 2, "ub": 6},
        {"name": "x", "file": "left/a1.txt", "ub": 10},
        {"name": "y", "file": "right/a1.txt", "ub": 20},
        {"name": "gone", "file": "gone.txt", "ub": 20},
    ]
    put(tmp_path / "index.json", entries)
    for file in ("town.tsp", "left/a1.txt", "right/a1.txt", "unknown.txt"):
        put(tmp_path / file, "")
    rows = [(row.path.relative_to(tmp_path).as_posix(), row.agents, row.best.upper) for row in reference_rows(tmp_path)]
    assert rows == [("left/a1.txt", None, 10), ("right/a1.txt", None, 20), ("town.tsp", 2, 6), ("town.tsp", 3, 2)]
    known = best_known(SHOP, [tmp_path], path=tmp_path / "right/a1.txt")
    assert known is not None and known.upper == 20


@pytest.mark.parametrize("text", ['{"a1": \n}', "[" * 100_000, "\x00"])
def test_broken_reference_files_are_refused(text: str, tmp_path: Path) -> None:
    """A reference file that is not JSON is named, not passed over."""
    put(tmp_path / "bounds.json", text)
    with pytest.raises(FormatError, match=r"bounds\.json"):
        best_known(SHOP, [tmp_path])


@pytest.mark.shared
def test_public_reference_files(shared: Path) -> None:
    """Public bounds are found for every job shop, agree with the built-in list, and enclose our cheap bound."""
    folder = shared / "bench/jsp"
    rows = reference_rows(folder)
    assert len(rows) == 198
    entries = json.loads((folder / "bounds.json").read_text())
    for row in rows:
        instance = read_instance(row.path)
        assert row.best == best_known(instance, [folder], row.path)
        assert (row.best.lower, row.best.upper) == (entries[row.path.stem]["lb"], entries[row.path.stem]["ub"])
        assert row.best.upper is not None
        assert entries[row.path.stem]["trivial_lb"] <= lower_bound(instance) <= row.best.upper
        built_in = best_known(instance)
        assert (built_in is not None) == row.path.stem.startswith("ta")
        assert built_in is None or (built_in.lower, built_in.upper) == (row.best.lower, row.best.upper)


@pytest.mark.shared
def test_public_cities(shared: Path) -> None:
    """Each public (file, number of salesmen) is a row whose value is not below our cheap bound."""
    rows = [row for row in reference_rows(shared / "bench/mtsp") if row.agents in (2, 3, 5, 7)]
    assert len(rows) == 16
    for row in rows:
        instance = read_instance(row.path, agents=row.agents)
        assert best_known(instance, [shared / "bench/mtsp"], row.path) == row.best
        assert row.best.upper is not None
        assert lower_bound(instance) / instance.scale <= row.best.upper + 1e-4


@pytest.mark.shared
def test_public_flexible_job_shops(shared: Path) -> None:
    """Each public flexible job shop has dated bounds by some author, found by name and by instance from its folder."""
    rows = reference_rows(shared / "bench/fjsp")
    assert len(rows) == 237
    entries = json.loads((shared / "bench/fjsp/bounds.json").read_text())
    for number, row in enumerate(rows):
        entry = entries[row.path.stem]
        assert (row.best.lower, row.best.upper, row.best.optimal) == (entry["lb"], entry["ub"], entry["optimal"])
        assert row.best.source == entry["ub_source"]
        assert row.best.date == max(entry["lb_date"], entry["ub_date"])
        if number % 8 == 0:
            instance = read_instance(row.path)
            assert best_known(instance, [row.path.parent], row.path) == row.best
            assert entry["trivial_lb"] <= lower_bound(instance) <= entry["ub"]
    mk01 = best_known("mk01", [shared / "bench/fjsp"])
    assert mk01 is not None and (mk01.lower, mk01.upper, mk01.optimal) == (40, 40, True)


@pytest.mark.shared
def test_public_parallel_machines(shared: Path) -> None:
    """Each public file of parallel machines has its best value; those of up to 12 jobs are optimal."""
    rows = reference_rows(shared / "bench/upms")
    assert len(rows) == 156
    for number, row in enumerate(rows):
        assert row.best.upper is not None and row.best.source
        assert row.best.optimal == (row.path.parent.name == "sdst_small")
        if number % 8 == 0:
            instance = read_instance(row.path)
            assert best_known(instance, [row.path.parent], row.path) == row.best
            assert lower_bound(instance) <= row.best.upper
    known = best_known("I_12_5_S_1-99_1", [shared / "bench/upms/sdst_small"])
    assert known is not None and known.lower == known.upper
    plain = best_known(read_instance(shared / "bench/upms/r_cmax/pm0001_100_10_c1.txt"), [shared / "bench/upms"])
    assert plain is not None and (plain.lower, plain.upper, plain.optimal) == (111, 117, False)
