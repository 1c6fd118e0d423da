"""Which model an instance gets, by its structure alone; what no model covers is refused by name."""

from __future__ import annotations

from enum import StrEnum

from problems.errors import UnsupportedError
from problems.instance import NO_TIME, Instance, Opens, Serves
from problems.objective import Objective
from solvers.legs import unlike_routes

MOST_PIECES, MOST_MOVING_PIECES = 500, 60
"""Beyond so many pieces a start for each is too much, without and with moves; then stages are modelled as a whole."""


class ModelKind(StrEnum):
    """The CP-SAT models there are."""

    INTERVALS = "intervals"
    LOADS = "loads"
    PIECES = "pieces"
    STAGES = "stages"
    ROUTES = "routes"


def choose_model(instance: Instance) -> ModelKind:
    """Model for ``instance``: routes or loads where times do not matter, pieces on like agents, intervals elsewhere.

    Raises
    ------
    UnsupportedError
        If the instance has features that its model does not know; the message names them.
    """
    kind = _kind(instance)
    features = [name for name, present in _UNKNOWN[kind](instance).items() if present]
    if features:
        raise UnsupportedError(
            f"cp-sat does not support {', '.join(features)} in its {kind} model yet: '{instance.name}'"
        )
    return kind


def _kind(instance: Instance) -> ModelKind:
    if instance.objective is Objective.LONGEST_ROUTE:
        return ModelKind.ROUTES
    if bool((instance.task_pieces > 1).any()) or _are_alike(instance):
        most = MOST_MOVING_PIECES if instance.moving_delay > 0 else MOST_PIECES
        return ModelKind.PIECES if instance.num_pieces <= most else ModelKind.STAGES
    return ModelKind.LOADS if _nothing_waits(instance) else ModelKind.INTERVALS


def _are_alike(instance: Instance) -> bool:
    """Whether several agents differ in nothing, and tasks wait for moves or for each other."""
    return (
        instance.num_agents > 1
        and not any(_unlike_pieces(instance).values())
        and (instance.moving_delay > 0 or not _nothing_waits(instance))
    )


def _nothing_waits(instance: Instance) -> bool:
    """Whether the makespan is the largest load: no agent ever has to wait, whatever the order of its tasks."""
    return (
        instance.objective is Objective.MAKESPAN
        and len(instance.predecessor_task) == 0
        and not instance.job_release.any()
        and not instance.job_reveal.any()
        and bool((instance.job_deadline == NO_TIME).all())
        and instance.resources is None
    )


def _unknown_to_all(instance: Instance) -> dict[str, bool]:
    return {
        "random durations by wave (waves)": instance.waves is not None,
        "stages that open when their parents are dispatched (opens)": instance.opens is not Opens.FINISHED,
        "agents that stay with a stage until no piece is left (serves)": instance.serves is not Serves.PIECE,
        "agents that retire early (retire)": instance.retire,
    }


def _unlike_intervals(instance: Instance) -> dict[str, bool]:
    returns = instance.changeover is not None and instance.changeover.returns
    features = {"return trips that use a resource or an operator": returns and uses_resources(instance)}
    return {**_unknown_to_all(instance), **features}


def _unlike_pieces(instance: Instance) -> dict[str, bool]:
    durations = instance.durations
    late = len(set(instance.agent_available.tolist())) > 1
    features = {
        "agents that differ in what they can do, or how fast": bool((durations != durations[:, :1]).any()),
        "changeover times (changeover)": instance.changeover is not None,
        "renewable resources or operators (resources)": instance.resources is not None,
        "pieces without length (eligible_duration)": bool((durations == 0).any()),
        "agents that come at different times and have to move (agent_available)": late and instance.moving_delay > 0,
    }
    return {**_unknown_to_all(instance), **features}


def _unlike_routes(instance: Instance) -> dict[str, bool]:
    features = {
        "a moving delay (moving_delay)": instance.moving_delay > 0,
        "renewable resources or operators (resources)": instance.resources is not None,
        "jobs revealed after time 0 (job_reveal)": bool((instance.job_reveal > 0).any()),
        "tasks of several pieces (task_pieces)": bool((instance.task_pieces > 1).any()),
    }
    return {**_unknown_to_all(instance), **dict.fromkeys(unlike_routes(instance), True), **features}


_UNKNOWN = {
    ModelKind.INTERVALS: _unlike_intervals,
    ModelKind.LOADS: _unknown_to_all,
    ModelKind.PIECES: _unlike_pieces,
    ModelKind.STAGES: _unlike_pieces,
    ModelKind.ROUTES: _unlike_routes,
}


def uses_resources(instance: Instance) -> bool:
    """Whether changeovers use a resource or an operator."""
    resources = instance.resources
    return resources is not None and (bool(resources.changeover_use.any()) or bool(resources.operator_serves.any()))
