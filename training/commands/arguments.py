"""The options of every sub-command as dataclasses. Importing this module imports nothing but the standard library."""

from __future__ import annotations

# ruff: noqa: RUF009 - `option` returns a dataclass field; the linter does not know that
from dataclasses import dataclass
from pathlib import Path

from training.options import option

LISTS = ("families", "formats", "generators", "solvers", "instances", "weights")

AGENTS = "number of salesmen or executors, instead of what the file says"

PRESETS = ("default", "decima")
"""The presets of Spark clusters; see `problems.families.spark`."""

POLICIES = ("tuned", "policy", "auction", "schedulenet", "decima")
"""What can be trained; see `marl.training.ALGORITHMS`."""

MOST_WORKERS = 1024
"""Threads or processes; more would exhaust the memory before they do any work."""


LARGEST_SEED = 2**31 - 1
"""CP-SAT takes seeds of 31 bits, and all solvers get the seed as it is given."""


@dataclass(frozen=True)
class SolveOptions:
    """Options of ``solve``."""

    instance: str = option(
        "an instance file, or the name of a built-in instance such as ta01", positional=True, metavar="FILE|NAME"
    )
    family: str | None = option("family of the problem; needed where the file does not tell", None, "NAME")
    agents: int | None = option(AGENTS, None, "M", minimum=1)
    executors: int | None = option("number of executors of a Spark cluster", None, "M", minimum=1)
    preset: str | None = option("how Spark executors decide", None, "NAME", choices=PRESETS)
    solver: str | None = option(
        "solver; see 'list solvers' (default: with --time-limit auto, else the strongest that answers at once: "
        "insertion for routes and parallel machines, else tuned, or pilot where it has no weights)",
        None,
        "NAME",
    )
    weights: Path | None = option(
        "weights of a learned solver instead of the shipped ones (.safetensors)", None, "FILE"
    )
    time_limit: float | None = option("seconds to search", None, "S", minimum=0)
    samples: int = option("number of randomized schedules of which the best is kept", 1, "K", minimum=1)
    seed: int = option("seed of all randomness", 0, "N", minimum=0, maximum=LARGEST_SEED)
    workers: int = option("threads of the solver", 1, "N", minimum=1, maximum=MOST_WORKERS)
    out: Path | None = option("write the schedule here (.json or .csv)", None, "FILE")
    plot: Path | None = option("write a picture of the schedule here (.svg)", None, "FILE")
    json: bool = option("print one JSON object instead of a table", False)
    track: bool = option("log the result to Weights & Biases", False)


@dataclass(frozen=True)
class EvaluateOptions:
    """Options of ``evaluate``."""

    instances: tuple[str, ...] = option("names, ranges (ta01-ta10), files, folders", metavar="INSTANCE")
    solvers: tuple[str, ...] = option("solvers, for instance spt,pilot,cp-sat", metavar="SOLVER")
    out: Path = option("folder for results.csv, results.json, schedules and logs", metavar="DIR")
    family: str | None = option("family of the problems; needed where the files do not tell", None, "NAME")
    agents: tuple[int, ...] = option(AGENTS + ", one row each", (), metavar="M", minimum=1)
    executors: tuple[int, ...] = option("numbers of executors of Spark clusters, one row each", (), "M", minimum=1)
    preset: str | None = option("how Spark executors decide", None, "NAME", choices=PRESETS)
    weights: Path | None = option("weights of the one learned solver (.safetensors)", None, "FILE")
    samples: int = option("number of randomized schedules of which the best is kept", 1, "K", minimum=1)
    time_limit: float | None = option("seconds to search, per row", None, "S", minimum=0)
    workers: int = option("processes that work on rows at the same time", 1, "N", minimum=1, maximum=MOST_WORKERS)
    seeds: tuple[int, ...] = option("seeds, one row each", (0,), metavar="N", minimum=0, maximum=LARGEST_SEED)
    config: Path | None = option("JSON file of options; the command line overrides it", None, metavar="FILE")
    track: bool = option("log the results to Weights & Biases", False)


@dataclass(frozen=True)
class TrainConfig:
    """Options of ``train``, and all that a training run is told.

    Attributes
    ----------
    family
        Family whose generated instances are trained on.
    policy
        ``tuned`` (a small priority on candidate features), ``policy`` (the attention network), or a published
        formulation: ``schedulenet``, ``decima``. None for the one that the algorithm trains.
    algorithm
        Name of the training algorithm; None leaves the choice to the policy.
    minutes
        Wall time to train, in minutes.
    updates
        Number of updates after which to stop, counted from the beginning of the run; None for no such limit.
    seed
        Seed of instances, weights and samples.
    executors, preset
        Number of executors and preset of all Spark clusters that are trained on; None for those of the recipe.
    resume
        Go on from the checkpoint in ``out``.
    track
        Log to Weights & Biases.
    out
        Folder of the checkpoint, the metrics and the resolved configuration.
    """

    family: str = option("family to train on", metavar="NAME")
    out: Path = option("folder for the checkpoint, the metrics and the resolved configuration", metavar="DIR")
    policy: str | None = option(
        "policy to train (default: the one that --algorithm trains, tuned without it)", None, "NAME", choices=POLICIES
    )
    algorithm: str | None = option("training algorithm (default: the policy's own)", None, "NAME")
    minutes: float = option("minutes to train", 10.0, "X", minimum=0)
    updates: int | None = option("stop after this many updates, if that is earlier", None, "N", minimum=1)
    seed: int = option("seed of all randomness", 0, "N", minimum=0)
    executors: int | None = option("number of executors of all Spark clusters", None, "M", minimum=1)
    preset: str | None = option("how Spark executors decide", None, "NAME", choices=PRESETS)
    resume: bool = option("go on from the checkpoint in --out", False)
    track: bool = option("log metrics to Weights & Biases", False)
    config: Path | None = option("JSON file of options; the command line overrides it", None, metavar="FILE")


