"""Self-labelling for the network over the agent-task graph (Corsini et al. 2024, arXiv 2401.11849).

At each step, fresh instances are scheduled many times, by the prior `tuned` and by the present network, all in
compiled code. The best schedule of an instance is its label: it is played again, some of its decisions are recorded,
and the network learns by cross-entropy to score the options that were taken above the others. The score is that of
the prior plus the network's, so a network that adds nothing samples as the prior does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphs.arrays import GraphArrays, new_graph
from graphs.encoder import AgentTaskNetwork, Graphs, join
from graphs.layout import Sizes
from marl.instances import training_instance
from marl.recipes import temperature_of
from marl.recorder import NUM_CHOICES, NUM_OPTIONS, Tape, graphs_on, new_tape, record
from marl.spread import feature_spread
from marl.weights import load_shipped
from problems.errors import MakespanError
from problems.instance import FloatArray, Instance
from problems.simulator import Filter, compile_problem
from problems.simulator.arrays import NUM_ROWS
from solvers.priority import MAY_WAIT, Kind, Priority
from solvers.rollout import Runner


class TrainingError(MakespanError, ArithmeticError):
    """A run that cannot go on, because its numbers are no longer finite."""


@dataclass(frozen=True)
class SelfLabellingConfig:
    """Settings of self-labelling.

    Attributes
    ----------
    sizes
        Of the network.
    instances
        Fresh instances per step.
    prior_samples, samples
        Schedules per instance by the prior, and by the present network; of each the first is greedy.
    decisions
        Decisions recorded of an instance, about.
    batch
        Decisions per update of the weights.
    temperature
        Gumbel noise on the scores when sampling; that of the family if not given.
    rate
        Step size of Adam.
    clip
        Longest gradient.
    workers
        Threads that sample.
    """

    sizes: Sizes = field(default_factory=Sizes)
    instances: int = 8
    prior_samples: int = 256
    samples: int = 4
    decisions: int = 160
    batch: int = 32
    temperature: float | None = None
    rate: float = 3e-3
    clip: float = 1.0
    workers: int = 2


@dataclass(frozen=True)
class Label:
    """What one instance teaches.

    Attributes
    ----------
    tape
        Recorded decisions of the best schedule.
    best, prior_best, network_best
        Objectives of the best schedule, and of the best by the prior and by the network.
    """

    tape: Tape
    best: int
    prior_best: int
    network_best: int


@dataclass(frozen=True)
class Choices:
    """Decisions of several graphs, joined without padding.

    Attributes
    ----------
    graphs
        The graphs.
    agents, tasks : int64 [K]
        Nodes of each option; task -1 for waiting.
    features, prior : float32 [K, F], [K]
        Of each option.
    choice : int64 [K]
        The choice that an option belongs to.
    chosen : int64 [C]
        The option that each choice took.
    """

    graphs: Graphs
    agents: Tensor
    tasks: Tensor
    features: Tensor
    prior: Tensor
    choice: Tensor
    chosen: Tensor


class SelfLabelling:
    """See the module's docstring.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, samples and first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.
    """

    def __init__(
        self, family: str, seed: int, config: SelfLabellingConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        self.family, self.seed = family, seed
        self.config = config or SelfLabellingConfig()
        self.prior = load_shipped("tuned", family).arrays["parameters"] if prior is None else prior
        self.temperature = self.config.temperature or temperature_of(family)
        self.network = AgentTaskNetwork(self.config.sizes, seed)
        self.network.scale_rows(feature_spread(family, seed, bool(self.prior[MAY_WAIT])))
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=self.config.rate)
        self.steps = 0

    def step(self) -> dict[str, float]:
        """Label fresh instances and learn from them.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before.
        """
        first = self.seed * 10**9 + self.steps * self.config.instances
        seeds = range(first, first + self.config.instances)
        labels = self.label([training_instance(self.family, number) for number in seeds], first)
        with _one_thread():
            losses = [self.learn(choices) for choices in self._batches([label.tape for label in labels])]
        self.steps += 1
        network_best = np.array([label.network_best for label in labels], float)
        prior_best = np.array([label.prior_best for label in labels], float)
        return {
            "losses/cross_entropy": float(np.mean(losses)) if losses else 0.0,
            "train/choices": float(sum(label.tape.counts[NUM_CHOICES] for label in labels)),
            "train/network_to_prior": float(np.mean(network_best / np.maximum(prior_best, 1.0))),
            "train/network_wins": float(np.mean(network_best < prior_best)),
        }

    def label(self, instances: Sequence[Instance], seed: int) -> list[Label]:
        """Schedule each instance many times and record decisions of the best schedule."""
        priority = self.priority()
        with ThreadPoolExecutor(self.config.workers) as pool:
            numbered = enumerate(instances, start=seed)
            return list(pool.map(lambda pair: self._label(pair[1], priority, pair[0]), numbered))

    def _label(self, instance: Instance, priority: Priority, seed: int) -> Label:
        config = self.config
        runner = Runner(compile_problem(instance))
        small = Priority(Kind.NETWORK, self.prior, Filter.ACTIVE)
        prior_best = int(runner.sample(small, config.prior_samples, seed, self.temperature).min())
        plan = runner.best.rows[: runner.best.clock[NUM_ROWS]].copy()
        network_best = int(runner.sample(priority, config.samples, seed, self.temperature).min())
        if network_best < prior_best:
            plan = runner.best.rows[: runner.best.clock[NUM_ROWS]].copy()
        graph = new_graph(runner.problem)
        tape = new_tape(runner.problem, graph, 2 * config.decisions)
        share = min(1.0, config.decisions / max(len(plan), 1))
        filter_number = int(Filter.ACTIVE)
        record(runner.problem, runner.state, plan, filter_number, self.prior, runner.work, graph, share, seed, tape)
        return Label(tape, min(prior_best, network_best), prior_best, network_best)

    def _batches(self, tapes: Sequence[Tape]) -> list[Choices]:
        """The recorded choices in random batches of whole graphs; an empty list if there are none."""
        parts = [part for tape in tapes for part in _split(tape)]
        order = np.random.default_rng([self.seed, self.steps, 5]).permutation(len(parts))
        size = self.config.batch
        return [_join([parts[number] for number in order[low : low + size]]) for low in range(0, len(parts), size)]

    def loss(self, choices: Choices) -> Tensor:
        """Mean cross-entropy of the options that were taken."""
        scores = self.network(choices.graphs, choices.agents, choices.tasks, choices.features)
        logits = (choices.prior + scores) / self.temperature
        count = len(choices.chosen)
        top = torch.full((count,), -torch.inf).scatter_reduce(0, choices.choice, logits.detach(), "amax")
        total = torch.zeros(count).index_add(0, choices.choice, torch.exp(logits - top[choices.choice]))
        return (torch.log(total) + top - logits[choices.chosen]).mean()

    def learn(self, choices: Choices) -> float:
        """One update of the weights; returns the loss before it.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights stay as they are.
        """
        for parameter in self.network.parameters():
            # Not None: Adam would skip maps of relations that the batch lacks, and moments would be of unequal age.
            parameter.grad = torch.zeros_like(parameter)
        loss = self.loss(choices)
        loss.backward()
        length = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        if not bool(torch.isfinite(loss) & torch.isfinite(length)):
            raise TrainingError(
                f"step {self.steps}: the loss is {loss.item():g} and its gradient has length {length.item():g}; "
                "the weights are kept as they were before: lower the step size (rate) or resume from a checkpoint"
            )
        self.optimiser.step()
        return float(loss.item())

    def priority(self) -> Priority:
        """The present weights as a priority."""
        return Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, self.network.flat())

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        moments = [self.optimiser.state[parameter] for parameter in self.network.parameters()]
        updates = int(moments[0]["step"]) if moments[0] else 0
        return {
            "network": self.network.flat(),
            "prior": self.prior,
            "steps": self.steps,
            "updates": updates,
            "momentum": _flatten([moment["exp_avg"] for moment in moments] if updates else []),
            "variance": _flatten([moment["exp_avg_sq"] for moment in moments] if updates else []),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`.

        Raises
        ------
        ValueError
            If its network has other sizes.
        """
        self.network.load_flat(np.asarray(state["network"]))
        self.prior, self.steps = np.asarray(state["prior"]), int(state["steps"])
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=self.config.rate)
        if not state["updates"]:
            return
        at = 0
        for parameter in self.network.parameters():
            cut = slice(at, at + parameter.numel())
            self.optimiser.state[parameter] = {
                "step": torch.tensor(float(state["updates"])),
                "exp_avg": torch.from_numpy(state["momentum"][cut].copy()).reshape(parameter.shape),
                "exp_avg_sq": torch.from_numpy(state["variance"][cut].copy()).reshape(parameter.shape),
            }
            at += parameter.numel()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute in one thread: on such small tensors, more of them mostly wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _flatten(tensors: Sequence[Tensor]) -> np.ndarray:
    parts = [tensor.numpy().ravel() for tensor in tensors]
    return np.concatenate([np.zeros(0, np.float32), *parts])


