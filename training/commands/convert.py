"""``convert``: read an instance in any known format and write it in another."""

from __future__ import annotations

from problems.formats import write_instance
from training.commands.arguments import ConvertOptions
from training.files import make_folder
from training.instances import find
from training.log import say


def run(options: ConvertOptions) -> int:
    """Convert one file."""
    instance = find(str(options.source), options.family, options.agents, options.executors, options.preset).load()
    make_folder(options.target.parent)
    write_instance(instance, options.target, options.format)
    say(f"{instance.name} ({instance.family}): {options.target}")
    return 0
