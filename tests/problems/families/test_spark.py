"""Building Spark clusters, and the same jobs with other executors and presets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from problems import BetweenLevels, InstanceError, Objective, Opens, Serves, UnknownNameError
from problems.families import Preset, SparkJob, SparkStage, job_shop, spark_cluster
from problems.families.spark import expected_duration, fixed_stage
from problems.families.spark_variants import is_spark_cluster, preset_of, spark_jobs, with_executors, with_preset

SCAN = SparkStage(6, samples={"fresh": {5: [900, 1100]}, "first": {5: [400], 10: [500]}, "rest": {5: [300], 10: []}})
FIXED = SparkStage(2, duration=70)


def cluster(*jobs: SparkJob, executors: int = 2, **options: Any):
    return spark_cluster("c", jobs, executors, **options)


def test_switches_of_the_family() -> None:
    """Stages are tasks of several pieces for every executor; jobs arrive unknown; completion counts, in seconds."""
    first = SparkJob([FIXED, SparkStage(1, duration=5), SparkStage(4, duration=0)], [(0, 2), (1, 2)], "a")
    instance = cluster(first, SparkJob([FIXED], arrival=3000), executors=3)
    assert instance.agent_names == ("executor_0", "executor_1", "executor_2")
    assert instance.job_names == ("a", "2")
    assert instance.task_job.tolist() == [0, 0, 0, 1]
    assert instance.task_pieces.tolist() == [2, 1, 4, 2]
    assert instance.durations.tolist() == [[70] * 3, [5] * 3, [0] * 3, [70] * 3]
    assert [instance.predecessors(task).tolist() for task in range(4)] == [[], [], [0, 1], []]
    assert instance.job_release.tolist() == instance.job_reveal.tolist() == [0, 3000]
    assert (instance.family, instance.objective) == ("spark", Objective.MEAN_FLOW_TIME)
    assert (instance.scale, instance.moving_delay, instance.waves) == (1000, 2000, None)


def test_options_replace_what_is_usual() -> None:
    """Delays, the objective, the seed of durations and the scale can be chosen."""
    instance = cluster(
        SparkJob([SCAN]), moving_delay=7, warm_up=3, objective=Objective.MAKESPAN, seed=9, scale=10, executors=1
    )
    assert (instance.moving_delay, instance.objective, instance.scale) == (7, Objective.MAKESPAN, 10)
    assert instance.waves is not None
    assert (instance.waves.warm_up, instance.waves.seed) == (3, 9)


def test_samples_lie_by_stage_wave_and_level() -> None:
    """The CSR layout of the samples is that of `Waves`; a fixed duration among samples stands for itself everywhere."""
    waves = cluster(SparkJob([SCAN, FIXED])).waves
    assert waves is not None
    cells = [
        waves.samples[low:high].tolist() for low, high in zip(waves.sample_ptr, waves.sample_ptr[1:], strict=False)
    ]
    assert waves.levels.tolist() == [5, 10]
    assert cells == [[900, 1100], [], [400], [500], [300], [], *[[70]] * 6]


def test_the_expected_duration_is_that_of_a_rest_piece() -> None:
    """Levels that the executors can reach count once each; where rest was not measured, first and then fresh count."""
    assert expected_duration(SCAN, 3) == expected_duration(SCAN, 5) == 300
    assert expected_duration(SCAN, 10) == 400  # the mean of 300 and, for want of rest, 500
    assert expected_duration(SparkStage(1, samples={"fresh": {20: [8, 11]}}), 2) == 10
    assert fixed_stage(SCAN, 10) == SparkStage(6, duration=400)
    assert fixed_stage(FIXED, 10) == FIXED


def test_presets_name_the_switches() -> None:
    """A preset says how stages open, how long executors serve and which level counts; an instance knows its preset."""
    clean, decima = (cluster(SparkJob([SCAN]), preset=preset) for preset in ("default", Preset.DECIMA))
    assert clean.waves is not None and decima.waves is not None
    assert (clean.opens, clean.serves, clean.waves.between) == (Opens.FINISHED, Serves.PIECE, BetweenLevels.BELOW)
    assert (decima.opens, decima.serves) == (Opens.DISPATCHED, Serves.STAGE)
    assert decima.waves.between is BetweenLevels.INVERTED
    assert (preset_of(clean), preset_of(decima)) == ("default", "decima")
    assert preset_of(clean.replace(opens=Opens.DISPATCHED)) == "custom"
    assert preset_of(job_shop("s", [], 1)) is None
    assert with_preset(clean, "decima") == decima and with_preset(decima, "default") == clean
    fixed = cluster(SparkJob([FIXED]))
    assert with_preset(fixed, "decima") == cluster(SparkJob([FIXED]), preset="decima")


def test_jobs_can_be_taken_back_out() -> None:
    """The jobs of an instance make the same instance, and one for other executors with its own expectations."""
    jobs = [SparkJob([SCAN, FIXED], [(0, 1)], "a", 5), SparkJob([], name="empty"), SparkJob([SCAN], name="b")]
    instance = cluster(*jobs, preset="decima", seed=3, warm_up=4)
    assert is_spark_cluster(instance)
    assert cluster(*spark_jobs(instance), preset="decima", seed=3, warm_up=4) == instance
    assert with_executors(instance, 10) == cluster(*jobs, executors=10, preset="decima", seed=3, warm_up=4)


def test_what_is_no_plain_cluster_keeps_its_executors() -> None:
    """Other families, renamed executors and unequal ones are refused a new number of executors."""
    plain = cluster(SparkJob([FIXED, FIXED]))
    unequal = plain.replace(eligible_duration=np.array([70, 71, 70, 70]))
    for other in (job_shop("s", [[(0, 1)]], 1), plain.replace(agent_names=("a", "b")), unequal):
        assert not is_spark_cluster(other)
        with pytest.raises(InstanceError, match="only for Spark clusters"):
            with_executors(other, 3)
    with pytest.raises(InstanceError, match="a preset can be chosen only for 'spark'"):
        with_preset(job_shop("s", [], 1), "decima")


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (SparkJob([SparkStage(1)], name="q"), "job q, stage 0 needs either a duration or samples"),
        (SparkJob([FIXED, SparkStage(1, 3, {"rest": {5: [1]}})]), "job 1, stage 1 needs either"),
        (SparkJob([SparkStage(1, samples={"last": {5: [1]}})]), "wave 'last'; expected fresh, first, rest"),
        (SparkJob([SparkStage(1, samples={"rest": {5: []}})]), "job 1, stage 0 has no sample"),
        (SparkJob([FIXED], [(0, 1)]), "job 1 has an edge with stage 1, which does not exist"),
        (SparkJob([FIXED], [(-1, 0)]), "an edge with stage -1"),
        (SparkJob([FIXED, FIXED], [(0, 1), (1, 0)], "q"), "cycle: job q, task"),
        (SparkJob([SparkStage(0, duration=1)]), "task_pieces must be at least 1"),
        (SparkJob([SparkStage(1, duration=-1)]), "eligible_duration holds -1"),
        (SparkJob([SparkStage(1, samples={"rest": {5: [4, -1]}})]), "waves hold a negative time"),
        (SparkJob([FIXED], arrival=-1), "job_release holds -1"),
    ],
)
def test_mistakes_are_refused(job: SparkJob, message: str) -> None:
    """What cannot be scheduled is refused with the job and the stage."""
    with pytest.raises(InstanceError, match=message):
        cluster(job)


def test_executors_and_presets_must_exist() -> None:
    """No executor and an unknown preset are refused."""
    with pytest.raises(InstanceError, match="num_executors is 0"):
        cluster(executors=0)
    with pytest.raises(UnknownNameError, match="unknown preset 'spark'; choose one of: default, decima"):
        cluster(preset="spark")
