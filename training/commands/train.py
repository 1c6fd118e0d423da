"""``train``: hand the configuration to the training package, and write down what it measures."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module
from typing import Any

from marl.recipes import recipe_of, spark_variant
from training.commands.arguments import TrainConfig
from training.files import make_folder, to_json, write_whole
from training.log import say
from training.options import OptionError, as_json
from training.tracking import Metrics, NoTracker, Tracker, start_tracking


def run(config: TrainConfig) -> int:
    """Train, with metrics in ``out/metrics.jsonl`` and, if asked for, on Weights & Biases."""
    recipe_of(config.family)
    _require_spark(config)
    _require_decima(config)
    config = replace(config, policy=import_module("marl.training").policy_name(config.policy, config.algorithm))
    make_folder(config.out)
    record = _Record(config)
    try:
        with _variant(config):
            updates = run_training(config, record.log)
        record.finish()
    finally:
        record.close()
    say(f"trained: {config.out}" if updates else f"nothing to do: the run in {config.out} is at its target already")
    return 0


def _require_spark(config: TrainConfig) -> None:
    for option, value in (("--executors", config.executors), ("--preset", config.preset)):
        if value is not None and config.family != "spark":
            raise OptionError(f"{option} applies to Spark jobs only, not to family '{config.family}'; leave it out")


def _require_decima(config: TrainConfig) -> None:
    if config.policy == "decima" and config.preset not in (None, "decima"):
        raise OptionError(f"--policy decima plays Spark preset decima only, not '{config.preset}'; leave --preset out")


def _variant(config: TrainConfig) -> AbstractContextManager[None]:
    if config.executors is None and config.preset is None:
        return nullcontext()
    return spark_variant(config.executors, config.preset)


class _Record:
    """Files of a run, begun with its first update: a run that is refused leaves those of an earlier one alone."""

    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self.metrics: Metrics | None = None
        self.tracker: Tracker = NoTracker()

    def log(self, update: int, values: Mapping[str, float]) -> None:
        """Write down the metrics of one update."""
        self._begin().log(update, values)
        self.tracker.log(update, values)

    def finish(self) -> None:
        """Track the weights of a run that has ended well."""
        self._begin()
        config = self.config
        self.tracker.artifact(f"{config.policy}-{config.family}", "weights", sorted(config.out.glob("*.safetensors")))

    def close(self) -> None:
        """End the tracked run, however it went."""
        self.tracker.finish()

    def _begin(self) -> Metrics:
        if self.metrics is not None:
            return self.metrics
        config = self.config
        write_whole(config.out / "config.json", to_json(as_json(config)))
        self.metrics = Metrics(config.out / "metrics.jsonl", resume=config.resume)
        if config.track:
            tags = (config.family, config.policy or "", config.algorithm or "default")
            self.tracker = start_tracking(config.out, config.family, "train", as_json(config), tags, config.resume)
        return self.metrics


def run_training(config: TrainConfig, log: Any) -> int:
    """Call ``marl.training.run``, loaded now; ``log(update, values)`` takes metrics of one update.

    Returns the number of updates made.
    """
    return int(import_module("marl.training").run(config, log, say))
