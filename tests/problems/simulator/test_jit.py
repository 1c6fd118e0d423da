import os
import subprocess
import sys
from pathlib import Path

import pytest

from problems.simulator.jit import compiled_sources

ROOT = Path(__file__).resolve().parents[3]

EPISODE = """
from problems.generators import random_job_shop, random_multiple_tsp
from problems.simulator import compile_problem, schedule_of
from problems.check import check
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.rollout import Runner
for instance, kind in ((random_job_shop(3, 3, 1), Kind.SPT_TWKR), (random_multiple_tsp(5, 2, 1), Kind.NEAREST)):
    runner = Runner(compile_problem(instance))
    values = runner.sample(Priority(kind), 3).tolist()
    print(values, runner.pilot(Priority(kind)), check(instance, schedule_of(runner.best)).valid)
"""


def run_python(code, folder=ROOT, **environment):
    """Output of ``code`` in a fresh interpreter."""
    env = {**os.environ, "PYTHONPATH": str(folder), **environment}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_compiled_and_interpreted_code_agree(tmp_path):
    """The same episodes come out compiled, with bounds checks, and as plain Python."""
    plain = run_python(EPISODE, NUMBA_DISABLE_JIT="1")
    assert plain.count("True") == 2
    assert run_python(EPISODE) == plain
    assert run_python(EPISODE, NUMBA_BOUNDSCHECK="1", MAKESPAN_CACHE_DIR=str(tmp_path)) == plain


@pytest.mark.slow
def test_an_edited_callee_is_seen(tmp_path):
    """After a change in one compiled module, a cached caller in another one gives the new result."""
    package = tmp_path / "problems"
    (package / "simulator").mkdir(parents=True)
    for module in ("", "simulator/"):
        (package / f"{module}__init__.py").write_text("")
    source = (ROOT / "problems/simulator/jit.py").read_text()
    (package / "simulator/jit.py").write_text(source)
    callee, caller = package / "callee.py", package / "caller.py"
    caller.write_text(
        "from problems.simulator.jit import jit\nfrom problems.callee import value\n"
        "@jit\ndef twice():\n    return 2 * value()\n"
    )
    code = "from problems.caller import twice; print(twice())"
    for number in (1, 21):
        callee.write_text(f"from problems.simulator.jit import jit\n@jit\ndef value():\n    return {number}\n")
        assert run_python(code, tmp_path, MAKESPAN_CACHE_DIR=str(tmp_path / "cache")) == f"{2 * number}\n"


def test_a_read_only_cache_folder_is_replaced(tmp_path):
    """Where the user's cache cannot be written, compiled code goes to the temporary folder."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = "from problems.simulator import cache_folder; print(cache_folder())"
    found = run_python(code, MAKESPAN_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert found.startswith(str(tmp_path / "makespan"))


def test_constants_beside_compiled_code_are_seen():
    """A module of constants without compiled functions counts, too: its numbers are part of what is compiled."""
    assert ROOT / "problems/simulator/arrays.py" in compiled_sources(ROOT)
    assert ROOT / "graphs/arrays.py" in compiled_sources(ROOT)


def test_code_that_is_not_compiled_is_not_seen():
    """An edit of a training algorithm or of a model for CP-SAT does not make everything be compiled anew."""
    assert ROOT / "marl/recipes.py" not in compiled_sources(ROOT)
    assert ROOT / "solvers/cpsat/loads.py" not in compiled_sources(ROOT)
