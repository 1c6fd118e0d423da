"""Metrics in a file, and on Weights & Biases where asked for.

The file is written the same way with and without tracking. Tracking never stops a run: without a login, without a
network or without the package it says so once and goes on, offline or without.

Metric names start with ``train/``, ``eval/`` or ``losses/``. ``WANDB_MODE`` and the other variables of wandb are
respected: a mode is passed only where an online start has failed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from training.files import make_folder, to_json, write_whole
from training.log import say

PROJECT = "makespan"
START_TIMEOUT = 5
"""Seconds after which an unreachable server is given up; ``WANDB_INIT_TIMEOUT`` overrides it."""


class Metrics:
    """One JSON object per update in a file, each update once.

    Parameters
    ----------
    path
        The file.
    resume
        Whether to keep what is there. A resumed run repeats the updates after its checkpoint: the first metrics it
        logs replace those of the same update and all later ones.
    """

    def __init__(self, path: Path, resume: bool = False) -> None:
        self.path = path
        if not resume or not path.exists():
            write_whole(path, "")
        self._last = max(self._updates(), default=-1)

    def log(self, update: int, values: Mapping[str, float]) -> None:
        """Append the metrics of one update."""
        if update <= self._last:
            self._rewind(update)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(to_json({"update": update, **values}, indent=None))
        self._last = update

    def _updates(self) -> list[int]:
        return [json.loads(line)["update"] for line in self.path.read_text(encoding="utf-8").splitlines()]

    def _rewind(self, update: int) -> None:
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        write_whole(self.path, "".join(line for line in lines if json.loads(line)["update"] < update))


class Tracker(Protocol):
    """Where a run is tracked besides its files."""

    def log(self, update: int, values: Mapping[str, float]) -> None:
        """Track the metrics of one update; updates that are tracked already are left out."""

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Track a table, for instance of an evaluation."""

    def artifact(self, name: str, kind: str, paths: Sequence[Path]) -> None:
        """Track files, for instance a checkpoint."""

    def finish(self) -> None:
        """End the tracked run."""


class NoTracker:
    """Tracks nothing."""

    def log(self, update: int, values: Mapping[str, float]) -> None:
        """Do nothing."""

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Do nothing."""

    def artifact(self, name: str, kind: str, paths: Sequence[Path]) -> None:
        """Do nothing."""

    def finish(self) -> None:
        """Do nothing."""


class WandbTracker:
    """A run of Weights & Biases; its identity and progress are kept in ``folder/tracking.json`` for a resumed run."""

    def __init__(self, run: Any, folder: Path) -> None:
        self.run, self._state = run, folder / "tracking.json"
        self._last = _read_state(self._state).get("last_update", -1)
        run.define_metric("update")
        run.define_metric("*", step_metric="update")
        self._save()

    def log(self, update: int, values: Mapping[str, float]) -> None:
        """Track the metrics of one update; those that an interrupted run has tracked are left out."""
        if update <= self._last:
            return
        self.run.log({"update": update, **values})
        self._last = update
        self._save()

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Track a table."""
        import wandb

        self.run.log({name: wandb.Table(columns=list(columns), data=[list(row) for row in rows])})

    def artifact(self, name: str, kind: str, paths: Sequence[Path]) -> None:
        """Track files under one name."""
        import wandb

        artifact = wandb.Artifact(name, type=kind)
        for path in paths:
            artifact.add_file(str(path))
        self.run.log_artifact(artifact)

    def finish(self) -> None:
        """End the run."""
        self.run.finish()

    def _save(self) -> None:
        write_whole(self._state, to_json({"id": self.run.id, "last_update": self._last}))


def _read_state(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def start_tracking(
    folder: Path, group: str, job_type: str, config: Mapping[str, Any], tags: Sequence[str] = (), resume: bool = False
) -> Tracker:
    """Start a run on Weights & Biases, or say why there is none.

    Parameters
    ----------
    folder
        Where the run keeps its files.
    group
        Family and size.
    job_type
        train, evaluate or solve.
    config
        The resolved options.
    tags
        Words to search by.
    resume
        Whether to go on with the run that `folder` tells of.
    """
    try:
        import wandb
    except ImportError:
        say("tracking: wandb is not installed, the run goes on without; install it with 'pip install wandb'")
        return NoTracker()
    make_folder(folder)
    previous = _read_state(folder / "tracking.json") if resume else {}
    if not resume:
        (folder / "tracking.json").unlink(missing_ok=True)
    settings: dict[str, Any] = {
        "project": PROJECT, "dir": str(folder), "group": group, "job_type": job_type, "config": dict(config),
        "tags": [tag[:64] for tag in tags if tag], "id": previous.get("id"), "resume": "allow" if previous else None,
    }  # fmt: skip
    return _start(wandb, settings, folder)


def _start(wandb: Any, settings: dict[str, Any], folder: Path) -> Tracker:
    """Start as the environment says; where that fails, start offline; where that fails too, go on without."""
    quiet = {"console": "off", "silent": True}
    if "WANDB_INIT_TIMEOUT" not in os.environ:
        quiet["init_timeout"] = START_TIMEOUT
    try:
        if _needs_login(wandb):
            say("tracking: not logged in to Weights & Biases, so offline; 'wandb sync' uploads the run later")
            return WandbTracker(wandb.init(mode="offline", settings=wandb.Settings(**quiet), **settings), folder)
        return WandbTracker(wandb.init(settings=wandb.Settings(**quiet), **settings), folder)
    except Exception as error:
        say(f"tracking: Weights & Biases cannot be reached ({_first_line(error)}), so offline")
    try:
        return WandbTracker(wandb.init(mode="offline", settings=wandb.Settings(**quiet), **settings), folder)
    except Exception as error:
        say(f"tracking: offline failed too ({_first_line(error)}), the run goes on without")
        return NoTracker()


def _needs_login(wandb: Any) -> bool:
    """Whether an online start would ask for a login."""
    if os.environ.get("WANDB_MODE", "online") not in ("online", "") or os.environ.get("WANDB_API_KEY"):
        return False
    return not wandb.login(prompt=False, verify=False)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:160]
