"""Choices as tensors: probabilities, options of one agent, the clipped gain."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tiny import prior_of

from graphs.encoder import AgentTaskNetwork
from marl.algorithms.choices import clipped_gain, join_parts, log_probabilities, mean_entropy, own_options, split_tape
from marl.algorithms.rollouts import Player
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import Filter, compile_problem
from solvers.kinds import Kind
from solvers.priority import Priority

PRIOR = prior_of(may_wait=True, log_duration=-0.3, changeover=-0.5, is_wait=-1.0)


def parts_of(instance, temperature=1.0):
    """All choices of a sampled episode."""
    network = AgentTaskNetwork(seed=1).flat()
    policy = Priority(Kind.GRAPH, PRIOR, Filter.ACTIVE, network)
    _, tape = Player(compile_problem(instance), network, 3, temperature).play(policy, 1, 1.0, 500)
    return split_tape(tape)


@pytest.mark.parametrize("instance", [random_job_shop(5, 3, 1), random_multiple_tsp(8, 3, 2)], ids=lambda one: one.name)
def test_probabilities_of_a_choice_sum_to_one(instance):
    """Every choice has a distribution over its own options, however batches are joined."""
    choices = join_parts(parts_of(instance))
    logarithms = log_probabilities(AgentTaskNetwork(seed=1), choices, 0.7).detach()
    sums = torch.zeros(len(choices.chosen)).index_add(0, choices.choice, logarithms.exp())
    assert torch.allclose(sums, torch.ones_like(sums), atol=1e-5)
    assert 0.0 < float(mean_entropy(logarithms, choices)) < np.log(len(choices.agents))


def test_own_options_are_those_of_the_agent_that_commits():
    """Options of other agents are dropped, the taken one stays the taken one."""
    dropped = 0
    for part in parts_of(random_job_shop(5, 3, 1)):
        own, low, own_low = own_options(part), 0, 0
        for number, chosen in enumerate(part.chosen):
            options = range(low, low + part.sizes[number])
            kept = [option for option in options if part.agents[option] == part.agents[chosen]]
            cut = slice(own_low, own_low + own.sizes[number])
            assert own.tasks[cut].tolist() == part.tasks[kept].tolist()
            assert np.array_equal(own.features[own.chosen[number]], part.features[chosen])
            assert own.tasks[own.chosen[number]] == part.tasks[chosen]
            dropped += len(options) - len(kept)
            low, own_low = options.stop, cut.stop
    assert dropped > 0


def test_the_clipped_gain_stops_where_the_ratio_is_far():
    """Beyond the clip a good choice gains no more, and a bad one that became likelier still loses."""
    old = torch.zeros(4)
    new = torch.log(torch.tensor([1.5, 1.5, 0.5, 0.5])).requires_grad_()
    weight = torch.tensor([1.0, -1.0, 1.0, -1.0])
    gain = clipped_gain(new, old, weight, 0.2)
    assert float(gain.detach()) == pytest.approx((1.2 - 1.5 + 0.5 - 0.8) / 4)
    gain.backward()
    assert (new.grad != 0.0).tolist() == [False, True, True, False]
