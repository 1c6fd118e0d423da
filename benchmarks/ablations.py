"""What each choice in the network over the agent-task graph is worth: without it, everything else equal, at equal time.

Every variant learns by the same algorithm (`marl.algorithms.dagger`) with the same seed for the same time of one core,
then plays the same held-out instances greedily. All of them schedule in the same way, in training and after it:
embeddings come from torch and not from the compiled forward, which knows one network only (`TorchChooser`; its
schedules are those of the compiled forward, a test looks). So no variant has an advantage by being compiled, and what
costs more makes fewer steps. The step size falls with the time that is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from benchmarks.ablated_networks import OneSoftmax, PlainAttention, SummedRelations, with_layers
from benchmarks.rows import Row, reported
from graphs.arrays import arrays_of, new_graph
from graphs.encode import encode
from graphs.encoder import AgentTaskNetwork, join
from graphs.layout import Sizes
from marl.algorithms.base import falling
from marl.algorithms.choices import one_thread
from marl.algorithms.dagger import ALL_WAIT, NO_INSTANT, Dagger, DaggerConfig
from marl.instances import training_instance
from marl.messages import HELD_OUT_SEED
from marl.play import Chooser
from marl.policies.shipped import shipped_priority
from marl.recorder import NUM_OPTIONS, new_tape, record_decision
from problems.instance import FloatArray
from problems.simulator import Filter, Problem, State, compile_problem
from problems.simulator.arrays import NOW, new_state
from problems.simulator.candidates import AGENT, END, FAR, TASK, Candidates, next_decision, next_event
from problems.simulator.engine import objective_value, reset
from solvers.guided import follow
from solvers.priority import HEADER, MAY_WAIT, Priority
from solvers.rollout import Runner, new_work

FAMILY, MINUTES, SEED, COUNT = "fjsp", 20.0, 1, 96
"""Trained for; minutes of each training; its seed; held-out instances."""

CONFIG = DaggerConfig(instances=8, workers=1)
"""Small steps, so that slow variants make enough of them."""

COMMAND = "python -m benchmarks --shared DIR --long --only ablations --minutes {:g}"


@dataclass(frozen=True)
class Variant:
    """The policy without one of its choices.

    Attributes
    ----------
    name
        In words.
    layer
        Makes a layer of the network from its width; None for type-aware attention.
    messages
        Whether there are any.
    encoded
        When the graph is encoded: "once" an episode, at each "instant", at each "decision".
    has_prior
        Whether scores are added to the prior's; if not, they are all used and not a share.
    candidate_filter
        Which tasks a free agent may choose.
    """

    name: str
    layer: Callable[[int], nn.Module] | None = None
    messages: bool = True
    encoded: str = "instant"
    has_prior: bool = True
    candidate_filter: Filter = Filter.ACTIVE


VARIANTS = (
    Variant("as it is"),
    Variant("no messages", messages=False),
    Variant("one softmax over all relations", OneSoftmax),
    Variant("relations summed, not concatenated", SummedRelations),
    Variant("plain attention", PlainAttention),
    Variant("encoded once", encoded="once"),
    Variant("encoded at each decision", encoded="decision"),
    Variant("no prior", has_prior=False),
    Variant("no reservations", candidate_filter=Filter.NON_DELAY),
)


class Ablated(Dagger):
    """DAgger for a variant.

    Parameters
    ----------
    variant
        What is left out.
    family, seed, config
        As for `Dagger`.
    prior : float64 [*]
        Parameters of the small network; those shipped for the family if None.
    """

    def __init__(
        self,
        variant: Variant,
        family: str = FAMILY,
        seed: int = SEED,
        config: DaggerConfig = CONFIG,
        prior: FloatArray | None = None,
    ) -> None:
        self.variant, self.spent = variant, 0.0
        sizes = replace(config.sizes, messages=variant.messages)
        share = config.share if variant.has_prior else 1.0
        config = replace(config, sizes=sizes, share=share, candidate_filter=variant.candidate_filter)
        super().__init__(family, seed, config, prior)
        self._small = super().small
        if not variant.has_prior:
            self.prior = self.prior.copy()
            self.prior[HEADER:] = 0.0

    @property
    def small(self) -> Priority:
        """The prior, in all variants: the planner's first plan is made with it."""
        return self._small

    def new_network(self, sizes: Sizes, seed: int) -> AgentTaskNetwork:
        """See `GraphTraining.new_network`."""
        layer = self.variant.layer
        return AgentTaskNetwork(sizes, seed) if layer is None else with_layers(layer, sizes, seed)

    def chooser(self, problem: Problem) -> Chooser:
        """See `Dagger.chooser`."""
        return TorchChooser(problem, self)

    def is_stale(self, state: State, instant: int) -> bool:
        """See `Dagger.is_stale`."""
        if self.variant.encoded == "instant":
            return super().is_stale(state, instant)
        return self.variant.encoded == "decision" or instant == NO_INSTANT

    def rate(self) -> float:
        """Step size of Adam, which falls with the share of the time that is spent."""
        return falling(self.config.rate, self.config.last_rate, self.spent)

    def train(self, minutes: float) -> None:
        """Make steps until the time of the processor is over, the last one ending after it; at least one."""
        started = time.process_time()
        with one_thread():
            while self.spent < 1.0:
                self.step()
                self.spent = min((time.process_time() - started) / (60 * minutes), 1.0)


