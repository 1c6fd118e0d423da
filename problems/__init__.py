"""What is given, what may happen, what is right: instances, simulator, checker, formats, generators, bounds."""

from problems.build import Job, Task, build_instance
from problems.errors import (
    FormatError,
    IllegalActionError,
    InstanceError,
    MakespanError,
    UnknownNameError,
    UnsupportedError,
)
from problems.instance import NO_STATE, NO_TIME, BetweenLevels, Changeover, Instance, Opens, Resources, Serves, Waves
from problems.objective import Objective
from problems.schedule import Schedule

__all__ = [
    "NO_STATE",
    "NO_TIME",
    "BetweenLevels",
    "Changeover",
    "FormatError",
    "IllegalActionError",
    "Instance",
    "InstanceError",
    "Job",
    "MakespanError",
    "Objective",
    "Opens",
    "Resources",
    "Schedule",
    "Serves",
    "Task",
    "UnknownNameError",
    "UnsupportedError",
    "Waves",
    "build_instance",
]
