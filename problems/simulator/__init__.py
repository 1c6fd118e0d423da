"""The simulator: one compiled engine for all families."""

from problems.simulator.arrays import Problem, State, new_state
from problems.simulator.candidates import Filter
from problems.simulator.jit import cache_folder, is_cold, jit
from problems.simulator.simulator import Simulator, replay, schedule_from_rows, schedule_of
from problems.simulator.tables import compile_problem

__all__ = [
    "Filter",
    "Problem",
    "Simulator",
    "State",
    "cache_folder",
    "compile_problem",
    "is_cold",
    "jit",
    "new_state",
    "replay",
    "schedule_from_rows",
    "schedule_of",
]
