"""Decima's REINFORCE for Spark jobs, on the network over the agent-task graph (arXiv 1810.01963, section 5.3).

The steps are those of `marl.algorithms.input_dependent`; here the network on top of its prior plays in compiled code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from torch import Tensor

from graphs.layout import Sizes
from marl.algorithms.choices import Part, log_probabilities, mean_entropy, split_tape
from marl.algorithms.graph_training import GraphTraining
from marl.algorithms.input_dependent import Episode, InputDependent, StreamSettings
from marl.algorithms.rollouts import Player
from marl.recorder import NUM_GRAPHS
from problems.errors import UnsupportedError
from problems.instance import FloatArray, Instance
from problems.simulator import compile_problem


@dataclass(frozen=True)
class DecimaConfig(StreamSettings):
    """Settings, besides those of every such training.

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


class Decima(InputDependent, GraphTraining):
    """See the module's docstring.

    Parameters
    ----------
    family
        Must be "spark".
    seed
        Seed of instances, samples and first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.

    Raises
    ------
    UnsupportedError
        If the family is another one.
    """

    def __init__(
        self, family: str, seed: int, config: DecimaConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        if family != "spark":
            raise UnsupportedError(f"decima learns from arrivals and jobs present: family spark only, not '{family}'")
        self.config = config or DecimaConfig()
        self.streams = settings = self.config
        GraphTraining.__init__(
            self, family, seed, settings.sizes, settings.rate, settings.clip, settings.temperature, prior
        )

    def instance(self, seed: int) -> Instance:
        """The training instance of a seed."""
        return GraphTraining.instance(self, seed)

    def play(self, instance: Instance, seed: int) -> list[Episode]:
        """Sampled episodes of an instance."""
        config, problem, policy = self.config, compile_problem(instance), self.priority()
        decisions = Player(problem, policy.network, seed, self.temperature).decisions(policy)
        share = min(1.0, config.decisions / max(decisions, 1))

        def episode(number: int) -> Episode:
            player = Player(problem, policy.network, seed, self.temperature)
            _, tape = player.play(policy, number, share, 2 * config.decisions)
            return Episode(split_tape(tape), tape.instants[: tape.counts[NUM_GRAPHS]], player.completions())

        with ThreadPoolExecutor(config.workers) as pool:
            return list(pool.map(episode, range(1, config.episodes + 1)))

    def losses(self, parts: Sequence[Part], entropy: float) -> Iterator[Tensor]:
        """Losses of weighted choices in random batches, with this weight of the entropy."""
        batches = self.batches(parts, self.config.batch)
        total = sum(len(choices.chosen) for choices in batches)
        for choices in batches:
            logarithms = log_probabilities(self.network, choices, self.temperature)
            gain = (logarithms[choices.chosen] * choices.weight).mean()
            gain = gain + entropy * mean_entropy(logarithms, choices)
            yield -gain * len(choices.chosen) / total
