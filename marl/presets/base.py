"""What all single-agent presets have in common: instances, seeds, illegal actions, the end of an episode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from marl.envs.episode import read_action
from marl.envs.source import InstanceSource
from marl.presets.game import Game
from problems.errors import IllegalActionError, InstanceError
from problems.instance import Instance
from problems.measure import objective_value
from problems.schedule import Schedule

LARGEST_SEED = 2**31

Seen = TypeVar("Seen")
Played = TypeVar("Played", bound=Game)


class PresetEnv(gymnasium.Env[Seen, Any], ABC, Generic[Seen, Played]):
    """Gymnasium environment of one decision maker.

    The last ``info`` of an episode holds ``objective``, in the unit of the source, recomputed from the schedule.

    Parameters
    ----------
    source
        Makes an instance from a seed; all of its instances fit the spaces of the first one.
    illegal
        ``"raise"`` an `IllegalActionError` and change nothing, or ``"replace"`` the action by the first legal one, for
        learners that cannot mask.

    Raises
    ------
    InstanceError
        On reset, if an instance does not fit the spaces.
    UnsupportedError
        If the preset does not know a feature of an instance; the message names it.
    """

    action_space: spaces.Discrete

    def __init__(self, source: InstanceSource, illegal: Literal["raise", "replace"] = "raise") -> None:
        if illegal not in ("raise", "replace"):
            raise ValueError(f"illegal is {illegal!r}; choose one of: raise, replace")
        self._source, self._replaces = source, illegal == "replace"
        self._game = self._new_game(source(0))
        self.observation_space, self.action_space = self._spaces(self._game)

    @property
    def instance(self) -> Instance:
        """The instance that is being played."""
        return self._game.instance

    @property
    def now(self) -> int:
        """The present instant, in integer time."""
        return self._game.now

    def schedule(self) -> Schedule:
        """All commitments so far."""
        return self._game.schedule()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode; ``options={"instance": ...}`` plays that instance.

        Raises
        ------
        InstanceError
            If the instance does not fit the spaces.
        """
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(LARGEST_SEED))
        chosen = (options or {}).get("instance")
        instance = self._source(drawn) if chosen is None else chosen
        if instance is not self._game.instance:
            self._game = self._fitting_game(instance)
        self._begin()
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Let the decision maker choose; see the class.

        Raises
        ------
        IllegalActionError
            If the action is illegal; nothing has changed.
        """
        reward = self._play(self._legal(action))
        done = self._game.done
        info = {"objective": objective_value(self.instance, self.schedule())} if done else {}
        return self._observe(), reward, done, False, info

    @abstractmethod
    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool [actions]."""

    @abstractmethod
    def _new_game(self, instance: Instance) -> Played:
        """Game of an instance, or an error that says why the preset cannot play it."""

    @abstractmethod
    def _spaces(self, game: Played) -> tuple[spaces.Space[Any], spaces.Discrete]:
        """Spaces of observations and actions for a game."""

    @abstractmethod
    def _begin(self) -> None:
        """Bring the game to its first decision."""

    @abstractmethod
    def _observe(self) -> Seen:
        """What the decision maker sees now, in fresh arrays."""

    @abstractmethod
    def _play(self, action: int) -> float:
        """Do what a legal action says and go on to the next decision; returns the reward."""

    def _fitting_game(self, instance: Instance) -> Played:
        game = self._new_game(instance)
        if self._spaces(game) != (self.observation_space, self.action_space):
            raise InstanceError(
                f"instance '{instance.name}' is not as large as the one that the environment was made for"
            )
        return game

    def _legal(self, action: Any) -> int:
        chosen, mask = read_action(action, int(self.action_space.n) - 1), self.action_masks()
        if mask[chosen]:
            return chosen
        if self._game.done:
            raise IllegalActionError("the episode is over; call reset()")
        if self._replaces:
            return int(mask.argmax())
        legal = ", ".join(str(number) for number in np.flatnonzero(mask))
        raise IllegalActionError(f"action {chosen} is illegal now; the legal actions are {legal}")
