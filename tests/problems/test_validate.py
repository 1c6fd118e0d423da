"""Every rule that an instance must keep: the broken field, its value and the rule are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from problems import Changeover, Instance, InstanceError, Job, Objective, Opens, Resources, Task, Waves, build_instance
from problems.validate import describe_task, find_cycle


def full() -> Instance:
    """Two agents, two jobs of two tasks, every switch on."""
    return build_instance(
        "full",
        "custom",
        ("a", "b"),
        [Job([Task({0: 3, 1: 4}), Task({1: 2})], name="left"), Job([Task({0: 1}), Task({0: 2})], name="right")],
        objective=Objective.LONGEST_ROUTE,
        changeover=Changeover(
            times=np.ones((2, 3, 3)),
            agent_matrix=np.array([0, 1]),
            task_state=np.array([0, 1, 2, 0]),
            agent_home=np.array([0, 2]),
            returns=True,
        ),
        moving_delay=1,
        waves=Waves(np.array([1, 5]), np.zeros(25), np.zeros(0)),
        resources=Resources(np.array([2]), np.ones((4, 1)), np.zeros((2, 1)), np.ones((1, 2))),
        opens=Opens.DISPATCHED,
        coordinates=np.zeros((3, 2)),
    )


def part(name: str, **changes: Any) -> dict[str, Any]:
    """Change of one switch of `full`."""
    return {name: replace(getattr(full(), name), **changes)}


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "scale": ({"scale": 0}, "scale is 0; it must be a positive integer"),
    "agent_available": ({"agent_available": np.zeros(3)}, r"agent_available has shape \(3,\); expected \(2,\)"),
    "job_release": ({"job_release": np.zeros(1)}, r"job_release has shape \(1,\)"),
    "job_reveal": ({"job_reveal": np.zeros(1)}, r"job_reveal has shape \(1,\)"),
    "job_due": ({"job_due": np.zeros((2, 1))}, r"job_due has shape \(2, 1\)"),
    "job_deadline": ({"job_deadline": np.zeros(1)}, r"job_deadline has shape \(1,\)"),
    "job_weight": ({"job_weight": np.zeros(1)}, r"job_weight has shape \(1,\)"),
    "task_pieces": ({"task_pieces": np.ones(5)}, r"task_pieces has shape \(5,\)"),
    "eligible_ptr": ({"eligible_ptr": np.zeros(4)}, r"eligible_ptr has shape \(4,\)"),
    "eligible_duration": ({"eligible_duration": np.ones(4)}, r"eligible_duration has shape \(4,\); expected \(5,\)"),
    "predecessor_ptr": ({"predecessor_ptr": np.zeros(6)}, r"predecessor_ptr has shape \(6,\)"),
    "eligible_ptr start": ({"eligible_ptr": [1, 2, 3, 4, 5]}, "eligible_ptr must rise from 0 to 5"),
    "eligible_ptr end": ({"eligible_ptr": [0, 2, 3, 4, 4]}, "eligible_ptr must rise from 0 to 5"),
    "eligible_ptr falls": ({"eligible_ptr": [0, 3, 2, 4, 5]}, "eligible_ptr must rise"),
    "predecessor_ptr falls": ({"predecessor_ptr": [0, 1, 0, 1, 2]}, "predecessor_ptr must rise from 0 to 2"),
    "agent_names": ({"agent_names": ("a", "a")}, "agent_names must differ"),
    "task_job": ({"task_job": [0, 0, 1, 2]}, "task_job holds 2; allowed are 0 to 1"),
    "eligible_agent": ({"eligible_agent": [0, 2, 1, 0, 0]}, "eligible_agent holds 2; allowed are 0 to 1"),
    "predecessor_task": ({"predecessor_task": [0, -1]}, "predecessor_task holds -1; allowed are 0 to 3"),
    "no agent": ({"eligible_ptr": [0, 2, 2, 4, 5]}, "job left, task 2 has no eligible agent"),
    "agents in order": ({"eligible_agent": [1, 0, 1, 0, 0]}, "job left, task 1 must list its agents in increasing"),
    "agent twice": ({"eligible_agent": [1, 1, 1, 0, 0]}, "must list its agents in increasing order, once"),
    "negative available": ({"agent_available": [0, -1]}, "agent_available holds -1; it must not be negative"),
    "negative release": ({"job_release": [-5, 0]}, "job_release holds -5"),
    "negative reveal": ({"job_reveal": [-5, 0]}, "job_reveal holds -5"),
    "negative weight": ({"job_weight": [-5, 0]}, "job_weight holds -5"),
    "negative duration": ({"eligible_duration": [1, 1, 1, 1, -2]}, "eligible_duration holds -2"),
    "due": ({"job_due": [-2, 0]}, "job_due holds -2; use -1 for none"),
    "deadline": ({"job_deadline": [-2, 0]}, "job_deadline holds -2; use -1 for none"),
    "pieces": ({"task_pieces": [1, 0, 1, 1]}, "task_pieces must be at least 1"),
    "moving_delay": ({"moving_delay": -1}, "moving_delay is -1; it must not be negative"),
    "cycle": (
        {"predecessor_ptr": [0, 1, 2, 2, 2], "predecessor_task": [1, 0]},
        "precedence has a cycle: job left, task 1 -> job left, task 2 -> job left, task 1",
    ),
    "self-loop": (
        {"predecessor_ptr": [0, 0, 0, 0, 1], "predecessor_task": [3]},
        "cycle: job right, task 2 -> job right, task 2",
    ),
    "coordinates alone": ({"changeover": None}, "coordinates are given without changeover times"),
    "times of two axes": (part("changeover", times=np.ones((3, 3))), r"changeover.times has shape \(3, 3\)"),
    "times not square": (part("changeover", times=np.ones((2, 3, 2))), r"expected \(K, S, S\)"),
    "negative times": (part("changeover", times=-np.ones((2, 3, 3))), "changeover.times must not be negative"),
    "agent_matrix shape": (part("changeover", agent_matrix=[0]), r"changeover.agent_matrix has shape \(1,\)"),
    "agent_matrix range": (part("changeover", agent_matrix=[0, 2]), "changeover.agent_matrix must lie in 0 to 1"),
    "task_state shape": (part("changeover", task_state=[0]), r"changeover.task_state has shape \(1,\)"),
    "task_state range": (part("changeover", task_state=[0, 1, 2, 3]), "changeover.task_state must lie in 0 to 2"),
    "agent_home shape": (part("changeover", agent_home=[0]), r"changeover.agent_home has shape \(1,\)"),
    "agent_home range": (part("changeover", agent_home=[0, -2]), "changeover.agent_home must lie in -1 to 2"),
    "returns to no home": (part("changeover", agent_home=[0, -1]), "agents that return need a home state"),
    "coordinates shape": ({"coordinates": np.zeros((2, 2))}, r"coordinates have shape \(2, 2\); expected \(3, 2\)"),
    "coordinates finite": ({"coordinates": np.full((3, 2), np.inf)}, "coordinates must be finite"),
    "no levels": (part("waves", levels=[], sample_ptr=[0]), "waves.levels must increase and not be empty"),
    "levels fall": (part("waves", levels=[5, 1]), "waves.levels must increase"),
    "sample_ptr shape": (part("waves", sample_ptr=np.zeros(24)), r"waves.sample_ptr has shape \(24,\)"),
    "sample_ptr end": (part("waves", samples=[3]), "waves.sample_ptr must rise from 0 to 1"),
    "negative sample": (
        part("waves", samples=[-3], sample_ptr=[0] * 24 + [1]),
        "waves hold a negative time",
    ),
    "negative warm-up": (part("waves", warm_up=-1), "waves hold a negative time"),
    "task_use shape": (part("resources", task_use=np.ones((3, 1))), r"resources.task_use has shape \(3, 1\)"),
    "changeover_use shape": (part("resources", changeover_use=np.ones((2, 2))), "resources.changeover_use has shape"),
    "operator_serves shape": (part("resources", operator_serves=np.ones((1, 3))), "resources.operator_serves has"),
    "task_use above": (part("resources", task_use=np.full((4, 1), 3)), "resources.task_use must lie between 0 and"),
    "changeover_use below": (part("resources", changeover_use=-np.ones((2, 1))), "resources.changeover_use must lie"),
    "durations too large": ({"eligible_duration": [2**61, 1, 1, 2**61, 1]}, "the limit is 2\\^62"),
    "release too large": ({"job_release": [2**62, 0]}, "the numbers are too large"),
    "availability too large": ({"agent_available": [2**62, 0]}, "the numbers are too large"),
    "weights too large": ({"job_weight": [2**60, 0]}, "the numbers are too large"),
    "pieces too many": ({"task_pieces": [2**60, 1, 1, 1]}, "task_pieces add up to .*; at most 10000000"),
    "capacity too large": (part("resources", capacity=[2**61]), r"resources.capacity holds .*could pass 2\^62"),
    "delay too large": ({"moving_delay": 2**61}, "the numbers are too large"),
    "travel too long": (part("changeover", times=np.full((2, 3, 3), 2**60)), "the numbers are too large"),
    "samples too large": (part("waves", samples=[2**61], sample_ptr=[0] * 24 + [1]), "the numbers are too large"),
}


def test_the_whole_instance_is_valid() -> None:
    """The instance that the broken ones start from is accepted."""
    assert full().num_tasks == 4


@pytest.mark.parametrize("case", BROKEN)
def test_broken_data_are_refused(case: str) -> None:
    """Each rule has data that break only it, and is named."""
    changes, message = BROKEN[case]
    arrays = {key: np.array(value) if isinstance(value, list) else value for key, value in changes.items()}
    for key, value in arrays.items():
        if isinstance(value, Changeover | Waves | Resources):
            lists = {name: np.array(v, np.int64) for name, v in vars(value).items() if isinstance(v, list)}
            arrays[key] = replace(value, **lists)
    with pytest.raises(InstanceError, match=message):
        full().replace(**arrays)


def test_tasks_are_named_as_people_count() -> None:
    """A task is named by its job and its position in it, from 1, also where tasks of jobs are mixed."""
    instance = full()
    assert describe_task(instance, 3) == "job right, task 2"
    mixed = instance.replace(task_job=np.array([1, 0, 1, 0]))
    assert [describe_task(mixed, task) for task in (1, 2)] == ["job left, task 1", "job right, task 2"]


def test_a_cycle_is_found_behind_its_followers() -> None:
    """Only the tasks of the cycle are named, not those that wait for it."""
    chain = build_instance("c", "custom", ("a",), [Job([Task({0: 1}) for _ in range(4)])])
    object.__setattr__(chain, "predecessor_ptr", np.array([0, 1, 2, 3, 4]))
    object.__setattr__(chain, "predecessor_task", np.array([1, 2, 1, 2]))
    assert find_cycle(chain, {0, 1, 2, 3}) in ([1, 2, 1], [2, 1, 2])
