"""Decima: baselines at equal times, streams with a random end, and it learns."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import greedy_mean, prior_of, spark_batches

from graphs.layout import Sizes
from marl.algorithms import graph_training
from marl.algorithms.decima import Decima, DecimaConfig
from marl.algorithms.input_dependent import NEVER, returns_at
from problems.families.spark_variants import preset_of
from problems.generators import random_spark

BATCHES = spark_batches()
CONFIG = DecimaConfig(sizes=Sizes(width=8, head=8), episodes=8, entropy=0.0, last_entropy=0.0, rate=1e-2, workers=1)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Training instances are a few small batches."""
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: BATCHES[seed % len(BATCHES)])


def make(config: DecimaConfig = CONFIG) -> Decima:
    """An algorithm whose prior starts with the jobs that have most work: there is much to learn."""
    return Decima("spark", 1, config, prior_of(may_wait=True, log_job_work_left=0.3, is_wait=-6.0))


def test_it_learns():
    """Twenty steps on four small batches shorten the mean completion time of greedy schedules."""
    algorithm = make()
    before = greedy_mean(algorithm.priority(), BATCHES)
    for _ in range(20):
        algorithm.step()
    assert greedy_mean(algorithm.priority(), BATCHES) < 0.7 * before


def test_returns_count_jobs_that_are_present():
    """By hand: two jobs, two episodes, with and without an end."""
    release, completions = np.array([0, 4]), [np.array([6, 10]), np.array([8, 9])]
    without = returns_at(np.array([0, 5, 9]), completions, release, NEVER)
    assert without.tolist() == [[-12.0, -6.0, -1.0], [-13.0, -7.0, 0.0]]
    ended = returns_at(np.array([0, 5]), completions, release, 7.0)
    assert ended.tolist() == [[-9.0, -3.0], [-10.0, -4.0]]


def test_advantages_are_relative_to_the_same_instant():
    """At an instant that all episodes share, the advantages of the episodes sum to nothing."""
    algorithm = make()
    episodes = algorithm.play(BATCHES[0], 5)
    rows = algorithm.advantages(episodes, BATCHES[0], NEVER)
    firsts = [row[0].weight[0] for row, episode in zip(rows, episodes, strict=True) if episode.instants[0] == 0]
    assert len(firsts) == CONFIG.episodes and np.ptp(firsts) > 0.0
    assert sum(firsts) == pytest.approx(0.0, abs=1e-6)


def test_streams_end_at_random_and_later_from_step_to_step(monkeypatch):
    """Only jobs before the end are played, on the same cluster; the mean length of episodes grows to its last value."""
    stream = random_spark(4, 10, 1, preset="default", interval=5000.0)
    monkeypatch.setattr(graph_training, "training_instance", lambda family, seed: stream)
    algorithm = make(DecimaConfig(jobs=30, end_rate=4e-6, last_end_rate=1e-6, end_decay=1e-6, workers=1))
    lengths = []
    for seed in range(40):
        instance, end = algorithm.sequence(seed)
        assert instance.job_release.max() < end and 1 <= instance.num_jobs <= 30
        assert instance.num_agents == 10 and preset_of(instance) == "default"
        lengths.append(end)
    assert 0.5 / 4e-6 < np.mean(lengths) < 2.0 / 4e-6
    algorithm.steps = 2
    assert algorithm.end_rate() == pytest.approx(2e-6)
    algorithm.steps = 50
    assert algorithm.end_rate() == 1e-6


def test_decisions_after_the_end_are_not_learnt_from():
    """An episode that ends early leaves only what was seen before."""
    algorithm = make()
    episodes = algorithm.play(BATCHES[0], 5)
    end = float(np.median(np.concatenate([episode.instants for episode in episodes])))
    rows = algorithm.advantages(episodes, BATCHES[0], end)
    for row, episode in zip(rows, episodes, strict=True):
        assert len(row) == int((episode.instants < end).sum())
    assert 0 < sum(map(len, rows)) < sum(len(episode.parts) for episode in episodes)


def test_a_batch_is_played_to_its_end():
    """Batches have no random end."""
    instance, end = make().sequence(0)
    assert instance is BATCHES[0] and end == NEVER
