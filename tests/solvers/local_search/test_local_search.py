"""The solver `local-search`: replayed, reproducible, never worse than its start, honest about what it refuses."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from local_shops import random_shop

from problems import Changeover, Job, Objective, Task, UnsupportedError, build_instance
from problems.check import check
from problems.generators import random_job_shop, vallada_ruiz
from problems.generators.upms import with_operators
from problems.measure import objective_value
from problems.simulator import replay
from solvers import Budget, Status, get_solver
from solvers.cpsat.solve import solve_cpsat
from solvers.local_search.elite import Elite, between
from solvers.local_search.shop import sketch_of
from solvers.local_search.solve import solve_local_search


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("flexibility", [1, 3])
def test_small_shops_reach_the_optimum(seed: int, flexibility: int):
    """On small shops of all kinds the search finds the optimum, never less, and the checker accepts it."""
    instance = random_shop(5, 3, seed, flexibility)
    optimum = solve_cpsat(instance, Budget(20), 0, hint=None).objective
    result = solve_local_search(instance, Budget(samples=8), seed)
    assert result.objective == optimum
    assert result.schedule is not None and check(instance, result.schedule).valid


@pytest.mark.parametrize("instance", [random_job_shop(15, 10, 4), random_shop(12, 6, 1, flexibility=3)])
def test_result_is_its_plan_replayed(instance):
    """The schedule is what the simulator makes of its own task orders."""
    result = solve_local_search(instance, Budget(samples=4), 3)
    assert result.schedule == replay(instance, result.schedule.sequences(instance.num_agents))
    assert result.objective == objective_value(instance, result.schedule)
    assert result.log[-1].objective == result.objective
    assert all(one.objective > other.objective for one, other in pairwise(result.log))


def test_never_worse_than_the_schedule_it_starts_from():
    """A start that is already good comes back at least as good."""
    instance = random_job_shop(10, 10, 8)
    good = solve_local_search(instance, Budget(samples=12), 0).schedule
    again = solve_local_search(instance, Budget(time_limit=0.0), 5, starts=[good])
    assert again.objective <= objective_value(instance, good)


def test_seed_decides_whatever_the_number_of_workers():
    """Without a time limit one thread and three find the same schedule; another seed finds another."""
    instance = random_job_shop(12, 8, 2)
    one, three = (solve_local_search(instance, Budget(samples=10, workers=workers), 7) for workers in (1, 3))
    assert one.schedule == three.schedule
    assert one.schedule != solve_local_search(instance, Budget(samples=10), 8).schedule


def test_more_searches_are_never_worse():
    """Searches share their beginning, so more of them find at least as good a schedule."""
    instance = random_job_shop(15, 10, 9)
    values = [solve_local_search(instance, Budget(samples=count), 1).objective for count in (1, 4, 16)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < get_solver("tuned")(instance, Budget(samples=128), 1).objective


def test_time_limit_is_used_and_kept():
    """With a limit the search goes on until it is over, and not much longer."""
    result = solve_local_search(random_job_shop(20, 20, 4), Budget(time_limit=1.0, workers=2), 0)
    assert result.checked and 0.9 < result.runtime_s < 3


def test_stops_at_the_bound():
    """A schedule that meets the bound is optimal, and no more time is spent."""
    result = solve_local_search(random_job_shop(40, 3, 1), Budget(time_limit=60.0), 0)
    assert result.status is Status.OPTIMAL and result.runtime_s < 30


def test_nothing_to_do():
    """A shop without tasks has an empty schedule."""
    instance = build_instance("empty", "custom", ["M"], [Job([], release=4)])
    assert solve_local_search(instance, Budget(samples=2), 0).objective == 4


def test_unsupported_instances_are_refused_by_name():
    """What the search does not know it names."""
    shop = random_job_shop(3, 2, 0)
    states = np.zeros((1, 1, 1), np.int64)
    changeover = Changeover(states, np.zeros(2), np.zeros(6), np.zeros(2))
    tree = build_instance("tree", "custom", ["M"], [Job([Task({0: 1}, ()), Task({0: 1}, ()), Task({0: 1}, (0, 1))])])
    cases = {
        "changeover": shop.replace(changeover=changeover),
        "moving_delay": shop.replace(moving_delay=2),
        "mean_flow_time": shop.replace(objective=Objective.MEAN_FLOW_TIME),
        "job_deadline": shop.replace(job_deadline=np.array([90, -1, -1])),
        "job_reveal": shop.replace(job_release=np.ones(3), job_reveal=np.ones(3)),
        "task_pieces": shop.replace(task_pieces=np.full(6, 2)),
        "chain": tree,
    }
    for feature, instance in cases.items():
        with pytest.raises(UnsupportedError, match=feature):
            solve_local_search(instance, Budget(), 0)


def test_machines_with_operators_are_refused_for_their_operators_alone():
    """Setups are known, so they are not named as what is missing."""
    with pytest.raises(UnsupportedError, match=r"does not support renewable resources or operators \(resources\): "):
        solve_local_search(with_operators(vallada_ruiz(5, 2, 9, 0), 1, 0), Budget(), 0)


def test_between_two_plans_lies_a_plan():
    """An order between two plans keeps what they agree on, and respects precedence even without durations."""
    instance = random_shop(6, 4, 3, flexibility=2)
    first, second = (sketch_of(get_solver(rule)(instance, Budget(), 0).schedule, instance) for rule in ("spt", "mwkr"))
    middle = between(first, second, 0.4, np.random.default_rng(0))
    place = {task: index for index, task in enumerate(middle.order.tolist())}
    for task in range(instance.num_tasks):
        assert all(place[int(before)] < place[task] for before in instance.predecessors(task))
        assert middle.machine[task] in (first.machine[task], second.machine[task])
    assert between(first, first, 0.5, np.random.default_rng(0)).order.tolist() == first.order.tolist()


def test_elite_keeps_the_best_and_no_twins():
    """The worst plan leaves; the same plan does not enter twice."""
    instance = random_job_shop(4, 3, 0)
    rules = ("spt", "lpt", "mwkr")
    sketches = [sketch_of(get_solver(rule)(instance, Budget(), 0).schedule, instance) for rule in rules]
    elite = Elite(size=2)
    for value, sketch in zip((30, 20, 10), sketches, strict=True):
        elite.add(value, sketch)
        elite.add(value, sketch)
    assert [value for value, _ in elite.members] == [20, 10] and elite.best[0] == 10


def test_registered_under_its_name():
    """Users reach it as any other solver."""
    result = get_solver("local-search")(random_job_shop(6, 4, 0), Budget(samples=2), 0)
    assert result.solver == "local-search" and result.checked
