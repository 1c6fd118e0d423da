"""The preset jssenv: what the single agent sees, may do and earns."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from marl.presets.registry import make_preset
from problems.check import check
from problems.errors import IllegalActionError, InstanceError, UnsupportedError
from problems.families import job_shop
from problems.generators import random_job_shop

THREE_BY_TWO = job_shop("three", [[(0, 3), (1, 2)], [(0, 2), (1, 4)], [(1, 4), (0, 1)]], 2)
"""P = 4, W = 6, S = 16."""


def play(env, actions):
    """Reset, play the actions; the last (observation, reward, done, info)."""
    env.reset(seed=0)
    for action in actions:
        observation, reward, done, _, info = env.step(action)
    return observation, reward, done, info


def random_episode(env, seed):
    """Masked random episode; the sum of rewards and the last info."""
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    returned, done, info = 0.0, False, {}
    while not done:
        _, reward, done, _, info = env.step(random.choice(np.flatnonzero(env.action_masks())))
        returned += reward
    return returned, info


def test_the_first_observation_shows_all_jobs_legal_and_no_no_op():
    """At the start each job may be started and nothing else is known of it; time may not pass, nothing runs."""
    observation, _ = make_preset("jssenv", THREE_BY_TWO).reset(seed=0)
    assert observation["action_mask"].tolist() == [1, 1, 1, 0]
    assert observation["real_obs"].tolist() == [[1, 0, 0, 0, 0, 0, 0]] * 3


def test_an_observation_at_the_same_instant():
    """Starting job 0 at time 0 takes machine 0 from job 1; time stands still as job 2 can still start."""
    observation, reward, done, _ = play(make_preset("jssenv", THREE_BY_TWO), [0])
    assert reward == 3 / 4 and not done
    assert observation["action_mask"].tolist() == [0, 0, 1, 0]
    expected = [[0, 3 / 4, 0, 0, 0, 0, 0], [0] * 7, [1, 0, 0, 0, 0, 0, 0]]
    np.testing.assert_array_equal(observation["real_obs"], np.array(expected, np.float32))


def test_an_observation_after_time_has_passed():
    """At time 3 job 0 has come to machine 1, busy for 1 more; job 1 has waited 3; job 2 has been processed for 3."""
    observation, reward, done, _ = play(make_preset("jssenv", THREE_BY_TWO), [0, 2])
    assert reward == 4 / 4 and not done
    assert observation["action_mask"].tolist() == [0, 1, 0, 0]
    expected = [
        [0, 0, 1 / 2, 3 / 6, 1 / 4, 0, 0],
        [1, 0, 0, 0, 0, 3 / 16, 3 / 16],
        [0, 1 / 4, 0, 3 / 6, 0, 0, 0],
    ]
    np.testing.assert_array_equal(observation["real_obs"], np.array(expected, np.float32))


def test_the_reward_takes_off_the_idle_time_of_all_machines():
    """Machine 0 is idle from 6 to 10 while the last operation runs, which therefore earns 4 - 4."""
    env = make_preset("jssenv", THREE_BY_TWO)
    env.reset(seed=0)
    earned = [env.step(action)[1] * 4 for action in (0, 2, 1, 0, 2, 1)]
    assert earned == [3.0, 4.0, 2.0, 2.0, 1.0, 0.0]
    assert sum(earned) == 2 * 16 - 2 * 10
    assert env.schedule().end.max() == 10


def test_a_done_job_shows_a_full_queue_and_no_wait():
    """At the end, time 10: every job is done; job 0 waited 1 in all, job 1 3 and 1, job 2 1."""
    observation, _, done, info = play(make_preset("jssenv", THREE_BY_TWO), [0, 2, 1, 0, 2, 1])
    assert done and info == {"objective": 10}
    assert not observation["action_mask"].any()
    expected = [[0, 0, 1, 5 / 6, 1, 0, 1 / 16], [0, 0, 1, 1, 1, 0, 4 / 16], [0, 0, 1, 5 / 6, 1, 0, 1 / 16]]
    np.testing.assert_array_equal(observation["real_obs"], np.array(expected, np.float32))


WAITING = job_shop("waiting", [[(0, 1), (1, 2), (2, 1)], [(1, 9), (0, 1), (2, 1)], [(2, 6), (1, 1), (0, 1)]], 3)


def test_the_no_op_is_legal_where_a_job_will_need_each_machine_sooner():
    """At time 0, job 1 alone could start (9 long) when job 0 (1 long) is on its way to the same machine."""
    env = make_preset("jssenv", WAITING)
    env.reset(seed=0)
    env.step(0)
    observation = env.step(2)[0]
    assert observation["action_mask"].tolist() == [0, 1, 0, 1]
    observation, reward, *_ = env.step(3)
    assert observation["action_mask"].tolist() == [1, 0, 0, 0]
    assert reward == -1 / 9


def test_a_job_that_was_passed_over_comes_back_when_its_machine_has_started_another():
    """Job 1 is barred until machine 1 has taken job 0; at time 3 it is legal again."""
    env = make_preset("jssenv", WAITING)
    observation, *_ = play(env, [0, 2, 3, 0])
    assert env.schedule().start.tolist() == [0, 0, 1]
    assert observation["action_mask"].tolist() == [0, 1, 0, 1]


def test_a_long_last_operation_gives_way_to_a_short_one_that_goes_on():
    """Job 0 is at its last operation, 5 long on machine 1; job 1, 2 long there, could go on to machine 0, free until
    job 2 takes it. Job 0 stays out for the whole instant."""
    shop = job_shop("outranked", [[(0, 3), (1, 5)], [(1, 2), (0, 1)], [(1, 3), (0, 4)]], 2)
    env = make_preset("jssenv", shop)
    observation, *_ = play(env, [0, 2])
    assert observation["action_mask"].tolist() == [0, 1, 1, 0]
    assert env.step(2)[0]["action_mask"].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_random_episodes_end_with_a_checked_schedule_worth_the_return(seed):
    """Every episode ends with a valid schedule, and its return is (2 S - M x makespan) / P."""
    instance = random_job_shop(3 + seed % 4, 2 + seed % 5, seed, low=1, high=9)
    env = make_preset("jssenv", instance)
    returned, info = random_episode(env, seed)
    report = check(instance, env.schedule())
    assert report.valid and report.objective == info["objective"]
    work, machines = int(instance.eligible_duration.sum()), instance.num_agents
    assert returned * instance.eligible_duration.max() == pytest.approx(2 * work - machines * info["objective"])


@pytest.mark.parametrize("illegal", ["raise", "replace"])
def test_observations_lie_in_their_space(illegal):
    """Every observation is contained in the space, and some action is legal until the end."""
    env = make_preset("jssenv", random_job_shop(5, 4, 3, low=1, high=9), illegal=illegal)
    observation, _ = env.reset(seed=1)
    done, random = False, np.random.default_rng(1)
    while not done:
        assert env.observation_space.contains(observation) and env.action_masks().any()
        observation, _, done, _, _ = env.step(random.choice(np.flatnonzero(observation["action_mask"])))
    assert env.observation_space.contains(observation)


@pytest.mark.filterwarnings("ignore:.*(render_mode|spec).*")
def test_gymnasium_accepts_the_environment():
    """The checker of Gymnasium, which knows no masks, finds nothing wrong."""
    check_env(make_preset("jssenv", THREE_BY_TWO, illegal="replace"), skip_render_check=True)


def test_an_illegal_action_changes_nothing():
    """The message lists the legal actions; the state is as before."""
    env = make_preset("jssenv", THREE_BY_TWO)
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(IllegalActionError, match="action 1 is illegal now; the legal actions are 2"):
        env.step(1)
    assert len(env.schedule().task) == 1 and env.action_masks().tolist() == [False, False, True, False]
    play(env, [0, 2, 1, 0, 2, 1])
    with pytest.raises(IllegalActionError, match="the episode is over"):
        env.step(0)


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        (job_shop("zero", [[(0, 0), (1, 2)]], 2), "operations of duration 0"),
        (job_shop("short", [[(0, 1), (1, 2)], [(0, 1)]], 2), "as many operations as there are machines"),
        (job_shop("one", [[(0, 1)]], 1), "a single machine"),
        (job_shop("late", [[(0, 1), (1, 2)]], 2, releases=[4]), "jobs released after time 0"),
    ],
)
def test_what_the_source_does_not_know_is_refused_by_name(instance, message):
    """An instance that the formulation has no meaning for is refused, never played in some way."""
    with pytest.raises(UnsupportedError, match=message):
        make_preset("jssenv", instance)


def test_a_generator_gives_a_new_instance_at_each_reset_and_the_same_for_the_same_seed():
    """Resets draw instances from the seed; another size is refused."""
    env = make_preset("jssenv", generator="random", generator_options={"num_jobs": 3, "num_machines": 3})
    names = []
    for seed in (5, 6, 5):
        env.reset(seed=seed)
        names.append(env.instance.eligible_duration.tolist())
    assert names[0] == names[2] != names[1]
    with pytest.raises(InstanceError, match="not as large"):
        env.reset(options={"instance": random_job_shop(4, 3, 0)})
    assert env.instance.num_jobs == 3
