"""Compiled episodes against plain Python ones that share no code with them."""

import numpy as np
import pytest

from problems.check import check
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import Filter, compile_problem, schedule_of
from solvers.kinds import Kind
from solvers.priority import Priority, pack_network
from solvers.rollout import Runner

RULES = {
    Kind.SPT: lambda p, rem, ops, ready, done: p,
    Kind.LPT: lambda p, rem, ops, ready, done: -p,
    Kind.FIFO: lambda p, rem, ops, ready, done: ready,
    Kind.MOR: lambda p, rem, ops, ready, done: -ops,
    Kind.MWKR: lambda p, rem, ops, ready, done: -rem,
    Kind.FDD_MWKR: lambda p, rem, ops, ready, done: (done + p) / rem,
    Kind.SPT_TWKR: lambda p, rem, ops, ready, done: p / rem,
}


class PlainShop:
    """A job shop simulated without delay, with dictionaries and lists only."""

    def __init__(self, instance):
        jobs = instance.num_jobs
        self.routes = [[] for _ in range(jobs)]
        for task in range(instance.num_tasks):
            machines, times = instance.eligible(task)
            self.routes[instance.task_job[task]].append((int(machines[0]), int(times[0]), task))
        self.at, self.ready, self.free = [0] * jobs, [0] * jobs, [0] * instance.num_agents

    def copy(self):
        twin = PlainShop.__new__(PlainShop)
        twin.routes, twin.at, twin.ready, twin.free = self.routes, self.at[:], self.ready[:], self.free[:]
        return twin

    def startable(self):
        """Jobs whose next operation can start at the earliest instant at which any can."""
        open_jobs = [job for job, route in enumerate(self.routes) if self.at[job] < len(route)]
        start = {job: max(self.ready[job], self.free[self.routes[job][self.at[job]][0]]) for job in open_jobs}
        return [job for job in open_jobs if start[job] == min(start.values())]

    def key(self, job, rule):
        """Smallest goes first; ties to the lowest task."""
        route, at = self.routes[job], self.at[job]
        _, time, task = route[at]
        rem, done = sum(step[1] for step in route[at:]), sum(step[1] for step in route[:at])
        return RULES[rule](time, rem, len(route) - at, self.ready[job], done), task

    def schedule(self, job):
        machine, time, _ = self.routes[job][self.at[job]]
        end = max(self.ready[job], self.free[machine]) + time
        self.at[job] += 1
        self.ready[job] = self.free[machine] = end

    def finish(self, rule):
        while jobs := self.startable():
            self.schedule(min(jobs, key=lambda job: self.key(job, rule)))
        return max(self.ready)


def plain_pilot(instance, rule):
    """The pilot method: the rule's own choice is kept unless another one is strictly better."""
    shop = PlainShop(instance)
    value = shop.copy().finish(rule)
    while jobs := shop.startable():
        chosen = min(jobs, key=lambda job: shop.key(job, rule))
        for job in jobs:
            trial = shop.copy()
            trial.schedule(job)
            if (found := trial.finish(rule)) < value:
                chosen, value = job, found
        shop.schedule(chosen)
    return value


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(8))
def test_rules_equal_a_plain_simulation(rule, seed):
    """Every dispatching rule gives the makespan of an independent simulation."""
    instance = random_job_shop(4 + seed, 3 + seed % 4, seed, low=1, high=20)
    assert Runner(compile_problem(instance)).sample(Priority(rule))[0] == PlainShop(instance).finish(rule)


@pytest.mark.parametrize("seed", range(8))
def test_pilot_is_never_worse_than_its_rule_and_close_to_a_plain_one(seed):
    """Pilot improves on its rule; ties between equal completions may be broken in another order."""
    instance = random_job_shop(6, 4, seed)
    runner = Runner(compile_problem(instance))
    value = runner.pilot(Priority(Kind.SPT_TWKR))
    assert value <= PlainShop(instance).finish(Kind.SPT_TWKR)
    assert abs(value / plain_pilot(instance, Kind.SPT_TWKR) - 1) < 0.08
    report = check(instance, schedule_of(runner.best))
    assert report.valid
    assert report.objective == value


def random_network(seed, may_wait=False):
    """A network with random weights over all features."""
    random = np.random.default_rng(seed)
    width, hidden = 44, 6
    parts = (random.normal(size=width), random.normal(size=hidden), random.normal(size=hidden))
    return Priority(
        Kind.NETWORK, pack_network(*parts, random.normal(size=(width, hidden)), may_wait=may_wait), Filter.ACTIVE
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("may_wait", [False, True])
@pytest.mark.parametrize("make", [lambda s: random_job_shop(5, 4, s), lambda s: random_multiple_tsp(9, 3, s)])
def test_any_network_makes_valid_schedules(make, seed, may_wait):
    """Whatever the weights, greedy and sampled episodes end, and the checker accepts and values them alike."""
    instance = make(seed)
    runner = Runner(compile_problem(instance))
    values = runner.sample(random_network(seed, may_wait), 20, seed)
    report = check(instance, schedule_of(runner.best))
    assert report.valid
    assert runner.best.clock[1] == instance.num_tasks
    assert report.objective * instance.scale >= values.min() - 1e-6


def test_samples_repeat_and_go_on():
    """Rollouts depend on (seed, number) alone: two batches of 4 are one batch of 8."""
    runner = Runner(compile_problem(random_job_shop(8, 5, 1)))
    priority = Priority(Kind.SPT_TWKR)
    whole = runner.sample(priority, 8, seed=3, temperature=0.3)
    parts = [runner.sample(priority, 4, seed=3, temperature=0.3, first=first) for first in (0, 4)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert not np.array_equal(whole, runner.sample(priority, 8, seed=4, temperature=0.3))


def test_equal_scores_go_to_the_lowest_task():
    """Ties are broken by task, whatever the order of the candidates inside the simulator."""
    instance = random_job_shop(6, 1, seed=0, low=5, high=5)
    runner = Runner(compile_problem(instance))
    runner.sample(Priority(Kind.SPT))
    assert schedule_of(runner.best).task.tolist() == list(range(6))
