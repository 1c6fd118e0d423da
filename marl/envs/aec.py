"""The AEC environment: asked agents choose one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pettingzoo import AECEnv

from marl.envs.base import Observation, SchedulingBase
from marl.envs.board import VALUE
from marl.envs.kernels import NOBODY
from marl.envs.source import InstanceSource
from problems.errors import IllegalActionError


class SchedulingEnv(SchedulingBase, AECEnv[str, Observation, int]):
    """Agents of a scheduling problem choose tasks, one agent at a time.

    An agent is asked when its commitments have ended and it has a candidate; only asked agents are selected. Choosing a
    task commits to it as early as earlier commitments allow, which may be in the future: a reservation. Notation: A
    agents, S slots, F = ``len(graphs.schema.CANDIDATE_FEATURES)``.

    Agents
        ``machine_0``, ``salesman_3``: the family's word and an index. All end together. An agent that has nothing to do
        is never selected before the end.
    Action
        ``Discrete(S + 1)``, the same object for all agents. Slot s is job s where the tasks of each job form a chain:
        a job of a shop or of parallel machines, a city of travelling salesmen (numbered without the depot). Elsewhere
        it is task s: a stage of a cluster's jobs. In a stream, jobs being revealed over time, there may be fewer slots
        than tasks; then slot s is the s-th oldest candidate of the agent, oldest by the reveal of its job and then by
        number. With ``limits`` there are L slots of each task, slot L * i + k for limit k: an order to so many of the
        asked executors that the job has no more than the limit. Of limits that mean the same, the first one is legal.
        The last slot, S, is *wait*: ask me again after the next commitment at this instant, or at the next
        event. It is legal iff another agent is still to be asked at this instant or an event will come. NumPy
        integers are taken as integers; floats, booleans, None and slots that the mask forbids raise
        `IllegalActionError`, and nothing has changed then.
    Observation
        ``Dict``, the same object for all agents; all values are finite.

        - ``candidates`` float32 [S + 1, F]: a row for each slot the agent may choose, the row of waiting last, zeros
          elsewhere; columns in `graphs.schema.CANDIDATE_FEATURES`.
        - ``agent`` float32 [9]: see `marl.envs.schema.AGENT_FEATURES`.
        - ``global`` float32 [9]: see `marl.envs.schema.GLOBAL_FEATURES`.
        - ``action_mask`` int8 [S + 1]: 1 where the action is legal. Agents that are not asked have only *wait*.
    Reward
        The same for all agents: minus the growth of the objective of the commitments so far, in the unit of the source
        (`Instance.to_unit`). Dense rewards are rounded to a multiple of 2^-k that is at least as fine as the integer
        time unit; the last one makes up for that, and for the difference between floored and real lengths of routes.
        So the undiscounted return of each agent is exactly minus the objective.
    Termination
        All agents terminate when all tasks are committed; each then takes one ``None`` step. After ``max_steps`` steps
        of living agents all are truncated instead; if the last task is committed in that very step, they terminate.
        Without any task, all agents terminate at once on reset.
    Info
        ``action_mask`` int8 [S + 1] while alive. Where slots go to the oldest, also ``hidden``: how many candidates of
        the asked agent have no slot. At termination also ``objective``, ``makespan`` (the last agent is done, and
        home), ``lower_bound`` (published, else a cheap one) in the unit of the source, and ``gap`` =
        (objective - lower_bound) / objective, 0 where both are equal. None of these after truncation.

    Parameters
    ----------
    source
        Makes an instance from a seed; see `marl.envs.source.instance_source`. A seeded generator makes a new instance
        at each reset.
    candidate_filter
        ``"active"`` (default), ``"non-delay"`` or ``"full"``: see `problems.simulator.Filter`. Under ``"non-delay"``
        optimal schedules may need *wait*; without waiting only non-delay schedules are reached.
    order
        Whom to ask first: ``"index"``, the lowest index, or ``"shuffled"``, any asked agent.
    slots, agents
        Sizes of the spaces, for instances of several sizes; those of the instance by default. Agents that an instance
        lacks are in ``possible_agents`` only. A larger instance is refused, but for the slots of a stream (see Action).
    limits
        Numbers of executors, increasing, for Spark clusters whose executors serve a stage (preset decima): the
        parallelism limits of a choice. Without them a choice is for one executor, and the next one is asked.
    max_steps
        Truncate after so many steps.
    illegal
        ``"raise"``, or ``"replace"``: a masked slot becomes *wait*, or the first legal slot where waiting is illegal;
        for learners that cannot mask.
    seed
        Of the stream from which ``reset()`` without a seed draws.
    render_mode
        None or ``"ansi"``.

    Raises
    ------
    InstanceError
        On reset too, if an instance does not fit ``slots`` and ``agents``.

    Notes
    -----
    ``reset(seed=n)`` starts the stream anew; ``reset()`` continues it. It decides instance and order of asking; global
    random generators are neither read nor changed. ``options={"instance": ...}`` plays that instance; PettingZoo's own
    tests pass other keys, which mean nothing here.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "makespan_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, source: InstanceSource, **options: Any) -> None:
        super().__init__(source, **options)
        self.agents: list[str] = []

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; see the class."""
        episode = self._begin(seed, options)
        self.agents = self.possible_agents[: episode.instance.num_agents]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.infos = {name: {"action_mask": self._wait_mask()} for name in self.agents}
        self._idle = dict(self.infos)
        self._paid = dict.fromkeys(self.agents, 0.0)
        self._returned, self._steps, self._over = 0.0, 0, False
        asked = episode.act(NOBODY, 0)
        self._value = int(episode.board.numbers[VALUE])  # of releases alone: paid with the first choice
        self._select(asked)

    def step(self, action: Any) -> None:
        """Let the selected agent choose; see the class.

        Raises
        ------
        IllegalActionError
            If the action is illegal, or not None for an agent that has ended; nothing has changed.
        """
        if self._over:
            self._leave(action)
            return
        name, asked = self.agent_selection, self._asked
        slot = self._legal_slot(asked, name, action)
        self._paid[name] = self._returned
        self.infos[name] = self._idle[name]
        self._steps += 1
        self._select(self._episode.act(asked, slot))

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees now, in fresh arrays; see the class."""
        index, episode = self._index[agent], self._episode
        if index >= episode.instance.num_agents:
            return self._empty_observation()
        if index != self._asked:
            episode.offer(index)
        episode.look(index)
        view = episode.view
        return {
            "candidates": view.candidates[0].copy(),
            "agent": view.agent[0].copy(),
            "global": view.world[0].copy(),
            "action_mask": episode.board.mask[index].copy(),
        }

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, terminated, truncated and info of the selected agent."""
        name = self.agent_selection
        return (
            self.observe(name) if observe else None,
            self._returned - self._paid[name],
            self.terminations[name],
            self.truncations[name],
            self.infos[name],
        )

    @property
    def _cumulative_rewards(self) -> dict[str, float]:
        """Reward of each agent since its last step, which wrappers read."""
        return {name: self._returned - self._paid[name] for name in self.agents}

    def _select(self, asked: int) -> None:
        """Pay for the last choice and turn to the next agent, or end."""
        self._asked = asked
        if asked == NOBODY:
            self._end(self.terminations, self._episode.outcome())
            return
        self._pay()
        if self._steps == self._max_steps:
            self._asked = NOBODY
            self._end(self.truncations, {})
            return
        name = self.possible_agents[asked]
        self.agent_selection = name
        self.infos[name] = self._episode.asked_info(asked)

    def _pay(self) -> None:
        """Reward all agents by the growth of the objective."""
        value = int(self._episode.board.numbers[VALUE])
        if value == self._value:
            reward = 0.0
        else:
            self._value = value
            returned = -self._episode.partial_objective()
            reward, self._returned = returned - self._returned, returned
        if reward != 0.0 or self.rewards[self.agents[0]] != 0.0:
            self.rewards = dict.fromkeys(self.agents, reward)

    def _end(self, flags: dict[str, bool], outcome: dict[str, Any]) -> None:
        """Everybody ends; with an outcome, the last reward completes the return."""
        self._over = True
        if outcome:
            reward, self._returned = -outcome["objective"] - self._returned, -float(outcome["objective"])
            self.rewards = dict.fromkeys(self.agents, reward)
        for name in self.agents:
            flags[name] = True
            self.infos[name] = {"action_mask": self._idle[name]["action_mask"], **outcome}
        self.agent_selection = self.agents[0]

    def _leave(self, action: Any) -> None:
        """The selected agent has ended and goes."""
        if not self.agents:
            raise IllegalActionError("the episode is over and all agents have left; call reset()")
        name = self.agent_selection
        if action is not None:
            raise IllegalActionError(f"{name} has ended; its only action is None, got {action!r}")
        for values in (self.terminations, self.truncations, self.infos, self._paid):
            del values[name]
        self.agents.remove(name)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]
