"""The training loop: updates, validation on held-out instances, the best weights kept, checkpoints, exact resume."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np

from marl.algorithms.base import Algorithm, Policy
from marl.instances import VALIDATION_SEED, validation_instances
from marl.recipes import PRESET_RECIPES, UNIVERSAL, Recipe, families_with_recipe, recipe_of
from marl.weights import load_weights, save_weights
from problems.errors import MakespanError, UnknownNameError
from problems.families.registry import load_entry
from problems.instance import Instance
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

VALIDATION_COUNT = 48
VALIDATE_EVERY = 25
"""Updates between two validations."""

CHECKPOINT_SECONDS = 120.0

Log = Callable[[int, Mapping[str, float]], None]
Tell = Callable[[str], None]


class Settings(Protocol):
    """What a run is told; `training` passes its own dataclass with these fields."""

    family: str
    policy: str
    algorithm: str | None
    minutes: float
    updates: int | None
    seed: int
    resume: bool
    out: Path


ALGORITHMS = {
    "tuned": {
        "evolution": "marl.algorithms.evolution:EvolutionStrategy",
        "distillation": "marl.algorithms.distillation:Distillation",
    },
    "policy": {
        "self-labelling": "marl.algorithms.self_labelling:SelfLabelling",
        "dagger": "marl.algorithms.dagger:Dagger",
        "clip-reinforce": "marl.algorithms.clip_reinforce:ClipReinforce",
        "mappo": "marl.algorithms.mappo:Mappo",
        "decima": "marl.algorithms.decima:Decima",
        "imitation": "marl.algorithms.imitation:Imitation",
        "evolution": "marl.algorithms.graph_evolution:GraphEvolution",
    },
    "auction": {"evolution": "marl.algorithms.auction_evolution:AuctionEvolution"},
    "schedulenet": {"clip-reinforce": "marl.presets.schedulenet_training:ScheduleNetTraining"},
    "decima": {"reinforce": "marl.presets.decima_training:DecimaTraining"},
}
"""Training algorithms by the policy that they train, then by name; the first one is the policy's own."""


def policy_name(policy: str | None, algorithm: str | None) -> str:
    """The policy to train: the one that is named, else the first, or the only one that the algorithm trains.

    Raises
    ------
    UnknownNameError
        If no policy has such an algorithm.
    MakespanError
        If several have.
    """
    first = next(iter(ALGORITHMS))
    if policy is not None or algorithm is None or algorithm in ALGORITHMS[first]:
        return policy or first
    trained = [name for name, known in ALGORITHMS.items() if algorithm in known]
    if not trained:
        raise UnknownNameError("algorithm", algorithm, _choices())
    if len(trained) > 1:
        raise MakespanError(f"algorithm '{algorithm}' trains {' and '.join(trained)}; name one of them with --policy")
    return trained[0]


def _choices() -> list[str]:
    """Every algorithm with the policy that it trains."""
    return [f"{algorithm} ({policy})" for policy, known in ALGORITHMS.items() for algorithm in known]


def algorithm_name(settings: Settings) -> str:
    """Name of the algorithm that ``settings`` asks for: the policy's own if it names none."""
    return settings.algorithm or next(iter(ALGORITHMS[settings.policy]))


def make_algorithm(settings: Settings) -> Algorithm:
    """The algorithm that ``settings`` asks for, imported now.

    Raises
    ------
    UnknownNameError
        If the policy has no such algorithm; the message lists all there are.
    """
    name, known = algorithm_name(settings), ALGORITHMS[settings.policy]
    if name not in known:
        raise UnknownNameError(f"algorithm for '{settings.policy}'", name, _choices())
    return load_entry(known[name])(settings.family, settings.seed)


def recipe_name(settings: Settings) -> str:
    """What the instances of a run are made for: a family, or a published formulation."""
    return settings.policy if settings.policy in PRESET_RECIPES else settings.family


