"""One small network learns what several teachers think."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from marl.algorithms.distillation import Distillation, DistillationConfig, log_softmax
from marl.policies.shipped import shipped_priority
from marl.recipes import RECIPES, UNIVERSAL
from problems.generators import random_job_shop, vallada_ruiz
from problems.instance import Instance
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.rollout import Runner

SMALL = DistillationConfig(hidden=24, instances=8, decisions=30, batches=6, rate=1e-2)
MAKERS = {
    "jsp": lambda seed: random_job_shop(6, 5, seed),
    "upms": lambda seed: vallada_ruiz(10, 3, 49, seed),
}


@pytest.fixture
def two_families(monkeypatch):
    """Small shops and machines stand for all families."""
    for family, make in MAKERS.items():
        monkeypatch.setitem(RECIPES, family, replace(RECIPES[family], instance=make))
    both = replace(RECIPES[UNIVERSAL], instance=lambda seed: MAKERS["upms" if seed % 2 else "jsp"](seed // 2))
    monkeypatch.setitem(RECIPES, UNIVERSAL, both)


def mean_objective(priority: Priority, instances: list[Instance]) -> float:
    """Mean objective of greedy episodes."""
    return float(np.mean([int(Runner(compile_problem(instance)).sample(priority)[0]) for instance in instances]))


def test_a_pupil_comes_near_both_of_its_teachers(two_families):
    """After 80 steps one network is within 4 % of either teacher on unseen instances; at first it is not."""
    pupil = Distillation(UNIVERSAL, 0, SMALL)
    unseen = {family: [make(10**6 + k) for k in range(30)] for family, make in MAKERS.items()}
    teachers = {family: mean_objective(shipped_priority("tuned", family), unseen[family]) for family in MAKERS}
    first = {family: mean_objective(pupil.priority(), unseen[family]) / teachers[family] for family in MAKERS}
    for _ in range(80):
        pupil.step()
    last = {family: mean_objective(pupil.priority(), unseen[family]) / teachers[family] for family in MAKERS}
    assert max(first.values()) > 1.06
    assert max(last.values()) < 1.04


def test_the_softmax_is_within_groups():
    """Probabilities of each group sum to 1 and follow the logits."""
    logits = torch.tensor([0.0, 0.0, 5.0, 1.0, 2.0])
    probability = log_softmax(logits, torch.tensor([0, 0, 1, 1, 1])).exp()
    assert torch.allclose(probability[:2], torch.tensor([0.5, 0.5]))
    assert torch.allclose(probability[2:], torch.softmax(logits[2:], 0))


def test_a_teacher_that_never_waits_teaches_that(two_families):
    """After a few steps the pupil, which may wait, schedules shops without waiting where it could work."""
    pupil = Distillation("jsp", 1, SMALL)
    for _ in range(30):
        pupil.step()
    shops = [MAKERS["jsp"](5 * 10**6 + k) for k in range(20)]
    lazy = pupil.priority()
    never = np.array(lazy.parameters)
    never[3] = 0.0
    assert mean_objective(lazy, shops) == pytest.approx(
        mean_objective(replace(lazy, parameters=never), shops), rel=0.002
    )
