"""ScheduleNet and Decima with their own networks: play side by side, training, weights, solvers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import marl.presets.decima_training as decima
import marl.presets.schedulenet_training as schedulenet
import marl.training as training
from marl.algorithms.clipped import ClipSettings
from marl.algorithms.input_dependent import StreamSettings
from marl.instances import training_instance
from marl.presets import decima_play, schedulenet_play
from marl.presets.decima_network import dags_of
from marl.recipes import recipe_of, spark_variant
from marl.weights import WeightsError, load_weights
from problems.check import check
from problems.errors import UnsupportedError
from problems.families.spark_variants import preset_of
from problems.generators import random_job_shop, random_spark
from solvers import Budget, get_solver

SHOPS = [random_job_shop(4, 3, seed) for seed in range(3)]
CLUSTERS = [random_spark(4, 3, seed, preset="decima", max_stages=3, max_tasks=5) for seed in range(3)]
PRESETS = {
    "schedulenet": (schedulenet, schedulenet_play.play, SHOPS),
    "decima": (decima, decima_play.play, CLUSTERS),
}
FAMILIES = {"schedulenet": "jsp", "decima": "spark"}
presets = pytest.mark.parametrize("name", PRESETS)


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Training and validation instances are tiny."""
    for module, _, instances in PRESETS.values():
        monkeypatch.setattr(module, "training_instance", lambda _, seed, own=instances: own[seed % len(own)])
    monkeypatch.setattr(training, "validation_instances", lambda name, count: PRESETS[name][2][:2])


def made(name: str):
    """Training of a preset that takes larger steps than usual."""
    if name == "schedulenet":
        return schedulenet.ScheduleNetTraining("jsp", 1, ClipSettings(decisions=30, rate=3e-3, keep=0.0))
    return decima.DecimaTraining("spark", 1, StreamSettings(episodes=8, entropy=0.0, last_entropy=0.0, rate=1e-2))


@presets
def test_episodes_side_by_side_are_those_played_alone(name):
    """Who else is played changes nothing; every schedule is valid and worth what is said; others than 0 differ."""
    module, play, instances = PRESETS[name]
    network = module.new_network(3)
    together = play(network, instances[0], range(6), seed=5)
    for number, episode in enumerate(together):
        (alone,) = play(network, instances[0], [number], seed=5)
        assert alone.schedule == episode.schedule
        assert check(instances[0], episode.schedule).valid
    assert len({episode.value for episode in together[1:]}) > 1


@presets
def test_choices_are_as_likely_as_the_network_says(name):
    """The first decision is drawn with the probabilities that training works with."""
    module, play, instances = PRESETS[name]
    network, count = module.new_network(3), 400
    firsts = [one.choices[0] for one in play(network, instances[0], range(1, count + 1), seed=2, decisions=10**6)]
    if name == "schedulenet":
        firsts = [one for one in firsts if one.seen.graph.target == firsts[0].seen.graph.target]
        options = network(firsts[0].seen.graph)[1]
        chances = torch.softmax(options if firsts[0].seen.may_wait else options[:-1], 0).detach().numpy()
        taken = [one.taken for one in firsts]
    else:
        chances = network.log_probability(firsts[0].seen, dags_of(instances[0])).exp().detach().numpy()
        taken = [stage * instances[0].num_agents + limit for stage, limit in (one.taken for one in firsts)]
    shares = np.bincount(taken, minlength=len(chances)) / len(taken)
    np.testing.assert_allclose(shares, chances, atol=4 * np.sqrt(0.25 / len(taken)))


@presets
def test_it_learns(name):
    """A few steps on three tiny instances make drawn schedules shorter."""
    algorithm, (_, play, instances) = made(name), PRESETS[name]

    def mean() -> float:
        return float(
            np.mean([one.value for each in instances for one in play(algorithm.network, each, range(1, 33), seed=7)])
        )

    before = mean()
    for _ in range(24):
        algorithm.step()
    assert mean() < 0.95 * before


def test_several_graphs_are_scored_as_each_alone():
    """A batch of graphs of different sizes has the scores of its members."""
    network = schedulenet.new_network(1)
    graphs = [
        choice.seen.graph
        for shop in (SHOPS[0], random_job_shop(2, 5, 0))
        for episode in schedulenet_play.play(network, shop, [1, 2], 0, 10**6)
        for choice in episode.choices
    ]
    for graph, (tasks, scores) in zip(graphs, network.score(graphs), strict=True):
        own_tasks, own_scores = network(graph)
        assert own_tasks.tolist() == tasks.tolist()
        torch.testing.assert_close(own_scores, scores)