def validation_count(family: str, count: int = VALIDATION_COUNT) -> int:
    """Number of held-out instances: ``count``, or that of each family where it is all families together."""
    return count * (len(families_with_recipe()) if family == UNIVERSAL else 1)


class Validator:
    """Mean objective of greedy episodes on held-out instances, relative to the rule of their family's recipe.

    Parameters
    ----------
    family
        Family of the instances, or the published formulation that they are made for.
    count
        Number of instances, of each family where it is all families together.
    """

    def __init__(self, family: str, count: int = VALIDATION_COUNT) -> None:
        self.instances = validation_instances(family, validation_count(family, count))
        self.runners = [Runner(compile_problem(instance)) for instance in self.instances]
        rules = [rule_priority(recipe_of(instance.family).rule) for instance in self.instances]
        self.reference = self._objectives(rules)

    def __call__(self, policy: Policy) -> float:
        """Mean ratio to the rule; below 1 is better than the rule."""
        return float(np.mean(self._objectives([policy] * len(self.runners)) / self.reference))

    def _objectives(self, policies: Sequence[Policy]) -> np.ndarray:
        def greedy(instance: Instance, runner: Runner, policy: Policy) -> float:
            return float(runner.sample(policy)[0] if isinstance(policy, Priority) else policy.greedy(instance))

        with ThreadPoolExecutor(2) as pool:
            return np.array(list(pool.map(greedy, self.instances, self.runners, policies)))


def run(settings: Settings, log: Log, tell: Tell = lambda message: None) -> int:
    """Train until the time or the number of updates is over; see `Settings`. Returns the updates made now.

    ``log`` takes the metrics of each update, ``tell`` a line for people before something long that is no update.
    ``out`` then holds ``checkpoint.npz``, and the best weights so far with their card.

    Raises
    ------
    MakespanError
        If ``resume`` is asked for and there is no checkpoint, or the checkpoint is of another run; if it is not asked
        for and there is one.
    """
    algorithm = make_algorithm(settings)
    progress = Progress(settings, algorithm)
    if settings.resume:
        progress.resume()
    else:
        progress.require_new()
    if progress.reached(settings.updates):
        return 0
    validator = Validator(recipe_name(settings))
    first = progress.updates
    deadline = time.monotonic() + 60.0 * settings.minutes
    saved = time.monotonic()
    progress.start_clock()
    while time.monotonic() < deadline and not progress.reached(settings.updates):
        metrics = algorithm.step()
        progress.updates += 1
        if progress.updates % VALIDATE_EVERY == 0 or progress.reached(settings.updates):
            metrics["eval/ratio"] = progress.validate(validator)
        log(progress.updates, metrics)
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            progress.save()
            saved = time.monotonic()
    progress.validate(validator)
    progress.save()
    if settings.policy == "policy":
        tell("judging on held-out instances whether the messages of the network help, which can take minutes")
        judge_messages(progress.weights_path, settings.family)
    return progress.updates - first


def judge_messages(path: Path, family: str) -> None:
    """Write into the card of the network in ``path`` whether its messages help on held-out instances."""
    from marl.messages import compare, silenced
    from marl.policies.shipped import priority_of

    weights = load_weights(path)
    policy = priority_of(weights)
    found = compare(policy, silenced(policy), family)
    save_weights(path, weights.arrays, {**weights.card, "messages": found.as_card()})


