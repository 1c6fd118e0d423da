"""Imitation of searches by the network over the agent-task graph: what pilot and a short local search do better.

At each step fresh instances are scheduled by pilot with the family's rule and, where local search knows the kind of
problem, by a search that starts from there. The better schedule is the label; decisions of it are recorded, and the
network learns them by cross-entropy. A decision counts for the agent that commits: its options are its own candidates
and, where it may, waiting. In which order several agents commit at the same instant mostly makes no difference, so the
labels do not say whose bid is to be higher.

A plan of local search need not be a schedule that the policy can reach. It is followed instead: of its candidates each
asked agent takes the one that is planned earliest on it, or waits where nothing fits in before its next task. Where
the policy never waits (job shops), an agent cannot keep itself free for a task that is no candidate yet, and what is
reached may be worse than the plan, or than pilot, whose schedule is the label then. If an agent has only candidates
that are planned elsewhere and cannot wait, the plan is lost. Instances without a label are lost, too: those whose
agents serve a stage, because a schedule does not say which orders they were given, and those too large for pilot.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from graphs.arrays import new_graph
from graphs.layout import Sizes
from marl.algorithms.choices import Part, one_thread, own_options, split_tape
from marl.algorithms.graph_training import LabelTraining
from marl.recipes import recipe_of
from marl.recorder import new_tape, record
from problems.instance import FloatArray, Instance, IntArray, Serves
from problems.measure import integer_objective
from problems.schedule import Schedule
from problems.simulator import Filter, compile_problem, schedule_of
from problems.simulator.arrays import NUM_ROWS, PIECES_LEFT, Problem, State, new_state
from problems.simulator.candidates import AGENT, END, FAR, TASK, new_candidates, next_decision, next_event
from problems.simulator.engine import commit, objective_value, wait
from solvers.budget import Budget
from solvers.local_search.solve import is_supported, solve_local_search
from solvers.priority import MAY_WAIT
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority


@dataclass(frozen=True)
class ImitationConfig:
    """Settings of imitation.

    Attributes
    ----------
    sizes
        Of the network.
    instances
        Fresh instances per step.
    searches
        Local searches per instance; 0 for pilot alone.
    pilot_by_prior
        Whether pilot tries options with the prior instead of the family's rule: better, and much slower.
    largest
        Pieces of an instance above which it is lost: the time that pilot takes grows with their third power.
    decisions
        Decisions recorded of an instance, about.
    batch
        Graphs per update of the weights.
    temperature
        By which scores are divided; that of the family if not given.
    rate
        Step size of Adam.
    clip
        Longest gradient.
    workers
        Threads that search.
    """

    sizes: Sizes = field(default_factory=Sizes)
    instances: int = 8
    searches: int = 1
    pilot_by_prior: bool = False
    largest: int = 2000
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
    parts
        Recorded decisions of the best schedule, each among the options of its agent.
    pilot, best
        Objective of pilot, and of the schedule that is imitated.
    followed
        Objective of the followed plan relative to the plan's; NaN without a search, or if it was lost.
    lost
        Whether there is no label, or the plan of local search could not be followed.
    unrecorded
        Share of the commitments that could not be played again.
    """

    parts: list[Part]
    pilot: int
    best: int
    followed: float
    lost: bool
    unrecorded: float


