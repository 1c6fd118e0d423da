"""Profiles and traces that the user brings: how they are prepared, and what is drawn from them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from problems import FormatError, InstanceError
from problems.families.spark_variants import preset_of
from problems.generators import alibaba_batch, tpch_batch
from problems.generators.traces import LEVELS, SIZES, tpch_job

SCAN = {
    "fresh_durations": {"2": [9], "5": [50, 50], "10": [60], "13": [70]},
    "first_wave": {"2": [9, 8], "5": [50, 41, 50, 50], "10": [60], "13": [71, 70]},
    "rest_wave": {"2": [3, 4], "5": [], "10": [5], "13": []},
}


def wave_lists(value: int) -> dict[str, dict[str, list[int]]]:
    cells = {str(level): [value] for level in LEVELS}
    return {"fresh_durations": {level: [] for level in cells}, "first_wave": cells, "rest_wave": cells}


def write_profile(folder: Path, document: Any) -> Path:
    path = folder / "profile.json.gz"
    path.write_bytes(gzip.compress(json.dumps(document).encode()))
    return path


def small_profile(folder: Path) -> Path:
    """Every query of two sizes; the durations tell which one a stage is of."""
    keys = {f"{size}g-{query}": 1000 * size + query for size in (2, 5) for query in range(1, 23)}
    return write_profile(folder, {key: {"edges": [], "stages": [wave_lists(value)]} for key, value in keys.items()})


def test_a_stage_is_prepared_as_in_the_simulator(tmp_path: Path) -> None:
    """Fresh durations leave the first wave as a multiset; levels without durations borrow from others."""
    path = write_profile(tmp_path, {"2g-1": {"edges": [[0, 1]], "stages": [SCAN, wave_lists(7)]}})
    job = tpch_job(path, "2g-1")
    assert (job.name, list(job.edges)) == ("2g-1", [(0, 1)])
    stage = job.stages[0]
    assert stage.num_tasks == 4  # two first and two rest durations on the first level, which is not 5
    assert stage.samples is not None
    assert stage.samples["fresh"] == {5: [50, 50], 10: [60]} | {level: [70] for level in LEVELS[2:]}
    assert stage.samples["first"] == {5: [41, 50], 10: [41, 50]} | {level: [71] for level in LEVELS[2:]}
    assert stage.samples["rest"] == {5: [], 10: [5]} | {level: [] for level in LEVELS[2:]}
    assert tuple(stage.samples["rest"]) == LEVELS


def test_an_empty_level_takes_that_of_a_level_that_is_never_used(tmp_path: Path) -> None:
    """The filling comes before levels below five are left out."""
    stage = SCAN | {"first_wave": {"2": [9, 8], "5": [50, 50], "10": [60], "13": [70]}}
    path = write_profile(tmp_path, {"2g-1": {"edges": [], "stages": [stage]}})
    samples = tpch_job(path, "2g-1").stages[0].samples
    assert samples is not None
    assert samples["first"] == {level: [8] for level in LEVELS}


def queries(instance: Any) -> list[str]:
    return [name.split(": ")[1] for name in instance.job_names]


def test_batches_draw_queries_and_sizes_uniformly(tmp_path: Path) -> None:
    """Each job is a query and a size, drawn anew; the seed fixes them and the luck."""
    path = small_profile(tmp_path)
    batch = tpch_batch(path, 2000, 3, seed=4, sizes=(2, 5))
    counts = Counter(queries(batch))
    assert len(counts) == 44 and max(counts.values()) < 3 * min(counts.values())
    assert batch.waves is not None and batch.waves.seed == 4
    assert not batch.job_release.any()
    assert batch == tpch_batch(path, 2000, 3, seed=4, sizes=(2, 5)) != tpch_batch(path, 2000, 3, seed=5, sizes=(2, 5))
    assert {name.split("-")[0] for name in queries(tpch_batch(path, 50, 3, seed=1, sizes=(5,)))} == {"5g"}


def test_options_of_a_batch(tmp_path: Path) -> None:
    """Streams, presets and fixed durations."""
    path = small_profile(tmp_path)
    stream = tpch_batch(path, 500, 3, 1, (2,), "decima", interval=5000)
    assert preset_of(stream) == "decima"
    assert np.diff(stream.job_release).mean() == pytest.approx(5000, rel=0.15)
    fixed = tpch_batch(path, 5, 3, 1, (2,), fixed=True)
    assert fixed.waves is None
    assert fixed.durations[:, 0].tolist() == [2000 + int(name.split("-")[1]) for name in queries(fixed)]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], r"expected an object with a member per data set and query"),
        ({}, r"has no entry '2g-\d+'"),
        ({"edges": [[0, 1]], "stages": [SCAN]}, r"\.edges\[0\]\[1\]: found 1"),
        ({"edges": [], "stages": [{"first_wave": {}}]}, r"stages\[0\]: lacks 'fresh_durations'"),
        ({"edges": [], "stages": [SCAN | {"rest_wave": {"x": []}}]}, r"rest_wave: expected an object of durations"),
        ({"edges": [], "stages": [SCAN | {"rest_wave": {"2": []}}]}, r"stages\[0\]: its waves list no or different"),
        ({"edges": [], "stages": [SCAN | {"rest_wave": {"2": [-1]}}]}, r"rest_wave\.2\[0\]: found -1"),
        ({"stages": []}, r"lacks 'edges'"),
    ],
)
def test_broken_profiles_are_refused(tmp_path: Path, document: Any, message: str) -> None:
    """A profile of another layout is refused with the file and the place."""
    whole = {f"2g-{query}": document for query in range(1, 23)} if isinstance(document, dict) and document else document
    path = write_profile(tmp_path, whole)
    with pytest.raises(FormatError, match="profile.json.gz: .*" + message):
        tpch_batch(path, 1, 1, 0, sizes=(2,))


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    """A missing file and a cut-off one are refused with the file's name."""
    cut = tmp_path / "cut.json.gz"
    cut.write_bytes(gzip.compress(b"{}" * 1000)[:-9])
    for path in (tmp_path / "none.json", cut):
        with pytest.raises(FormatError, match=f"{path.name}: cannot be read"):
            tpch_batch(path, 1, 1, 0)


