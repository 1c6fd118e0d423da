"""Recorded decisions: what the policy saw and did."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from graphs.arrays import new_graph
from graphs.encoder import AgentTaskNetwork
from graphs.schema import CANDIDATE_FEATURES, NUM_FEATURES
from marl.algorithms.choices import join_parts, split_tape
from marl.recorder import NUM_CHOICES, new_tape, record
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import Filter, compile_problem
from problems.simulator.arrays import NUM_ROWS
from solvers.kinds import Kind
from solvers.priority import Priority, pack_network
from solvers.rollout import Runner

INSTANCES = [random_job_shop(7, 5, seed=1), random_multiple_tsp(14, 3, seed=2)]


def prior(may_wait: bool) -> np.ndarray:
    """Some small network."""
    random = np.random.default_rng(3)
    linear = 0.3 * random.normal(size=NUM_FEATURES)
    linear[CANDIDATE_FEATURES.index("is_wait")] = 3.0
    hidden = 0.1 * random.normal(size=(NUM_FEATURES, 8))
    return pack_network(linear, np.zeros(8), random.normal(size=8), hidden, may_wait=may_wait)


def loud_network() -> AgentTaskNetwork:
    """A network whose heads count."""
    network = AgentTaskNetwork(seed=4)
    torch.manual_seed(4)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return network


def greedy_episode(instance, network, may_wait):
    """All decisions of a greedy episode, its plan and the rows that were played."""
    runner = Runner(compile_problem(instance))
    runner.sample(Priority(Kind.GRAPH, prior(may_wait), Filter.ACTIVE, network.flat()))
    plan = runner.best.rows[: runner.best.clock[NUM_ROWS]].copy()
    graph = new_graph(runner.problem)
    tape = new_tape(runner.problem, graph, 4 * len(plan))
    played = record(
        runner.problem,
        runner.state,
        plan,
        int(Filter.ACTIVE),
        prior(may_wait),
        runner.work,
        graph,
        1.0,
        0,
        tape,
    )
    return tape, plan, played, runner.state


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_torch_repeats_every_greedy_choice(instance):
    """On a whole greedy episode of the compiled policy, prior plus torch scores choose the same options."""
    network = loud_network()
    tape, plan, played, state = greedy_episode(instance, network, may_wait=False)
    assert played == len(plan)
    assert np.array_equal(state.rows, plan)
    choices = join_parts(split_tape(tape))
    assert len(choices.chosen) > len(plan) // 3
    with torch.no_grad():
        scores = choices.prior + network(choices.graphs, choices.agents, choices.tasks, choices.features)
    for number, chosen in enumerate(choices.chosen.tolist()):
        options = torch.nonzero(choices.choice == number).squeeze(1)
        assert scores[chosen] >= scores[options].max() - 1e-4


def test_waiting_is_recorded_as_a_choice_of_each_agent():
    """Where the policy lets all agents wait, waiting beats every candidate of the same agent in torch, too."""
    network = loud_network()
    waits = 0
    for seed in range(4):
        instance = random_multiple_tsp(12, 3, seed=seed)
        tape, plan, played, _ = greedy_episode(instance, network, may_wait=True)
        assert played == len(plan)
        choices = join_parts(split_tape(tape))
        with torch.no_grad():
            scores = choices.prior + network(choices.graphs, choices.agents, choices.tasks, choices.features)
        for number, chosen in enumerate(choices.chosen.tolist()):
            options = torch.nonzero(choices.choice == number).squeeze(1)
            own = options[choices.agents[options] == choices.agents[chosen]]
            assert scores[chosen] >= scores[own].max() - 1e-4
            waits += int(choices.tasks[chosen] < 0)
    assert waits > 0


def test_a_share_is_recorded():
    """About the share asked for is recorded, and never more than there is room for."""
    problem = compile_problem(random_job_shop(10, 10, seed=5))
    runner = Runner(problem)
    runner.sample(Priority(Kind.NETWORK, prior(False), Filter.ACTIVE))
    plan, graph = runner.best.rows.copy(), new_graph(problem)
    counts = []
    for share, room in ((1.0, 200), (0.3, 200), (1.0, 7)):
        tape = new_tape(problem, graph, room)
        arguments = (plan, int(Filter.ACTIVE), prior(False), runner.work, graph, share, 1, tape)
        record(problem, runner.state, *arguments)
        counts.append(int(tape.counts[NUM_CHOICES]))
    assert 0.15 * counts[0] < counts[1] < 0.45 * counts[0]
    assert counts[2] == 7


def test_a_plan_that_the_filter_forbids_ends_early():
    """A plan with needless idle time is played only up to the commitment that the filter does not offer."""
    problem = compile_problem(INSTANCES[0])
    runner = Runner(problem)
    runner.sample(Priority(Kind.NETWORK, prior(False), Filter.ACTIVE))
    plan, graph = runner.best.rows.copy(), new_graph(problem)
    plan[10:, 2:] += 1
    tape = new_tape(problem, graph, 10)
    arguments = (plan, int(Filter.ACTIVE), prior(False), runner.work, graph, 1.0, 1, tape)
    assert record(problem, runner.state, *arguments) == 10
