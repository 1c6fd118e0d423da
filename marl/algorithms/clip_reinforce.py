"""Clip-REINFORCE for the network over the agent-task graph, as ScheduleNet is trained (arXiv 2106.03051).

The steps are those of `marl.algorithms.clipped`; here the network on top of its prior plays in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from torch import Tensor

from graphs.encoder import AgentTaskNetwork
from graphs.layout import Sizes
from marl.algorithms.choices import Choices, Part, log_probabilities, split_tape
from marl.algorithms.clipped import ClippedUpdates, ClipSettings, Sampled, worth
from marl.algorithms.graph_training import GraphTraining
from marl.algorithms.rollouts import Player
from problems.instance import FloatArray, Instance
from problems.simulator import Filter, compile_problem
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.rollout import Runner


@dataclass(frozen=True)
class ClipReinforceConfig(ClipSettings):
    """Settings, besides those of every Clip-REINFORCE.

    Attributes
    ----------
    sizes
        Of the network.
    temperature
        Gumbel noise on the scores when sampling; that of the family if not given.
    workers
        Threads that sample.
    """

    sizes: Sizes = field(default_factory=Sizes)
    temperature: float | None = None
    workers: int = 2


class ClipReinforce(ClippedUpdates[Part, Choices], GraphTraining):
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

    network: AgentTaskNetwork
    average: AgentTaskNetwork

    def __init__(
        self, family: str, seed: int, config: ClipReinforceConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        self.config = config or ClipReinforceConfig()
        self.clipping = settings = self.config
        GraphTraining.__init__(
            self, family, seed, settings.sizes, settings.rate, settings.longest, settings.temperature, prior
        )
        self.average = AgentTaskNetwork(settings.sizes, seed)
        self.average.load_flat(self.network.flat())

    def sample(self) -> Sampled:
        """Episodes of this step's instance by the present policy."""
        seed = self.instance_seeds(1).start
        return Sampled(*self.play(self.instance(seed), seed))

    def play(self, instance: Instance, seed: int) -> tuple[list[int], list[Part], int]:
        """Objectives of sampled episodes, their recorded choices with returns, and the greedy policy's objective."""
        config, problem = self.config, compile_problem(instance)
        policy = Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, self.network.flat())
        greedy = int(Runner(problem).sample(policy)[0])
        decisions = Player(problem, policy.network, seed, self.temperature).decisions(policy)
        share = min(1.0, config.decisions / max(decisions, 1))

        def episode(number: int) -> tuple[int, list[Part]]:
            player = Player(problem, policy.network, seed, self.temperature)
            value, tape = player.play(policy, number, share, 2 * config.decisions)
            return value, with_returns(split_tape(tape), value, greedy, config.decay)

        with ThreadPoolExecutor(config.workers) as pool:
            episodes = list(pool.map(episode, range(1, config.episodes + 1)))
        return [value for value, _ in episodes], [part for _, parts in episodes for part in parts], greedy

    def in_batches(self, recorded: Sequence[Part]) -> list[Choices]:
        """Choices in random batches; an empty list if there are none."""
        return self.batches(recorded, self.config.batch)

    def logarithms(self, batch: Choices) -> Tensor:
        """Logarithm of the present probability of each choice that was made, float32 [C]."""
        return log_probabilities(self.network, batch, self.temperature)[batch.chosen]

    def returns(self, batch: Choices) -> Tensor:
        """Return of each choice, float32 [C]."""
        return batch.weight

    def priority(self) -> Priority:
        """The averaged weights as a priority."""
        return Priority(Kind.GRAPH, self.prior, Filter.ACTIVE, self.average.flat())

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        return {**super().state(), "average": self.average.flat()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        super().load_state(state)
        self.average.load_flat(np.asarray(state["average"]))


def with_returns(parts: Sequence[Part], value: int, greedy: int, decay: float) -> list[Part]:
    """The choices of an episode, each with its return: -(value / greedy - 1) decay^(tasks left)."""
    return [
        replace(part, weight=np.full_like(part.weight, worth(value, greedy, len(part.graph.nodes["task"]), decay)))
        for part in parts
    ]
