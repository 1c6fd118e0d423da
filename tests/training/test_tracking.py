"""Metrics in files, and tracking that never stops a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from training.tracking import START_TIMEOUT, Metrics, NoTracker, start_tracking

SETTINGS: dict[str, tuple[dict[str, str], bool]] = {
    # name: environment, whether wandb can be imported
    "offline": ({"WANDB_MODE": "offline"}, True),
    "disabled": ({"WANDB_MODE": "disabled"}, True),
    "no login": ({}, True),
    "dead server": ({"WANDB_BASE_URL": "http://127.0.0.1:9", "WANDB_API_KEY": "0" * 40}, True),
    "not installed": ({}, False),
}

PROGRAM = """
import sys
from pathlib import Path
from training.tracking import Metrics, start_tracking
if sys.argv[2] == "block":
    sys.modules["wandb"] = None
folder = Path(sys.argv[1])
tracker = start_tracking(folder, "jsp-3x3", "train", {"seed": 1}, ("jsp",))
metrics = Metrics(folder / "metrics.jsonl")
for update in range(3):
    values = {"train/makespan": 10.0 - update, "losses/policy": 0.5}
    metrics.log(update, values)
    tracker.log(update, values)
tracker.table("eval/results", ["a"], [[1], [None]])
tracker.finish()
"""


def logged(path: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("setting", SETTINGS)
def test_tracking_never_stops_a_run(setting, tmp_path):
    """Offline, disabled, without login, with a dead server or without wandb: exit code 0 and the same metrics."""
    environment, installed = SETTINGS[setting]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}
    home = tmp_path / "home"
    home.mkdir()
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "run"), "allow" if installed else "block"],
        env={**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - started < START_TIMEOUT + 25
    expected = [{"update": n, "train/makespan": 10.0 - n, "losses/policy": 0.5} for n in range(3)]
    assert logged(tmp_path / "run" / "metrics.jsonl") == expected
    assert done.stderr.count("tracking:") == (0 if setting in ("offline", "disabled") else 1), done.stderr


def test_metrics_are_kept_once_per_update(tmp_path):
    """A run that crashed at update 5 with a checkpoint at 3 loses and doubles nothing."""
    path = tmp_path / "metrics.jsonl"
    first = Metrics(path)
    for update in range(1, 6):
        first.log(update, {"train/x": float(update)})
    resumed = Metrics(path, resume=True)
    for update in range(4, 7):
        resumed.log(update, {"train/x": float(update)})
    assert [entry["update"] for entry in logged(path)] == [1, 2, 3, 4, 5, 6]


def test_a_new_run_starts_a_new_file(tmp_path):
    """Without --resume the metrics of an earlier run do not stay."""
    path = tmp_path / "metrics.jsonl"
    Metrics(path).log(1, {"train/x": 1.0})
    Metrics(path)
    assert path.read_text() == ""


def test_metrics_are_finite(tmp_path):
    """NaN never reaches the file."""
    with pytest.raises(ValueError, match="JSON"):
        Metrics(tmp_path / "metrics.jsonl").log(1, {"losses/x": float("nan")})


class _Run:
    """Stands for a run of wandb."""

    id = "abc"

    def __init__(self) -> None:
        self.logged: list[dict[str, float]] = []

    def define_metric(self, name: str, step_metric: str | None = None) -> None:
        pass

    def log(self, values: dict[str, float]) -> None:
        self.logged.append(values)

    def finish(self) -> None:
        pass


class _Wandb:
    """Stands for the package wandb and keeps what `init` was given."""

    def __init__(self, fail: bool) -> None:
        self.fail, self.calls, self.run = fail, [], _Run()

    def login(self, **settings: object) -> bool:
        return True

    def Settings(self, **settings: object) -> dict[str, object]:  # noqa: N802 - the name of wandb's class
        return settings

    def init(self, **settings: object) -> _Run:
        self.calls.append(settings)
        if self.fail and "mode" not in settings:
            raise RuntimeError("no answer\nand more")
        return self.run


def start(wandb: _Wandb, folder: Path, monkeypatch: pytest.MonkeyPatch, resume: bool = False):
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    return start_tracking(folder, "jsp-15x15", "train", {"seed": 1}, ("jsp", ""), resume)


def test_no_mode_is_passed_unasked(tmp_path, monkeypatch):
    """WANDB_MODE decides; group, job type and tags are set."""
    wandb = _Wandb(fail=False)
    start(wandb, tmp_path, monkeypatch)
    (call,) = wandb.calls
    assert "mode" not in call
    assert (call["group"], call["job_type"], call["tags"]) == ("jsp-15x15", "train", ["jsp"])


def test_an_unreachable_server_falls_back_once(tmp_path, monkeypatch, capsys):
    """After a failed online start the run is offline, and one line says so."""
    wandb = _Wandb(fail=True)
    start(wandb, tmp_path, monkeypatch)
    assert [call.get("mode") for call in wandb.calls] == [None, "offline"]
    assert capsys.readouterr().err.count("\n") == 1


def test_a_resumed_run_tracks_no_update_twice(tmp_path, monkeypatch):
    """The run of before is continued under its id, with only what is new."""
    wandb = _Wandb(fail=False)
    tracker = start(wandb, tmp_path, monkeypatch)
    for update in range(1, 6):
        tracker.log(update, {"train/x": float(update)})
    resumed = start(wandb, tmp_path, monkeypatch, resume=True)
    for update in range(4, 8):
        resumed.log(update, {"train/x": float(update)})
    assert [entry["update"] for entry in wandb.run.logged] == [1, 2, 3, 4, 5, 6, 7]
    assert (wandb.calls[1]["id"], wandb.calls[1]["resume"]) == ("abc", "allow")


def test_without_wandb_the_run_goes_on(tmp_path, monkeypatch, capsys):
    """A missing package is told in one line with the remedy."""
    monkeypatch.setitem(sys.modules, "wandb", None)
    assert isinstance(start_tracking(tmp_path, "g", "train", {}), NoTracker)
    assert "pip install wandb" in capsys.readouterr().err
