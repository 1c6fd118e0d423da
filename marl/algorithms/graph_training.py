"""What all algorithms that train the network over the agent-task graph have in common: prior, network, Adam, state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphs.encoder import AgentTaskNetwork
from graphs.layout import Sizes
from marl.algorithms.choices import Choices, Part, join_parts, log_probabilities
from marl.instances import training_instance
from marl.recipes import temperature_of
from marl.spread import feature_spread
from marl.weights import load_shipped
from problems.errors import MakespanError
from problems.instance import FloatArray, Instance
from problems.simulator import Filter
from solvers.kinds import Kind
from solvers.priority import MAY_WAIT, Priority


class TrainingError(MakespanError, ArithmeticError):
    """A run that cannot go on, because its numbers are no longer finite."""


class Descent:
    """Adam on all parameters of a module, its gradient shortened.

    Parameters
    ----------
    module
        Whose parameters follow the gradient.
    rate
        Step size.
    clip
        Longest gradient.
    """

    def __init__(self, module: nn.Module, rate: float, clip: float) -> None:
        self.module, self.rate, self.clip = module, rate, clip
        self.optimiser = torch.optim.Adam(module.parameters(), lr=rate)

    def follow(self, losses: Iterable[Tensor], step: int) -> float:
        """One update against the gradient of the sum of ``losses``; returns the sum.

        The losses may be made one by one: what a loss needs is freed before the next one.

        Raises
        ------
        TrainingError
            If the sum or its gradient is not finite; the weights stay as they are. ``step`` is for the message.
        """
        for parameter in self.module.parameters():
            # Not None: Adam would skip maps of relations that the batch lacks, and moments would be of unequal age.
            parameter.grad = torch.zeros_like(parameter)
        total = 0.0
        for loss in losses:
            loss.backward()
            total += loss.item()
        length = torch.nn.utils.clip_grad_norm_(self.module.parameters(), self.clip).item()
        if not (math.isfinite(total) and math.isfinite(length)):
            raise TrainingError(
                f"step {step}: the loss is {total:g} and its gradient has length {length:g}; "
                "the weights are kept as they were before: lower the step size (rate) or resume from a checkpoint"
            )
        self.optimiser.step()
        return total

    def set_rate(self, rate: float) -> None:
        """Change the step size."""
        self.rate = rate
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def state(self) -> dict[str, Any]:
        """Number of updates, and the moments of all parameters in a row."""
        moments = [self.optimiser.state[parameter] for parameter in self.module.parameters()]
        updates = int(moments[0]["step"]) if moments[0] else 0
        return {
            "updates": updates,
            "momentum": flatten([moment["exp_avg"] for moment in moments] if updates else []),
            "variance": flatten([moment["exp_avg_sq"] for moment in moments] if updates else []),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up the moments of `state`."""
        self.optimiser = torch.optim.Adam(self.module.parameters(), lr=self.rate)
        if not state["updates"]:
            return
        parts = zip(
            self.module.parameters(),
            unflatten(state["momentum"], self.module.parameters()),
            unflatten(state["variance"], self.module.parameters()),
            strict=True,
        )
        for parameter, momentum, variance in parts:
            step = torch.tensor(float(state["updates"]))
            self.optimiser.state[parameter] = {"step": step, "exp_avg": momentum, "exp_avg_sq": variance}


def flatten(tensors: Iterable[Tensor]) -> np.ndarray:
    """All numbers of some tensors in a row, float32 [*]."""
    parts = [tensor.detach().numpy().ravel() for tensor in tensors]
    return np.concatenate([np.zeros(0, np.float32), *parts])


def unflatten(flat: np.ndarray, like: Iterable[Tensor]) -> list[Tensor]:
    """Fresh tensors of the shapes of ``like`` from the numbers of `flatten`."""
    shapes = [tensor.shape for tensor in like]
    ends = np.cumsum([shape.numel() for shape in shapes])
    parts = np.split(np.asarray(flat, np.float32), ends[:-1])
    return [torch.from_numpy(part.copy()).reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


class GraphTraining:
    """Network, prior and optimiser of a run, what they are saved as, and its instances.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, samples and first weights.
    sizes
        Of the network.
    rate, clip
        Step size of Adam, and longest gradient.
    temperature
        Gumbel noise on the scores when sampling; that of the family if None.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if None.
    """

    def __init__(
        self,
        family: str,
        seed: int,
        sizes: Sizes,
        rate: float,
        clip: float,
        temperature: float | None = None,
        prior: FloatArray | None = None,
    ) -> None:
        self.family, self.seed, self.steps = family, seed, 0
        self.prior = load_shipped("tuned", family).arrays["parameters"] if prior is None else prior
        self.temperature = temperature or temperature_of(family)
        self.network = self.new_network(sizes, seed)
        self.network.scale_rows(feature_spread(family, seed, bool(self.prior[MAY_WAIT])))
        self.descent = Descent(self.network, rate, clip)

    def new_network(self, sizes: Sizes, seed: int) -> AgentTaskNetwork:
        """The network before the first step."""
        return AgentTaskNetwork(sizes, seed)

    def instance_seeds(self, count: int) -> range:
        """Seeds of the ``count`` instances of this step, and of whatever is random about them."""
        first = self.seed * 10**9 + self.steps * count
        return range(first, first + count)

    def instance(self, seed: int) -> Instance:
        """The training instance of a seed."""
        return training_instance(self.family, seed)

    def shuffled(self, count: int, size: int) -> list[np.ndarray]:
        """The numbers below ``count`` in random batches of ``size``; an empty list if there are none."""
        order = np.random.default_rng([self.seed, self.steps, 5]).permutation(count)
        return [order[low : low + size] for low in range(0, count, size)]

    def batches(self, parts: Sequence[Part], size: int) -> list[Choices]:
        """Parts in random batches of ``size``; an empty list if there are none."""
        return [join_parts([parts[number] for number in batch]) for batch in self.shuffled(len(parts), size)]

    @property
    def small(self) -> Priority:
        """The prior alone."""
        return Priority(Kind.NETWORK, self.prior, Filter.ACTIVE)

    def priority(self) -> Priority:
        """The present weights as a priority."""
        return Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, self.network.flat())

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        return {"network": self.network.flat(), "prior": self.prior, "steps": self.steps, **self.descent.state()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`.

        Raises
        ------
        ValueError
            If its network has other sizes.
        """
        self.network.load_flat(np.asarray(state["network"]))
        self.prior, self.steps = np.asarray(state["prior"]), int(state["steps"])
        self.descent.load_state(state)


class LabelTraining(GraphTraining):
    """Training by labels: the options that were taken are those to take."""

    def loss(self, choices: Choices) -> Tensor:
        """Mean cross-entropy of the options that were taken."""
        return -log_probabilities(self.network, choices, self.temperature)[choices.chosen].mean()

    def learn(self, choices: Choices) -> float:
        """One update of the weights; returns the loss before it.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights stay as they are.
        """
        return self.descent.follow([self.loss(choices)], self.steps)
