"""Spark clusters played by Decima's network (arXiv 1810.01963): several episodes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from marl.algorithms.choices import one_thread
from marl.envs.source import Fixed
from marl.presets.decima import DecimaEnv
from marl.presets.decima_network import DecimaNetwork, dags_of
from marl.presets.learned import Choice, Draws, Played, finished
from problems.instance import Instance

USUAL_DECISIONS_PER_STAGE = 2
"""About; by how many decisions an episode has, the share that is recorded is chosen."""

Seen = dict[str, np.ndarray]


class Cluster:
    """One episode, from decision to decision.

    Parameters
    ----------
    instance
        Spark cluster of preset decima.
    number, seed
        Of the episode.
    """

    def __init__(self, instance: Instance, number: int, seed: int) -> None:
        self._env = DecimaEnv(Fixed(instance))
        self.seen, _ = self._env.reset(seed=0)
        self.draws, self.choices = Draws(seed, number), list[Choice]()
        self.done = not self.seen["stage_mask"].any()

    def act(self, stage: int, limit: int, share: float) -> None:
        """Order executors to a stage, up to a limit counted from 0; record the decision with this probability."""
        if self.draws.records(share):
            left = int((self.seen["is_unended"] > 0).sum())
            self.choices.append(Choice(self.seen, (stage, limit), self._env.now, left, np.zeros(1, np.float32)))
        action = stage * self._env.instance.num_agents + limit
        self.seen, _, self.done, _, _ = self._env.step(action)

    def played(self) -> Played:
        """The episode, which has ended."""
        return finished(self._env.instance, self._env.schedule(), self.choices)


@torch.no_grad()
def play(
    network: DecimaNetwork, instance: Instance, numbers: Sequence[int], seed: int, decisions: int = 0
) -> list[Played]:
    """Play the episodes ``numbers`` of ``seed``; see `marl.presets.schedulenet_play.play`.

    Raises
    ------
    UnsupportedError
        If the instance is no Spark cluster of preset decima.
    """
    share = decisions / max(USUAL_DECISIONS_PER_STAGE * instance.num_tasks, 1)
    clusters, dags = [Cluster(instance, number, seed) for number in numbers], dags_of(instance)
    with one_thread():
        while live := [cluster for cluster in clusters if not cluster.done]:
            seen = stacked([cluster.seen for cluster in live])
            scores, told = network.score_stages(seen, dags)
            stages = [cluster.draws.take(row) for cluster, row in zip(live, scores.numpy(), strict=True)]
            rows, jobs = np.arange(len(live)), instance.task_job[stages]
            limits = network.score_limits(told[rows, jobs], torch.as_tensor(seen["limit_mask"][rows, jobs])).numpy()
            for cluster, stage, row in zip(live, stages, limits, strict=True):
                cluster.act(stage, cluster.draws.take(row), share)
    return [cluster.played() for cluster in clusters]


def stacked(seen: Sequence[Seen]) -> dict[str, Any]:
    """Several observations of one instance as one, each entry with a leading dimension."""
    return {name: np.stack([one[name] for one in seen]) for name in seen[0]}