class Imitation(LabelTraining):
    """See the module's docstring.

    Parameters
    ----------
    family
        Family whose generated instances are trained on.
    seed
        Seed of instances, searches and first weights.
    config
        Settings.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if not given.
    """

    def __init__(
        self, family: str, seed: int, config: ImitationConfig | None = None, prior: FloatArray | None = None
    ) -> None:
        self.config = config or ImitationConfig()
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
        parts = [part for label in labels for part in label.parts]
        with one_thread():
            losses = [self.learn(choices) for choices in self.batches(parts, self.config.batch)]
        self.steps += 1
        followed = [label.followed for label in labels if not np.isnan(label.followed)]
        return {
            "losses/cross_entropy": float(np.mean(losses)) if losses else 0.0,
            "train/choices": float(sum(len(part.sizes) for part in parts)),
            "train/label_to_pilot": float(np.mean([label.best / max(label.pilot, 1) for label in labels])),
            "train/followed_to_plan": float(np.mean(followed)) if followed else 1.0,
            "train/lost_instances": float(np.mean([label.lost for label in labels])),
            "train/lost_decisions": float(np.mean([label.unrecorded for label in labels])),
        }

    def label(self, instances: Sequence[Instance], seed: int) -> list[Label]:
        """Search for schedules of each instance and record decisions of the best one that the policy can reach."""
        with ThreadPoolExecutor(self.config.workers) as pool:
            numbered = enumerate(instances, start=seed)
            return list(pool.map(lambda pair: self._label(pair[1], pair[0]), numbered))

    def _label(self, instance: Instance, seed: int) -> Label:
        if instance.serves is Serves.STAGE or instance.task_pieces.sum() > self.config.largest:
            return Label([], 1, 1, np.nan, lost=True, unrecorded=1.0)
        runner = Runner(compile_problem(instance))
        guide = self.small if self.config.pilot_by_prior else rule_priority(recipe_of(instance.family).rule)
        pilot = best = runner.pilot(guide, options_filter=Filter.ACTIVE)
        plan, followed, lost = runner.best.rows[: runner.best.clock[NUM_ROWS]].copy(), np.nan, False
        if self.config.searches and is_supported(instance):
            budget, starts = Budget(samples=self.config.searches), [schedule_of(runner.best)]
            found = solve_local_search(instance, budget, seed, starts=starts).schedule
            assert found is not None  # local search always ends with a schedule
            value, rows = follow(runner.problem, found, bool(self.prior[MAY_WAIT]))
            lost = rows is None
            if rows is not None:
                followed = value / max(integer_objective(instance, found), 1)
                if value <= best:
                    best, plan = value, rows
        parts, played = self._record(runner, plan, seed)
        return Label(parts, pilot, best, followed, lost, 1.0 - played / max(len(plan), 1))

    def _record(self, runner: Runner, plan: IntArray, seed: int) -> tuple[list[Part], int]:
        """Decisions of a plan, and how many of its rows were played."""
        config, graph = self.config, new_graph(runner.problem)
        tape = new_tape(runner.problem, graph, 2 * config.decisions)
        share, active = min(1.0, config.decisions / max(len(plan), 1)), int(Filter.ACTIVE)
        played = record(runner.problem, runner.state, plan, active, self.prior, runner.work, graph, share, seed, tape)
        return [own_options(part) for part in split_tape(tape)], int(played)


def follow(problem: Problem, plan: Schedule, may_wait: bool) -> tuple[int, IntArray | None]:
    """Play a schedule of tasks of one piece by letting each asked agent take the candidate planned earliest on it.

    Where agents may wait, one whose next task is no candidate yet takes a later one only if that ends in time.

    Returns
    -------
    tuple
        Objective and rows (int64 [N, 7]) of the schedule that is reached; None instead of the rows if an agent has
        only candidates that are planned elsewhere and cannot wait.
    """
    planned_on, rank = np.zeros((2, len(problem.tasks)), np.int64)
    planned_on[plan.task], rank[plan.task] = plan.agent, np.arange(len(plan.task))
    state, found = new_state(problem), new_candidates(problem)
    while (count := next_decision(problem, state, int(Filter.ACTIVE), found)) > 0:
        table = found.table[:count]
        fits, can_wait = planned_on[table[:, TASK]] == table[:, AGENT], may_wait and next_event(problem, state) < FAR
        if can_wait:
            fits &= _in_time(table, state, plan, planned_on, rank)
        if fits.any():
            row = np.where(fits, rank[table[:, TASK]], len(rank)).argmin()
            commit(problem, state, int(table[row, AGENT]), int(table[row, TASK]))
        elif can_wait:
            for agent in np.unique(table[:, AGENT]):
                wait(state, int(agent))
        else:
            return 0, None
    return int(objective_value(problem, state)), state.rows[: state.clock[NUM_ROWS]].copy()


def _in_time(table: IntArray, state: State, plan: Schedule, planned_on: IntArray, rank: IntArray) -> np.ndarray:
    """Whether each candidate is the next task that the plan has for its agent, or ends before that begins, bool [K]."""
    left, following = state.tasks[:, PIECES_LEFT] > 0, np.full(len(state.agents), len(rank))
    np.minimum.at(following, planned_on[left], rank[left])
    ranks = following[table[:, AGENT]]
    return (rank[table[:, TASK]] == ranks) | (table[:, END] <= np.append(plan.changeover_start, FAR)[ranks])