@dataclass(frozen=True)
class _Part:
    """One recorded graph and the choices made in it; options numbered from 0."""

    graph: GraphArrays
    agents: np.ndarray
    tasks: np.ndarray
    features: np.ndarray
    prior: np.ndarray
    sizes: np.ndarray
    chosen: np.ndarray


def _split(tape: Tape) -> list[_Part]:
    """The graphs of a tape, each with its choices."""
    choices = int(tape.counts[NUM_CHOICES])
    ends = np.concatenate([[0], tape.option_end[:choices]])
    assert ends[-1] == tape.counts[NUM_OPTIONS]
    parts = []
    for number, graph in enumerate(graphs_on(tape)):
        own = np.flatnonzero(tape.graph[:choices] == number)
        cut = slice(ends[own[0]], ends[own[-1] + 1])
        columns = (tape.agents[cut], tape.tasks[cut], tape.features[cut], tape.prior[cut])
        parts.append(_Part(graph, *columns, np.diff(ends)[own], tape.chosen[own] - ends[own[0]]))
    return parts


def _join(parts: Sequence[_Part]) -> Choices:
    """Join graphs and options with offsets."""
    graphs = join([part.graph for part in parts])
    options = np.array([len(part.agents) for part in parts])
    first_option = np.cumsum(options) - options
    sizes = np.concatenate([part.sizes for part in parts])
    tasks = np.concatenate([part.tasks for part in parts])
    return Choices(
        graphs=graphs,
        agents=torch.from_numpy(
            np.concatenate([part.agents for part in parts]) + np.repeat(graphs.first["agent"], options)
        ),
        tasks=torch.from_numpy(np.where(tasks < 0, tasks, tasks + np.repeat(graphs.first["task"], options))),
        features=torch.from_numpy(np.concatenate([part.features for part in parts])),
        prior=torch.from_numpy(np.concatenate([part.prior for part in parts])),
        choice=torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)),
        chosen=torch.from_numpy(
            np.concatenate([part.chosen + first for part, first in zip(parts, first_option, strict=True)])
        ),
    )
