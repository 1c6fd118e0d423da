"""``solve`` and ``verify``: from a file to a checked schedule, and its exit codes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import training.commands.solve as command
from marl.instances import training_instance
from problems.formats import read_schedule, write_instance
from problems.generators import brandimarte_like, random_job_shop, random_multiple_tsp, random_spark, vallada_ruiz
from problems.generators.upms import with_operators
from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.registry import SOLVERS, SolverEntry, SolverKind, get_solver
from solvers.result import Result, Status, finish
from training.running import group_of

KEYS = [
    "instance", "family", "preset", "solver", "status", "objective", "lower_bound", "gap", "best_known",
    "gap_to_best_known", "runtime_s", "seed", "checked", "clairvoyant", "tolerance", "versions",
]  # fmt: skip


def solve_nothing(instance: Instance, budget: Budget, seed: int) -> Result:
    """A solver that finds nothing in time."""
    return finish(instance, "nothing", seed, 0.0, None)


def solve_never(instance: Instance, budget: Budget, seed: int) -> Result:
    """A solver that proves that there is nothing."""
    return finish(instance, "never", seed, 0.0, None, infeasible=True)


def solve_wrongly(instance: Instance, budget: Budget, seed: int) -> Result:
    """A solver whose schedule starts everything at once and claims to be wonderful."""
    task = list(range(instance.num_tasks))
    schedule = Schedule.from_times(*([task, instance.eligible_agent, [0] * len(task), instance.eligible_duration]))  # type: ignore[arg-type]
    return Result(instance.name, instance.family, "wrong", Status.FEASIBLE, 1, None, 0.0, seed, schedule)


@pytest.fixture
def odd_solvers(monkeypatch):
    """Register the solvers above."""
    for name, function in {"nothing": "solve_nothing", "never": "solve_never", "wrong": "solve_wrongly"}.items():
        entry = SolverEntry(name, SolverKind.SEARCH, None, f"{__name__}:{function}", name)
        monkeypatch.setitem(SOLVERS, name, entry)


def test_json_has_exactly_the_promised_keys(run, shop_file):
    """One object with these keys, in this order; unknown is null."""
    outcome = run("solve", shop_file, "--solver", "spt", "--json")
    assert outcome.code == 0
    assert list(outcome.json) == KEYS
    assert outcome.json["checked"] is True and outcome.json["status"] in ("feasible", "optimal")
    assert outcome.json["best_known"] is None and outcome.json["gap_to_best_known"] is None


def test_a_proved_optimum_has_gap_0(run, shop_file):
    """CP-SAT proves 7 on the small shop."""
    found = run("solve", shop_file, "--solver", "cp-sat", "--time-limit", 10, "--json").json
    assert (found["status"], found["objective"], found["lower_bound"], found["gap"]) == ("optimal", 7, 7, 0.0)


def test_a_schedule_below_a_published_bound_stays_a_schedule(run, shop_file, tmp_path):
    """A checked schedule that contradicts a reference file is written, with a warning instead of that file's values."""
    (tmp_path / "bounds.json").write_text('{"small": {"ub": 9, "lb": 9, "ub_source": "a slip"}}')
    for solver in ("cp-sat", "spt"):
        outcome = run("solve", shop_file, "--solver", solver, "--json", "--out", tmp_path / f"{solver}.csv")
        assert outcome.code == 0 and (tmp_path / f"{solver}.csv").exists()
        assert (outcome.json["status"], outcome.json["objective"]) == ("optimal", 7)
        assert outcome.json["best_known"] is None and outcome.json["gap_to_best_known"] is None
        assert "warning: the objective 7 lies below the published bound (a slip), 9" in outcome.err


def test_gap_to_best_known_is_a_fraction(run):
    """objective / best_known - 1, on a built-in instance whose optimum 1231 is known."""
    found = run("solve", "ta01", "--solver", "spt-twkr", "--json").json
    assert found["best_known"] == 1231
    assert found["gap_to_best_known"] == pytest.approx(found["objective"] / 1231 - 1)


