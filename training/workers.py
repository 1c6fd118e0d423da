"""A pool of processes in which a crash costs one task, not the run.

Processes are spawned, never forked, so that threads and random states of one do not leak into another. What a task
returns depends on the task alone; results come back in the order of the tasks.
"""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass
class _Worker:
    """A process, the pipe to it, and the number of the task it works on."""

    process: Any
    pipe: Connection
    task: int


def run_tasks(
    load: str,
    tasks: Sequence[Any],
    workers: int,
    crashed: Callable[[Any, str], Any],
    done: Callable[[int, Any], None] = lambda number, result: None,
) -> list[Any]:
    """Apply the function named ``load`` to every task, in ``workers`` processes.

    Parameters
    ----------
    load
        ``module:function``, called with one task; it must not raise.
    tasks
        Picklable arguments.
    workers
        Number of processes at the same time.
    crashed
        Makes the result of a task whose process died, from the task and a sentence that says how.
    done
        Called with the position of a task and its result as each comes.

    Returns
    -------
    list
        Results in the order of ``tasks``, whatever the number of workers.
    """
    results: list[Any] = [None] * len(tasks)
    waiting = list(range(len(tasks)))[::-1]
    busy: list[_Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                busy.append(_start(load, tasks, waiting.pop()))
            ready = wait([worker.pipe for worker in busy])
            for worker in [worker for worker in busy if worker.pipe in ready]:
                results[worker.task] = _receive(worker, tasks, crashed)
                done(worker.task, results[worker.task])
                if not _give_next(worker, tasks, waiting):
                    busy.remove(worker)
    finally:
        for worker in busy:
            worker.process.kill()
            worker.process.join()
    return results


def _start(load: str, tasks: Sequence[Any], number: int) -> _Worker:
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(load, there), daemon=True)
    process.start()
    there.close()
    here.send(tasks[number])
    return _Worker(process, here, number)


def _receive(worker: _Worker, tasks: Sequence[Any], crashed: Callable[[Any, str], Any]) -> Any:
    try:
        return worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        return crashed(tasks[worker.task], _death(worker.process.exitcode))


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return f"the worker process was killed by {signal.Signals(-code).name}"
    return f"the worker process ended with exit code {code}"


def _give_next(worker: _Worker, tasks: Sequence[Any], waiting: list[int]) -> bool:
    """Send the next task to a living worker; otherwise let it go and return False."""
    if waiting and worker.process.is_alive():
        try:
            worker.pipe.send(tasks[waiting[-1]])
        except OSError:
            pass
        else:
            worker.task = waiting.pop()
            return True
    worker.pipe.close()
    worker.process.join()
    return False


def _serve(load: str, pipe: Connection) -> None:
    """Work on tasks until the pipe is closed; runs in the spawned process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    for name in THREAD_LIMITS:
        os.environ.setdefault(name, "1")
    module, function = load.split(":")
    perform = getattr(importlib.import_module(module), function)
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(perform(task))


def _leave_with_parent() -> None:
    """End the process when its parent is gone, however it went: nobody waits for the task any more."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
