"""MAPPO: proximal policy optimisation of agents that act together (Yu et al. 2022, arXiv 2103.01955).

All agents share the network over the agent-task graph and act at once in the Parallel environment: each asked agent
chooses among its own candidates and, where it may, waiting, without knowing what the others choose now. A centralised
critic sees the whole graph: the mean embedding of its agents, tasks and jobs under a network of its own. Every agent
gets the same reward, minus what its step adds to the objective, as a share of the objective of the greedy prior. The
advantage of a step, by generalised advantage estimation without a discount, counts for all agents that chose in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import huber_loss

from graphs.layout import Sizes
from marl.algorithms.choices import (
    Choices,
    Part,
    clipped_gain,
    join_parts,
    log_probabilities,
    mean_entropy,
    one_thread,
)
from marl.algorithms.critic import Critic
from marl.algorithms.graph_training import Descent, GraphTraining, flatten, unflatten
from marl.algorithms.team import Team
from problems.instance import FloatArray
from problems.measure import in_source_unit
from problems.simulator import compile_problem
from solvers.rollout import Runner


@dataclass(frozen=True)
class MappoConfig:
    """Settings of MAPPO.

    Those of the policy gradient, ``epochs`` to ``longest``, are the defaults of the authors' code
    (github.com/marlbenchmark/on-policy), where an update is made on all data at once; the others are not published.

    Attributes
    ----------
    sizes
        Of the networks of policy and critic.
    instances, episodes
        Fresh instances per step, and episodes of each.
    epochs
        Updates of the weights per step.
    clip
        How far from 1 the ratio of probabilities counts, and how far from its old value a value may move.
    smoothing
        Lambda of generalised advantage estimation.
    entropy
        Weight of the entropy.
    huber
        Errors of the critic above this count linearly.
    rate
        Step size of Adam, for policy and critic.
    longest
        Longest gradient.
    steps
        Environment steps that are learnt from in an episode, about; all of them count for the advantages.
    batch
        Graphs that are in memory at once; an update sums over all of them.
    temperature
        By which scores are divided; that of the family if not given.
    """

    sizes: Sizes = field(default_factory=Sizes)
    instances: int = 2
    episodes: int = 4
    epochs: int = 15
    clip: float = 0.2
    smoothing: float = 0.95
    entropy: float = 0.01
    huber: float = 10.0
    rate: float = 5e-4
    longest: float = 10.0
    steps: int = 96
    batch: int = 64
    temperature: float | None = None


@dataclass
class Trace:
    """What one team saw, did and got, in the steps in which an agent had a choice.

    Attributes
    ----------
    parts : S parts
        The choices of each step; None where they are not learnt from.
    values, rewards : S floats
        The critic's value before each step, and what was got until the next one.
    """

    parts: list[Part | None] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Sample:
    """A batch of steps to learn from.

    Attributes
    ----------
    choices
        Of the policy, weighted by the advantage.
    old : float32 [C]
        Logarithm of the probability of each choice when it was made.
    values, targets : float32 [G]
        The critic's value of each graph when it was seen, and what it should have been.
    """

    choices: Choices
    old: Tensor
    values: Tensor
    targets: Tensor


class Mappo(GraphTraining):
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
        self, family: str, seed: int, config: MappoConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        self.config = config or MappoConfig()
        settings = self.config
        super().__init__(family, seed, settings.sizes, settings.rate, settings.longest, settings.temperature, prior)
        self.critic = Critic(settings.sizes, seed + 1)
        self.critic_descent = Descent(self.critic, settings.rate, settings.longest)

    def step(self) -> dict[str, float]:
        """Let teams play fresh instances and learn from what they got.

        Raises
        ------
        TrainingError
            If a loss or its gradient is not finite; the weights are those of before the update.
        """
        with one_thread():
            traces = self.play()
            samples = self._samples(traces)
            losses = [self._update(samples) for _ in range(self.config.epochs)] if samples else [(0.0, 0.0)]
        self.steps += 1
        policy, value = np.mean(losses, axis=0)
        return {
            "losses/policy": float(policy),
            "losses/value": float(value),
            "train/choices": float(sum(len(sample.choices.chosen) for sample in samples)),
            "train/return": float(np.mean([sum(trace.rewards) for trace in traces])),
        }

    def play(self) -> list[Trace]:
        """Episodes of this step's instances, all teams side by side."""
        config, teams, units = self.config, list[Team](), list[float]()
        for seed in self.instance_seeds(config.instances):
            instance = self.instance(seed)
            greedy = Runner(compile_problem(instance)).sample(self.small)[0]
            teams += [Team(instance, self.prior) for _ in range(config.episodes)]
            units += [float(in_source_unit(instance, int(greedy))) or 1.0] * config.episodes
        traces, random = [Trace() for _ in teams], np.random.default_rng([self.seed, self.steps, 7])
        while live := [number for number, team in enumerate(teams) if not team.done]:
            self._advance([teams[k] for k in live], [traces[k] for k in live], random)
            for k in live:
                if traces[k].rewards:
                    traces[k].rewards[-1] += teams[k].reward / units[k]
        return traces

    def _advance(self, teams: Sequence[Team], traces: Sequence[Trace], random: np.random.Generator) -> None:
        """One step of each team."""
        seen = [team.look() for team in teams]
        parts = [part for part in seen if part is not None]
        made, values = self._choose(parts, random) if parts else ([], [])
        chosen = iter(zip(made, values, strict=True))
        for team, trace, part in zip(teams, traces, seen, strict=True):
            if part is None:
                team.act([])
                continue
            part, value = next(chosen)
            trace.parts.append(part if random.random() < self.config.steps / team.num_pieces else None)
            trace.values.append(value)
            trace.rewards.append(0.0)
            team.act(part.chosen - (np.cumsum(part.sizes) - part.sizes))

    @torch.no_grad()
    def _choose(self, parts: Sequence[Part], random: np.random.Generator) -> tuple[list[Part], list[float]]:
        """The parts with choices drawn from the present policy, and the critic's value of each graph."""
        choices = join_parts(parts)
        scores = log_probabilities(self.network, choices, self.temperature).numpy()
        noisy = np.split(scores + random.gumbel(size=len(scores)), np.cumsum([len(part.agents) for part in parts])[:-1])
        made = []
        for part, own in zip(parts, noisy, strict=True):
            ends = np.cumsum(part.sizes)
            first = ends - part.sizes
            best = [low + own[low:high].argmax() for low, high in zip(first, ends, strict=True)]
            made.append(replace(part, chosen=np.array(best)))
        return made, self.critic(choices.graphs).tolist()

    @torch.no_grad()
    def _samples(self, traces: Sequence[Trace]) -> list[Sample]:
        """The steps to learn from, in random batches."""
        rows = []
        for trace in traces:
            gains = advantages(np.array(trace.values), np.array(trace.rewards), self.config.smoothing)
            rows += [row for row in zip(trace.parts, trace.values, gains, strict=True) if row[0] is not None]
        gains = np.array([gain for _, _, gain in rows])
        mean, spread = (gains.mean(), max(gains.std(), 1e-8)) if rows else (0.0, 1.0)
        samples = []
        for batch in self.shuffled(len(rows), self.config.batch):
            own = [rows[number] for number in batch]
            choices = join_parts([replace(p, weight=np.full_like(p.weight, (g - mean) / spread)) for p, _, g in own])
            old = log_probabilities(self.network, choices, self.temperature)[choices.chosen]
            values = torch.tensor([value for _, value, _ in own])
            samples.append(Sample(choices, old, values, values + torch.tensor([gain for *_, gain in own]).float()))
        return samples

    def _update(self, samples: Sequence[Sample]) -> tuple[float, float]:
        """One update of policy and critic on all data; their losses before it."""
        policy = self.descent.follow(self._policy_losses(samples), self.steps)
        return policy, self.critic_descent.follow(self._value_losses(samples), self.steps)

    def _policy_losses(self, samples: Sequence[Sample]) -> Iterator[Tensor]:
        total = sum(len(sample.old) for sample in samples)
        for sample in samples:
            logarithms = log_probabilities(self.network, sample.choices, self.temperature)
            gain = clipped_gain(logarithms[sample.choices.chosen], sample.old, sample.choices.weight, self.config.clip)
            gain = gain + self.config.entropy * mean_entropy(logarithms, sample.choices)
            yield -gain * len(sample.old) / total

    def _value_losses(self, samples: Sequence[Sample]) -> Iterator[Tensor]:
        """The larger of the losses of the value and of the value that moved no more than the clip."""
        total, clip, huber = sum(len(sample.values) for sample in samples), self.config.clip, self.config.huber
        for sample in samples:
            value = self.critic(sample.choices.graphs)
            near = sample.values + (value - sample.values).clamp(-clip, clip)
            losses = [huber_loss(moved, sample.targets, reduction="none", delta=huber) for moved in (value, near)]
            yield torch.maximum(*losses).sum() / total

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        critic = {f"critic_{name}": value for name, value in self.critic_descent.state().items()}
        return {**super().state(), "critic": flatten(self.critic.parameters()), **critic}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        super().load_state(state)
        stored = unflatten(np.asarray(state["critic"]), self.critic.parameters())
        with torch.no_grad():
            for parameter, value in zip(self.critic.parameters(), stored, strict=True):
                parameter.copy_(value)
        self.critic_descent.load_state({name: state[f"critic_{name}"] for name in ("updates", "momentum", "variance")})


def advantages(values: FloatArray, rewards: FloatArray, smoothing: float) -> FloatArray:
    """Generalised advantage estimation without a discount (Schulman et al. 2016, arXiv 1506.02438); float64 [S].

    Parameters
    ----------
    values, rewards : float64 [S]
        Value before each step, and what was got until the next one. After the last step nothing is got.
    smoothing
        Lambda: 0 trusts the values alone, 1 the rewards alone.
    """
    errors, gains, gain = rewards + np.append(values[1:], 0.0) - values, np.zeros(len(values)), 0.0
    for step in range(len(values) - 1, -1, -1):
        gain = errors[step] + smoothing * gain
        gains[step] = gain
    return gains
