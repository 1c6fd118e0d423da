"""The AEC environment: who is asked, what it earns, how it ends, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import LARGEST, MAKERS, masked, play_actions, play_aec

import marl
from problems import (
    IllegalActionError,
    Instance,
    InstanceError,
    Job,
    Objective,
    Task,
    UnknownNameError,
    build_instance,
)
from problems.bounds import lower_bound
from problems.check import check
from problems.families import FAMILIES, job_shop, multiple_tsp
from problems.generators import random_job_shop, taillard
from problems.instance import Serves
from problems.simulator import Filter
from problems.simulator.arrays import FREE

families = pytest.mark.parametrize("family", sorted(FAMILIES))
filters = st.sampled_from(["non-delay", "active", "full"])
orders = st.sampled_from(["index", "shuffled"])

TWO_BY_TWO = job_shop("two", [[(0, 3), (1, 2)], [(1, 2), (0, 4)]], 2)


@families
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), candidate_filter=filters, order=orders, wait=st.booleans())
def test_random_episodes_end_with_a_checked_schedule_worth_minus_the_return(
    family, seed, candidate_filter, order, wait
):
    """Every masked episode ends with a schedule the checker accepts; each agent's return is exactly minus its value."""
    env = marl.env(family, MAKERS[family], candidate_filter=candidate_filter, order=order, **LARGEST)
    env.reset(seed=seed)
    returns, info = play_aec(env, seed, wait)
    report = check(env.instance, env.schedule())
    assert report.valid
    assert report.objective == info["objective"]
    assert set(returns.values()) == {-info["objective"]}
    assert 0.0 <= info["gap"] < 1.0 and info["lower_bound"] <= info["objective"]


@families
@pytest.mark.parametrize("seed", range(8))
def test_only_asked_agents_are_selected(family, seed):
    """The selected agent has something else to choose than waiting, and no running commitment but where it serves a
    stage, whose agents are ordered away before they are free."""
    env = marl.env(family, MAKERS[family], **LARGEST)
    env.reset(seed=seed)
    random = np.random.default_rng(seed)
    while env.agents:
        name = env.agent_selection
        _, _, terminated, truncated, info = env.last()
        if not (terminated or truncated):
            number = env.possible_agents.index(name)
            assert env.instance.serves is Serves.STAGE or env.episode.state.agents[number, FREE] <= env.now
            assert info["action_mask"][:-1].any()
        env.step(None if terminated or truncated else masked(random, info["action_mask"]))


def test_the_lowest_index_is_asked_first():
    """With order "index" the asked agent of the lowest index is selected; one that waited gives way."""
    env = marl.env("jsp", TWO_BY_TWO)
    env.reset()
    assert env.agent_selection == "machine_0"
    env.step(2)
    assert env.agent_selection == "machine_1"
    env.step(1)
    assert env.agent_selection == "machine_0"


def test_shuffled_order_asks_everybody_first_some_time():
    """With order "shuffled" each agent is the first one in about its share of the episodes."""
    instance = job_shop("five", [[(machine, 1)] for machine in range(5)], 5)
    env = marl.env("jsp", instance, order="shuffled")
    counts = dict.fromkeys(env.possible_agents, 0)
    for seed in range(500):
        env.reset(seed=seed)
        counts[env.agent_selection] += 1
    assert all(60 <= count <= 140 for count in counts.values())


def test_waiting_is_illegal_where_nothing_can_change():
    """The last asked agent may not wait when no event will come; before, it may."""
    env = marl.env("jsp", TWO_BY_TWO)
    env.reset()
    assert env.last()[4]["action_mask"].tolist() == [1, 0, 1]
    env.step(2)
    assert env.agent_selection == "machine_1"
    assert env.last()[4]["action_mask"].tolist() == [0, 1, 0]
    with pytest.raises(IllegalActionError, match="machine_1 may not wait now; its legal slots are 1"):
        env.step(2)


def test_a_reservation_starts_in_the_future():
    """Under the active filter an agent may commit to a task whose predecessor has not ended."""
    instance = job_shop("reserve", [[(0, 1), (1, 5)], [(1, 4)], [(1, 9)]], 2)
    env = marl.env("jsp", instance)
    env.reset()
    env.step(0)
    assert env.agent_selection == "machine_1"
    assert env.last()[4]["action_mask"].tolist() == [1, 1, 1, 1]
    env.step(0)
    assert env.schedule().start.tolist() == [0, 1]
    strict = marl.env("jsp", instance, candidate_filter=Filter.NON_DELAY)
    strict.reset()
    strict.step(0)
    assert strict.last()[4]["action_mask"].tolist() == [0, 1, 1, 1]


