"""Small instances from public bug reports, whose optima an exhaustive search over all sequences confirms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise, permutations, product
from pathlib import Path

import numpy as np
import pytest

from problems import FormatError, Instance, InstanceError
from problems.families import parallel_machines
from problems.formats import Source, parse_instance
from problems.formats.json_writer import write


def load(instance: Instance, machine: int, sequence: tuple[int, ...]) -> int:
    """When a machine has done its jobs one right after the other."""
    total = sum(int(instance.durations[job, machine]) for job in sequence)
    changeover = instance.changeover
    if changeover is not None:
        times, home = changeover.times[changeover.agent_matrix[machine]], changeover.agent_home[machine]
        states = [int(changeover.task_state[job]) for job in sequence]
        states = [int(home), *states] if home >= 0 else states
        total += sum(int(times[one, other]) for one, other in pairwise(states))
    return total


def assignments(instance: Instance) -> Iterator[list[tuple[int, ...]]]:
    """Jobs of each machine, over all choices of eligible machines."""
    machines = range(instance.num_agents)
    for chosen in product(*(instance.eligible(job)[0].tolist() for job in range(instance.num_jobs))):
        yield [tuple(job for job, machine in enumerate(chosen) if machine == mine) for mine in machines]


def optimum(instance: Instance) -> int:
    """Least makespan; without release dates and operators machines do not depend on each other."""
    return min(
        max(
            min(load(instance, machine, order) for order in permutations(jobs)) for machine, jobs in enumerate(assigned)
        )
        for assigned in assignments(instance)
    )


def machines(durations: list[list[int]], setups: list | None, initial: list | None = None) -> Instance:
    return parallel_machines(
        "case",
        np.array(durations),
        None if setups is None else np.array(setups),
        None if initial is None else np.array(initial),
    )


C16_DURATIONS = [[4, 3], [2, 4], [4, 4], [3, 5]]
C16_SETUPS = [
    [[0, 6, 7, 8], [6, 0, 9, 8], [1, 9, 0, 8], [4, 6, 3, 0]],
    [[0, 4, 6, 4], [8, 0, 4, 8], [5, 0, 0, 6], [9, 5, 0, 0]],
]
C16_INITIAL = [[4, 5, 5, 6], [2, 1, 6, 6]]
SWAPPED = np.transpose(C16_SETUPS, (0, 2, 1)).tolist()


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        (machines(C16_DURATIONS, C16_SETUPS, C16_INITIAL), 16),
        (machines(C16_DURATIONS, C16_SETUPS), 11),
        (machines(C16_DURATIONS, SWAPPED, C16_INITIAL), 14),
        (machines(C16_DURATIONS, None), 7),
    ],
    ids=["initial setups", "no initial setups", "from and to swapped", "no setups"],
)
def test_setups_count_from_the_job_before(instance: Instance, expected: int) -> None:
    """Initial, asymmetric setups that break the triangle inequality stand where they belong (C16)."""
    assert optimum(instance) == expected
    assert optimum(parse_instance(Source(None, write(instance)))) == expected


def test_idle_machines_are_allowed() -> None:
    """Two jobs on four machines with setups: the best schedule leaves two machines idle (C11)."""
    setups = [[[0, 3], [2, 0]]] * 4
    instance = machines([[4, 9, 9, 9], [9, 5, 9, 9]], setups)
    assert instance.num_agents == 4
    assert optimum(instance) == 5


ONES = [[[0, 1, 1], [1, 0, 1], [1, 1, 0]]] * 2


def test_not_eligible_is_no_long_time() -> None:
    """-1 forbids a machine; a large number is a time like others and may be the best choice (C19)."""
    assert optimum(machines([[-1, 12000], [3, 4], [5, -1]], ONES)) == 12000
    assert optimum(machines([[9999, 12000], [3, 4], [5, 9999]], ONES)) == 10003


def test_a_job_without_machine_is_refused() -> None:
    """A job that is forbidden everywhere is named at once (C19)."""
    with pytest.raises(InstanceError, match="job 2, task 1 has no eligible agent"):
        machines([[3, 4], [-1, -1], [2, 5]], ONES)


@pytest.mark.parametrize("durations", [{}, {"machine_0": None}, None])
def test_an_operation_without_machine_is_refused(durations: object) -> None:
    """In JSON, too, an operation needs a machine; null is no time (C17, C19)."""
    document = {
        "schema": "makespan-instance",
        "version": 1,
        "family": "fjsp",
        "agents": ["machine_0", "machine_1"],
        "jobs": [[{"durations": {"machine_0": 3}}, {"durations": durations}]],
    }
    with pytest.raises(FormatError, match=r"shop\.json: \$\.jobs\[0\]\[1\]\.durations"):
        parse_instance(Source(Path("shop.json"), json.dumps(document)), family="fjsp")
