"""DAgger for the network over the agent-task graph (Ross et al. 2011, arXiv 1011.0686): a planner corrects the policy.

The present policy schedules fresh instances. Meanwhile a local search keeps a plan of what is left
(`solvers.local_search.completion`), and at some decisions the network learns, by cross-entropy, what the plan would do
next from there. So it learns on the states that it gets into, and not only on those of good schedules. A decision
counts for the agent that commits: its options are its own candidates and, where it may, waiting.

Two numbers make the difference between worse and better schedules. The prior's scores are divided by the temperature at
which it explains the labels of the first step best: otherwise the network learns to correct not its choices but its
certainty. And of the network's scores a share is used: what it has learnt then decides where the prior is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from graphs.arrays import new_graph
from graphs.encode import encode
from graphs.layout import Sizes, scaled_heads
from marl.algorithms.base import falling
from marl.algorithms.choices import Part, join_parts, log_probabilities, one_thread, own_options, split_tape
from marl.algorithms.graph_training import LabelTraining
from marl.play import Chooser, priority_chooser
from marl.recorder import new_tape, record_decision
from problems.instance import FloatArray, Instance, IntArray
from problems.simulator import Filter, Problem, State, compile_problem
from problems.simulator.arrays import NOW, new_state
from problems.simulator.candidates import AGENT, FAR, TASK, next_decision, next_event
from problems.simulator.engine import reset
from solvers.guided import follow
from solvers.kinds import Kind
from solvers.local_search.completion import completion_of
from solvers.priority import MAY_WAIT, Priority
from solvers.rollout import new_work

ALL_WAIT, NO_INSTANT = -1, -1
TEMPERATURES = tuple(2.0 ** (power / 2) for power in range(-2, 9))
"""What the prior's temperature is chosen from: a half to 16."""


@dataclass(frozen=True)
class DaggerConfig:
    """Settings of DAgger.

    Attributes
    ----------
    sizes
        Of the network.
    instances
        Fresh instances per step.
    decisions
        Decisions recorded of an instance, about.
    guided_steps, least_guided
        Steps in which the share of instances on which the plan is followed falls from 1 to 0, and the least share.
    epochs, batch
        How often a label is used, and graphs per update of the weights.
    share
        Of the network's scores that is used.
    rate, last_rate, steps
        Step size of Adam at the start and, after ``steps``, at the end.
    clip
        Longest gradient.
    workers
        Threads that schedule.
    candidate_filter
        Which tasks a free agent may choose; of others the planner's word is waiting.
    """

    sizes: Sizes = field(default_factory=lambda: Sizes(width=32, head=32))
    instances: int = 24
    decisions: int = 40
    guided_steps: int = 5
    least_guided: float = 0.1
    epochs: int = 2
    batch: int = 32
    share: float = 0.5
    rate: float = 3e-3
    last_rate: float = 3e-4
    steps: int = 60
    clip: float = 1.0
    workers: int = 2
    candidate_filter: Filter = Filter.ACTIVE


