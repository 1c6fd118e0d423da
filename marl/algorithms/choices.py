"""Choices of agents as tensors: what the recorder wrote, joined into batches, and how likely the network finds it.

A choice is made among options: a candidate of an agent, or that the agent waits. Where several agents are asked, the
one with the highest bid commits, so the options of a recorded choice are the candidates of all of them, and that the
agent which commits waits. Its probability is taken to be the softmax over these options. That is exact where nobody may
wait or one agent is asked. Else the other agents count with their candidates only, not with the chance that they would
rather wait: the exact probability to first order in these chances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from graphs.arrays import GraphArrays
from graphs.encoder import AgentTaskNetwork, Graphs, join
from marl.recorder import NUM_CHOICES, NUM_OPTIONS, Tape, graphs_on


@dataclass(frozen=True)
class Part:
    """One graph and the choices made in it; options are numbered from 0.

    Attributes
    ----------
    graph
        What was seen.
    agents, tasks : int64 [K]
        Agent and task node of each option; task -1 for waiting.
    features, prior : float32 [K, F], [K]
        Of each option.
    sizes, chosen : int64 [C]
        Number of options of each choice, and the option that it took.
    weight : float32 [C]
        How much each choice counts: 1, or what it was better than expected.
    """

    graph: GraphArrays
    agents: np.ndarray
    tasks: np.ndarray
    features: np.ndarray
    prior: np.ndarray
    sizes: np.ndarray
    chosen: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Choices:
    """Choices in several graphs, joined without padding.

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
    weight : float32 [C]
        How much each choice counts.
    """

    graphs: Graphs
    agents: Tensor
    tasks: Tensor
    features: Tensor
    prior: Tensor
    choice: Tensor
    chosen: Tensor
    weight: Tensor


def split_tape(tape: Tape) -> list[Part]:
    """The graphs of a tape, each with its choices, in order of time."""
    choices = int(tape.counts[NUM_CHOICES])
    ends = np.concatenate([[0], tape.option_end[:choices]])
    assert ends[-1] == tape.counts[NUM_OPTIONS]
    parts = []
    for number, graph in enumerate(graphs_on(tape)):
        own = np.flatnonzero(tape.graph[:choices] == number)
        cut = slice(ends[own[0]], ends[own[-1] + 1])
        columns = (tape.agents[cut], tape.tasks[cut], tape.features[cut], tape.prior[cut])
        sizes, chosen = np.diff(ends)[own], tape.chosen[own] - ends[own[0]]
        parts.append(Part(graph, *columns, sizes, chosen, np.ones(len(own), np.float32)))
    return parts


def own_options(part: Part) -> Part:
    """The same choices, each among the options of the agent that it commits."""
    choice = np.repeat(np.arange(len(part.sizes)), part.sizes)
    kept = part.agents == part.agents[part.chosen][choice]
    columns = {name: getattr(part, name)[kept] for name in ("agents", "tasks", "features", "prior")}
    sizes = np.bincount(choice[kept], minlength=len(part.sizes))
    return replace(part, **columns, sizes=sizes, chosen=np.cumsum(kept)[part.chosen] - 1)


def join_parts(parts: Sequence[Part]) -> Choices:
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
        weight=torch.from_numpy(np.concatenate([part.weight for part in parts])),
    )


def log_probabilities(network: AgentTaskNetwork, choices: Choices, temperature: float) -> Tensor:
    """Logarithm of the probability of each option within its choice, float32 [K].

    Parameters
    ----------
    network
        Its scores are added to the prior's.
    choices
        The choices.
    temperature
        Of the noise on the scores when sampling.
    """
    scores = network(choices.graphs, choices.agents, choices.tasks, choices.features)
    logits = (choices.prior + scores) / temperature
    count = len(choices.chosen)
    top = torch.full((count,), -torch.inf).scatter_reduce(0, choices.choice, logits.detach(), "amax")
    total = torch.zeros(count).index_add(0, choices.choice, torch.exp(logits - top[choices.choice]))
    return logits - (torch.log(total) + top)[choices.choice]


def mean_entropy(logarithms: Tensor, choices: Choices) -> Tensor:
    """Mean entropy of the choices under `log_probabilities`."""
    return -(logarithms.exp() * logarithms).sum() / len(choices.chosen)


def clipped_gain(new: Tensor, old: Tensor, weight: Tensor, clip: float) -> Tensor:
    """Mean of the clipped surrogate gain (Schulman et al. 2017, arXiv 1707.06347, equation 7).

    Parameters
    ----------
    new, old : float32 [C]
        Logarithm of the probability of each choice that was made, now and when it was made.
    weight : float32 [C]
        By how much the choice was better than expected.
    clip
        How far from 1 the ratio of the probabilities counts.
    """
    ratio = torch.exp(new - old)
    return torch.minimum(ratio * weight, ratio.clamp(1.0 - clip, 1.0 + clip) * weight).mean()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute in one thread: on such small tensors, more of them mostly wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