def test_dense_rewards_are_the_growth_of_the_makespan():
    """Each step earns minus the growth of the makespan so far, for all agents alike."""
    env = marl.env("jsp", TWO_BY_TWO)
    env.reset()
    earned = []
    for action in (0, 1, 1, 0):
        env.step(action)
        assert len(set(env.rewards.values())) == 1
        earned.append(env.rewards["machine_0"])
    assert earned == [-3.0, 0.0, -4.0, 0.0]


def test_last_gives_what_was_earned_since_the_agents_own_last_step():
    """`last` sums the rewards since the agent acted, its own step included."""
    env = marl.env("jsp", TWO_BY_TWO)
    env.reset()
    env.step(0)
    assert env.last()[1] == -3.0
    env.step(1)
    assert env.agent_selection == "machine_0" and env.last()[1] == -3.0
    env.step(1)
    assert env.agent_selection == "machine_1" and env.last()[1] == -4.0


def test_all_end_together_and_leave_with_one_none_step_each():
    """At the end every agent is terminated, takes one None step and is gone; then nothing is left in any table."""
    env = marl.env("jsp", TWO_BY_TWO)
    info = play_until_end(env, [0, 1, 1, 0])
    assert info["objective"] == info["makespan"] == 7
    assert env.terminations == {"machine_0": True, "machine_1": True}
    with pytest.raises(IllegalActionError, match="its only action is None"):
        env.step(0)
    env.step(None)
    assert env.agents == ["machine_1"] and env.agent_selection == "machine_1"
    env.step(None)
    assert env.agents == [] and not env.rewards and not env.infos and not env.terminations
    with pytest.raises(IllegalActionError, match="all agents have left"):
        env.step(None)


def play_until_end(env: Any, actions: list[int]) -> dict[str, Any]:
    env.reset()
    for action in actions:
        env.step(action)
    return env.last()[4]


def test_illegal_actions_can_be_replaced():
    """With illegal="replace" a masked slot becomes waiting, or the first legal slot where waiting is illegal."""
    env = marl.env("jsp", TWO_BY_TWO, illegal="replace")
    env.reset()
    env.step(1)
    assert env.agent_selection == "machine_1" and len(env.schedule()) == 0
    env.step(0)
    assert len(env.schedule()) == 1 and env.schedule().agent.tolist() == [1]


def test_observations_are_never_overwritten():
    """An observation that was kept is the same after further steps."""
    env = marl.env("mtsp", MAKERS["mtsp"](5))
    env.reset(seed=1)
    kept, copies = [], []
    random = np.random.default_rng(0)
    while not any(env.terminations.values()):
        observation, _, _, _, info = env.last()
        kept.append({**observation, "info": info["action_mask"]})
        copies.append({key: value.copy() for key, value in kept[-1].items()})
        env.step(masked(random, info["action_mask"]))
    for observation, copy in zip(kept, copies, strict=True):
        for key, value in observation.items():
            assert np.array_equal(value, copy[key])


@families
def test_observing_changes_nothing(family):
    """An episode is the same whether anybody looks, at the selected agent, at all of them, or not at all."""
    seen = []
    for look in ("nobody", "selected", "everybody"):
        env = marl.env(family, MAKERS[family], **LARGEST)
        env.reset(seed=4)
        random = np.random.default_rng(4)
        log = []
        while env.agents:
            if look == "everybody":
                [env.observe(name) for name in env.possible_agents]
            _, reward, terminated, truncated, info = env.last(observe=look != "nobody")
            log.append((env.agent_selection, reward, info["action_mask"].tolist(), env.observe(env.agent_selection)))
            env.step(None if terminated or truncated else masked(random, info["action_mask"]))
        seen.append(log)
    for log in seen[1:]:
        assert len(log) == len(seen[0])
        for (*facts, observation), (*other_facts, other) in zip(log, seen[0], strict=True):
            assert facts == other_facts
            assert all(np.array_equal(observation[key], other[key]) for key in other)


def test_slots_and_agents_pad_the_spaces():
    """Instances of several sizes share one space; what an instance lacks is masked, zero, and never alive."""
    env = marl.env("jsp", TWO_BY_TWO, slots=5, agents=4)
    env.reset()
    assert env.action_space("machine_3").n == 6 and env.agents == ["machine_0", "machine_1"]
    observation = env.last()[0]
    assert observation["action_mask"].tolist() == [1, 0, 0, 0, 0, 1]
    assert not observation["candidates"][1:5].any() and observation["candidates"][5].any()
    lacking = env.observe("machine_3")
    assert lacking["action_mask"].tolist() == [0, 0, 0, 0, 0, 1] and not lacking["candidates"].any()
    assert play_actions(env, [0, 1, 1, 0])["objective"] == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slots": 1}, "needs 2 slots, the environment has 1"),
        ({"agents": 1}, "needs 2 agents, the environment has 1"),
    ],
)
def test_too_small_spaces_are_refused(options, message):
    """An instance that does not fit the spaces is refused by name, when the environment is made."""
    with pytest.raises(InstanceError, match=message):
        marl.env("jsp", TWO_BY_TWO, **options)


