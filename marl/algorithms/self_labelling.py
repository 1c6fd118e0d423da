"""Self-labelling for the network over the agent-task graph (Corsini et al. 2024, arXiv 2401.11849).

At each step, fresh instances are scheduled many times, by the prior `tuned` and by the present network, all in
compiled code. The best schedule of an instance is its label: it is sampled again, some of its decisions are recorded,
and the network learns by cross-entropy to score the options that were taken above the others. The score is that of
the prior plus the network's, so a network that adds nothing samples as the prior does.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from graphs.layout import Sizes
from marl.algorithms.choices import one_thread, split_tape
from marl.algorithms.graph_training import LabelTraining
from marl.algorithms.rollouts import Player
from marl.recorder import NUM_CHOICES, Tape
from problems.instance import FloatArray, Instance
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.rollout import Runner


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


class SelfLabelling(LabelTraining):
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
        self.config = config or SelfLabellingConfig()
        settings = self.config
        super().__init__(family, seed, settings.sizes, settings.rate, settings.clip, settings.temperature, prior)

    def step(self) -> dict[str, float]:
        """Label fresh instances and learn from them.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before.
        """
        seeds = self.instance_seeds(self.config.instances)
        labels = self.label([self.instance(number) for number in seeds], seeds.start)
        parts = [part for label in labels for part in split_tape(label.tape)]
        with one_thread():
            losses = [self.learn(choices) for choices in self.batches(parts, self.config.batch)]
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
        config, problem = self.config, compile_problem(instance)
        runner = Runner(problem)
        by_prior = runner.sample(self.small, config.prior_samples, seed, self.temperature)
        by_network = runner.sample(priority, config.samples, seed, self.temperature)
        prior_best, network_best = int(by_prior.min()), int(by_network.min())
        winner, values = (priority, by_network) if network_best < prior_best else (self.small, by_prior)
        player, number = Player(problem, priority.network, seed, self.temperature), int(values.argmin())
        share = min(1.0, config.decisions / max(player.decisions(winner, number), 1))
        best, tape = player.play(winner, number, share, 2 * config.decisions)
        return Label(tape, best, prior_best, network_best)
