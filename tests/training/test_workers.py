"""The pool of processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from training.workers import run_tasks

LOAD = "test_workers:perform"


def perform(task: object) -> object:
    """Run in a worker process: some tasks kill it."""
    if task == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "exit":
        os._exit(3)
    if task == "pid":
        return os.getpid()
    if isinstance(task, Path):
        task.write_text(str(os.getpid()))
        time.sleep(60)
    time.sleep(0.02 * (int(str(task)) % 3))
    return int(str(task)) ** 2


def crashed(task: object, how: str) -> str:
    return f"{task}: {how}"


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_results_come_in_the_order_of_the_tasks(workers):
    """The number of workers does not change the table."""
    assert run_tasks(LOAD, list(range(7)), workers, crashed) == [0, 1, 4, 9, 16, 25, 36]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crash_costs_one_task(workers):
    """A killed process is one error with the reason; the others finish."""
    found = run_tasks(LOAD, [1, "killed", 2, "exit", 3], workers, crashed)
    assert found[0::2] == [1, 4, 9]
    assert found[1] == "killed: the worker process was killed by SIGKILL"
    assert found[3] == "exit: the worker process ended with exit code 3"


def test_no_process_is_left_behind():
    """A worker ends with the pool."""
    (worker,) = run_tasks(LOAD, ["pid"], 1, crashed)
    assert worker != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_workers_leave_when_their_parent_is_killed(tmp_path):
    """A run that is killed leaves no process behind that works on."""
    note = tmp_path / "pid"
    call = f"run_tasks({LOAD!r}, [pathlib.Path({str(note)!r})], 1, str)"
    code = f"import pathlib; from training.workers import run_tasks; {call}"
    folders = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": folders})
    _wait_until(lambda: note.exists() and note.read_text() != "")
    parent.kill()
    parent.wait()
    _wait_until(lambda: _is_gone(int(note.read_text())))


def _wait_until(reached) -> None:
    """Wait up to 30 seconds, or fail."""
    deadline = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_gone(process: int) -> bool:
    """Whether a process has ended; one that nobody has asked for its exit code counts as ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_each_result_is_told_as_it_comes():
    """Progress sees every task once, with its position."""
    seen: list[tuple[int, object]] = []
    run_tasks(LOAD, [1, 2, 3], 2, crashed, lambda number, result: seen.append((number, result)))
    assert sorted(seen) == [(0, 1), (1, 4), (2, 9)]  # type: ignore[type-var]


def test_no_task_starts_no_process():
    """Nothing to do is done at once."""
    assert run_tasks(LOAD, [], 2, crashed) == []