@dataclass(frozen=True)
class ReportOptions:
    """Options of ``report``."""

    folders: tuple[Path, ...] = option("folders written by 'evaluate'", positional=True, metavar="DIR")
    out: Path | None = option("the HTML file to write (default: report.html in the first folder)", None, "FILE")


@dataclass(frozen=True)
class VerifyOptions:
    """Options of ``verify``."""

    instance: str = option("an instance file or the name of a built-in instance", positional=True, metavar="INSTANCE")
    schedule: Path = option("a schedule file (.json or .csv)", positional=True, metavar="SCHEDULE")
    family: str | None = option("family of the problem; needed where the file does not tell", None, "NAME")
    agents: int | None = option(AGENTS, None, "M", minimum=1)
    executors: int | None = option("number of executors of a Spark cluster", None, "M", minimum=1)
    preset: str | None = option("how Spark executors decide", None, "NAME", choices=PRESETS)
    json: bool = option("print one JSON object instead of lines", False)


@dataclass(frozen=True)
class GenerateOptions:
    """Options of ``generate``."""

    family: str = option("family to generate", positional=True, metavar="FAMILY")
    count: int = option("number of instances", metavar="N", minimum=1)
    out: Path = option("folder for the instance files", metavar="DIR")
    seed: int = option("seed of the first instance; the others follow", 0, "N", minimum=0)
    kind: str = option("kind of instance; see 'list generators'", "random")
    jobs: int | None = option("number of jobs", None, "N", minimum=1)
    machines: int | None = option("number of machines", None, "N", minimum=1)
    cities: int | None = option("number of cities, the depot not counted", None, "N", minimum=1)
    salesmen: int | None = option("number of salesmen", None, "M", minimum=1)
    executors: int | None = option("number of executors", None, "M", minimum=1)
    setup_high: int | None = option("largest setup of parallel machines", None, "N", minimum=1)
    operators: int | None = option("number of setup operators (kind 'operators')", None, "N", minimum=1)
    preset: str | None = option("how Spark executors decide", None, "NAME", choices=PRESETS)
    interval: float | None = option("mean milliseconds between Spark jobs (default: all at once)", None, "X", minimum=1)
    data: Path | None = option("file of measured Spark jobs (kinds 'tpch' and 'alibaba')", None, "FILE")
    format: str | None = option("file format (default: the framework's JSON)", None)


@dataclass(frozen=True)
class ConvertOptions:
    """Options of ``convert``."""

    source: Path = option("file to read", positional=True, metavar="IN")
    target: Path = option("file to write; its suffix chooses the format", positional=True, metavar="OUT")
    family: str | None = option("family of the problem; needed where the file does not tell", None, "NAME")
    agents: int | None = option(AGENTS, None, "M", minimum=1)
    executors: int | None = option("number of executors of a Spark cluster", None, "M", minimum=1)
    preset: str | None = option("how Spark executors decide", None, "NAME", choices=PRESETS)
    format: str | None = option("format to write (default: by suffix)", None)


@dataclass(frozen=True)
class ListOptions:
    """Options of ``list``."""

    what: str = option("what to list", positional=True, metavar="WHAT", choices=LISTS)


@dataclass(frozen=True)
class WarmUpOptions:
    """Options of ``warm-up`` (none)."""


@dataclass(frozen=True)
class Command:
    """A sub-command: its options, the ``module:function`` that runs it, and a sentence for ``--help``."""

    options: type
    load: str
    summary: str


COMMANDS = {
    "solve": Command(SolveOptions, "training.commands.solve:run", "schedule one instance"),
    "evaluate": Command(
        EvaluateOptions, "training.commands.evaluate:run", "run solvers on many instances and tabulate the gaps"
    ),
    "train": Command(TrainConfig, "training.commands.train:run", "train a policy on generated instances"),
    "report": Command(ReportOptions, "training.commands.report:run", "turn evaluations into one HTML page"),
    "verify": Command(VerifyOptions, "training.commands.verify:run", "check a schedule against its instance"),
    "generate": Command(GenerateOptions, "training.commands.generate:run", "write seeded instances"),
    "convert": Command(ConvertOptions, "training.commands.convert:run", "rewrite an instance in another format"),
    "list": Command(ListOptions, "training.commands.listing:run", "list what is built in"),
    "warm-up": Command(WarmUpOptions, "training.commands.warm_up:run", "compile everything ahead of time"),
}
