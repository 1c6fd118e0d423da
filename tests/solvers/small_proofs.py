"""What the tests of CP-SAT's models share: a checked run, a proved optimum, and every plan of a tiny instance."""

from __future__ import annotations

from collections.abc import Iterator

from ortools.sat.python import cp_model

from problems import Instance, InstanceError
from problems.check import check
from problems.measure import integer_objective
from problems.simulator import replay
from solvers import Budget, Result, Status
from solvers.cpsat.choose import choose_model
from solvers.cpsat.solve import _formulate, solve_cpsat

Plan = list[list[int]]


def solve(
    instance: Instance, time_limit: float | None = 30.0, workers: int = 1, seed: int = 0, hint: object = None
) -> Result:
    """Run CP-SAT, without a hint unless asked, and check what it returns once more."""
    result = solve_cpsat(instance, Budget(time_limit, workers=workers), seed, hint=hint)
    if result.schedule is not None:
        assert check(instance, result.schedule).valid
    return result


def optimum(instance: Instance) -> int | float | None:
    """Proved optimum."""
    result = solve(instance)
    assert result.status is Status.OPTIMAL
    return result.objective


def brute_force(instance: Instance) -> int:
    """Least integer objective over all assignments and orders, by replaying every plan."""
    best = None
    for plan in plans(instance, 0, [[] for _ in range(instance.num_agents)]):
        try:
            schedule = replay(instance, plan)
        except InstanceError:
            continue
        if check(instance, schedule).valid:
            value = integer_objective(instance, schedule)
            best = value if best is None else min(best, value)
    assert best is not None
    return best


def plans(instance: Instance, task: int, plan: Plan) -> Iterator[Plan]:
    """Every way to insert the tasks from ``task`` on into ``plan``."""
    if task == instance.num_tasks:
        yield plan
        return
    for agent in instance.eligible(task)[0].tolist():
        for place in range(len(plan[agent]) + 1):
            grown = [list(order) for order in plan]
            grown[agent].insert(place, task)
            yield from plans(instance, task + 1, grown)


def assert_complete_hint(instance: Instance) -> None:
    """The hint made from a schedule covers every variable and breaks no constraint."""
    schedule = solve(instance).schedule
    assert schedule is not None
    formulation = _formulate(instance, choose_model(instance), None)
    formulation.hint(schedule)
    constants = sum(list(v.domain) == [1, 1] for v in formulation.model.proto.variables)
    assert len(set(formulation.model.proto.solution_hint.vars)) == len(formulation.model.proto.variables) - constants
    solver = cp_model.CpSolver()
    solver.parameters.fix_variables_to_their_hinted_value = True
    assert solver.solve(formulation.model) == cp_model.OPTIMAL
