"""Random durations: the checker against a plain reading of their definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from problems import BetweenLevels, Instance, Job, Opens, Schedule, Serves, Task, Waves
from problems.build import build_instance
from problems.check import Kind, check
from problems.simulator import Filter, Simulator

OPENS = {Serves.PIECE: Opens.FINISHED, Serves.STAGE: Opens.DISPATCHED}
WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15
ORDER = ((0, 1, 2), (1, 0, 2), (2, 1, 0))


def mix(word: int) -> int:
    """The finaliser of SplitMix64."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % WORD
    return word ^ word >> 31


def draw(size: int, seed: int, *values: int) -> int:
    """Whole number below ``size``, a pure function of the seed and the values."""
    word = mix((seed + GOLDEN) % WORD)
    for value in values:
        word = mix((word + GOLDEN * (value + 1)) % WORD)
    return ((word >> 32) * size) >> 32


def realised(instance: Instance, task: int, piece: int, wave: int, count: int) -> int:
    """Duration of a piece with ``count`` local executors, by the definition, word for word."""
    waves = instance.waves
    assert waves is not None
    job = int(instance.task_job[task])
    stage = int((instance.task_job[:task] == job).sum())
    levels = waves.levels.tolist()
    cells = [
        [waves.samples[slice(*waves.sample_ptr[(task * 3 + w) * len(levels) + at :][:2])].tolist() for w in range(3)]
        for at in range(len(levels))
    ]
    measured = [at for at in range(len(levels)) if any(cells[at])]
    if not measured:
        return int(instance.eligible(task)[1][0])
    level = nominal_level(waves, levels, measured, count, (job, stage, piece))
    if level not in measured:
        level = measured[-1]
    source = next(w for w in ORDER[wave] if cells[level][w])
    samples = cells[level][source]
    extra = waves.warm_up if wave == 0 and source != 0 else 0
    return samples[draw(len(samples), int(waves.seed), job, stage, piece, source, level)] + extra


def nominal_level(waves: Waves, levels: list[int], measured: list[int], count: int, piece: tuple[int, int, int]) -> int:
    """Index of the level that a number of local executors leads to."""
    if waves.between is BetweenLevels.BELOW:
        below = [at for at in measured if levels[at] <= count]
        return below[-1] if below else measured[0]
    left = max((at for at in range(len(levels)) if levels[at] <= count), default=0)
    right = min((at for at in range(len(levels)) if levels[at] >= count), default=len(levels) - 1)
    if count <= levels[0]:
        left = right = 0
    if left == right:
        return left
    chance = draw(levels[right] - levels[left], int(waves.seed), *piece, 3, 0)
    return left if 1 + chance <= count - levels[left] else right


def cluster(seed: int, between: BetweenLevels, **switches: object) -> Instance:
    """Three jobs of up to three stages on seven executors; some cells, levels and stages have no samples."""
    random = np.random.default_rng(seed)
    jobs = [
        Job(
            [
                Task(dict.fromkeys(range(7), 40), pieces=int(random.integers(1, 8)))
                for _ in range(random.integers(1, 4))
            ],
            release=release,
            reveal=release,
        )
        for release in random.integers(0, 30, 3).tolist()
    ]
    levels, num_tasks = np.array([2, 3, 6]), sum(len(job.tasks) for job in jobs)
    sizes = random.integers(0, 4, (num_tasks, 3, 3)) * (random.random((num_tasks, 1, 3)) < 0.7)
    pointer = np.concatenate([[0], np.cumsum(sizes)])
    samples = random.integers(1, 100, pointer[-1])
    waves = Waves(levels, pointer, samples, 1000, int(random.integers(-(2**62), 2**62)), between)
    names = [f"executor_{number}" for number in range(7)]
    return build_instance("cluster", "spark", names, jobs, waves=waves, **switches)


