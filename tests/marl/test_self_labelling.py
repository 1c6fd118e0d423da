"""Self-labelling: it learns, it resumes, it stops on numbers that are not finite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny import prior_of

from graphs.layout import Sizes
from marl.algorithms import graph_training
from marl.algorithms.choices import Choices, join_parts, split_tape
from marl.algorithms.graph_training import TrainingError
from marl.algorithms.self_labelling import SelfLabelling, SelfLabellingConfig
from marl.policies.network import torch_network
from problems.families.jsp import job_shop
from problems.generators import random_job_shop, random_spark
from solvers.kinds import Kind

CONFIG = SelfLabellingConfig(
    sizes=Sizes(width=8, head=8), instances=3, prior_samples=48, samples=4, decisions=10, rate=1e-2, workers=1
)


@pytest.fixture(autouse=True)
def small_shops(monkeypatch):
    """Training instances are 5x4 job shops."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: random_job_shop(5, 4, seed))


def make(seed: int = 1, config: SelfLabellingConfig = CONFIG) -> SelfLabelling:
    """An algorithm on small shops, whose prior leaves much to learn."""
    return SelfLabelling("jsp", seed, config, prior_of(log_duration=-0.2))


def held_out(algorithm: SelfLabelling) -> Choices:
    """Choices of the best schedules of instances that are never trained on."""
    labels = algorithm.label([random_job_shop(5, 4, 10_000 + number) for number in range(12)], 0)
    return join_parts([part for label in labels for part in split_tape(label.tape)])


def test_fifty_steps_lower_the_loss(monkeypatch):
    """Fifty steps through the attention network on a few small shops lower the cross-entropy of their labels."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: random_job_shop(5, 4, seed % 6))
    algorithm = make()
    metrics = [algorithm.step() for _ in range(50)]
    losses = [metric["losses/cross_entropy"] for metric in metrics]
    assert np.mean(losses[-10:]) < 0.9 * np.mean(losses[:10])
    assert all(np.isfinite(list(metric.values())).all() for metric in metrics)


def test_the_gradient_reaches_the_attention():
    """Once the head is not zero, every parameter of a relation that job shops use has a gradient."""
    algorithm = make()
    choices = held_out(algorithm)
    algorithm.learn(choices)
    algorithm.learn(choices)
    last = len(algorithm.network.layers) - 1
    used = {"can_do", "has", "precedes", "follows", "done_by", "part_of"}
    # Alone at its target, an edge has weight 1 whatever its attention; only agents and jobs have several.
    attended = {"done_by", "part_of"}
    for name, parameter in algorithm.network.named_parameters():
        if not name.startswith("layers.") or parameter.numel() == 0:
            continue
        _, layer, kind, relation, *_ = name.split(".")
        reached = relation in (attended if kind == "attention" else used | {"agent", "task", "job"})
        if int(layer) == last:  # no head looks at jobs
            reached = reached and relation not in {"part_of", "job"}
        assert (float(parameter.grad.abs().sum()) > 0.0) == reached, name


def test_six_steps_equal_four_and_two_resumed():
    """A run resumed from its state goes on exactly as if it had never stopped."""
    straight = make(2)
    for _ in range(6):
        straight.step()
    first = make(2)
    for _ in range(4):
        first.step()
    state = {name: np.array(value) for name, value in first.state().items()}
    resumed = make(3)
    resumed.seed = 2
    resumed.load_state({name: value.item() if value.ndim == 0 else value for name, value in state.items()})
    for _ in range(2):
        resumed.step()
    expected, found = straight.state(), resumed.state()
    assert all(np.array_equal(expected[name], found[name]) for name in expected)


def test_a_fresh_state_round_trips():
    """The state before the first step can be loaded, too."""
    algorithm, other = make(1), make(4)
    other.load_state(algorithm.state())
    assert np.array_equal(other.network.flat(), algorithm.network.flat())


@pytest.mark.parametrize("preset", ["default", "decima"])
def test_a_label_is_the_best_schedule_however_agents_are_asked(preset):
    """What is recorded ends with the best objective, too, where agents serve stages and orders are no rows."""
    instance = random_spark(4, 3, 5, preset=preset, max_stages=3, max_tasks=5)
    config = replace(CONFIG, decisions=1000)
    algorithm = SelfLabelling("spark", 1, config, prior_of(may_wait=True, log_job_work_left=0.3, is_wait=-6.0))
    (label,) = algorithm.label([instance], 3)
    assert label.best == min(label.prior_best, label.network_best)
    choices = join_parts(split_tape(label.tape))
    waits = (choices.tasks[choices.chosen] < 0).float().mean()
    assert len(choices.chosen) >= 5 and float(waits) < 0.5


@pytest.mark.parametrize(
    "instance",
    [
        job_shop("no choice", [[(0, 4)]], num_machines=1),
        job_shop("one choice", [[(0, 4)], [(0, 2)]], num_machines=1),
    ],
    ids=lambda instance: instance.name,
)
def test_a_batch_of_one(monkeypatch, instance):
    """One choice, or none, gives a finite loss and finite weights."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: instance)
    algorithm = make(config=SelfLabellingConfig(instances=1, prior_samples=2, samples=1, decisions=4, workers=1))
    metrics = algorithm.step()
    assert np.isfinite(list(metrics.values())).all()
    assert np.isfinite(algorithm.network.flat()).all()


def test_a_loss_that_is_not_finite_stops_the_run():
    """A NaN stops training with a message and is not stepped."""
    algorithm = make()
    choices = held_out(algorithm)
    before = algorithm.network.flat()
    choices.prior[:] = torch.nan
    with pytest.raises(TrainingError, match="loss is nan"):
        algorithm.learn(choices)
    assert np.array_equal(algorithm.network.flat(), before)


def test_the_policy_is_a_graph_priority_of_the_present_weights():
    """The priority carries prior and network, and leads back to the same torch module."""
    algorithm = make()
    algorithm.step()
    priority = algorithm.priority()
    assert priority.kind is Kind.GRAPH
    assert np.array_equal(torch_network(priority).flat(), algorithm.network.flat())


def test_other_sizes_are_not_resumed():
    """A state of another width is refused by name."""
    with pytest.raises(ValueError, match="width=8"):
        make(config=SelfLabellingConfig()).load_state(make().state())
