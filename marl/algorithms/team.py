"""A team of agents in the Parallel environment, as the network over the graph sees it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphs.arrays import arrays_of, new_graph
from graphs.encode import encode
from graphs.layout import Float32Array
from marl.algorithms.choices import Part
from marl.envs.entry import bound
from marl.envs.parallel import ParallelSchedulingEnv
from marl.envs.source import Fixed
from problems.instance import FloatArray, Instance
from problems.simulator import Filter
from solvers.priority import FIRST, HEADER, HIDDEN, MAY_WAIT, WIDTH

WAIT = -1
"""Stands for the task of the option to wait."""


class Team:
    """The agents of one instance, until all tasks are done.

    Parameters
    ----------
    instance
        The problem.
    prior : float64 [*]
        Parameters of the small network.

    Attributes
    ----------
    reward : float
        Of every agent, by the last `act`, in the unit of the instance.
    num_pieces : int
        Pieces of all tasks.
    """

    def __init__(self, instance: Instance, prior: FloatArray) -> None:
        self._env = ParallelSchedulingEnv(Fixed(instance), candidate_filter=Filter.ACTIVE)
        self._prior, self.reward, self.num_pieces = prior, 0.0, int(instance.task_pieces.sum())
        self._seen, _ = self._env.reset(seed=0)
        self._slots: list[np.ndarray] = []
        self._choosers: list[int] = []
        episode = self._env.episode
        self._graph = new_graph(episode.problem)
        self._encode = bound(encode, (episode.problem, episode.state, self._graph), ())

    @property
    def objective(self) -> float:
        """Of the commitments so far, in the unit of the instance."""
        return self._env.episode.partial_objective()

    @property
    def done(self) -> bool:
        """Whether all tasks are done."""
        return not self._env.agents

    def look(self) -> Part | None:
        """The graph, and the options of each agent that has several; None if no agent has."""
        options = [self._options(name) for name in self._env.agents]
        self._choosers = [number for number, slots in enumerate(options) if len(slots) > 1]
        self._slots = options
        if not self._choosers:
            return None
        rows = [self._seen[self._env.agents[number]]["candidates"][options[number]] for number in self._choosers]
        sizes = np.array([len(row) for row in rows])
        features, agents = np.concatenate(rows), np.repeat(self._choosers, sizes)
        self._encode()
        tasks = np.concatenate([self._tasks(number) for number in self._choosers])
        prior = prior_scores(self._prior, features).astype(np.float32)
        features = np.where(tasks[:, None] == WAIT, np.float32(0.0), features)
        chosen, weight = np.zeros(len(sizes), np.int64), np.ones(len(sizes), np.float32)
        return Part(arrays_of(self._graph), agents, tasks, features, prior, sizes, chosen, weight)

    def act(self, places: Sequence[int]) -> None:
        """Let each agent that has several options take the one at its place, and the others their only one."""
        taken = dict(zip(self._choosers, places, strict=True))
        actions = {name: int(self._slots[k][taken.get(k, 0)]) for k, name in enumerate(self._env.agents)}
        self._seen, rewards, *_ = self._env.step(actions)
        self.reward = next(iter(rewards.values()))

    def _options(self, name: str) -> np.ndarray:
        """Legal slots of an agent; without waiting if the prior never waits, unless there is nothing else."""
        slots = np.flatnonzero(self._seen[name]["action_mask"])
        if self._prior[MAY_WAIT] == 0.0 and len(slots) > 1:
            return slots[slots != self._env.slots]
        return slots

    def _tasks(self, number: int) -> np.ndarray:
        """Task node of each option of an agent."""
        board, slots = self._env.episode.board, self._slots[number]
        is_wait = slots == self._env.slots
        tasks = board.slot_task[number][np.where(is_wait, 0, slots)]
        return np.where(is_wait, WAIT, self._graph.task_node[tasks] - self._env.episode.instance.num_agents)


def prior_scores(parameters: FloatArray, features: Float32Array) -> FloatArray:
    """Scores of feature rows by the small network, float64 [K]; see `solvers.priority.pack_network`.

    Parameters
    ----------
    parameters : float64 [*]
        Of the small network.
    features : float32 [K, F]
        All features of each row.
    """
    first, width, hidden = (int(parameters[place]) for place in (FIRST, WIDTH, HIDDEN))
    linear, bias, output, weights = np.split(parameters[HEADER:], np.cumsum([width, hidden, hidden]))
    rows = features[:, first : first + width].astype(np.float64)
    return rows @ linear + np.maximum(rows @ weights.reshape(width, hidden) + bias, 0.0) @ output