def play(instance: Instance, seed: int) -> tuple[Schedule, list[int]]:
    """Schedule by a plain event simulation with random choices; the number of local executors of each row."""
    random = np.random.default_rng(seed)
    free, last = [0] * instance.num_agents, [-1] * instance.num_agents
    left, ends, rows, counts = instance.task_pieces.tolist(), [0] * instance.num_tasks, [], []
    job_of, now = instance.task_job.tolist(), 0
    while any(left):
        able = [
            (agent, task)
            for agent in range(instance.num_agents)
            for task in range(instance.num_tasks)
            if free[agent] <= now and left[task] and instance.job_reveal[job_of[task]] <= now
            and not any(left[before] for before in instance.predecessors(task))
        ]  # fmt: skip
        if not able or random.random() < 0.2:
            now += 1 if random.random() < 0.8 else 25
            continue
        agent, task = able[random.integers(len(able))]
        job = job_of[task]
        moves = last[agent] < 0 or job_of[last[agent]] != job
        wave = 0 if moves else 2 if last[agent] == task else 1
        last[agent] = task
        count = sum(other >= 0 and job_of[other] == job for other in last)
        piece = int(instance.task_pieces[task]) - left[task]
        ready = max([0, *(ends[before] for before in instance.predecessors(task).tolist())])
        delay = instance.moving_delay if moves else 0
        start = max(now + delay, ready, int(instance.job_release[job]))
        end = start + realised(instance, task, piece, wave, count)
        rows.append((task, piece, agent, start, end, now if delay else start, now + delay if delay else start, -1))
        counts.append(count)
        free[agent], ends[task] = end, max(ends[task], end)
        left[task] -= 1
    return Schedule(*np.array(rows, np.int64).T), counts


@pytest.mark.parametrize("between", BetweenLevels)
@pytest.mark.parametrize("moving_delay", [0, 3])
@pytest.mark.parametrize("seed", range(20))
def test_realised_durations_are_recomputed(between: BetweenLevels, moving_delay: int, seed: int):
    """Every schedule of a plain simulation by the definition is accepted, whatever waits and ties it has."""
    instance = cluster(seed, between, moving_delay=moving_delay)
    schedule, counts = play(instance, seed)
    assert check(instance, schedule).violations == ()
    assert max(counts) > 2


@pytest.mark.parametrize("between", BetweenLevels)
def test_other_durations_are_refused(between: BetweenLevels):
    """A duration that no possible wave and level gives is named; nearly all wrong ones are of that kind."""
    refused = tried = 0
    for seed in range(10):
        instance = cluster(seed, between, moving_delay=3)
        schedule, _ = play(instance, seed)
        for row in range(len(schedule)):
            end = schedule.end.copy()
            end[row] += 1
            report = check(instance, replace(schedule, end=end))
            tried += 1
            refused += any(v.kind is Kind.DURATION and v.task == schedule.task[row] for v in report.violations)
    assert refused > 0.97 * tried


@pytest.mark.parametrize("between", BetweenLevels)
@pytest.mark.parametrize("serves", Serves)
def test_the_simulator_draws_the_same_durations(between: BetweenLevels, serves: Serves):
    """Simulator and checker, written apart, agree on every duration, whatever agents wait for and serve."""
    rows = 0
    for seed in range(30):
        instance = cluster(seed, between, moving_delay=seed % 3, serves=serves, opens=OPENS[serves])
        simulator, random = Simulator(instance, list(Filter)[seed % 3]), np.random.default_rng(seed)
        while not simulator.done:
            simulator.commit(*random.choice(simulator.candidates()).tolist())
        assert check(instance, simulator.schedule()).violations == ()
        rows += len(simulator.schedule())
    assert rows > 600


def served() -> tuple[Instance, Schedule]:
    """Two executors serve a stage of five pieces of 4; one of them finds none left and does another stage."""
    jobs = [Job([Task({0: 4, 1: 4}, pieces=5), Task({0: 6, 1: 6}, ())])]
    instance = build_instance("served", "spark", ("E0", "E1"), jobs, serves=Serves.STAGE, opens=Opens.DISPATCHED)
    cells = [(0, 0, 0, 0), (0, 1, 1, 0), (0, 2, 0, 4), (0, 3, 1, 4), (0, 4, 0, 8), (1, 0, 1, 8)]
    rows = [(*cell, cell[3] + (6 if cell[0] else 4), cell[3], cell[3], -1) for cell in cells]
    return instance, Schedule(*np.array(rows, np.int64).T)


