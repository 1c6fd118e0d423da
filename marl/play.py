"""A policy plays through the AEC environment by bid: the agent with the highest bid commits, the others wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from marl.envs.aec import SchedulingEnv
from marl.envs.board import COUNT
from marl.envs.kernels import NOBODY
from problems.errors import IllegalActionError
from problems.schedule import Schedule
from problems.simulator import Problem, State
from problems.simulator.arrays import NOW, NUM_ROWS
from problems.simulator.candidates import AGENT, TASK, Candidates
from problems.simulator.random import seed_stream
from solvers.priority import Priority
from solvers.rollout import decide, new_work

Chooser: TypeAlias = Callable[[Problem, State, Candidates, int], int]
"""Row of the candidate that commits next, of so many in the table; -1 if all asked agents rather wait."""


def priority_chooser(problem: Problem, priority: Priority, seed: int = 0) -> Chooser:
    """Chooser that compares the bids of ``priority`` for ``problem``.

    Parameters
    ----------
    problem
        The compiled instance.
    priority
        Scores candidates.
    seed
        Of a priority that draws random numbers; the draws are those of rollout 0 of `solvers.rollout.Runner.sample`.
    """
    work = new_work(problem, priority.network)
    seed_stream(work.stream, seed, 0)
    kind, parameters = int(priority.kind), priority.parameters

    def choose_row(problem: Problem, state: State, found: Candidates, count: int) -> int:
        return int(decide(problem, state, count, kind, parameters, work._replace(found=found), 0.0))

    return choose_row


class Bidder:
    """Turns a chooser, which looks at all asked agents at once, into actions of one agent at a time.

    At each decision the bids are compared once. The winner takes its task, the others wait; after its commitment they
    are asked again. If every agent rather waits, all of them wait.

    Parameters
    ----------
    env
        The environment, after a reset.
    chooser
        Compares the bids of all candidates.
    """

    def __init__(self, env: SchedulingEnv, chooser: Chooser) -> None:
        self._env, self._chooser = env, chooser
        self._episode = env.episode
        self._decision: tuple[int, int] | None = None
        self._winner, self._task = NOBODY, NOBODY

    def action(self) -> int:
        """Slot that the selected agent chooses.

        Raises
        ------
        IllegalActionError
            If the environment plays another instance by now.
        """
        if self._env.episode is not self._episode:
            raise IllegalActionError("the environment plays another instance now; make a new Bidder after each reset")
        clock = self._episode.state.clock
        decision = (int(clock[NUM_ROWS]), int(clock[NOW]))
        if decision != self._decision:
            self._decision = decision
            self._compare_bids()
        won = self._winner != NOBODY and self._env.agent_selection == self._env.possible_agents[self._winner]
        return self._episode.slot_of(self._winner, self._task) if won else self._env.slots

    def _compare_bids(self) -> None:
        """Find out who commits next, and to which task."""
        board, found = self._episode.board, self._episode.work.found
        row = self._chooser(self._episode.problem, self._episode.state, found, int(board.numbers[COUNT]))
        if row < 0:
            self._winner = NOBODY
        else:
            self._winner, self._task = int(found.table[row, AGENT]), int(found.table[row, TASK])


def play(env: SchedulingEnv, priority: Priority, seed: int | None = None) -> Schedule:
    """Schedule of one episode of ``env`` played by ``priority``.

    It is the schedule that ``solvers.rollout.Runner.sample(priority, 1)`` finds for the same instance.

    Parameters
    ----------
    env
        Is reset with ``seed``, and stays at its last state.
    priority
        Scores candidates.

    Raises
    ------
    ValueError
        If environment and priority choose from different candidates.
    """
    if env.candidate_filter != priority.candidate_filter:
        raise ValueError(
            f"the environment offers the candidates of {env.candidate_filter.name}, the priority chooses from those of "
            f"{priority.candidate_filter.name}; make the environment with candidate_filter="
            f"Filter.{priority.candidate_filter.name}"
        )
    env.reset(seed=seed)
    return play_on(env, priority_chooser(env.episode.problem, priority))


def play_on(env: SchedulingEnv, chooser: Chooser) -> Schedule:
    """Schedule of the episode that ``env`` is in, played to its end by ``chooser``."""
    bidder = Bidder(env, chooser)
    while env.agents:
        name = env.agent_selection
        ended = env.terminations[name] or env.truncations[name]
        env.step(None if ended else bidder.action())
    return env.schedule()
