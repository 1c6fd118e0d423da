"""The graph network of Decima (arXiv 1810.01963) with the sizes of the authors' code: 4,770 parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from problems.instance import Instance

HIDDEN = (16, 8)
EMBEDDING = 8
HEAD = (32, 16, 8)
SLOPE = 0.2
"""Of the leaky ReLU."""

LIMITS_UNIT = 50.0
NO = -1e4
"""Added to the score of what is masked."""


class Dags(NamedTuple):
    """What does not change during an episode: the stages' jobs, and for each height the edges that end there.

    Attributes
    ----------
    job : int64 [T]
        Job of each stage.
    parents, children : one int64 array per height from 1 on
        Edges whose parent has that height: the number of edges on its longest path to a stage without children.
    """

    job: Tensor
    parents: tuple[Tensor, ...]
    children: tuple[Tensor, ...]


def dags_of(instance: Instance) -> Dags:
    """Edges of ``instance`` in the order in which messages go."""
    height = np.zeros(instance.num_tasks, np.int64)
    for task in reversed(instance.topological_order):
        for before in instance.predecessors(task):
            height[before] = max(height[before], height[task] + 1)
    child = np.repeat(np.arange(instance.num_tasks), np.diff(instance.predecessor_ptr))
    parent = instance.predecessor_task
    levels = [np.flatnonzero(height[parent] == level) for level in range(1, int(height.max(initial=0)) + 1)]
    return Dags(
        torch.as_tensor(instance.task_job.copy()),
        tuple(torch.as_tensor(parent[rows]) for rows in levels),
        tuple(torch.as_tensor(child[rows]) for rows in levels),
    )


class DecimaNetwork(nn.Module):
    """Scores stages, and limits for each job.

    With x the rows of stages raised to 8 numbers, a stage's embedding is e = x + g(sum of f(e) over its children); the
    summary of a job sums h([row, e]) over its stages that have not ended, that of the cluster sums a map of the jobs'
    summaries. f, g, h and the maps are networks with hidden layers of 16 and 8 units. Messages go from leaves to roots
    over the whole height of a DAG; in the authors' code over 8 edges at most.
    """

    def __init__(self) -> None:
        super().__init__()
        self.raise_rows = _network(5, HIDDEN, EMBEDDING, last=True)
        self.send = _network(EMBEDDING, HIDDEN, EMBEDDING, last=True)
        self.receive = _network(EMBEDDING, HIDDEN, EMBEDDING, last=True)
        self.to_job = _network(5 + EMBEDDING, HIDDEN, EMBEDDING, last=True)
        self.to_cluster = _network(EMBEDDING, HIDDEN, EMBEDDING, last=True)
        self.score_stage = _network(5 + 3 * EMBEDDING, HEAD, 1, last=False)
        self.score_limit = _network(3 + 2 * EMBEDDING + 1, HEAD, 1, last=False)

    def forward(self, seen: Mapping[str, NDArray[Any]], dags: Dags) -> tuple[Tensor, Tensor]:
        """Scores of stages [..., T] and of limits [..., J, M]; large negative numbers where they may not be chosen.

        Parameters
        ----------
        seen
            Observation of `marl.presets.decima.DecimaEnv`, or several of one instance, each entry stacked.
        dags
            Of the instance.
        """
        scores, told = self.score_stages(seen, dags)
        return scores, self.score_limits(told, torch.as_tensor(seen["limit_mask"]))

    def score_stages(self, seen: Mapping[str, NDArray[Any]], dags: Dags) -> tuple[Tensor, Tensor]:
        """Scores of stages [..., T], and what the scores of limits need of each job [..., J, 19]."""
        stages, jobs = torch.as_tensor(seen["stages"]), torch.as_tensor(seen["jobs"])
        embedded = self.embed(stages, dags)
        of_job, of_cluster = self.summarise(stages, embedded, seen, dags)
        everywhere = of_cluster[..., None, :].expand(*stages.shape[:-1], -1)
        rows = torch.cat([stages, embedded, of_job[..., dags.job, :], everywhere], dim=-1)
        scores = self.score_stage(rows).squeeze(-1) + NO * (1 - torch.as_tensor(seen["stage_mask"]))
        return scores, torch.cat([jobs, of_job, of_cluster[..., None, :].expand(*jobs.shape[:-1], -1)], dim=-1)

    def score_limits(self, told: Tensor, mask: Tensor) -> Tensor:
        """Scores of the limits [..., M] of jobs.

        Parameters
        ----------
        told : float32 [..., 19]
            Of each job, by `score_stages`.
        mask : int8 [..., M]
            Which limits may be chosen.
        """
        count = mask.shape[-1]
        limits = (torch.arange(1, count + 1) / LIMITS_UNIT)[:, None].expand(*told.shape[:-1], -1, 1)
        rows = torch.cat([told[..., None, :].expand(*told.shape[:-1], count, -1), limits], dim=-1)
        return self.score_limit(rows).squeeze(-1) + NO * (1 - mask)

    def embed(self, stages: Tensor, dags: Dags) -> Tensor:
        """Embeddings of stages [..., T, 8], those of their children in them."""
        embedded = self.raise_rows(stages)
        for parents, children in zip(dags.parents, dags.children, strict=True):
            sums = torch.zeros_like(embedded).index_add(-2, parents, self.send(embedded[..., children, :]))
            hit = torch.unique(parents)
            embedded = embedded.index_add(-2, hit, self.receive(sums[..., hit, :]))
        return embedded

    def summarise(
        self, stages: Tensor, embedded: Tensor, seen: Mapping[str, NDArray[Any]], dags: Dags
    ) -> tuple[Tensor, Tensor]:
        """Summaries of jobs [..., J, 8] and of the cluster [..., 8]."""
        unended, present = torch.as_tensor(seen["is_unended"]), torch.as_tensor(seen["is_present"])
        told = self.to_job(torch.cat([stages, embedded], dim=-1)) * unended[..., None]
        of_job = torch.zeros(*present.shape, EMBEDDING).index_add(-2, dags.job, told)
        return of_job, (self.to_cluster(of_job) * present[..., None]).sum(dim=-2)

    def log_probability(self, seen: Mapping[str, NDArray[Any]], dags: Dags) -> Tensor:
        """Logarithms of the probabilities of all actions, [..., T * M]: of the stage, times that of its job's limit.

        Actions that are illegal have a probability of about exp(-10000).
        """
        stage_scores, limit_scores = self(seen, dags)
        stages, limits = torch.log_softmax(stage_scores, -1), torch.log_softmax(limit_scores, -1)
        return (stages[..., None] + limits[..., dags.job, :]).flatten(-2)


def _network(inputs: int, hidden: Sequence[int], outputs: int, last: bool) -> nn.Sequential:
    """Linear maps with a leaky ReLU after each, after the last one only if ``last``."""
    sizes = [inputs, *hidden, outputs]
    layers: list[nn.Module] = []
    for low, high in pairwise(sizes):
        linear = nn.Linear(low, high)
        nn.init.xavier_uniform_(linear.weight)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.LeakyReLU(SLOPE)]
    return nn.Sequential(*(layers if last else layers[:-1]))
