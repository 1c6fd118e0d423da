"""The preset rule-actions: what rules pick, what the agent sees and earns."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from marl.presets.registry import make_preset
from marl.presets.rule_actions_rules import ACTIONS, JOB_RULES, MachineRule
from problems.check import check
from problems.errors import IllegalActionError, UnsupportedError
from problems.families import flexible_job_shop
from problems.generators import brandimarte_like, vallada_ruiz

SHOP = flexible_job_shop(
    "shop",
    [[{0: 4, 1: 6}, {0: 1, 1: 2}], [{0: 3, 1: 5}, {1: 9}], [{0: 5}, {0: 2, 1: 3}, {1: 1}]],
    2,
)
"""Longest duration 9. At time 0, fastest: 4 3 5; slowest: 6 5 5; slowest work left: 8 14 9; operations left: 2 2 3."""


def action(job_rule, machine_rule):
    """Number of the action."""
    return ACTIONS.index((job_rule, machine_rule))


@pytest.mark.parametrize(
    ("job_rule", "job"), [("spt", 1), ("mwkr", 1), ("fdd-mwkr", 0), ("mopnr", 2), ("lrm", 1), ("fifo", 0)]
)
def test_each_rule_picks_its_job(job_rule, job):
    """At time 0: the shortest operation, the most work, the most operations, the most work after; else the first."""
    env = make_preset("rule-actions", SHOP)
    env.reset(seed=0)
    env.step(action(job_rule, MachineRule.FASTEST))
    assert SHOP.task_job[env.schedule().task].tolist() == [job]


def test_machine_rules_pick_the_fastest_and_the_slowest():
    """Job 1, picked by SPT, runs 3 on machine 0 or 5 on machine 1."""
    for machine_rule, machine in ((MachineRule.FASTEST, 0), (MachineRule.SLOWEST, 1)):
        env = make_preset("rule-actions", SHOP)
        env.reset(seed=0)
        env.step(action("spt", machine_rule))
        assert env.schedule().agent.tolist() == [machine]


def test_rules_look_at_the_machines_that_are_free():
    """With machine 0 taken, SPT compares 6 and none for job 2: job 0 starts on machine 1."""
    env = make_preset("rule-actions", SHOP)
    env.reset(seed=0)
    env.step(action("spt", MachineRule.FASTEST))
    env.step(action("spt", MachineRule.FASTEST))
    assert SHOP.task_job[env.schedule().task].tolist() == [1, 0]
    assert env.schedule().agent.tolist() == [0, 1] and env.schedule().start.tolist() == [0, 0]


def test_observations_show_ended_operations_and_who_can_start():
    """After job 1 on 0 (0-3) and job 0 on 1 (0-6), time is 3: job 1 has ended one, job 2 can start, job 1 cannot."""
    env = make_preset("rule-actions", SHOP)
    first, _ = env.reset(seed=0)
    assert first.tolist() == [0, 0, 0, 1, 1, 1]
    seen, reward, *_ = env.step(action("spt", MachineRule.FASTEST))
    assert seen.tolist() == [0, 0, 0, 1, 0, 0] and reward == pytest.approx(-3 / 9)
    seen, reward, *_ = env.step(action("spt", MachineRule.FASTEST))
    assert seen.tolist() == [0, 0.5, 0, 0, 0, 1] and reward == pytest.approx(-6 / 9)


def test_fifo_takes_the_job_that_waits_longest():
    """Job 0 (0-2 on 0) and job 1 (0-3 on 1) both want machine 2, busy until 4: job 0 has waited longer."""
    shop = flexible_job_shop("fifo", [[{0: 2}, {2: 5}], [{1: 3}, {2: 1}], [{2: 4}]], 3)
    env = make_preset("rule-actions", shop)
    env.reset(seed=0)
    for _ in range(4):
        env.step(action("fifo", MachineRule.FASTEST))
    assert shop.task_job[env.schedule().task].tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("seed", range(20))
def test_random_episodes_end_with_a_checked_schedule_worth_the_return(seed):
    """Every episode ends with a valid schedule, and its return is - M x makespan / P."""
    instance = brandimarte_like(2 + seed % 5, 2 + seed % 3, seed, operations=(1, 4), low=0, high=9)
    env = make_preset("rule-actions", instance)
    random = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    returned, done, info = 0.0, False, {}
    while not done:
        assert env.observation_space.contains(observation)
        observation, reward, done, _, info = env.step(random.integers(len(ACTIONS)))
        returned += reward
    report = check(instance, env.schedule())
    assert report.valid and report.objective == info["objective"]
    longest = max(1, int(instance.eligible_duration.max()))
    assert returned == pytest.approx(-instance.num_agents * info["objective"] / longest)


@pytest.mark.filterwarnings("ignore:.*(render_mode|spec|infinity|Box).*")
def test_gymnasium_accepts_the_environment():
    """The checker of Gymnasium finds nothing wrong."""
    check_env(make_preset("rule-actions", SHOP), skip_render_check=True)


def test_all_rules_are_legal_until_the_end():
    """There are six job rules and two machine rules; none is masked before the episode is over."""
    assert len(ACTIONS) == 2 * len(JOB_RULES) == 12
    env = make_preset("rule-actions", SHOP)
    env.reset(seed=0)
    for _ in range(SHOP.num_tasks):
        assert env.action_masks().all()
        env.step(0)
    assert not env.action_masks().any()
    with pytest.raises(IllegalActionError, match="the episode is over"):
        env.step(0)


def test_instances_of_as_many_jobs_fit():
    """What is seen depends on the number of jobs alone, so generated instances may differ in all else."""
    env = make_preset("rule-actions", generator="random", generator_options={"num_jobs": 4, "num_machines": 3})
    sizes = set()
    for seed in range(8):
        env.reset(seed=seed)
        sizes.add(env.instance.num_tasks)
    assert len(sizes) > 1


def test_setups_are_refused_by_name():
    """Rules that know no setups must not play an instance that has them."""
    machines = vallada_ruiz(6, 2, 49, 0)
    with pytest.raises(UnsupportedError, match="changeover"):
        make_preset("rule-actions", machines.replace(family="fjsp"))
