"""The auction: valid plans, reproducible, never worse with more samples, the highest bid wins."""

from __future__ import annotations

import numpy as np
import pytest
from machines import unlike_machines

import solvers.auction.solve as auction
from problems import UnsupportedError
from problems.check import check
from problems.families.upms import parallel_machines
from problems.generators import random_job_shop, random_multiple_tsp, vallada_ruiz
from solvers import Budget, Status, get_solver
from solvers.auction.award import award
from solvers.auction.market import FEATURES, NUM_BID_FEATURES, new_market
from solvers.auction.solve import FREE, GENERATION, Auctioneer, solve_by_auction
from solvers.cpsat.solve import solve_cpsat
from solvers.priority import pack_network
from solvers.sequences import clear, legs_of, new_routes, plan_of


def bids(**weights: float) -> np.ndarray:
    """A linear network with the given weights."""
    linear = np.array([weights.get(name, 0.0) for name in FEATURES])
    return pack_network(linear, np.zeros(1), np.zeros(1), np.zeros((NUM_BID_FEATURES, 1)))


BIDS = bids(detour=-1.0, growth_of_longest=-3.0)


def solve(instance, samples=1, seed=0, workers=1):
    """Solve with fixed bids."""
    return solve_by_auction(instance, Budget(samples=samples, workers=workers), seed, "auction", BIDS, 0.3)


@pytest.mark.parametrize(("cities", "salesmen"), [(0, 2), (1, 1), (1, 3), (2, 5), (30, 1), (30, 4)])
def test_sizes(cities: int, salesmen: int):
    """Any number of cities and salesmen gives a plan that the checker accepts."""
    instance = random_multiple_tsp(cities, salesmen, 1)
    result = solve(instance, samples=3)
    assert check(instance, result.schedule).valid and result.objective >= result.lower_bound


@pytest.mark.parametrize("instance", [random_multiple_tsp(40, 3, 2), vallada_ruiz(24, 4, 49, 2)], ids=["mtsp", "upms"])
def test_more_samples_are_never_worse(instance, monkeypatch):
    """Samples share their beginning; the seed decides all, and the number of workers nothing."""
    monkeypatch.setattr(auction, "FEWEST_ROUNDS", 5)
    monkeypatch.setattr(auction, "ROUNDS_PER_PAIR", 0)
    counts = (1, 4, FREE, FREE + 2 * GENERATION, FREE + 6 * GENERATION)
    values = [solve(instance, count, seed=5).objective for count in counts]
    assert values == sorted(values, reverse=True) and values[0] > values[-1]
    alone, together = (solve(instance, FREE + 12, seed=7, workers=workers) for workers in (1, 3))
    assert alone.schedule == together.schedule
    assert [entry.objective for entry in alone.log] == [entry.objective for entry in together.log]


def test_the_first_plan_knows_no_seed():
    """One sample is the same for all seeds: nothing is drawn that the seed decides."""
    instance = random_multiple_tsp(25, 3, 3)
    assert solve(instance, seed=1).schedule == solve(instance, seed=2).schedule


def test_a_plan_to_start_from_never_becomes_worse():
    """What goes on from a plan returns one that is no longer, with or without noise."""
    instance = vallada_ruiz(20, 4, 49, 1)
    auctioneer, other = Auctioneer(instance), Auctioneer(instance, rounds=20)
    start = other.sample(BIDS)
    values = [auctioneer.sample_from(other.routes, BIDS, noise, 1, number) for noise in (0.0, 5.0) for number in (1, 2)]
    assert max(values) <= start and min(values) < start


