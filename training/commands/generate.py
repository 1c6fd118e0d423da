"""``generate``: seeded instances, one file each."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from inspect import Parameter
from typing import Any

from problems.errors import UnknownNameError
from problems.families import Family, get_family
from problems.families.registry import load_entry
from problems.formats import FORMATS, Format, write_instance
from problems.instance import Instance
from training.commands.arguments import GenerateOptions
from training.files import make_folder, to_json, write_whole
from training.log import say
from training.options import OptionError, flag

PARAMETERS = {
    "jobs": "num_jobs",
    "machines": "num_machines",
    "cities": "num_cities",
    "salesmen": "num_salesmen",
    "executors": "num_executors",
    "setup_high": "setup_high",
    "operators": "num_operators",
    "preset": "preset",
    "interval": "interval",
    "data": "path",
}
"""Options, and the arguments of generators that they set."""

SIZES = {"num_jobs": 10, "num_machines": 10, "num_cities": 50, "num_salesmen": 3, "num_executors": 50}
"""Sizes of instances where none are asked for."""


def run(options: GenerateOptions) -> int:
    """Generate ``count`` instances from consecutive seeds."""
    family = get_family(options.family)
    if options.kind not in family.generators:
        raise OptionError(
            f"--kind: {family.name} has no generator '{options.kind}'; choose one of: {', '.join(family.generators)}"
        )
    generator = load_entry(family.generators[options.kind])
    arguments = _arguments(options, family, inspect.signature(generator).parameters)
    suffix = _suffix(options.format)
    make_folder(options.out)
    optima: dict[str, Any] = {}
    for seed in range(options.seed, options.seed + options.count):
        made = generator(**arguments, seed=seed)
        instance = made if isinstance(made, Instance) else made[0]
        if instance is not made:
            optima[instance.name] = {"lb": made[1], "ub": made[1], "optimal": True, "ub_source": "by construction"}
        write_instance(instance, options.out / f"{instance.name}{suffix}", options.format)
    if optima:
        write_whole(options.out / "bounds.json", to_json(optima))
    say(f"{options.count} instances: {options.out}")
    return 0


def _suffix(format: str | None) -> str:
    """Suffix of files in a format; our JSON where none is chosen."""
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, [str(known) for known in FORMATS])
    return FORMATS[Format(format or "json")].suffixes[0]


def _arguments(options: GenerateOptions, family: Family, accepted: Mapping[str, Parameter]) -> dict[str, Any]:
    """What the generator is told besides its seed; an option that it does not take is refused by name."""
    if "seed" not in accepted:
        raise OptionError(
            f"--kind {options.kind} needs seeds of its own; its instances are built in, see 'list instances'"
        )
    arguments = {}
    for name, parameter in PARAMETERS.items():
        given = getattr(options, name)
        if given is not None and parameter not in accepted:
            remedy = _remedy(family, parameter)
            raise OptionError(f"{flag(name)} does not apply to {family.name} ({options.kind}); {remedy}")
        if given is not None:
            arguments[parameter] = given
        elif parameter in accepted and accepted[parameter].default is Parameter.empty:
            arguments[parameter] = _size(name, parameter, options.kind)
    return arguments


def _remedy(family: Family, parameter: str) -> str:
    """What to do about an option that the chosen kind does not take."""
    signatures = {kind: inspect.signature(load_entry(entry)) for kind, entry in family.generators.items()}
    kinds = [kind for kind, signature in signatures.items() if parameter in signature.parameters]
    return f"leave it out, or choose --kind {' or '.join(kinds)}" if kinds else "leave it out"


def _size(name: str, parameter: str, kind: str) -> int:
    if parameter not in SIZES:
        raise OptionError(f"--kind {kind} needs {flag(name)}")
    return SIZES[parameter]
