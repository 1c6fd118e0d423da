"""Decima trained as published (arXiv 1810.01963): its own features, network and actions, by REINFORCE.

The steps, with baselines that depend on the input and streams that end without memory, are those of
`marl.algorithms.input_dependent`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from marl.algorithms.graph_training import Descent, flatten
from marl.algorithms.input_dependent import Episode, InputDependent, StreamSettings
from marl.instances import training_instance
from marl.presets.decima_network import Dags, DecimaNetwork, dags_of
from marl.presets.decima_play import play, stacked
from marl.presets.learned import Choice, PresetPolicy, load_parameters
from problems.errors import UnsupportedError
from problems.instance import Instance

SETTINGS = StreamSettings(jobs=20)
"""As published, but for streams of at most 20 jobs in the place of 200, which take minutes to play 16 times."""


def new_network(seed: int) -> DecimaNetwork:
    """A network with weights drawn from ``seed``."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return DecimaNetwork()


class DecimaTraining(InputDependent):
    """See the module's docstring.

    Parameters
    ----------
    family
        Must be "spark".
    seed
        Seed of instances, samples and first weights.
    settings
        Of the training.

    Raises
    ------
    UnsupportedError
        If the family is another one.
    """

    def __init__(self, family: str, seed: int, settings: StreamSettings | None = None) -> None:
        if family != "spark":
            raise UnsupportedError(f"decima learns from arrivals and jobs present: family spark only, not '{family}'")
        self.streams, self.seed, self.steps = settings or SETTINGS, seed, 0
        self.network = new_network(seed)
        self.descent = Descent(self.network, self.streams.rate, self.streams.clip)
        self._dags: Dags | None = None

    def instance(self, seed: int) -> Instance:
        """The training instance of a seed."""
        return training_instance("decima", seed)

    def play(self, instance: Instance, seed: int) -> list[Episode]:
        """Sampled episodes of an instance."""
        numbers = range(1, self.streams.episodes + 1)
        self._dags = dags_of(instance)
        played = play(self.network, instance, numbers, seed, self.streams.decisions)
        return [
            Episode(one.choices, np.array([choice.instant for choice in one.choices]), one.completions)
            for one in played
        ]

    def losses(self, parts: Sequence[Choice], entropy: float) -> Iterator[Tensor]:
        """Losses of weighted choices in random batches, with this weight of the entropy."""
        order = np.random.default_rng([self.seed, self.steps, 5]).permutation(len(parts))
        for low in range(0, len(order), self.streams.batch):
            batch = [parts[place] for place in order[low : low + self.streams.batch]]
            logarithms, uncertainty = self._judged(batch)
            weight = torch.as_tensor(np.concatenate([one.weight for one in batch]))
            gain = (logarithms * weight + entropy * uncertainty).mean()
            yield -gain * len(batch) / len(parts)

    def _judged(self, batch: Sequence[Choice]) -> tuple[Tensor, Tensor]:
        """Logarithm of the probability of each choice, and the entropy of each decision, float32 [C]."""
        assert self._dags is not None
        seen = stacked([one.seen for one in batch])
        stage_scores, limit_scores = self.network(seen, self._dags)
        stages, limits = torch.log_softmax(stage_scores, -1), torch.log_softmax(limit_scores, -1)
        rows, (stage, limit) = torch.arange(len(batch)), torch.as_tensor([one.taken for one in batch]).T
        spread = -(limits.exp() * limits).sum(-1)[:, self._dags.job]  # of the limits of each stage's job [C, T]
        uncertainty = (stages.exp() * (spread - stages)).sum(-1)
        return stages[rows, stage] + limits[rows, self._dags.job[stage], limit], uncertainty

    def priority(self) -> PresetPolicy:
        """The present weights as a policy."""
        return PresetPolicy(self.network, play)

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        return {"network": flatten(self.network.parameters()), "steps": self.steps, **self.descent.state()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        load_parameters(self.network, state["network"])
        self.steps = int(state["steps"])
        self.descent.load_state(state)
