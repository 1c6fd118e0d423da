"""Which model an instance gets, by its structure alone; what no model covers is refused by name."""

from __future__ import annotations

from enum import StrEnum

from problems.errors import UnsupportedError
from problems.instance import NO_TIME, Instance, Opens
from problems.objective import Objective


class ModelKind(StrEnum):
    """The CP-SAT models there are."""

    INTERVALS = "intervals"
    ROUTES = "routes"


def choose_model(instance: Instance) -> ModelKind:
    """Model for ``instance``: routes where only their lengths count, intervals elsewhere.

    Raises
    ------
    UnsupportedError
        If the instance has features that its model does not know; the message names them.
    """
    kind = ModelKind.ROUTES if instance.objective is Objective.LONGEST_ROUTE else ModelKind.INTERVALS
    features = [*_unknown_to_all(instance), *(_unknown_to_routes(instance) if kind is ModelKind.ROUTES else [])]
    if features:
        raise UnsupportedError(
            f"cp-sat does not support {', '.join(features)} in its {kind} model yet: '{instance.name}'"
        )
    return kind


def _unknown_to_all(instance: Instance) -> list[str]:
    features = {
        "random durations by wave (waves)": instance.waves is not None,
        "a moving delay (moving_delay)": instance.moving_delay > 0,
        "tasks of several pieces (task_pieces)": bool((instance.task_pieces > 1).any()),
        "renewable resources or operators (resources)": instance.resources is not None,
        "stages that open when their parents are dispatched (opens)": instance.opens is not Opens.FINISHED,
        "jobs revealed after time 0 (job_reveal)": bool((instance.job_reveal > 0).any()),
        "agents that retire early (retire)": instance.retire,
    }
    return [name for name, present in features.items() if present]


def _unknown_to_routes(instance: Instance) -> list[str]:
    changeover = instance.changeover
    features = {
        "a longest route without changeover times": changeover is None,
        "tasks that not every agent may do": bool((instance.durations < 0).any()),
        "precedence between the tasks of routes": len(instance.predecessor_task) > 0,
        "deadlines on routes (job_deadline)": bool((instance.job_deadline != NO_TIME).any()),
    }
    if changeover is not None:
        alike = len(set(zip(changeover.agent_matrix.tolist(), changeover.agent_home.tolist(), strict=True))) <= 1
        features["agents with different homes or travel times"] = not alike
    return [name for name, present in features.items() if present]
