"""Building job shops."""

from __future__ import annotations

import pytest

from problems import InstanceError
from problems.families import job_shop


def test_chains_machines_and_releases() -> None:
    """Operations form a chain on their machines; releases and scale are kept; a job may be empty."""
    instance = job_shop("s", [[(1, 4), (0, 2)], [], [(1, 1), (1, 3)]], 2, releases=[0, 5, 7], scale=10)
    assert instance.agent_names == ("machine_0", "machine_1")
    assert instance.durations.tolist() == [[-1, 4], [2, -1], [-1, 1], [-1, 3]]
    assert [instance.predecessors(task).tolist() for task in range(4)] == [[], [0], [], [2]]
    assert instance.job_release.tolist() == [0, 5, 7]
    assert (instance.family, instance.scale, instance.num_jobs) == ("jsp", 10, 3)


def test_mistakes_are_refused() -> None:
    """A machine that does not exist, a negative duration and missing releases are refused."""
    with pytest.raises(InstanceError, match="eligible_agent holds 2"):
        job_shop("s", [[(2, 1)]], 2)
    with pytest.raises(InstanceError, match="eligible_duration holds -1"):
        job_shop("s", [[(0, -1)]], 1)
    with pytest.raises(InstanceError, match="releases has 1 entries; expected one per job: 2"):
        job_shop("s", [[(0, 1)], [(0, 1)]], 1, releases=[3])