def test_too_large_instances_are_refused_at_reset():
    """A later instance that does not fit is refused by name."""
    env = marl.env("jsp", TWO_BY_TWO)
    with pytest.raises(InstanceError, match="needs 3 slots"):
        env.reset(options={"instance": random_job_shop(3, 2, 0)})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"candidate_filter": "greedy"}, ValueError, "candidate_filter is 'greedy'; choose one of: non-delay, active"),
        ({"order": "bid"}, ValueError, "order is 'bid'; choose one of: index, shuffled"),
        ({"illegal": "ignore"}, ValueError, "illegal is 'ignore'"),
        ({"render_mode": "human"}, ValueError, "render_mode is 'human'"),
        ({"max_steps": 0}, ValueError, "max_steps is 0; expected a whole number"),
        ({"generator": "random"}, InstanceError, "either an instance or generator="),
        ({"generator_options": {}}, InstanceError, "needs generator="),
    ],
)
def test_wrong_options_are_refused(options, error, message):
    """Options that mean nothing are refused, and the message lists what there is."""
    with pytest.raises(error, match=message):
        marl.env("jsp", TWO_BY_TWO, **options)


def test_unknown_names_are_refused():
    """Unknown families, instances and generators, and none at all, are refused by name."""
    for family, options in (("tsp", {"instance": "ta01"}), ("jsp", {"instance": "ta81"}), ("jsp", {"generator": "x"})):
        with pytest.raises(UnknownNameError):
            marl.env(family, **options)
    with pytest.raises(InstanceError, match="either an instance or generator="):
        marl.env("jsp")
    with pytest.raises(InstanceError, match="is of family 'jsp'"):
        marl.env("mtsp", TWO_BY_TWO)


def test_instances_come_from_names_files_and_generators(tmp_path):
    """A built-in name, a file and a generator of the family all make environments."""
    assert marl.env("jsp", "ta01").instance == taillard("ta01")
    path = tmp_path / "two.jsp"
    path.write_text("2 2\n0 3 1 2\n1 2 0 4\n")
    assert marl.env("jsp", path).instance.num_tasks == 4
    cities = tmp_path / "line.tsp"
    head = "NAME: line\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
    cities.write_text(head + "1 0 0\n2 3 0\n3 0 4\nEOF\n")
    assert marl.env("mtsp", cities, num_agents=2).possible_agents == ["salesman_0", "salesman_1"]
    made = marl.env("jsp", generator="random", generator_options={"num_jobs": 4, "num_machines": 3})
    made.reset(seed=1)
    first = made.instance
    made.reset(seed=2)
    assert (first.num_jobs, first.num_agents) == (4, 3) and made.instance != first
    known = marl.env("jsp", generator="known-optimum", generator_options={"num_jobs": 4, "num_machines": 3})
    assert known.instance.num_jobs == 4


def test_gap_is_measured_against_the_best_bound_at_hand():
    """The published bound of a known instance counts, else the cheap one; the makespan of routes ends at home."""
    env = marl.env("jsp", "ta01")
    env.reset(seed=0)
    _, info = play_aec(env, 0, wait=False)
    assert info["lower_bound"] == 1231 and info["gap"] == pytest.approx(1 - 1231 / info["objective"])
    instance = multiple_tsp("line", np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]), 1)
    info = play_actions(marl.env("mtsp", instance), [0, 1])
    assert info["objective"] == info["makespan"] == 12.0
    assert info["lower_bound"] == lower_bound(instance) / instance.scale


def test_a_mean_is_paid_in_its_unit():
    """The return of a mean of completion times is exactly minus the mean, although dense rewards are rounded."""
    jobs = [Job([Task({0: 1})]), Job([Task({0: 1})]), Job([Task({0: 2})])]
    instance = build_instance("mean", "custom", ["one"], jobs, Objective.MEAN_FLOW_TIME, scale=3)
    env = marl.env("jsp", instance)
    env.reset()
    returns, info = play_aec(env, 1)
    assert env.possible_agents == ["agent_0"]
    assert returns == {"agent_0": -info["objective"]} and check(instance, env.schedule()).objective == info["objective"]