def test_several_observations_are_scored_as_each_alone():
    """Stacked observations of a cluster have the scores of each."""
    network = decima.new_network(1)
    (episode,) = decima_play.play(network, CLUSTERS[1], [1], 0, 10**6)
    seen, dags = [choice.seen for choice in episode.choices], dags_of(CLUSTERS[1])
    together = network(decima_play.stacked(seen), dags)
    for number, one in enumerate(seen):
        for of_all, alone in zip(together, network(one, dags), strict=True):
            torch.testing.assert_close(of_all[number], alone)


def test_the_entropy_is_that_of_the_actions():
    """Stage and limit together: minus the sum of p log p over all actions."""
    algorithm = made("decima")
    (episode, *_) = algorithm.play(CLUSTERS[0], 3)
    logarithms, entropy = algorithm._judged(episode.parts)
    for part, logarithm, found in zip(episode.parts, logarithms, entropy, strict=True):
        actions = algorithm.network.log_probability(part.seen, dags_of(CLUSTERS[0]))
        assert float(found.detach()) == pytest.approx(-(actions.exp() * actions).sum().item(), rel=1e-4)
        stage, limit = part.taken
        assert float(logarithm) == pytest.approx(float(actions[stage * CLUSTERS[0].num_agents + limit]), rel=1e-4)


def test_instances_are_those_of_the_papers():
    """7 to 14 jobs on 2 to 5 machines; the clusters of the recipe, or of a variant of it, under preset decima."""
    shops = [training_instance("schedulenet", seed) for seed in range(60)]
    assert {shop.num_jobs for shop in shops} == set(range(7, 15))
    assert {shop.num_agents for shop in shops} == set(range(2, 6))
    assert {preset_of(training_instance("decima", seed)) for seed in range(4)} == {"decima"}
    with spark_variant(7, None):
        assert training_instance("decima", 1).num_agents == 7 and recipe_of("decima").variant == "7 executors"


@presets
def test_other_families_are_refused(name):
    """The message names the family that it is for."""
    wrong = "spark" if name == "schedulenet" else "jsp"
    with pytest.raises(UnsupportedError, match=f"{FAMILIES[name]} only, not '{wrong}'"):
        training.make_algorithm(SimpleNamespace(policy=name, algorithm=None, family=wrong, seed=0))


def settings_of(name, folder):
    """Of a run of one update."""
    folder.mkdir()
    told = {"family": FAMILIES[name], "policy": name, "algorithm": None, "seed": 2, "out": folder}
    return SimpleNamespace(**told, minutes=1.0, updates=1, resume=False)


@presets
def test_a_trained_preset_solves(name, tmp_path):
    """A run leaves weights with the time on their card; the solver plays them, and more samples are no worse."""
    path, instance = tmp_path / "run" / f"{name}-{FAMILIES[name]}.safetensors", PRESETS[name][2][0]
    training.run(settings_of(name, tmp_path / "run"), lambda update, values: None)
    card = load_weights(path).card
    assert card["policy"] == name and card["minutes"] >= 0 and card["training_sizes"] == recipe_of(name).sizes
    one = get_solver(name, path)(instance, Budget(), 4)
    more = get_solver(name, path)(instance, Budget(samples=20), 4)
    again = get_solver(name, path)(instance, Budget(samples=20), 4)
    assert one.checked and more.objective <= one.objective and more.schedule == again.schedule
    assert not one.clairvoyant and more.clairvoyant == instance.is_online
    other = "decima" if name == "schedulenet" else "schedulenet"
    with pytest.raises(WeightsError, match=f"policy '{name}'"):
        get_solver(other, path)(instance, Budget(), 0)


@presets
def test_a_resumed_run_has_the_time_of_all_its_parts(name, tmp_path):
    """The clock on the card goes on from the checkpoint."""
    settings = settings_of(name, tmp_path / "run")
    training.run(settings, lambda update, values: None)
    progress = training.Progress(settings, training.make_algorithm(settings))
    progress.resume()
    assert progress.updates == 1 and progress.seconds > 0 and progress.minutes >= progress.seconds / 60
