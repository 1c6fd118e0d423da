"""Recorded rollouts: they are those of the sampler, and their choices have the probabilities that torch computes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tiny import prior_of

from graphs.encoder import AgentTaskNetwork
from marl.algorithms.choices import join_parts, log_probabilities, split_tape
from marl.algorithms.rollouts import Player
from marl.recorder import NUM_CHOICES, NUM_DECISIONS, NUM_GRAPHS
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.generators import random_job_shop, random_multiple_tsp, random_spark
from problems.simulator import Filter, compile_problem
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.rollout import Runner

PRIOR = prior_of(may_wait=True, log_duration=-0.3, changeover=-0.5, is_wait=-1.0)


def loud_network(seed: int = 4) -> AgentTaskNetwork:
    """A network whose heads count."""
    network = AgentTaskNetwork(seed=seed)
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return network


INSTANCES = [
    random_job_shop(5, 3, 1),
    random_multiple_tsp(9, 3, 2),
    random_spark(3, 3, 3, preset="default", max_stages=3, max_tasks=5),
    random_spark(4, 3, 4, preset="decima", interval=2000.0, max_stages=7, max_tasks=5),
]


@pytest.mark.parametrize("kind", [Kind.GRAPH, Kind.NETWORK])
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.name)
def test_recorded_rollouts_are_those_of_the_sampler(instance, kind):
    """Number, seed and temperature decide a rollout, whether it is recorded or not; number 0 is greedy."""
    network = loud_network().flat()
    policy = Priority(kind, PRIOR, Filter.ACTIVE, network)
    runner = Runner(compile_problem(instance))
    expected = runner.sample(policy, 4, seed=7, temperature=0.8)
    player = Player(compile_problem(instance), network, 7, 0.8)
    played = [player.play(policy, number, 1.0, 1000) for number in range(4)]
    assert [value for value, _ in played] == expected.tolist()
    for _, tape in played:
        instants = tape.instants[: tape.counts[NUM_GRAPHS]]
        assert tape.counts[NUM_CHOICES] >= tape.counts[NUM_DECISIONS] > 0
        assert (np.diff(instants) > 0).all()
        assert len(split_tape(tape)) == len(instants)


STAGES = spark_cluster(
    "stages",
    [
        SparkJob([SparkStage(3, 400), SparkStage(2, 700), SparkStage(4, 200)]),
        SparkJob([SparkStage(1, 300)], arrival=5000),
    ],
    num_executors=2,
    preset="decima",
)
"""One executor at a time is asked; it may wait, because a job will come."""


@pytest.mark.parametrize("instance", [INSTANCES[0], STAGES], ids=lambda one: one.name)
def test_first_choices_are_as_frequent_as_torch_says(instance):
    """Where nobody may wait, or one agent is asked, the recorded options are drawn with their probabilities."""
    may_wait, network, count = instance is STAGES, loud_network(), 3000
    prior = prior_of(may_wait=may_wait, log_duration=-0.3, is_wait=-1.0)
    policy = Priority(Kind.GRAPH, prior, Filter.ACTIVE, network.flat())
    player = Player(compile_problem(instance), policy.network, 1, 0.9)
    first = []
    for number in range(1, count + 1):
        part = split_tape(player.play(policy, number, 1.0, 1)[1])[0]
        first.append(int(part.chosen[0]))
    options = int(part.sizes[0])
    assert options > 2
    shares = np.bincount(first, minlength=options) / count
    with torch.no_grad():
        expected = log_probabilities(network, join_parts([part]), 0.9).exp().numpy()[:options]
    assert np.abs(shares - expected).max() < 4.0 * np.sqrt(0.25 / count)


def test_a_greedy_rollout_counts_the_decisions():
    """The number of decisions that are a choice tells which share to record."""
    network = loud_network().flat()
    policy = Priority(Kind.GRAPH, prior_of(log_duration=-0.3), Filter.ACTIVE, network)
    player = Player(compile_problem(random_job_shop(8, 5, 5)), network, 1, 1.0)
    decisions = player.decisions(policy)
    _, tape = player.play(policy, 0, 1.0, 1000)
    assert decisions == tape.counts[NUM_DECISIONS] == tape.counts[NUM_CHOICES]
    counts = [player.play(policy, number, 0.3, 1000)[1].counts[NUM_CHOICES] for number in range(20)]
    assert 0.2 * decisions < np.mean(counts) < 0.4 * decisions
