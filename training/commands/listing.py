"""``list``: families, formats, generators, solvers, built-in instances, shipped weights."""

from __future__ import annotations

import inspect
from typing import Any

from training.commands.arguments import ListOptions
from training.commands.generate import PARAMETERS
from training.options import flag
from training.table import aligned


def run(options: ListOptions) -> int:
    """Print one table."""
    tables = {
        "families": _families,
        "formats": _formats,
        "generators": _generators,
        "solvers": _solvers,
        "instances": _instances,
        "weights": _weights,
    }
    columns, rows = tables[options.what]()
    print(aligned(columns, rows), end="")
    return 0


def _families() -> tuple[list[str], list[list[Any]]]:
    from problems.families import FAMILIES

    rows: list[list[Any]] = []
    for family in FAMILIES.values():
        names = (" ".join(part) for part in (family.formats, family.generators, family.rules))
        rows.append([family.name, family.title, family.agent_label, *names])
    return ["family", "title", "agents are", "formats", "generators", "rules"], rows


def _formats() -> tuple[list[str], list[list[Any]]]:
    from problems.families import FAMILIES
    from problems.formats import FORMATS

    rows: list[list[Any]] = []
    for format, entry in FORMATS.items():
        families = [family.name for family in FAMILIES.values() if format in family.formats]
        rows.append([str(format), " ".join(entry.suffixes), " ".join(families), entry.title])
    return ["format", "files", "families", "what it is"], rows


def _generators() -> tuple[list[str], list[list[Any]]]:
    from problems.families import FAMILIES
    from problems.families.registry import load_entry

    rows: list[list[Any]] = []
    for family in FAMILIES.values():
        for kind, entry in family.generators.items():
            accepted = inspect.signature(load_entry(entry)).parameters
            options = [flag(option) for option, parameter in PARAMETERS.items() if parameter in accepted]
            rows.append([family.name, kind, " ".join(options) if "seed" in accepted else "(built in)"])
    return ["family", "kind", "options"], rows


def _solvers() -> tuple[list[str], list[list[Any]]]:
    from solvers.registry import SOLVERS

    rows = [
        [entry.name, str(entry.kind), " ".join(entry.families) if entry.families else "all", entry.summary]
        for entry in SOLVERS.values()
    ]
    return ["solver", "kind", "families", "what it does"], rows


def _instances() -> tuple[list[str], list[list[Any]]]:
    from problems.bounds import best_known
    from problems.generators import taillard

    rows: list[list[Any]] = []
    for number in range(1, 81):
        instance = taillard(f"ta{number:02d}")
        known = best_known(instance)
        values = [known.lower, known.upper, known.date] if known is not None else [None, None, None]
        rows.append([instance.name, instance.family, f"{instance.num_jobs}x{instance.num_agents}", *values])
    return ["instance", "family", "size", "lower bound", "best known", "date"], rows


def _weights() -> tuple[list[str], list[list[Any]]]:
    from marl.weights.store import SHIPPED, load_weights, shipped_names

    rows: list[list[Any]] = []
    for name in shipped_names():
        card = load_weights(SHIPPED / f"{name}.safetensors").card
        rows.append([name, card.get("policy"), " ".join(card.get("families", [])), card.get("updates"), card["sha256"]])
    return ["weights", "policy", "families", "updates", "sha256"], rows