class Progress:
    """A run as it lies on disk.

    Parameters
    ----------
    settings
        What the run was told.
    algorithm
        Holds the state to save.
    """

    def __init__(self, settings: Settings, algorithm: Algorithm) -> None:
        self.settings, self.algorithm = settings, algorithm
        self.updates, self.best = 0, float("inf")
        self.recipe: Recipe = recipe_of(recipe_name(settings))
        self.seconds, self._since = 0.0, time.monotonic()
        self.path = settings.out / "checkpoint.npz"

    @property
    def weights_path(self) -> Path:
        """Where the best weights go."""
        return self.settings.out / f"{self.settings.policy}-{self.settings.family}.safetensors"

    @property
    def identity(self) -> dict[str, Any]:
        """What must be equal for one run to go on from another."""
        settings = self.settings
        return {
            "family": settings.family,
            "policy": settings.policy,
            "seed": settings.seed,
            "algorithm": algorithm_name(settings),
            "variant": self.recipe.variant,
        }

    def start_clock(self) -> None:
        """Count the time of training from now on."""
        self._since = time.monotonic()

    @property
    def minutes(self) -> float:
        """Minutes of training, those of earlier parts of the run included."""
        return (self.seconds + time.monotonic() - self._since) / 60.0

    def reached(self, updates: int | None) -> bool:
        """Whether the run has made as many updates as asked for."""
        return updates is not None and self.updates >= updates

    def validate(self, validator: Validator) -> float:
        """Score the policy on held-out instances and keep its weights if they are the best so far."""
        priority = self.algorithm.priority()
        ratio = validator(priority)
        if ratio < self.best:
            self.best = ratio
            save_weights(self.weights_path, weights_of(priority), self._card(ratio))
        return ratio

    def _card(self, ratio: float) -> dict[str, Any]:
        family, rule = self.settings.family, self.recipe.rule
        return {
            "policy": self.settings.policy,
            "families": [*families_with_recipe(), UNIVERSAL] if family == UNIVERSAL else [family],
            "makespan_version": version("makespan"),
            "seed": self.settings.seed,
            "updates": self.updates,
            "minutes": round(self.minutes, 1),
            "training_sizes": self.recipe.sizes,
            "algorithm": algorithm_name(self.settings),
            "command": f"python -m training train --family {family} --policy {self.settings.policy} "
            f"--algorithm {algorithm_name(self.settings)} --seed {self.settings.seed} --out DIR",
            "validation": {
                "instances": f"{validation_count(family)} generated, seeds from {VALIDATION_SEED}",
                "greedy_objective_relative_to_" + rule: round(ratio, 5),
            },
        }

    def save(self) -> None:
        """Write the checkpoint; a crash leaves the old or the new one."""
        header = json.dumps({**self.identity, "updates": self.updates, "best": self.best, "seconds": 60 * self.minutes})
        part = self.path.with_name("checkpoint.part.npz")
        np.savez(part, header=np.array(header), **self.algorithm.state())
        part.replace(self.path)

    def resume(self) -> None:
        """Take up the run in the folder."""
        if not self.path.exists():
            raise MakespanError(f"{self.path}: there is no checkpoint to resume from; start without --resume")
        header, state = self._read()
        for key, value in self.identity.items():
            if header[key] != value:
                raise MakespanError(f"{self.path}: the run has {key} {header[key]!r}; asked for {value!r}")
        self.updates, self.best, self.seconds = header["updates"], header["best"], header["seconds"]
        self.algorithm.load_state(state)

    def require_new(self) -> None:
        """Refuse to write over a run that lies in the folder."""
        if self.path.exists():
            raise MakespanError(f"{self.path}: a run lies here; go on with --resume, or choose another folder (--out)")

    def _read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Header and state of the checkpoint."""
        try:
            with np.load(self.path) as stored:
                # Checkpoints of earlier versions do not name what was usual.
                usual = {"algorithm": next(iter(ALGORITHMS[self.settings.policy])), "variant": "", "seconds": 0.0}
                header = {**usual, **json.loads(str(stored["header"]))}
                return header, {name: _plain(stored[name]) for name in stored.files if name != "header"}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise MakespanError(
                f"{self.path}: this is no checkpoint ({error}); start anew in another folder"
            ) from error


def weights_of(priority: Policy) -> dict[str, np.ndarray]:
    """Arrays to save for a priority."""
    arrays = {"parameters": priority.parameters}
    network = getattr(priority, "network", None)
    if network is not None and len(network):
        arrays["network"] = network
    return arrays


def _plain(array: np.ndarray) -> Any:
    return array.item() if array.ndim == 0 else array
