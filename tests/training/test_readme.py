"""Every command of README.md runs, on a tiny budget."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"^```sh test\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
TINY = {r"--time-limit \S+": "--time-limit 1", r"--minutes \S+": "--minutes 0.05", r"--samples \S+": "--samples 2"}


def test_readme_has_commands():
    """The pattern below finds the blocks, and every command stands in one of them."""
    text = README.read_text(encoding="utf-8")
    assert len(BLOCKS) >= 5
    assert text.count("\npython -m training") == sum(block.count("python -m training") for block in BLOCKS)


def test_readme_starts_with_what_matters():
    """The first thirty lines show the product: promise, picture, features, the two commands, one command for a file."""
    head = README.read_text(encoding="utf-8").splitlines()[:30]
    for wanted in ("# Makespan", "![", "make demo", "make test", "python -m training solve"):
        assert any(wanted in line for line in head)


def test_pictures_exist():
    """No picture is missing."""
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert pictures and all((README.parent / picture).is_file() for picture in pictures)


def test_programs_run():
    """The example of an environment plays its episode to the end."""
    (program,) = PROGRAMS
    names: dict[str, object] = {}
    exec(program, names)
    assert names["env"].agents == [] and len(names["env"].schedule()) == names["env"].instance.num_tasks  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[3])
def test_commands_run(block, tmp_path, environment):
    """Each command exits with 0."""
    for pattern, tiny in TINY.items():
        block = re.sub(pattern, tiny, block)
    script = block.replace("python -m", f"{shlex.quote(sys.executable)} -m")
    done = subprocess.run(
        ["bash", "-euc", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