TRACE = [
    {"id": 0, "job": "a", "tasks": [1, 878], "dur_s": [1.0, 7.25], "edges": [[0, 1]]},
    {"id": 1, "job": "b", "tasks": [3], "dur_s": [0.0], "edges": []},
    {"id": 2, "job": "c", "tasks": [2], "dur_s": [2], "edges": []},
]


def write_trace(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "trace.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_traces_give_different_jobs_with_fixed_durations(tmp_path: Path) -> None:
    """Jobs are drawn without repetition; seconds become milliseconds; small jobs can be left out."""
    path = write_trace(tmp_path, TRACE)
    instance = alibaba_batch(path, 3, 2, seed=0, preset="decima", interval=1000)
    assert sorted(instance.job_names) == ["a", "b", "c"]
    assert instance.waves is None and preset_of(instance) == "decima"
    assert instance.job_release[0] == 0 < instance.job_release[1] < instance.job_release[2]
    only = alibaba_batch(path, 1, 2, seed=0, min_stages=2)
    assert (only.job_names, only.task_pieces.tolist(), only.durations[:, 0].tolist()) == (
        ("a",),
        [1, 878],
        [1000, 7250],
    )
    with pytest.raises(InstanceError, match="has 1 jobs of at least 2 stages; asked for 2"):
        alibaba_batch(path, 2, 2, seed=0, min_stages=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tasks": [0]}, r"line 2\.tasks\[0\]: found 0"),
        ({"dur_s": [1, 2]}, r"line 2\.dur_s: has 2 items; expected 1"),
        ({"edges": [[0, 1]]}, r"line 2\.edges\[0\]\[1\]: found 1"),
        ({"user": 1}, r"line 2: unknown key 'user'"),
    ],
)
def test_broken_traces_are_refused_with_the_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """A wrong line is named."""
    path = write_trace(tmp_path, [TRACE[0], TRACE[1] | change])
    with pytest.raises(FormatError, match="trace.jsonl: " + message):
        alibaba_batch(path, 1, 1, 0)


@pytest.mark.shared
def test_published_profile(shared: Path) -> None:
    """The profile has every query of every size; twenty jobs make about as many pieces as expected."""
    path = shared / "bench" / "spark" / "tpch_profile_full.json.gz"
    jobs = [tpch_job(path, f"{size}g-{query}") for size in SIZES for query in range(1, 23)]
    assert sum(len(job.stages) for job in jobs) == 7 * 202
    pieces = [sum(stage.num_tasks for stage in job.stages) for job in jobs]
    assert (min(pieces), max(pieces)) == (13, 3717)
    assert (np.median(pieces[:22]), np.median(pieces[-22:])) == (725, 1330.5)
    for stage in (stage for job in jobs for stage in job.stages):
        assert stage.samples is not None
        assert all(any(wave[level] for wave in stage.samples.values()) for level in LEVELS)
    assert 100 < tpch_batch(path, 20, 50, seed=1).num_tasks < 280


@pytest.mark.shared
def test_published_trace(shared: Path) -> None:
    """The trace is read whole; jobs of several stages can be drawn from it."""
    path = shared / "bench" / "spark" / "alibaba2018_dags_28959.jsonl.gz"
    instance = alibaba_batch(path, 50, 10, seed=1, min_stages=4)
    assert instance.num_jobs == 50 and np.bincount(instance.task_job).min() >= 4