def test_agents_that_serve_a_stage_go_on_with_it():
    """While a stage has pieces left nobody leaves it or rests; where each piece is a decision anybody may."""
    instance, schedule = served()
    assert check(instance, schedule).valid
    for shift in (1, 7):
        start = schedule.start + np.where((schedule.agent == 1) & (schedule.start == 4), shift, 0)
        start[(schedule.task == 1)] += shift
        moved = replace(schedule, start=start, end=start + schedule.end - schedule.start, changeover_start=start,
                        changeover_end=start)  # fmt: skip
        assert {violation.kind for violation in check(instance, moved).violations} == {Kind.STAGE_SERVICE}
        assert check(instance.replace(serves=Serves.PIECE), moved).valid


def test_pieces_are_numbered_in_order_of_dispatch():
    """Nobody exchanges the numbers of two pieces to get the luck of the other one."""
    instance = one_stage(moving_delay=2)
    wrong = rows((1, 0, 2, 12, 0), (0, 1, 9, 29, 7))
    assert Kind.PIECE_ORDER in {violation.kind for violation in check(instance, wrong).violations}
    assert check(instance.replace(waves=None), wrong).violations[0].kind is not Kind.PIECE_ORDER


def test_another_seed_is_other_luck():
    """The same table under another seed of the waves is refused."""
    instance = cluster(1, BetweenLevels.BELOW)
    schedule, _ = play(instance, 1)
    assert instance.waves is not None
    other = instance.replace(waves=replace(instance.waves, seed=5))
    assert {violation.kind for violation in check(other, schedule).violations} == {Kind.DURATION}


def one_stage(**switches: object) -> Instance:
    """Stage of three pieces on two executors: 10 each with one of them, 20 with two, no other luck."""
    waves = Waves(np.array([1, 2]), np.array([0, 1, 2, 3, 4, 5, 6]), np.array([10, 20] * 3))
    jobs = [Job([Task({0: 10, 1: 10}, pieces=3)])]
    return build_instance("stage", "spark", ("E0", "E1"), jobs, waves=waves, **switches)


def rows(*cells: tuple[int, ...]) -> Schedule:
    """Rows (piece, agent, start, end, changeover start)."""
    table = [(0, piece, agent, start, end, begin, begin + 2, -1) for piece, agent, start, end, begin in cells]
    return Schedule(*np.array(table, np.int64).T)


def test_levels_follow_the_local_executors():
    """An executor counts from its dispatch on; of two dispatched at once either may have been the first."""
    instance = one_stage(moving_delay=2)
    alone = ((0, 0, 2, 12, 0), (1, 1, 9, 29, 7))
    assert {v.kind for v in check(instance, rows(*alone)).violations} == {Kind.MISSING}
    late = ((0, 0, 2, 22, 0), (1, 1, 9, 29, 7))
    assert [v.kind for v in check(instance, rows(*late)).violations] == [Kind.MISSING, Kind.DURATION]
    for first, second in ((10, 20), (20, 10), (10, 10), (20, 20)):
        together = rows((0, 0, 2, 2 + first, 0), (1, 1, 2, 2 + second, 0))
        assert {v.kind for v in check(instance, together).violations} == {Kind.MISSING}


def test_where_agents_serve_a_stage_any_level_is_possible():
    """Who belongs to a job's pool is not in the table, so each measured level is accepted, and nothing else."""
    instance = one_stage(moving_delay=2, serves=Serves.STAGE)
    for length, kinds in ((10, {Kind.MISSING}), (20, {Kind.MISSING}), (15, {Kind.MISSING, Kind.DURATION})):
        assert {v.kind for v in check(instance, rows((0, 0, 2, 2 + length, 0))).violations} == kinds