class Dagger(LabelTraining):
    """See the module's docstring.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, of the decisions that are recorded, and of first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.
    """

    def __init__(
        self, family: str, seed: int, config: DaggerConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        self.config = config or DaggerConfig()
        super().__init__(family, seed, self.config.sizes, self.config.rate, self.config.clip, prior=prior)

    def step(self) -> dict[str, float]:
        """Label decisions on fresh instances and learn from them.

        Raises
        ------
        TrainingError
            If the loss or its gradient is not finite; the weights are those of before.
        UnsupportedError
            If there is no planner for the family.
        """
        config = self.config
        seeds = self.instance_seeds(config.instances)
        with ThreadPoolExecutor(config.workers) as pool:
            labels = list(pool.map(self.label, map(self.instance, seeds), seeds))
        parts = [part for label in labels for part in label]
        with one_thread():
            if self.steps == 0:
                self.temperature = self._best_temperature(parts)
            self.descent.set_rate(self.rate())
            losses = [
                self.learn(choices) for _ in range(config.epochs) for choices in self.batches(parts, config.batch)
            ]
        self.steps += 1
        return {
            "losses/cross_entropy": float(np.mean(losses)) if losses else 0.0,
            "train/choices": float(sum(len(part.sizes) for part in parts)),
            "train/temperature": self.temperature,
            "train/rate": self.rate(),
        }

    def label(self, instance: Instance, seed: int) -> list[Part]:
        """Schedule an instance; what the planner would do at some of the decisions, each among its agent's options."""
        config, problem = self.config, compile_problem(instance)
        random = np.random.default_rng([seed, 6])
        guided = random.random() < max(config.least_guided, 1.0 - self.steps / config.guided_steps)
        share = config.decisions / max(int(instance.task_pieces.sum()), 1)
        plan, choose = completion_of(instance, problem, self.small), self.chooser(problem)
        state, work, graph = new_state(problem), new_work(problem), new_graph(problem)
        tape, room, instant = new_tape(problem, graph, 2 * config.decisions), 2 * config.decisions, NO_INSTANT
        reset(problem, state)
        while (count := next_decision(problem, state, int(config.candidate_filter), work.found)) > 0:
            may_wait = bool(self.prior[MAY_WAIT]) and next_event(problem, state) < FAR
            row = 0
            if count > 1 or may_wait:
                if self.is_stale(state, instant):
                    encode(problem, state, graph)
                    instant = int(state.clock[NOW])
                    tape.instants[:] = NO_INSTANT  # the next label brings its own graph
                planned = planned_row(work.found.table[:count], plan.first_tasks(state), may_wait, random)
                if planned is not None and room > 0 and random.random() < share:
                    record_decision(problem, state, count, planned, may_wait, self.prior, work, graph, tape)
                    room -= 1
                if guided and planned is not None:
                    row = planned
                else:
                    row = choose(problem, state, work.found, count)
            follow(problem, state, count, row, work)
        return [own_options(part) for part in split_tape(tape)]

    def chooser(self, problem: Problem) -> Chooser:
        """What the present policy does in an episode of ``problem``."""
        return priority_chooser(problem, self.priority())

    def is_stale(self, state: State, instant: int) -> bool:
        """Whether the graph of ``instant`` (-1: none yet) is not to be used any more in ``state``."""
        return int(state.clock[NOW]) != instant

    def rate(self) -> float:
        """Step size of Adam at present."""
        return falling(self.config.rate, self.config.last_rate, self.steps / self.config.steps)

    def priority(self) -> Priority:
        """The prior and a share of the network's scores."""
        return Priority(
            Kind.GRAPH, self.prior, self.config.candidate_filter, scaled_heads(self.network.flat(), self.config.share)
        )

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on."""
        return {**super().state(), "temperature": self.temperature}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up a run from `state`."""
        super().load_state(state)
        self.temperature = float(state["temperature"])

    def _best_temperature(self, parts: Sequence[Part]) -> float:
        """Temperature at which the prior explains the labels best."""
        if not parts:
            return self.temperature
        choices = join_parts(parts)
        with torch.no_grad():
            losses = [
                -log_probabilities(self.network, choices, temperature)[choices.chosen].mean().item()
                for temperature in TEMPERATURES
            ]
        return TEMPERATURES[int(np.argmin(losses))]


def planned_row(table: IntArray, first: IntArray, may_wait: bool, random: np.random.Generator) -> int | None:
    """A row of the candidates that is what the plan has its agent do first, any of them.

    ``table`` is int64 [K, ...], ``first`` the first task of each agent, int64 [A]. -1 (all wait) if there is none and
    agents may wait; None if they may not, for then the plan cannot be followed.
    """
    rows = np.flatnonzero(first[table[:, AGENT]] == table[:, TASK])
    if len(rows) > 0:
        return int(random.choice(rows))
    return ALL_WAIT if may_wait else None
