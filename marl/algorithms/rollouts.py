"""Rollouts of a learned priority, recorded: each thread has its own room."""

from __future__ import annotations

import numpy as np

from graphs.layout import Float32Array
from marl.recorder import NUM_DECISIONS, Tape, new_tape, record_rollout
from problems.simulator.arrays import ENDS, Problem, new_state
from solvers.priority import Priority
from solvers.rollout import new_work


class Player:
    """Plays and records rollouts of one problem.

    Parameters
    ----------
    problem
        The compiled instance.
    network : float32 [*]
        Of the priorities that will play.
    seed
        Of all rollouts.
    temperature
        Gumbel noise on the scores.
    """

    def __init__(self, problem: Problem, network: Float32Array, seed: int, temperature: float) -> None:
        self.problem, self.seed, self.temperature = problem, seed, temperature
        self.state, self.work = new_state(problem), new_work(problem, network)
        assert self.work.graph is not None
        self.graph, self._picks = self.work.graph, np.zeros(1, np.uint64)

    def play(self, priority: Priority, number: int, share: float, room: int) -> tuple[int, Tape]:
        """Objective of rollout ``number`` (0 is greedy), and its tape with a share of its decisions.

        Parameters
        ----------
        priority
            Who plays.
        number
            Of the rollout.
        share
            Of the decisions that is recorded.
        room
            Decisions that are recorded at most.
        """
        tape = new_tape(self.problem, self.graph, room)
        value = record_rollout(
            self.problem,
            self.state,
            int(priority.candidate_filter),
            int(priority.kind),
            priority.parameters,
            self.work,
            self.graph,
            self.temperature,
            share,
            self.seed,
            number,
            self._picks,
            tape,
        )
        return int(value), tape

    def decisions(self, priority: Priority, number: int = 0) -> int:
        """How many decisions of a rollout are a choice."""
        _, tape = self.play(priority, number, 0.0, 0)
        return int(tape.counts[NUM_DECISIONS])

    def completions(self) -> np.ndarray:
        """When each job of the last rollout was done, int64 [J]."""
        return self.state.jobs[:, ENDS].copy()
