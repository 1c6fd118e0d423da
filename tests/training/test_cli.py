"""The command line as a whole: start-up, imports, errors."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from marl.weights.store import shipped_names
from training.commands.arguments import COMMANDS

HEAVY = {"torch", "ortools", "wandb", "networkx", "matplotlib", "pandas", "pettingzoo"}
LIGHT_COMMANDS = {
    # command line, and modules that it must not import besides the heavy ones
    "help": (["--help"], {"numpy", "numba", "problems"}),
    "help of solve": (["solve", "--help"], {"numpy", "numba", "problems"}),
    "list solvers": (["list", "solvers"], {"numba"}),
    "list instances": (["list", "instances"], {"numba"}),
    "generate": (["generate", "jsp", "--count", "1", "--jobs", "3", "--machines", "2", "--out", "made"], {"numba"}),
    "convert": (["convert", "small.jsp", "small.json"], {"numba"}),
    "solve with a rule": (["solve", "small.jsp", "--solver", "spt", "--plot", "p.svg", "--out", "s.json"], set()),
    "solve with pilot": (["solve", "small.jsp", "--solver", "pilot"], set()),
    "solve with insertion": (
        ["solve", "square.tsp", "--agents", "2", "--solver", "insertion", "--plot", "p.svg"],
        set(),
    ),
    "evaluate": (["evaluate", "--instances", "small.jsp", "--solvers", "spt", "--out", "made"], {"numba"}),
}
LIGHT_COMMANDS |= {
    f"solve with {policy}": (["solve", "small.jsp", "--solver", policy], set())
    for policy in ("tuned", "policy")
    if f"{policy}-jsp" in shipped_names()
}
PROGRAM = """
import json, sys
from training.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as stop:
    code = stop.code
print("\\n" + json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
SQUARE = "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
SQUARE += "1 0 0\n2 0 3\n3 4 3\n4 4 0\nEOF\n"


@pytest.mark.parametrize("name", LIGHT_COMMANDS)
def test_commands_import_only_what_they_need(name, shop_file, environment):
    """No command pays for libraries that it does not use."""
    words, more = LIGHT_COMMANDS[name]
    (shop_file.parent / "square.tsp").write_text(SQUARE)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=shop_file.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code in (0, None), done.stderr
    assert not (HEAVY | more) & set(modules)


def test_help_is_quick(environment):
    """--help answers in under half a second; the best of five counts, since others use this machine too."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "training", "--help"], check=True, capture_output=True, env=environment)
        times.append(time.perf_counter() - started)
    assert min(times) < 0.5


def test_help_lists_every_command(run):
    """Each sub-command is named with a sentence."""
    shown = run("--help").out
    assert all(name in shown and command.summary[:20] in shown for name, command in COMMANDS.items())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "COMMAND"),
        (["dance"], "invalid choice"),
        (["solve"], "FILE|NAME"),
        (["solve", "ta01", "--sovler", "spt"], "unrecognized"),
        (["solve", "ta99"], "ta01 to ta80"),
        (["solve", "none.jsp"], "no such file"),
        (["solve", "ta01", "--solver", "magic"], "spt"),
        (["solve", "ta01", "--solver", "pilot:insertion"], "dispatch"),
        (["solve", "ta01", "--samples", "0"], "at least 1"),
        (["solve", "ta01", "--time-limit", "-1"], "--time-limit"),
        (["solve", "ta01", "--time-limit", "soon"], "expected a number"),
        (["solve", "ta01", "--out", "schedule.txt"], ".json or .csv"),
        (["solve", "ta01", "--plot", "picture.png"], ".svg"),
        (["solve", "ta01", "--family", "mtsp"], "job shop"),
        (["evaluate", "--solvers", "spt", "--out", "x"], "--instances is missing"),
        (["evaluate", "--instances", "ta01", "--solvers", "magic", "--out", "x"], "choose one of"),
        (["evaluate", "--instances", "ta01", "--solvers", "spt", "--family", "zzz", "--out", "x"], "jsp"),
        (["verify", "ta01", "none.json"], "none.json"),
        (["report", "nowhere", "--out", "x.html"], "nowhere"),
        (["report", "nowhere"], "nowhere"),
        (["list", "everything"], "families, formats, generators, solvers, instances, weights"),
        (["generate", "zzz", "--count", "1", "--out", "x"], "jsp"),
        (["generate", "jsp", "--count", "1", "--cities", "5", "--out", "x"], "--cities does not apply"),
        (["generate", "jsp", "--count", "1", "--kind", "odd", "--out", "x"], "known-optimum"),
        (["train", "--family", "zzz", "--out", "x"], "jsp"),
        (["train", "--family", "jsp", "--policy", "odd", "--out", "x"], "tuned, policy"),
        (["solve", "ta01", "--seed", str(2**31)], "at most 2147483647"),
    ],
)
def test_bad_input_is_one_message_and_code_2(run, tmp_path, monkeypatch, words, message):
    """Whatever is typed wrong is told on stderr with the remedy; nothing is written."""
    monkeypatch.chdir(tmp_path)
    outcome = run(*words)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""
    assert list(tmp_path.iterdir()) == []
