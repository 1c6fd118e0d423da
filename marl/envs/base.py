"""What the AEC and the Parallel environment have in common: spaces, seeds, instances, pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from marl.envs.episode import Episode, read_action
from marl.envs.kernels import Order
from marl.envs.render import routes_as_text
from marl.envs.slots import num_slots, read_limits, require_limits_apply, require_room
from marl.envs.source import InstanceLike, InstanceSource, instance_source
from marl.envs.spaces import observation_space, state_space
from marl.envs.views import new_view
from problems.errors import IllegalActionError
from problems.families import FAMILIES
from problems.instance import Instance
from problems.schedule import Schedule
from problems.simulator import Filter

Observation: TypeAlias = dict[str, NDArray[Any]]

FILTERS = {"non-delay": Filter.NON_DELAY, "active": Filter.ACTIVE, "full": Filter.FULL}
ORDERS = {"index": Order.INDEX, "shuffled": Order.SHUFFLED}
LARGEST_SEED = 2**31


class SchedulingBase:
    """Spaces, seeds and instances of both environments; see `marl.envs.aec.SchedulingEnv` for the parameters."""

    possible_agents: list[str]
    render_mode: str | None

    def __init__(
        self,
        source: InstanceSource,
        *,
        candidate_filter: Filter | str = Filter.ACTIVE,
        order: Literal["index", "shuffled"] = "index",
        slots: int | None = None,
        agents: int | None = None,
        limits: Sequence[int] = (),
        max_steps: int | None = None,
        illegal: Literal["raise", "replace"] = "raise",
        seed: int = 0,
        render_mode: str | None = None,
    ) -> None:
        self._source = source
        self._filter = _lookup("candidate_filter", candidate_filter, FILTERS)
        self._order = _lookup("order", order, ORDERS)
        self._replaces = _lookup("illegal", illegal, {"raise": False, "replace": True})
        self.render_mode = _lookup("render_mode", render_mode, {None: None, "ansi": "ansi"})
        if max_steps is not None and (not isinstance(max_steps, int) or max_steps < 1):
            raise ValueError(f"max_steps is {max_steps}; expected a whole number from 1 on, or None for no limit")
        self._max_steps = max_steps
        self._random = np.random.default_rng(seed)
        sample = source(0)
        self.limits = read_limits(limits)
        self.slots = num_slots(sample, len(self.limits)) if slots is None else slots
        count = sample.num_agents if agents is None else agents
        self._require_fit(sample, count)
        label = FAMILIES[sample.family].agent_label if sample.family in FAMILIES else "agent"
        self.possible_agents = [f"{label}_{number}" for number in range(count)]
        self._index = {name: number for number, name in enumerate(self.possible_agents)}
        self._observation_space = observation_space(self.slots)
        self._action_space = spaces.Discrete(self.slots + 1)
        self.state_space = state_space(count)
        self._episode = Episode(sample, self.slots, self._filter, self._order, self.limits)

    @property
    def instance(self) -> Instance:
        """The instance that is being played."""
        return self._episode.instance

    @property
    def episode(self) -> Episode:
        """The compiled state, for policies that read it directly."""
        return self._episode

    @property
    def candidate_filter(self) -> Filter:
        """Which of its tasks an agent may choose."""
        return self._filter

    @property
    def now(self) -> int:
        """The present instant in integer time."""
        return int(self._episode.state.clock[0])

    def observation_space(self, agent: str) -> spaces.Dict:
        """Space of observations, the same object for all agents."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Space of actions, the same object for all agents."""
        return self._action_space

    def schedule(self) -> Schedule:
        """All commitments so far."""
        return self._episode.schedule()

    def state(self) -> NDArray[np.float32]:
        """Global row, then the row of each agent (zeros for agents the instance lacks); float32."""
        view = self._episode.look_all()
        out = np.zeros(self.state_space.shape, np.float32)
        rows = view.agent.ravel()
        width = view.world.shape[1]
        out[:width], out[width : width + len(rows)] = view.world[0], rows
        return out

    def graph(self) -> Any:
        """Agent-task graph of the present state, a ``torch_geometric.data.HeteroData``."""
        from graphs.hetero import graph_of, to_hetero

        return to_hetero(graph_of(self._episode.problem, self._episode.state))

    def render(self) -> str | None:
        """One line of text per agent with its tasks and times (``render_mode="ansi"``); None without a mode."""
        return routes_as_text(self.instance, self.schedule()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing has to be released."""

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> Episode:
        """Episode of the next instance, at the empty schedule."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        instance_seed, order_seed = (int(number) for number in self._random.integers(LARGEST_SEED, size=2))
        instance = self._next_instance(instance_seed, options or {})
        if instance is not self._episode.instance:
            self._require_fit(instance, len(self.possible_agents))
            self._episode = Episode(instance, self.slots, self._filter, self._order, self.limits)
        self._episode.start(order_seed)
        return self._episode

    def _require_fit(self, instance: Instance, count: int) -> None:
        """Refuse an instance that the environment cannot play with ``count`` agents."""
        require_limits_apply(instance, self.limits)
        require_room(instance, self.slots, count, len(self.limits))

    def _next_instance(self, seed: int, options: Mapping[str, Any]) -> Instance:
        chosen: InstanceLike | None = options.get("instance")
        if chosen is None:
            return self._source(seed)
        family = self._episode.instance.family
        return chosen if isinstance(chosen, Instance) else instance_source(family, chosen)(seed)

    def _legal_slot(self, agent: int, name: str, action: Any) -> int:
        """Slot that the agent chooses.

        Raises
        ------
        IllegalActionError
            If it may not choose it; nothing has changed.
        """
        slot = read_action(action, self.slots)
        mask = self._episode.board.mask[agent]
        if mask[slot]:
            return slot
        if self._replaces:
            return self.slots if mask[self.slots] else int(mask.argmax())
        word = "wait" if slot == self.slots else f"choose slot {slot}"
        legal = ", ".join(str(number) for number in np.flatnonzero(mask))
        raise IllegalActionError(f"{name} may not {word} now; its legal slots are {legal} ({self.slots} is wait)")

    def _empty_observation(self) -> Observation:
        view = new_view(1, self.slots)
        return {
            "candidates": view.candidates[0],
            "agent": view.agent[0],
            "global": view.world[0],
            "action_mask": self._wait_mask(),
        }

    def _wait_mask(self) -> NDArray[np.int8]:
        mask = np.zeros(self.slots + 1, np.int8)
        mask[self.slots] = 1
        return mask


def _lookup(argument: str, value: Any, known: Mapping[Any, Any]) -> Any:
    """Meaning of an option; values are taken as they are."""
    if value in known:
        return known[value]
    if isinstance(value, Filter | Order) and value in known.values():
        return value
    raise ValueError(f"{argument} is {value!r}; choose one of: {', '.join(str(name) for name in known)}")
