"""A job shop played as in JSSEnv (arXiv 2104.03760): start a job's next operation, or let time pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from marl.presets.jssenv_rules import may_pass, outranked
from marl.presets.shop import ShopGame
from problems.errors import UnsupportedError
from problems.instance import Instance, IntArray
from problems.simulator.candidates import TASK


class JobShopGame(ShopGame):
    """What is legal, and what the single agent remembers of the past.

    Parameters
    ----------
    instance
        Job shop of at least two machines in which every job has as many operations as there are machines, each longer
        than 0.

    Attributes
    ----------
    machine, duration : int64 [J, M]
        Of each operation of each job.
    legal : bool [J]
        Jobs that may be started now.
    may_pass : bool
        Whether time may pass although a job is legal.
    waited : int64 [J]
        How long each job waited before the operation that it started last.
    queued : int64 [J]
        For how long the machine of each job's next operation was still busy when the job came to it.
    """

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance, "jssenv")
        shape = (instance.num_jobs, instance.num_agents)
        _require_rectangle(instance, self.num_operations)
        self.machine = instance.eligible_agent.reshape(shape)
        self.duration = instance.eligible_duration.reshape(shape)
        self._forget()

    def begin(self) -> None:
        """Go to the first decision of a new episode."""
        self.start()
        self._forget()
        self._go_on()

    def start_job(self, job: int) -> int:
        """Start the next operation of a legal job; returns its duration less the idle time up to the next decision."""
        progress = self.progress()
        step = progress.ended[job]
        machine, duration = int(self.machine[job, step]), int(self.duration[job, step])
        self.waited[job] = self.now - progress.end[job]
        self.commit(machine, int(self.first[job] + step))
        self._barred &= self._needs(progress.ended) != machine
        return duration - self._go_on()

    def pass_time(self) -> int:
        """Start nothing; returns minus the idle time up to the next decision.

        The legal jobs are barred until their machine has started another one.
        """
        self._barred |= self.legal
        self.hold()
        return -self._go_on()

    def _forget(self) -> None:
        jobs = self.instance.num_jobs
        self.legal, self.may_pass = np.zeros(jobs, np.bool_), False
        self.waited, self.queued = np.zeros(jobs, np.int64), np.zeros(jobs, np.int64)
        self._barred, self._outranked = np.zeros(jobs, np.bool_), np.zeros(jobs, np.bool_)
        self._instant = 0

    def _go_on(self) -> int:
        """Move to the next instant at which a job is legal, or to the end; returns the idle time on the way."""
        since = self._instant
        self.legal = self._offered(self.decide())
        while not self.done and not self.legal.any():
            self.hold()
            self.legal = self._offered(self.decide())
        self._instant = self.now
        if self._instant > since:
            self._outranked[:] = False
            self._note_arrivals(since)
        self._restrict()
        return self.idle_time(since, self._instant)

    def _offered(self, table: IntArray) -> NDArray[np.bool_]:
        """Jobs that can start now and are neither barred nor, since this instant began, outranked."""
        offered = np.zeros(self.instance.num_jobs, np.bool_)
        offered[self.instance.task_job[table[:, TASK]]] = True
        offered &= ~self._barred
        return offered & ~self._outranked if self.now == self._instant else offered

    def _note_arrivals(self, since: int) -> None:
        """Jobs whose operation has ended after ``since`` see how long their next machine is still busy."""
        progress = self.progress()
        arrived = (progress.end > since) & ~progress.running
        free = self.free[self._needs(progress.ended)]
        self.queued[arrived] = np.maximum(free - progress.end, 0)[arrived]

    def _restrict(self) -> None:
        """Take out the jobs that are outranked, and see whether time may pass."""
        progress, free, now = self.progress(), self.free, self.now
        self._outranked |= outranked(self.machine, self.duration, self.legal, progress.ended, free <= now)
        self.legal &= ~self._outranked
        self.may_pass = may_pass(self.machine, self.duration, self.legal, self._barred, progress, free, now)

    def _needs(self, ended: IntArray) -> IntArray:
        """Machine of each job's next operation, int64 [J]; of its last one where none is left."""
        return self.machine[np.arange(len(ended)), np.minimum(ended, self.machine.shape[1] - 1)]


def _require_rectangle(instance: Instance, num_operations: IntArray) -> None:
    features = {
        "operations with a choice of machines": len(instance.eligible_agent) != instance.num_tasks,
        "a single machine": instance.num_agents < 2,
        "jobs that have not as many operations as there are machines": bool(
            (num_operations != instance.num_agents).any()
        ),
        "operations of duration 0": not instance.eligible_duration.all(),
    }
    found = [name for name, present in features.items() if present]
    if found:
        raise UnsupportedError(f"the preset jssenv does not support {', '.join(found)}: '{instance.name}'")
