"""Whether the preset jssenv shows, allows and pays on the same actions what JSSEnv does, on instances that both have.

    python -m benchmarks.presets --jssenv /path/to/other/venv/bin/python

JSSEnv (PyPI, ``pip install JSSEnv==1.1.0``) lives in an environment of its own and plays random legal episodes, with
the no-op where it may; the preset plays the same actions.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.rows import Row, holds, reported
from marl.presets.registry import make_preset

INSTANCES = ("ta01", "ta11", "ta41", "ta71")
EPISODES = 5

PROGRAM = """
import json, sys
from pathlib import Path
import JSSEnv, numpy
from JSSEnv.envs.jss_env import JssEnv
path = Path(JSSEnv.__file__).parent / "envs" / "instances" / sys.argv[1]
env = JssEnv(env_config={"instance_path": str(path)})
for seed in range(int(sys.argv[2])):
    random = numpy.random.default_rng(seed)
    seen, done = env.reset(), False
    while not done:
        mask = seen["action_mask"]
        legal = mask.nonzero()[0]
        action = env.jobs if mask[-1] and random.random() < 0.5 else int(legal[int(random.random() * len(legal))])
        seen, reward, done, _, _ = env.step(action)
        told = [int(action), float(reward), bool(done), seen["action_mask"].tolist(), seen["real_obs"].tolist()]
        print(json.dumps(told), flush=True)
"""


def disagreements(python: str, instance: str) -> tuple[int, int, int]:
    """Decisions of random episodes on ``instance``, no-ops among them, and those after which the two sides differ."""
    env = make_preset("jssenv", instance)
    env.reset()
    decisions, no_ops, different = 0, 0, 0
    for theirs in _decisions(python, instance):
        seen, reward, done, _, _ = env.step(theirs[0])
        decisions += 1
        no_ops += theirs[0] == env.instance.num_jobs
        different += not _agree(theirs, seen, reward, done)
        if done:
            env.reset()
    return decisions, no_ops, different


def _decisions(python: str, instance: str) -> Iterator[list[Any]]:
    """Action, reward, end, mask and observation of every decision of JSSEnv."""
    command = [python, "-W", "ignore", "-c", PROGRAM, instance, str(EPISODES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode != 0:
        raise SystemExit("JSSEnv failed; its message is above")


def _agree(theirs: list[Any], seen: dict[str, np.ndarray], reward: float, done: bool) -> bool:
    """Whether both sides pay, end, allow and show the same."""
    _, paid, ended, mask, shown = theirs
    same = abs(reward - paid) < 1e-9 and done == ended and seen["action_mask"].tolist() == mask
    return same and bool((seen["real_obs"] == np.array(shown, np.float32)).all())


def rows(python: str) -> Iterator[Row]:
    """The comparison, instance by instance."""
    command = "python -m benchmarks.presets --jssenv PYTHON"
    for instance in INSTANCES:
        decisions, no_ops, different = disagreements(python, instance)
        yield reported(f"preset jssenv, {instance}: random decisions compared", decisions, command)
        yield reported(f"preset jssenv, {instance}: no-ops among them", no_ops, command)
        what = f"preset jssenv, {instance}: decisions after which it differs from JSSEnv 1.1.0"
        yield holds(what, different, "0", decisions > 0 and different == 0, command)


def main() -> int:
    """Print the comparison; 0 if nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.presets", description=__doc__)
    parser.add_argument("--jssenv", required=True, help="interpreter of the environment that has JSSEnv")
    measured = list(rows(parser.parse_args().jssenv))
    for row in measured:
        print(f"{row.what:80s} {row.measured!s:>12s} {row.asked}")
    return 1 if any(row.passed is False for row in measured) else 0


if __name__ == "__main__":
    raise SystemExit(main())
