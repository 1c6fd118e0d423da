"""Operations per second over whole random episodes on ta01: the AEC environment and batched rollouts against JSSEnv.

    python -m benchmarks.environment_speed --jssenv /path/to/other/venv/bin/python

JSSEnv (PyPI, ``pip install JSSEnv==1.1.0``) lives in an environment of its own. Both sides play the same policy, a
uniform choice among the operations that can begin now, never waiting by choice, and look at the observation of every
step. They take turns on one core, round by round; CPU seconds are counted, without compilation.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median

import numpy as np

import marl
from benchmarks.rows import Row, at_least, reported
from marl.envs.aec import SchedulingEnv
from problems.generators import taillard
from problems.instance import Instance
from problems.simulator import Filter, compile_problem
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.rollout import Runner

INSTANCE = "ta01"
AEC_BAR, BATCHED_BAR = 3.0, 50.0

JSSENV_PROGRAM = """
import sys, time
from pathlib import Path
import JSSEnv, numpy
from JSSEnv.envs.jss_env import JssEnv
path = Path(JSSEnv.__file__).parent / "envs" / "instances" / sys.argv[1]
env = JssEnv(env_config={"instance_path": str(path)})
print(*numpy.ravel(env.instance_matrix), flush=True)
random = numpy.random.default_rng(0)

def episode():
    observation = env.reset()
    done, operations = False, 0
    while not done:
        legal = observation["action_mask"][:-1].nonzero()[0]
        if len(legal):
            action, operations = int(legal[int(random.random() * len(legal))]), operations + 1
        else:
            action = env.jobs
        observation, _, done, _, _ = env.step(action)
    return operations

episode()
for line in sys.stdin:
    begin = time.process_time()
    operations = sum(episode() for _ in range(int(line)))
    print(operations, time.process_time() - begin, flush=True)
"""


@dataclass
class Series:
    """Operations per second of one way to play, round by round."""

    title: str
    play: Callable[[], tuple[int, float]]
    rates: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Play one round."""
        operations, seconds = self.play()
        self.rates.append(operations / seconds)

    @property
    def median(self) -> float:
        """Median over the rounds."""
        return median(self.rates)

    @property
    def spread(self) -> str:
        """Slowest and fastest round."""
        return f"{min(self.rates):.0f} to {max(self.rates):.0f}"


class JssEnv:
    """JSSEnv in the process of another Python.

    Parameters
    ----------
    python
        Interpreter that has JSSEnv.
    instance
        Must be the one that JSSEnv ships under the same name.
    """

    def __init__(self, python: str, instance: Instance) -> None:
        self._process = subprocess.Popen(
            [python, "-W", "ignore", "-c", JSSENV_PROGRAM, instance.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        theirs = [int(word) for word in self._answer().split()]
        ours = np.stack([instance.eligible_agent, instance.eligible_duration], axis=1).ravel().tolist()
        if theirs != ours:
            raise SystemExit(f"JSSEnv's {instance.name} is another instance")

    def play(self, episodes: int) -> tuple[int, float]:
        """Operations and CPU seconds of ``episodes`` random episodes."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{episodes}\n")
        self._process.stdin.flush()
        operations, seconds = self._answer().split()
        return int(operations), float(seconds)

    def close(self) -> None:
        """End the other process."""
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("JSSEnv did not answer; its message is above")
        return line


def aec_episodes(env: SchedulingEnv, random: np.random.Generator, episodes: int) -> tuple[int, float]:
    """Operations and CPU seconds of random episodes through the AEC environment, observations included."""
    operations, begin = 0, time.process_time()
    for _ in range(episodes):
        env.reset()
        while True:
            _, _, terminated, _, info = env.last()
            if terminated:
                break
            legal = info["action_mask"][:-1].nonzero()[0]
            env.step(int(legal[int(random.random() * len(legal))]))
            operations += 1
    return operations, time.process_time() - begin


def batched_rollouts(runner: Runner, count: int, seed: int) -> tuple[int, float]:
    """Operations and CPU seconds of ``count`` compiled random rollouts."""
    begin = time.process_time()
    runner.sample(Priority(Kind.RANDOM, candidate_filter=Filter.NON_DELAY), count, seed)
    return count * len(runner.problem.tasks), time.process_time() - begin


def compare(python: str, rounds: int = 7, episodes: int = 20, rollouts: int = 1000) -> tuple[Series, Series, Series]:
    """JSSEnv, the AEC environment and batched rollouts, round by round in turns."""
    instance = taillard(INSTANCE)
    other = JssEnv(python, instance)
    env, runner = marl.env("jsp", instance, candidate_filter="non-delay"), Runner(compile_problem(instance))
    random = np.random.default_rng(0)
    aec_episodes(env, random, 1)
    batched_rollouts(runner, 10, 0)
    series = (
        Series("JSSEnv", lambda: other.play(episodes)),
        Series("AEC environment", lambda: aec_episodes(env, random, episodes)),
        Series("batched rollouts", lambda: batched_rollouts(runner, rollouts, 1)),
    )
    for _ in range(rounds):
        for one in series:
            one.run()
    other.close()
    return series


def rows(python: str) -> Iterator[Row]:
    """The measurements against what is asked of them."""
    command = "python -m benchmarks.environment_speed --jssenv PYTHON"
    jssenv, aec, batched = compare(python)
    for one in (jssenv, aec, batched):
        yield reported(f"{one.title}, {INSTANCE}, operations/s (median)", one.median, command)
        yield reported(f"{one.title}, {INSTANCE}, operations/s (slowest to fastest round)", one.spread, command)
    yield at_least("AEC environment over JSSEnv 1.1.0, times", aec.median / jssenv.median, AEC_BAR, command)
    yield at_least("batched rollouts over JSSEnv 1.1.0, times", batched.median / jssenv.median, BATCHED_BAR, command)


def main() -> int:
    """Print the comparison; 0 if both bars hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.environment_speed", description=__doc__)
    parser.add_argument("--jssenv", required=True, help="interpreter of the environment that has JSSEnv")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    measured = list(rows(options.jssenv))
    for row in measured:
        print(f"{row.what:70s} {row.measured!s:>24s} {row.asked}")
    return 1 if any(row.passed is False for row in measured) else 0


if __name__ == "__main__":
    raise SystemExit(main())