class TorchChooser:
    """Chooses as `solvers.priority.choose_by_graph` does without noise, its embeddings computed by torch.

    Parameters
    ----------
    problem
        The compiled instance; a chooser plays one episode of it.
    algorithm
        Whose network and prior choose.
    """

    def __init__(self, problem: Problem, algorithm: Ablated) -> None:
        self.algorithm, self.work, self.graph = algorithm, new_work(problem), new_graph(problem)
        self.tape, self.instant = new_tape(problem, self.graph, 1), NO_INSTANT

    @torch.no_grad()
    def __call__(self, problem: Problem, state: State, found: Candidates, count: int) -> int:
        """See `marl.play.Chooser`."""
        prior = self.algorithm.prior
        may_wait = bool(prior[MAY_WAIT]) and next_event(problem, state) < FAR
        if count == 1 and not may_wait:
            return 0
        if self.algorithm.is_stale(state, self.instant):
            self._look(problem, state)
        self.tape.counts[:] = 0
        work = self.work._replace(found=found)
        record_decision(problem, state, count, ALL_WAIT, may_wait, prior, work, self.graph, self.tape)
        return best_row(found.table[:count], *self._scores(), may_wait)

    def _look(self, problem: Problem, state: State) -> None:
        encode(problem, state, self.graph)
        self.instant = int(state.clock[NOW])
        self.nodes = self.algorithm.network.embeddings(join([arrays_of(self.graph)]))

    def _scores(self) -> tuple[FloatArray, FloatArray]:
        """Scores of the candidates on the tape and, for each, of its agent's waiting; both float64 [K]."""
        count = int(self.tape.counts[NUM_OPTIONS])
        agents, tasks = self.tape.agents[:count], self.tape.tasks[:count]
        options = map(torch.from_numpy, (agents, tasks, self.tape.features[:count]))
        scores = self.algorithm.network.scores(self.nodes, *options).numpy()
        scores = self.tape.prior[:count].astype(np.float64) + self.algorithm.config.share * scores
        is_wait = tasks == ALL_WAIT
        of_agent = np.zeros(int(agents.max()) + 1)
        of_agent[agents[is_wait]] = scores[is_wait]
        return scores[~is_wait], of_agent[agents[~is_wait]]


def best_row(table: np.ndarray, scores: FloatArray, waiting: FloatArray, may_wait: bool) -> int:
    """Row with the best score; only rows that are better than waiting count where agents may wait.

    Of equal ones, that of the lowest task, then that which ends first, then that of the lowest agent; -1 for none.
    """
    rows = np.flatnonzero(scores > waiting) if may_wait else np.arange(len(scores))
    if len(rows) == 0:
        return ALL_WAIT
    best = rows[scores[rows] == scores[rows].max()]
    return int(min(best, key=lambda row: tuple(table[row, [TASK, END, AGENT]])))


def play(problem: Problem, algorithm: Ablated) -> State:
    """Final state of the greedy episode of a variant."""
    state, work, choose = new_state(problem), new_work(problem), algorithm.chooser(problem)
    reset(problem, state)
    with one_thread():
        while (count := next_decision(problem, state, int(algorithm.config.candidate_filter), work.found)) > 0:
            follow(problem, state, count, choose(problem, state, work.found, count), work)
    return state


def rows(
    minutes: float = MINUTES,
    variants: Sequence[Variant] = VARIANTS,
    count: int = COUNT,
    config: DaggerConfig = CONFIG,
) -> Iterator[Row]:
    """Each variant, one after the other, against greedy `tuned`: over three hours with the defaults."""
    problems = [compile_problem(training_instance(FAMILY, HELD_OUT_SEED + number)) for number in range(count)]
    tuned = shipped_priority("tuned", FAMILY)
    reference = np.array([float(Runner(problem).sample(tuned)[0]) for problem in problems])
    without = replace(tuned, candidate_filter=Filter.NON_DELAY)
    values = np.array([float(Runner(problem).sample(without)[0]) for problem in problems])
    yield _row("tuned without reservations", values / reference, minutes)
    warm = Ablated(VARIANTS[0], config=config)  # what is compiled is compiled before the clock starts
    warm.label(warm.instance(0), 0)
    play(problems[0], warm)
    for variant in variants:
        yield variant_row(Ablated(variant, config=config), minutes, problems, reference)


def variant_row(algorithm: Ablated, minutes: float, problems: Sequence[Problem], reference: FloatArray) -> Row:
    """Train; then the mean greedy objective relative to ``reference``, float64 [I], in integer time."""
    algorithm.train(minutes)
    started = time.perf_counter()
    values = [float(objective_value(problem, play(problem, algorithm))) for problem in problems]
    seconds = (time.perf_counter() - started) / len(problems)
    what = f"{algorithm.variant.name}, {minutes:g} minutes ({algorithm.steps} steps; plays in {seconds:.2f} s)"
    return _row(what, np.array(values) / reference, minutes)


def _row(what: str, ratios: FloatArray, minutes: float) -> Row:
    error = float(np.std(ratios, ddof=1)) / np.sqrt(len(ratios))
    return reported(
        f"{what}: greedy objective over that of tuned, {FAMILY}, {len(ratios)} held-out instances, "
        f"standard error {error:.4f}",
        float(ratios.mean()),
        COMMAND.format(minutes),
    )
