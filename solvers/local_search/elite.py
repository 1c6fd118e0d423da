"""A few good plans that are unlike each other, and the plans between two of them."""

from __future__ import annotations

import numpy as np

from solvers.local_search.shop import Sketch

SIZE = 8
"""Plans kept."""


class Elite:
    """Keeps the best plans found.

    Parameters
    ----------
    size
        Most plans kept.
    """

    def __init__(self, size: int = SIZE) -> None:
        self.size = size
        self.members: list[tuple[int, Sketch]] = []

    @property
    def best(self) -> tuple[int, Sketch]:
        """Makespan and plan of the best member, the first of equals."""
        return min(self.members, key=lambda member: member[0])

    def add(self, makespan: int, sketch: Sketch) -> None:
        """Take a plan in unless it is known or worse than all; the worst one leaves where there are too many."""
        if any(value == makespan and np.array_equal(other.start, sketch.start) for value, other in self.members):
            return
        self.members.append((makespan, sketch))
        if len(self.members) > self.size:
            worst = max(range(len(self.members)), key=lambda index: self.members[index][0])
            del self.members[worst]

    def between(self, random: np.random.Generator) -> Sketch:
        """A plan between two members drawn at random; the only member where there is one."""
        if len(self.members) == 1:
            return self.members[0][1]
        first, second = random.choice(len(self.members), 2, replace=False)
        share = random.uniform(NEAREST, 1 - NEAREST)
        return between(self.members[first][1], self.members[second][1], share, random)


NEAREST = 0.3
"""A plan between two others takes at least this share from each."""


def between(first: Sketch, second: Sketch, share: float, random: np.random.Generator) -> Sketch:
    """A plan that lies ``share`` of the way from ``first`` to ``second``.

    Operations are ordered by the mean of their two starts, so that the order respects the precedence as both do, and
    pairs that have the same order in both keep it. Each operation takes its machine from the second plan with
    probability ``share``. The starts of the new plan are not known and are set to those means.
    """
    start = (1 - share) * first.start + share * second.start
    place = np.empty(len(start), np.int64)
    place[first.order] = np.arange(len(start))
    machine = np.where(random.random(len(start)) < share, second.machine, first.machine)
    return Sketch(np.lexsort((place, start)), machine, np.floor(start).astype(np.int64))
