"""``solve``: one instance to a checked schedule, a gap and a picture.

A checked schedule may be worth less than a published bound of an instance of that name: then the file holds another
instance, or the bound is wrong. The schedule is right all the same, so it is written and its status and exit code are
those of any other; only the published values are left out, with a warning. Tables of `evaluate` and `report`, which
compare solvers with published values, count such a row as an error.
"""

from __future__ import annotations

import os
from pathlib import Path

from marl.weights.store import shipped_names
from problems.errors import UnsupportedError
from problems.formats import write_schedule
from problems.instance import Instance
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.cpsat.choose import choose_model
from solvers.sequences import unlike_sequences
from training.commands.arguments import SolveOptions
from training.files import make_folder, to_json, write_whole
from training.instances import find
from training.log import say
from training.options import OptionError
from training.plots.entry import plot_schedule
from training.rows import Row, contradiction, published_bound
from training.running import describe, record, solve_instance
from training.table import percent, text
from training.tracking import start_tracking

SOLVED, INFEASIBLE, NONE_IN_TIME = 0, 3, 4
STRONGEST_RULES = {"mtsp": "insertion", "upms": "insertion"}
"""Rules that are stronger in one pass than the trained policies on benchmark sets (README, table of results)."""

SCHEDULE_SUFFIXES = (".json", ".csv")


def run(options: SolveOptions) -> int:
    """Solve the instance, write what was asked for, and return the exit code."""
    _require_place(options.out, "--out", SCHEDULE_SUFFIXES)
    _require_place(options.plot, "--plot", (".svg",))
    source = find(options.instance, options.family, options.agents, options.executors, options.preset)
    instance = source.load()
    solver = options.solver if options.solver is not None else _default_solver(instance, options.time_limit)
    row = Row(instance.name, solver, options.seed, samples=options.samples, time_limit=options.time_limit)
    describe(row, instance, source.path)
    budget = Budget(options.time_limit, options.samples, options.workers)
    result = solve_instance(instance, solver, budget, options.seed, options.weights)
    record(row, result)
    _distrust_bounds(row)
    print(to_json(row.summary(), indent=None) if options.json else _lines(row), end="")
    if result.schedule is not None:
        _write(options, instance, result.schedule, row)
    _track(options, row)
    return exit_code(row)


def _default_solver(instance: Instance, time_limit: float | None) -> str:
    """Time to search is used by ``auto``, where it can; else the strongest that answers at once."""
    if time_limit is not None and _has_exact_model(instance):
        return "auto"
    if _favours_rules(instance):
        return STRONGEST_RULES[instance.family]
    return "tuned" if f"tuned-{instance.family}" in shipped_names() else "pilot"


def _favours_rules(instance: Instance) -> bool:
    """Whether a rule is stronger on this kind of instance and applies to it."""
    return instance.family in STRONGEST_RULES and not unlike_sequences(instance)


def _has_exact_model(instance: Instance) -> bool:
    try:
        choose_model(instance)
    except UnsupportedError:
        return False
    return True


def _distrust_bounds(row: Row) -> None:
    """Leave out published values that the checked schedule proves to be of another instance, or wrong."""
    reason = contradiction(row, published_bound(row))
    if reason is not None:
        say(f"warning: {reason}; the published values are left out")
        row.best_known = row.gap_to_best_known = row.best_known_lower = None


def exit_code(row: Row) -> int:
    """0 only with a checked schedule, 3 if there is none, 4 if none was found in time."""
    if row.solved:
        return SOLVED
    return INFEASIBLE if row.status == "infeasible" else NONE_IN_TIME


def _require_place(path: Path | None, option: str, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that could not be written, before any time is spent."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise OptionError(f"{option} {path}: unknown suffix '{path.suffix}'; end the name in {' or '.join(suffixes)}")
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent  # missing folders are made once there is something to write
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise OptionError(f"{option} {path}: cannot be written; choose another place")


def _write(options: SolveOptions, instance: Instance, schedule: Schedule, row: Row) -> None:
    if options.out is not None:
        make_folder(options.out.parent)
        write_schedule(schedule, instance, options.out)
        say(f"schedule: {options.out}")
    if options.plot is not None:
        title = f"{row.instance}: {text(row.objective)} by {row.solver}"
        write_whole(options.plot, plot_schedule(schedule, instance, title))
        say(f"picture: {options.plot}")


def _lines(row: Row) -> str:
    """The row for people: one fact per line."""
    known = [row.best_known_source, row.best_known_date]
    facts = {
        "instance": f"{row.instance} ({row.family}, {row.group})",
        "preset": row.preset,
        "solver": row.solver,
        "status": row.status,
        "objective": text(row.objective),
        "lower bound": text(row.lower_bound),
        "gap": percent(row.gap, 2),
        "best known": text(row.best_known)
        + (f" ({', '.join(filter(None, known))})" if row.best_known is not None else ""),
        "to best known": percent(row.gap_to_best_known, 2),
        "seconds": f"{row.runtime_s:.3f}",
        "checked": text(row.checked),
        "clairvoyant": "yes" if row.clairvoyant else None,
    }
    return "".join(f"{name:<14}{value}\n" for name, value in facts.items() if value)


def _track(options: SolveOptions, row: Row) -> None:
    if not options.track:
        return
    tracker = start_tracking(Path.cwd(), f"{row.family}-{row.group}", "solve", row.summary(), (row.solver,))
    values = {"objective": row.objective, "gap": row.gap, "runtime_s": row.runtime_s}
    tracker.log(0, {f"eval/{name}": value for name, value in values.items() if value is not None})
    tracker.finish()