@pytest.mark.parametrize("home", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_loads_of_unlike_machines(seed: int, home: bool):
    """Setups, eligibility and late machines count: some samples come near the optimum, never below."""
    instance = unlike_machines(6, 3, seed, home)
    optimum = solve_cpsat(instance, Budget(20), 0, hint=None)
    assert optimum.status is Status.OPTIMAL
    assert optimum.objective <= solve(instance, samples=40).objective <= 1.05 * optimum.objective


def test_a_job_finds_its_only_machine():
    """An agent that cannot do a task never bids for it."""
    instance = parallel_machines("plain", np.array([[9, -1], [-1, 4], [5, 3], [2, 2]]), None)
    assert solve(instance).objective == 9


@pytest.mark.parametrize(("weight", "loads"), [(-1.0, [1, 1, 1]), (1.0, [0, 0, 3])])
def test_the_highest_bid_is_awarded(weight: float, loads: list[int]):
    """Who bids for short plans shares the tasks, who bids for long ones gives all to one agent."""
    instance = parallel_machines("alike", np.full((3, 3), 4), None)
    legs = legs_of(instance)
    market, routes = new_market(legs, np.arange(3)), new_routes(3, 3)
    clear(legs, routes)
    award(legs, routes, market, market.order, 3, 8, np.inf, bids(length_after=weight), 0.0, np.zeros(1, np.uint64))
    assert sorted(map(len, plan_of(routes))) == loads


def test_nobody_bids_beyond_the_limit():
    """Two tasks of length 4 fit into a plan of 8, the third goes to the other agent, and a fifth finds no place."""
    instance = parallel_machines("alike", np.full((5, 2), 4), None)
    legs = legs_of(instance)
    market, routes = new_market(legs, np.arange(5)), new_routes(5, 2)
    for count, done in ((4, True), (5, False)):
        clear(legs, routes)
        bid = bids(length_after=1.0)  # the longest plan bids highest
        assert award(legs, routes, market, market.order, count, 1, 8.0, bid, 0.0, np.zeros(1, np.uint64)) is done
        assert list(map(len, plan_of(routes))) == [2, 2]


def test_features_of_a_bid():
    """Features are those of the last bid, relative to the mean cheapest leg and the even share of the work."""
    instance = parallel_machines("two", np.array([[2, 6], [4, 8]]), None)
    legs = legs_of(instance)
    market, routes = new_market(legs, np.arange(2)), new_routes(2, 2)
    assert market.scale.tolist() == [3.0, 4.0]  # (2 + 4) / 2, and the longest task alone
    clear(legs, routes)
    award(legs, routes, market, market.order, 2, 8, np.inf, bids(detour=-1.0), 0.0, np.zeros(1, np.uint64))
    row = dict(zip(FEATURES, market.row.tolist(), strict=True))  # agent 1 bids for task 1, agent 0 holds task 0
    expected = {"detour": 8 / 3, "detour_over_rival": 4 / 3, "length_after": 2.0, "growth_of_longest": 2.0}
    expected |= {"is_empty": 1.0, "mean_length": 0.25, "length_over_mean": -0.25, "becomes_longest": 1.0, "length": 0.0}
    expected |= {"growth_of_squares": 64 / 12, "growth_over_rival": 32 / 12, "share_open": 0.5, "cheapest_leg": 4 / 3}
    expected |= {"leg": 8 / 3, "leg_over_cheapest": 4 / 3, "remoteness": 1.0, "per_agent": 0.5, "second_place": 5.0}
    assert row == pytest.approx({**expected, "tasks_per_agent": 0.05})


def test_a_time_limit_ends_the_samples():
    """Many more samples than fit into the time are given up, and the first plan is there anyway."""
    result = get_solver("auction")(random_multiple_tsp(30, 3, 1), Budget(0.05, samples=100_000), 0)
    assert result.status is Status.FEASIBLE and result.runtime_s < 5


def test_what_it_does_not_support_is_named():
    """Job shops are refused by what they have; a problem of no family because there are no weights for it."""
    with pytest.raises(UnsupportedError, match="auction does not support precedence"):
        get_solver("auction")(random_job_shop(3, 3, 1), Budget(), 0)
    with pytest.raises(UnsupportedError, match="auction-custom"):
        get_solver("auction")(random_multiple_tsp(5, 2, 1).replace(family="custom"), Budget(), 0)


@pytest.mark.parametrize(("samples", "most"), [(1, 0.98), (24, 0.999)])
def test_shipped_bids_are_better_than_insertion(samples: int, most: float):
    """On instances of both families that no training saw, the mean plan is shorter, clearly so in one pass."""
    for make in (lambda seed: random_multiple_tsp(40, 3, seed), lambda seed: vallada_ruiz(30, 5, 49, seed)):
        instances = [make(2**41 + seed) for seed in range(6)]
        values = {
            name: np.array([get_solver(name)(each, Budget(samples=samples), 1).objective for each in instances])
            for name in ("auction", "insertion")
        }
        assert (values["auction"] / values["insertion"]).mean() < most
