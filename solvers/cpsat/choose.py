"""Which model an instance gets, by its structure alone; what no model covers is refused by name."""

from __future__ import annotations

from enum import StrEnum

from problems.errors import UnsupportedError
from problems.instance import Instance, Opens
from problems.objective import Objective
from solvers.legs import unlike_routes


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
    features = [*_unknown_to_all(instance), *(unlike_routes(instance) if kind is ModelKind.ROUTES else [])]
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
