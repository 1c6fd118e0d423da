"""``train``: hand the configuration to the training package, and write down what it measures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from problems.families import get_family
from training.commands.arguments import TrainConfig
from training.files import make_folder, to_json, write_whole
from training.log import say
from training.options import as_json
from training.tracking import Metrics, start_tracking


def run(config: TrainConfig) -> int:
    """Train, with metrics in ``out/metrics.jsonl`` and, if asked for, on Weights & Biases."""
    get_family(config.family)
    make_folder(config.out)
    write_whole(config.out / "config.json", to_json(as_json(config)))
    metrics = Metrics(config.out / "metrics.jsonl", resume=config.resume)
    tracker = None
    if config.track:
        tags = (config.family, config.policy, config.algorithm or "default")
        tracker = start_tracking(config.out, config.family, "train", as_json(config), tags, config.resume)

    def log(update: int, values: Mapping[str, float]) -> None:
        metrics.log(update, values)
        if tracker is not None:
            tracker.log(update, values)

    try:
        run_training(config, log)
        if tracker is not None:
            tracker.artifact(f"{config.policy}-{config.family}", "weights", sorted(config.out.glob("*.safetensors")))
    finally:
        if tracker is not None:
            tracker.finish()
    say(f"trained: {config.out}")
    return 0


def run_training(config: TrainConfig, log: Any) -> None:
    """Call ``marl.training.run(config, log)``, loaded now; ``log(update, values)`` takes metrics of one update."""
    import_module("marl.training").run(config, log)
