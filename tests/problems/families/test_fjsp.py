"""Building flexible job shops."""

from __future__ import annotations

import numpy as np
import pytest

from problems import NO_STATE, InstanceError
from problems.families import flexible_job_shop


def test_machines_durations_and_chains() -> None:
    """An operation has its own duration on each machine; jobs are chains; idle machines and releases are kept (C11)."""
    jobs = [[{0: 3}, {1: 2, 0: 4}], [], [{1: 4}]]
    instance = flexible_job_shop("f", jobs, 4, releases=[0, 5, 7], scale=10)
    assert instance.agent_names == ("machine_0", "machine_1", "machine_2", "machine_3")
    assert instance.durations.tolist() == [[3, -1, -1, -1], [4, 2, -1, -1], [-1, 4, -1, -1]]
    assert [instance.predecessors(task).tolist() for task in range(3)] == [[], [0], []]
    assert (instance.family, instance.scale, instance.changeover) == ("fjsp", 10, None)
    assert instance.job_release.tolist() == [0, 5, 7]


def test_setups_are_one_matrix_per_machine() -> None:
    """The setup from one operation to the next depends on the machine; the first operation needs none."""
    setups = np.arange(18).reshape(2, 3, 3)
    changeover = flexible_job_shop("f", [[{0: 1}, {1: 1}], [{0: 2, 1: 3}]], 2, setups).changeover
    assert changeover is not None
    assert changeover.times.tolist() == setups.tolist()
    assert changeover.agent_matrix.tolist() == [0, 1]
    assert changeover.task_state.tolist() == [0, 1, 2]
    assert changeover.agent_home.tolist() == [NO_STATE, NO_STATE]
    assert not changeover.returns and not changeover.needs_task


def test_mistakes_are_refused() -> None:
    """An operation without machine (C17), unknown machines, wrong shapes and missing releases are refused by name."""
    with pytest.raises(InstanceError, match="job 1, task 2 has no eligible agent"):
        flexible_job_shop("f", [[{0: 3}, {}], [{0: 4, 1: 2}]], 2)
    with pytest.raises(InstanceError, match="eligible_agent holds 2"):
        flexible_job_shop("f", [[{2: 3}]], 2)
    with pytest.raises(InstanceError, match=r"setups has shape \(1, 1, 1\).*\(2, 1, 1\)"):
        flexible_job_shop("f", [[{0: 3}]], 2, np.zeros((1, 1, 1), np.int64))
    with pytest.raises(InstanceError, match="releases has 2 entries; expected one per job: 1"):
        flexible_job_shop("f", [[{0: 3}]], 2, releases=[1, 2])
