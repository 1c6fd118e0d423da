"""Job shops played by ScheduleNet (arXiv 2106.03051): several episodes side by side, one batch of graphs at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

import marl
from marl.algorithms.choices import one_thread
from marl.envs.kernels import NOBODY
from marl.presets.learned import Choice, Draws, Played, finished
from marl.presets.schedulenet import MachineGraph, machine_graph
from marl.presets.schedulenet_network import ScheduleNet
from problems.instance import Instance
from problems.simulator.arrays import NOW, TASKS_LEFT


class Seen(NamedTuple):
    """A decision: the graph of the machine that is asked, and whether it may wait."""

    graph: MachineGraph
    may_wait: bool


class Shop:
    """One episode, from decision to decision; where a machine has one option only, it takes it unasked.

    Parameters
    ----------
    instance
        The job shop.
    number, seed
        Of the episode; machines that are asked at the same instant come in random order.
    """

    def __init__(self, instance: Instance, number: int, seed: int) -> None:
        self._env = marl.env("jsp", instance, candidate_filter="non-delay", order="shuffled")
        self._env.reset(seed=int(np.random.default_rng([seed, number, 1]).integers(2**31)))
        self.draws = Draws(seed, number)
        self.choices: list[Choice] = []
        self._episode = self._env.episode
        self._asked = NOBODY
        self._skip()

    @property
    def done(self) -> bool:
        """Whether all operations are committed."""
        return self._episode.done

    @property
    def left(self) -> int:
        """Operations that are not committed."""
        return int(self._episode.state.clock[TASKS_LEFT])

    def look(self) -> Seen:
        """What the machine that is asked sees."""
        return Seen(machine_graph(self._episode, self._asked), bool(self._env.infos[self._name]["action_mask"][-1]))

    def act(self, seen: Seen, tasks: np.ndarray, scores: np.ndarray, share: float) -> None:
        """Take an option by its score; record the decision with a probability of ``share``."""
        options = scores if seen.may_wait else scores[:-1]
        taken = self.draws.take(options)
        if self.draws.records(share):
            now = int(self._episode.state.clock[NOW])
            self.choices.append(Choice(seen, taken, now, self.left, np.zeros(1, np.float32)))
        is_wait = taken == len(tasks)
        self._env.step(self._env.slots if is_wait else self._episode.slot_of(self._asked, int(tasks[taken])))
        self._skip()

    def played(self) -> Played:
        """The episode, which has ended."""
        return finished(self._env.instance, self._env.schedule(), self.choices)

    def _skip(self) -> None:
        """Take what needs no decision."""
        while not self.done:
            self._name = self._env.agent_selection
            self._asked = self._env.possible_agents.index(self._name)
            legal = np.flatnonzero(self._env.infos[self._name]["action_mask"])
            if len(legal) > 1:
                return
            self._env.step(int(legal[0]))


@torch.no_grad()
def play(
    network: ScheduleNet, instance: Instance, numbers: Sequence[int], seed: int, decisions: int = 0
) -> list[Played]:
    """Play the episodes ``numbers`` of ``seed``.

    Parameters
    ----------
    network
        Scores the options.
    instance
        A job shop.
    numbers
        Of the episodes; number 0 takes the best option, the others draw.
    seed
        Of all of them.
    decisions
        Decisions that are recorded of each episode, about.

    Raises
    ------
    UnsupportedError
        If the instance is no job shop.
    """
    share = decisions / max(instance.num_tasks, 1)
    shops = [Shop(instance, number, seed) for number in numbers]
    with one_thread():
        while live := [shop for shop in shops if not shop.done]:
            seen = [shop.look() for shop in live]
            scored = network.score([one.graph for one in seen])
            for shop, one, (tasks, scores) in zip(live, seen, scored, strict=True):
                shop.act(one, tasks.numpy(), scores.numpy(), share)
    return [shop.played() for shop in shops]
