"""Rules, rollout search and exact references behind one signature: ``(instance, budget, seed) -> Result``."""

from solvers.budget import Budget
from solvers.registry import SOLVERS, SolverEntry, SolverKind, get_entry, get_solver
from solvers.result import LogEntry, Result, SolverError, Status, finish

__all__ = [
    "SOLVERS",
    "Budget",
    "LogEntry",
    "Result",
    "SolverEntry",
    "SolverError",
    "SolverKind",
    "Status",
    "finish",
    "get_entry",
    "get_solver",
]
