import numpy as np

from problems.simulator.random import gumbel, seed_stream, uniform


def draws(function, seed, number, count):
    """The first numbers of a stream."""
    stream = np.zeros(1, np.uint64)
    seed_stream(stream, seed, number)
    return np.array([function(stream) for _ in range(count)])


def test_streams_repeat_and_differ():
    """Same seed and rollout, same numbers; another seed or rollout, others."""
    assert np.array_equal(draws(uniform, 1, 0, 50), draws(uniform, 1, 0, 50))
    assert not np.array_equal(draws(uniform, 1, 0, 50), draws(uniform, 1, 1, 50))
    assert not np.array_equal(draws(uniform, 1, 0, 50), draws(uniform, 2, 0, 50))


def test_uniform_numbers_look_uniform():
    """Mean, spread and range of many draws are those of a uniform number."""
    values = draws(uniform, 7, 3, 20_000)
    assert values.min() > 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01
    assert abs(values.std() - 12**-0.5) < 0.01


def test_gumbel_noise_draws_from_the_softmax():
    """The argmax of scores plus noise has the frequencies of the softmax of the scores."""
    scores = np.array([0.0, 1.0, 2.0])
    noise = draws(gumbel, 5, 0, 30_000).reshape(-1, 3)
    found = np.bincount((scores + noise).argmax(axis=1), minlength=3) / 10_000
    assert np.allclose(found, np.exp(scores) / np.exp(scores).sum(), atol=0.02)
