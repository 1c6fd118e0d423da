"""The picture of a schedule that fits its family."""

from __future__ import annotations

from importlib import import_module

from problems.families import FAMILIES
from problems.instance import Instance
from problems.schedule import Schedule

DEFAULT = "training.plots.gantt:plot_gantt"


def plot_schedule(schedule: Schedule, instance: Instance, title: str | None = None) -> str:
    """Draw ``schedule`` as its family is drawn; see `plot_gantt`, `plot_routes` and `plot_executors`."""
    entry = FAMILIES[instance.family].plot if instance.family in FAMILIES else DEFAULT
    module, function = entry.split(":")
    return str(getattr(import_module(module), function)(schedule, instance, title))
