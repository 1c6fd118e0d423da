import numpy as np
import pytest

from problems import NO_STATE, Changeover, Job, Task, build_instance
from problems.check import check
from solvers.budget import Budget
from solvers.registry import get_solver


def parallel(durations, setups=None, **fields):
    """Jobs on machines; ``durations`` [n][m], ``setups`` [m][n][n], with further fields of each job by name."""
    num_machines = len(durations[0])
    jobs = [
        Job([Task(dict(enumerate(row)))], **{name: values[number] for name, values in fields.items()})
        for number, row in enumerate(durations)
    ]
    changeover = None
    if setups is not None:
        home = np.full(num_machines, NO_STATE)
        changeover = Changeover(np.array(setups), np.arange(num_machines), np.arange(len(jobs)), home)
    names = [f"machine_{number}" for number in range(num_machines)]
    return build_instance("parallel", "upms", names, jobs, changeover=changeover)


def plan(instance, rule):
    """Task order of each machine under ``rule``, checked."""
    schedule = get_solver(rule)(instance, Budget(), 0).schedule
    assert check(instance, schedule).valid
    return schedule.sequences(instance.num_agents)


@pytest.mark.parametrize(("slow", "first"), [(6, 0), (7, 2)])
def test_pair_avoids_slow_machines(slow, first):
    """A machine that needs more than 1.5 times the shortest duration takes any other task before; else it would not."""
    jobs = [Job([Task({0: 4, 1: slow}), Task({0: 100})]), Job([Task({1: 50})])]
    instance = build_instance("busy", "fjsp", ["machine_0", "machine_1"], jobs, agent_available=np.array([1, 0]))
    assert plan(instance, "pair")[1][0] == first


def test_pair_takes_a_slow_machine_rather_than_none():
    """Where all pairs are slow, the best of them is taken."""
    assert plan(parallel([[4, 7], [4, 7]]), "pair") == [[0], [1]]


def test_eft_counts_the_setup():
    """The second job goes where setup and processing end first, not where processing is shorter."""
    setups = [[[0, 9, 9], [9, 0, 9], [9, 9, 0]], [[0, 0, 0]] * 3]
    assert plan(parallel([[1, 5], [5, 2], [3, 4]], setups), "eft") == [[0], [1, 2]]


def test_sst_follows_the_setups():
    """The next job is the one with the shortest setup; among equal ones the shorter."""
    setups = [[[0, 7, 2, 2], [1, 0, 1, 1], [3, 3, 0, 3], [4, 5, 4, 0]]]
    assert plan(parallel([[1], [9], [6], [5]], setups), "sst") == [[0, 3, 2, 1]]


@pytest.mark.parametrize(("due", "order"), [([90, 3], [1, 0]), ([3, 90], [0, 1])])
def test_atcs_prefers_the_urgent_job(due, order):
    """With equal durations and setups the job that is due first goes first."""
    assert plan(parallel([[3], [3]], [[[0, 1], [1, 0]]], due=due), "atcs") == [order]


def test_atcs_prefers_weight():
    """Without due dates the heavier job goes first."""
    assert plan(parallel([[3], [3]], weight=[1, 5]), "atcs") == [[1, 0]]


def test_equal_scores_go_to_the_agent_that_ends_first():
    """A rule that looks at the job alone gives it to its faster machine."""
    assert plan(parallel([[5, 3]]), "fifo") == [[], [0]]


def test_work_remaining_does_not_prefer_slow_machines():
    """MWKR ranks jobs by their shortest work, so that a slow machine does not raise a job's rank."""
    assert plan(parallel([[9, 3], [5, 5]]), "mwkr") == [[1], [0]]
