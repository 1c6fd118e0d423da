"""The sweep file of Weights & Biases: every run that it asks for is a legal command."""

from __future__ import annotations

import inspect
import subprocess
from itertools import product
from pathlib import Path

import pytest

import marl.training
from problems.families import FAMILIES
from training.cli import build_parser
from training.commands.arguments import TrainConfig
from training.options import resolve

yaml = pytest.importorskip("yaml")
SWEEP = yaml.safe_load((Path(__file__).parents[2] / "docs" / "sweep.yaml").read_text(encoding="utf-8"))
VALUES = {name: part.get("values", [part.get("value")]) for name, part in SWEEP["parameters"].items()}
RUNS = [dict(zip(VALUES, values, strict=True)) for values in product(*VALUES.values())]


def command(run: dict[str, object]) -> list[str]:
    """Command of one run, its placeholders filled in as the agent does."""
    given = {"${env}": ["/usr/bin/env"], "${args}": [f"--{name}={value}" for name, value in run.items()]}
    return [word for part in SWEEP["command"] for word in given.get(part, [part])]


def words_of(run: dict[str, object], folder: Path) -> list[str]:
    """What the program is called with, told by a stand-in for Python."""
    python = folder / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "WANDB_RUN_ID": "abc"}
    done = subprocess.run(command(run), env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_every_run_is_a_legal_command(tmp_path):
    """The shell passes the options on, and each combination resolves to a configuration with a folder of its own."""
    for run in RUNS[:: len(RUNS) // 6]:
        words = words_of(run, tmp_path)
        assert words[:3] == ["-m", "training", "train"]
        given = vars(build_parser().parse_args(words[2:]))
        given.pop("command")
        config = resolve(TrainConfig, given)
        assert config.track and config.out == Path("runs/sweep/abc")
        assert {name: getattr(config, name) for name in run} == run


def test_the_sweep_covers_every_family_and_minimises_what_is_logged():
    """A new family joins the sweep; the metric is one that training logs."""
    assert sorted(VALUES["family"]) == sorted(FAMILIES)
    assert f'"{SWEEP["metric"]["name"]}"' in inspect.getsource(marl.training)
