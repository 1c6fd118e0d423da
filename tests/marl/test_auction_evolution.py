"""Evolution of the network that bids: it starts as said, and nothing but its seed matters."""

from dataclasses import replace

import numpy as np
import pytest

from marl.algorithms import evolution
from marl.algorithms.auction_evolution import STARTS, AuctionConfig, AuctionEvolution, AuctionSpace
from problems.errors import UnsupportedError
from problems.generators import vallada_ruiz
from solvers.auction.market import FEATURES
from solvers.priority import HEADER

CONFIG = AuctionConfig(pairs=12, instances=8, steps=30, averaging=0.8, workers=1, hidden=2)


def machines(seed: int):
    """Some parallel machines."""
    return vallada_ruiz(40, 6, 124, seed)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Training instances are a few small ones."""
    monkeypatch.setattr(evolution, "training_instance", lambda family, seed: machines(seed % 16))


@pytest.mark.parametrize("family", STARTS)
def test_the_search_starts_with_the_given_weights(family):
    """Linear weights are those of the start, and hidden units do not count before the first step."""
    bids = AuctionEvolution(family, 1, CONFIG).priority()
    width = len(FEATURES)
    linear = dict(zip(FEATURES, bids.parameters[HEADER : HEADER + width], strict=True))
    assert {name: weight for name, weight in linear.items() if weight} == pytest.approx(STARTS[family])
    assert not bids.parameters[HEADER + width + 2 : HEADER + width + 4].any()


def test_same_seed_same_parameters():
    """Two searches of one seed agree to the bit, whatever the number of threads; another seed differs."""
    config = replace(CONFIG, pairs=3, instances=2)
    searches = [AuctionEvolution("upms", seed, replace(config, workers=w)) for seed, w in ((1, 1), (1, 2), (2, 1))]
    for search in searches:
        search.step()
    assert np.array_equal(searches[0].mean, searches[1].mean)
    assert not np.array_equal(searches[0].mean, searches[2].mean)


def test_values_are_those_of_single_plans():
    """Evaluating many networks at once gives what each gives alone: no plan leaks into the next."""
    space, random = AuctionSpace("upms", 1, 2), np.random.default_rng(1)
    points = [space.first() + random.standard_normal(len(space.first())) for _ in range(4)]
    together = space.values(machines(5), points)
    assert list(together) == [int(space.values(machines(5), [point])[0]) for point in points]
    assert len(set(together.tolist())) > 1


def test_a_family_that_cannot_be_auctioned_is_refused():
    """The message names the families that can."""
    with pytest.raises(UnsupportedError, match="mtsp or upms, not for 'jsp'"):
        AuctionEvolution("jsp", 1)
