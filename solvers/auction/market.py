"""What an auction works on: best places in the plans, and what a bid is made of.

A bid is the score of a small network over the features of (agent, task, place). Lengths are relative to the instance,
so that the same weights hold for tours and for loads, and for any number of agents and tasks: `unit` is the mean of the
cheapest legs to a task, `target` what each agent would do if all tasks were reached by such legs and shared evenly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphs.context import MAX_HIDDEN
from problems.instance import FloatArray, IntArray
from solvers.sequences import Legs

FEATURES = (
    "detour",  # what the task adds to the plan, in units
    "detour_over_rival",  # the same beyond the cheapest detour of another agent
    "second_place",  # what the second best place in the plan would add beyond that, in units
    "length",  # of the plan so far, in targets
    "length_after",  # of the plan with the task, in targets
    "growth_of_longest",  # how far the plan would exceed the longest one, in units
    "becomes_longest",  # whether it would be no shorter than the longest one
    "is_empty",  # whether the plan holds no task
    "length_over_mean",  # of the plan so far, beyond the mean of all plans, in targets
    "mean_length",  # of all plans, in targets
    "growth_of_squares",  # of the sum of the squared lengths, in units times targets
    "growth_over_rival",  # the same beyond the least growth of another agent
    "leg",  # to the task from the one before it, in units
    "leg_over_cheapest",  # the same beyond the cheapest leg to the task that any agent has
    "cheapest_leg",  # to the task, in units
    "remoteness",  # of the task: there and back alone, in shares of the most remote one
    "share_open",  # of the tasks: those still to be awarded
    "per_agent",  # one over the number of agents
    "tasks_per_agent",  # in twenties
)
"""Features of a bid, in the order of its row."""

NUM_BID_FEATURES = len(FEATURES)

MOST_TIMES = 5.0
"""Differences to rivals and places count at most this much: there may be no other one."""

UNABLE_LEG = 1 << 40
"""Longer than all other legs."""


class Market(NamedTuple):
    """Room for an auction.

    Attributes
    ----------
    place : int64 [T, M]
        Node after which an open task fits best into each plan; -1 where the agent cannot do it.
    detour, second : int64 [T, M]
        What it adds there, and at the second best place.
    order : int64 [T]
        Tasks in the order in which they come to the market.
    open : int64 [T]
        Tasks that are bid for, in the first elements.
    cheapest : float64 [T]
        Cheapest leg to each task, in units.
    remoteness : float64 [T]
        Length of going to each task alone, in shares of the most remote one.
    scale : float64 [2]
        Unit and target.
    now : float64 [NOW]
        Mean and longest length, share of the tasks that are open, and the rivals of the task that is looked at: the
        lowest and the second lowest detour, and growth of the squares.
    row : float64 [F]
        Features of a bid.
    hidden : float64 [MAX_HIDDEN]
        Room for the network.
    """

    place: IntArray
    detour: IntArray
    second: IntArray
    order: IntArray
    open: IntArray
    cheapest: FloatArray
    remoteness: FloatArray
    scale: FloatArray
    now: FloatArray
    row: FloatArray
    hidden: FloatArray


UNIT, TARGET = range(2)
MEAN, LONGEST, SHARE_OPEN, LEAST_DETOUR, NEXT_DETOUR, LEAST_GROWTH, NEXT_GROWTH, NOW = range(8)


def new_market(legs: Legs, order: IntArray) -> Market:
    """Room for auctions of the tasks in ``order`` (int64 [T])."""
    num_tasks, num_agents = legs.lengths.shape[1] - 1, len(legs.matrix)
    cheapest, remoteness = _cheapest_legs(legs), _remoteness(legs)
    unit = max(float(cheapest.mean()), 1.0) if num_tasks else 1.0
    target = max(float(cheapest.sum()) / num_agents, float(remoteness.max(initial=1.0)))
    place, detour, second = np.zeros((3, num_tasks, num_agents), np.int64)
    return Market(
        place,
        detour,
        second,
        np.array(order, np.int64),
        np.zeros(num_tasks, np.int64),
        cheapest / unit,
        remoteness / remoteness.max(initial=1.0),
        np.array([unit, target]),
        np.zeros(NOW),
        np.zeros(NUM_BID_FEATURES),
        np.zeros(MAX_HIDDEN),
    )


def _cheapest_legs(legs: Legs) -> FloatArray:
    """Cheapest leg to each task from home or another task, float64 [T]."""
    into = np.where(legs.lengths < 0, UNABLE_LEG, legs.lengths)[:, :, 1:].min(axis=0)  # [T + 1, T]
    into[np.arange(1, len(into)), np.arange(len(into) - 1)] = UNABLE_LEG
    return into.min(axis=0).astype(np.float64)


def _remoteness(legs: Legs) -> FloatArray:
    """Length of the shortest plan of each task alone, float64 [T]."""
    away = legs.lengths[:, 0, 1:]
    return np.where(away < 0, UNABLE_LEG, away + legs.lengths[:, 1:, 0]).min(axis=0).astype(np.float64)