@pytest.mark.parametrize(
    ("objective", "returned"),
    [
        (Objective.MEAN_FLOW_TIME, -(2.0 + 4.0) / 2),
        (Objective.TOTAL_COMPLETION_TIME, -(3 * 2.0 + 1 * 5.0)),
        (Objective.TOTAL_WEIGHTED_TARDINESS, -(3 * 1.0 + 1 * 0.0)),
        (Objective.MAKESPAN, -5.0),
    ],
)
def test_each_objective_is_paid_in_full(objective, returned):
    """Two jobs one after the other, with releases 0 and 1, due dates 1 and 8, weights 3 and 1, end at 2 and 5."""
    jobs = [Job([Task({0: 4})], due=2, weight=3), Job([Task({0: 6})], release=2, due=16)]
    instance = build_instance("paid", "custom", ["one"], jobs, objective, scale=2)
    env = marl.env("custom", instance)
    env.reset()
    earned = [env.last()[1]]
    for action in (0, 1):
        env.step(action)
        earned.append(env.last()[1])
    assert sum(earned) == returned
    together = marl.parallel_env("custom", instance)
    together.reset()
    assert sum(together.step({"agent_0": action})[1]["agent_0"] for action in (0, 1)) == returned


@st.composite
def odd_instances(draw: st.DrawFn) -> Instance:
    """Instances of no family: several eligible agents, releases, reveals, branches, late agents, any objective."""
    agents = draw(st.integers(1, 3))
    lengths = st.integers(0, draw(st.sampled_from([3, 10**5])))
    jobs = []
    for _ in range(draw(st.integers(1, 4))):
        tasks = []
        for number in range(draw(st.integers(1, 3))):
            eligible = draw(st.sets(st.integers(0, agents - 1), min_size=1))
            after = draw(st.sampled_from([None, [0] if number else []]))
            pieces = draw(st.integers(1, 2))
            tasks.append(Task({agent: draw(lengths) for agent in sorted(eligible)}, after, pieces))
        release = draw(st.integers(0, 5))
        times = {"release": release, "reveal": draw(st.integers(0, release)), "due": draw(st.integers(-1, 9))}
        jobs.append(Job(tasks, weight=draw(st.integers(0, 3)), **times))
    available = np.array(draw(st.lists(st.integers(0, 6), min_size=agents, max_size=agents)))
    objective = draw(st.sampled_from([one for one in Objective if one is not Objective.LONGEST_ROUTE]))
    names = [f"agent {number}" for number in range(agents)]
    scale, delay = draw(st.sampled_from([1, 3, 1000])), draw(st.sampled_from([0, 2]))
    switches = {"agent_available": available, "scale": scale, "moving_delay": delay}
    return build_instance("odd", "custom", names, jobs, objective, **switches)


@settings(max_examples=80, deadline=None)
@given(instance=odd_instances(), seed=st.integers(0, 99), candidate_filter=filters)
def test_instances_of_no_family_play_too(instance, seed, candidate_filter):
    """Everything the simulator knows is played: checked schedule, exact return, finite observations in the space."""
    env = marl.env("jsp", instance, candidate_filter=candidate_filter)
    env.reset(seed=seed)
    random, returns = np.random.default_rng(seed), dict.fromkeys(env.agents, 0.0)
    while env.agents:
        name = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        assert env.observation_space(name).contains(observation)
        assert all(np.isfinite(value).all() for value in observation.values())
        returns[name] += reward
        env.step(None if terminated or truncated else masked(random, info["action_mask"]))
    report = check(instance, env.schedule())
    assert report.valid and report.objective == info["objective"]
    assert set(returns.values()) == {-info["objective"]}


def test_tasks_are_slots_where_jobs_are_no_chains():
    """In a job that branches two tasks are open at once; each has a slot of its own."""
    branching = Job([Task({0: 1}), Task({0: 2}, after=[0]), Task({1: 3}, after=[0])])
    instance = build_instance("branch", "custom", ["a", "b"], [branching])
    info = play_actions(marl.env("jsp", instance), [0, 1, 2])
    assert info["objective"] == 4


def test_without_tasks_all_end_on_reset():
    """An instance without tasks ends at once, with objective and gap 0."""
    env = marl.env("jsp", job_shop("none", [], 2))
    env.reset()
    returns, info = play_aec(env, 0)
    assert set(returns.values()) == {0.0} and info["objective"] == 0 and info["gap"] == 0.0


def test_render_draws_text_only_if_asked():
    """`render` gives one line per agent under render_mode "ansi", and None without a mode."""
    env = marl.env("jsp", TWO_BY_TWO, render_mode="ansi")
    play_actions(env, [0, 1, 1, 0])
    assert env.render() == "machine_0: 1.1[0,3) 2.2[3,7)\nmachine_1: 2.1[0,2) 1.2[3,5)"
    assert marl.env("jsp", TWO_BY_TWO).render() is None