def test_people_get_lines(run, shop_file):
    """Without --json the facts are told one per line."""
    shown = run("solve", shop_file, "--solver", "spt").out
    assert "objective" in shown and "checked       yes" in shown and "{" not in shown


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_the_schedule_written_is_valid(run, shop_file, tmp_path, suffix):
    """`verify` accepts what `solve --out` writes."""
    path = tmp_path / f"schedule{suffix}"
    assert run("solve", shop_file, "--solver", "spt", "--out", path).code == 0
    checked = run("verify", shop_file, path, "--json")
    assert checked.code == 0 and checked.json["valid"] is True


def test_the_picture_is_written(run, shop_file, tmp_path):
    """--plot writes a Gantt chart."""
    path = tmp_path / "new" / "p.svg"
    assert run("solve", shop_file, "--solver", "spt", "--plot", path).code == 0
    assert ElementTree.fromstring(path.read_text()).tag.endswith("svg")


def test_the_same_seed_gives_the_same_files(run, shop_file, tmp_path):
    """Everything but the clock repeats."""
    for name in ("a", "b"):
        run("solve", "ta01", "--solver", "random", "--seed", 3, "--out", tmp_path / f"{name}.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    run("solve", "ta01", "--solver", "random", "--seed", 4, "--out", tmp_path / "c.json")
    assert (tmp_path / "a.json").read_bytes() != (tmp_path / "c.json").read_bytes()


@pytest.mark.parametrize(("solver", "code", "status"), [("nothing", 4, "unknown"), ("never", 3, "infeasible")])
def test_exit_codes_without_a_schedule(run, shop_file, tmp_path, odd_solvers, solver, code, status):
    """3 infeasible, 4 none in time; numbers are null and no file is written."""
    outcome = run("solve", shop_file, "--solver", solver, "--json", "--out", tmp_path / "s.json")
    assert outcome.code == code
    assert outcome.json["status"] == status
    assert all(outcome.json[key] is None for key in ("objective", "gap", "best_known", "gap_to_best_known"))
    assert outcome.json["checked"] is False
    assert not (tmp_path / "s.json").exists()


def test_a_schedule_that_fails_the_checker_is_never_reported(run, shop_file, tmp_path, odd_solvers):
    """A solver's own claim counts for nothing."""
    outcome = run("solve", shop_file, "--solver", "wrong", "--json", "--out", tmp_path / "s.json")
    assert outcome.code == 1
    assert "invalid schedule" in outcome.err and outcome.out == ""
    assert not (tmp_path / "s.json").exists()


def test_a_place_that_cannot_be_written_is_refused_before_any_time_is_spent(run, shop_file, tmp_path, odd_solvers):
    """No result is computed only to be lost."""
    for place in (tmp_path / "file.txt" / "s.json", tmp_path / "folder.json"):
        (tmp_path / "file.txt").touch()
        (tmp_path / "folder.json").mkdir(exist_ok=True)
        outcome = run("solve", shop_file, "--solver", "wrong", "--json", "--out", place)
        assert outcome.code == 2 and outcome.out == "" and f"--out {place}: cannot be written" in outcome.err


def test_empty_names_are_refused(run, shop_file):
    """An empty word is not the default, nor the working folder."""
    assert "unknown solver ''" in run("solve", shop_file, "--solver", "").err
    assert "name of the instance is empty" in run("solve", "", "--solver", "spt").err


def test_a_broken_file_is_named_with_its_line(run, tmp_path):
    """File and line, exit code 2."""
    path = tmp_path / "bad.jsp"
    path.write_text("2 2\n0 3 1 2\n1 2 7 4\n")
    outcome = run("solve", path, "--solver", "spt")
    assert outcome.code == 2 and f"{path}:3:" in outcome.err


def test_salesmen_are_asked_for(run, tmp_path):
    """A TSPLIB file without a number of salesmen is refused with the remedy, and solved with it."""
    path = tmp_path / "line.tsp"
    path.write_text(
        "NAME: line\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 0 5\n3 5 0\nEOF\n"
    )
    assert run("solve", path, "--solver", "insertion").code == 2
    found = run("solve", path, "--solver", "insertion", "--agents", 2, "--json").json
    assert found["objective"] == pytest.approx(10.0) and found["tolerance"] > 0


def test_verify_lists_every_violation(run, shop_file, tmp_path):
    """Exit code 1, and each broken rule is told."""
    path = tmp_path / "claimed.csv"
    path.write_text("task,agent,start,end\n0,machine_0,0,3\n1,machine_1,0,2\n2,machine_1,0,2\n3,machine_0,0,4\n")
    outcome = run("verify", shop_file, path)
    assert outcome.code == 1
    assert outcome.out.splitlines()[0].startswith("violated") and len(outcome.out.splitlines()) >= 3


def test_verify_cannot_read_rubbish(run, shop_file, tmp_path):
    """Exit code 2 for a file that is no schedule."""
    path = tmp_path / "s.json"
    path.write_text("{")
    assert run("verify", shop_file, path).code == 2


DEFAULTS = {
    "jsp": (random_job_shop(3, 2, 0), "tuned"),
    "fjsp": (brandimarte_like(3, 2, 0), "tuned"),
    "mtsp": (random_multiple_tsp(6, 2, 0), "insertion"),
    "upms": (vallada_ruiz(5, 2, 9, 0), "insertion"),
    "machines with operators": (with_operators(vallada_ruiz(5, 2, 9, 0), 1, 0), "tuned"),
    "batch": (random_spark(3, 2, 0), "tuned"),
    "stream": (random_spark(3, 2, 0, interval=9000), "tuned"),
    "no family": (random_job_shop(3, 2, 0).replace(family="custom"), "pilot"),
}


RULE_AND_POLICY = ("weighted-fair", "tuned")


@pytest.mark.parametrize("case", DEFAULTS)
def test_without_a_solver_the_strongest_answers_at_once(run, tmp_path, case):
    """Without --solver a rule answers where rules are stronger, else `tuned`, or `pilot` without weights."""
    instance, solver = DEFAULTS[case]
    write_instance(instance, tmp_path / "i.json")
    assert run("solve", tmp_path / "i.json", "--json").json["solver"] == solver


def test_with_time_alone_auto_answers_where_it_can(monkeypatch):
    """Time is used by `auto`, if CP-SAT has a model."""
    assert command._default_solver(brandimarte_like(3, 2, 0), 10.0) == "auto"
    monkeypatch.setattr(command, "_has_exact_model", lambda instance: False)
    assert command._default_solver(brandimarte_like(3, 2, 0), 10.0) == "tuned"


@pytest.mark.parametrize("family", ["mtsp", "upms"])
def test_the_default_is_not_weaker_than_the_policies(family):
    """On generated instances the rule that answers is at least as good as `tuned` and `policy` are."""
    instances = [training_instance(family, 2**43 + 6 * number) for number in range(8)]
    means = {
        name: sum(get_solver(name)(instance, Budget(), 0).objective / lower_bound(instance) for instance in instances)
        for name in (command.STRONGEST_RULES[family], "tuned", "policy")
    }
    assert means[command.STRONGEST_RULES[family]] == min(means.values())


@pytest.mark.parametrize("kind", range(4), ids=["batches of 20", "batches", "streams", "piece by piece"])
def test_tuned_is_stronger_on_clusters(kind: int):
    """On generated Spark jobs of every kind in the recipe the policy that answers is better than the rule."""
    clusters = [training_instance("spark", 2**43 + 4 * number + kind) for number in range(6)]
    totals = {name: sum(get_solver(name)(one, Budget(), 0).objective for one in clusters) for name in RULE_AND_POLICY}
    assert totals["tuned"] < totals["weighted-fair"]


def test_the_seed_is_the_solvers(run, tmp_path):
    """`solve` and `evaluate` give the solver the seed that they are given, as a caller of the package does."""
    called = get_solver("random")(random_job_shop(6, 4, 1), Budget(samples=3), 11)
    write_instance(random_job_shop(6, 4, 1), tmp_path / "i.json")
    words = ("--solver", "random", "--samples", 3, "--seed", 11, "--out", tmp_path / "s.json")
    found = run("solve", tmp_path / "i.json", *words, "--json").json
    assert (found["objective"], found["seed"]) == (called.objective, 11)
    assert read_schedule(tmp_path / "s.json", random_job_shop(6, 4, 1)) == called.schedule


def test_shops_and_machines_are_grouped_by_size():
    """Reports average over instances of one size, as the literature does."""
    assert group_of(brandimarte_like(4, 3, 0)) == group_of(vallada_ruiz(4, 3)) == "4x3"
