"""ScheduleNet trained as published (arXiv 2106.03051): its own network on job shops, by Clip-REINFORCE.

The steps are those of `marl.algorithms.clipped`. Training instances are those of the paper: 7 to 14 jobs on 2 to 5
machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from marl.algorithms.clipped import ClippedUpdates, ClipSettings, Sampled, worth
from marl.algorithms.graph_training import Descent, flatten
from marl.instances import training_instance
from marl.presets.learned import GREEDY, Choice, PresetPolicy, load_parameters
from marl.presets.schedulenet_network import ScheduleNet
from marl.presets.schedulenet_play import play
from problems.errors import UnsupportedError
from problems.instance import Instance

SETTINGS = ClipSettings(decisions=48)
"""What is not published, and so chosen: see `marl.algorithms.clipped.ClipSettings`."""


def new_network(seed: int) -> ScheduleNet:
    """A network with weights drawn from ``seed``."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ScheduleNet()


class ScheduleNetTraining(ClippedUpdates[Choice, Sequence[Choice]]):
    """See the module's docstring.

    Parameters
    ----------
    family
        Must be "jsp".
    seed
        Seed of instances, samples and first weights.
    settings
        Of Clip-REINFORCE.

    Raises
    ------
    UnsupportedError
        If the family is another one.
    """

    network: ScheduleNet
    average: ScheduleNet

    def __init__(self, family: str, seed: int, settings: ClipSettings | None = None) -> None:
        if family != "jsp":
            raise UnsupportedError(f"schedulenet schedules job shops: family jsp only, not '{family}'")
        self.clipping, self.seed, self.steps = settings or SETTINGS, seed, 0
        self.network = new_network(seed)
        self.average = deepcopy(self.network)
        self.descent = Descent(self.network, self.clipping.rate, self.clipping.longest)

    def instance(self, seed: int) -> Instance:
        """The training instance of a seed."""
        return training_instance("schedulenet", seed)

    def sample(self) -> Sampled:
        """Episodes of this step's instance by the present policy, the greedy one and the others side by side."""
        settings, seed = self.clipping, self.seed * 10**9 + self.steps
        numbers = range(GREEDY, settings.episodes + 1)
        greedy, *episodes = play(self.network, self.instance(seed), numbers, seed, settings.decisions)
        recorded = [
            replace(one, weight=np.full(1, worth(episode.value, greedy.value, one.left, settings.decay), np.float32))
            for episode in episodes
            for one in episode.choices
        ]
        return Sampled([episode.value for episode in episodes], recorded, greedy.value)

    def in_batches(self, recorded: Sequence[Choice]) -> list[Sequence[Choice]]:
        """Choices in random batches; an empty list if there are none."""
        order = np.random.default_rng([self.seed, self.steps, 5]).permutation(len(recorded))
        size = self.clipping.batch
        return [[recorded[place] for place in order[low : low + size]] for low in range(0, len(order), size)]

    def logarithms(self, batch: Sequence[Choice]) -> Tensor:
        """Logarithm of the present probability of each choice that was made, float32 [C]."""
        scored = self.network.score([one.seen.graph for one in batch])
        options = [scores if one.seen.may_wait else scores[:-1] for one, (_, scores) in zip(batch, scored, strict=True)]
        return torch.stack([torch.log_softmax(own, 0)[one.taken] for one, own in zip(batch, options, strict=True)])

    def returns(self, batch: Sequence[Choice]) -> Tensor:
        """Return of each choice, float32 [C]."""
        return torch.as_tensor(np.concatenate([one.weight for one in batch]))

    def priority(self) -> PresetPolicy:
        """The averaged weights as a policy."""
        return PresetPolicy(self.average, play)

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        networks = {"network": self.network, "average": self.average}
        flat = {name: flatten(network.parameters()) for name, network in networks.items()}
        return {**flat, "steps": self.steps, **self.descent.state()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        load_parameters(self.network, state["network"])
        load_parameters(self.average, state["average"])
        self.steps = int(state["steps"])
        self.descent.load_state(state)
