"""``verify``: 0 for a valid schedule, 1 for a violated one, 2 for files that cannot be read."""

from __future__ import annotations

from problems.check import CheckReport, check
from problems.formats import read_schedule
from training.commands.arguments import VerifyOptions
from training.files import to_json
from training.instances import find
from training.table import text

VALID, VIOLATED = 0, 1


def run(options: VerifyOptions) -> int:
    """Check the schedule and print every violation."""
    instance = find(options.instance, options.family, options.agents, options.executors, options.preset).load()
    report = check(instance, read_schedule(options.schedule, instance))
    print(to_json(_summary(report), indent=None) if options.json else _lines(report), end="")
    return VALID if report.valid else VIOLATED


def _summary(report: CheckReport) -> dict[str, object]:
    violations = [
        {
            "kind": str(found.kind),
            "task": found.task,
            "agent": found.agent,
            "times": list(found.times),
            "message": found.message,
        }
        for found in report.violations
    ]
    return {"valid": report.valid, "objective": report.objective, "violations": violations}


def _lines(report: CheckReport) -> str:
    if report.valid:
        return f"valid: objective {text(report.objective)}\n"
    lines = [f"violated: {len(report.violations)} violations"]
    lines += [f"  {violation.kind}: {violation.message}" for violation in report.violations]
    return "\n".join(lines) + "\n"
