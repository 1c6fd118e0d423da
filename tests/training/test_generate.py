"""``generate``, ``convert`` and ``list``."""

from __future__ import annotations

import json

import pytest

from marl.weights.store import shipped_names
from problems.families import FAMILIES
from problems.formats import FORMATS, read_instance
from solvers.local_search.solve import is_supported
from solvers.registry import SOLVERS


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_generates(run, tmp_path, family):
    """Distinct instances, the same for the same seed, others for another."""
    for name, seed in {"a": 7, "b": 7, "c": 8}.items():
        assert run("generate", family, "--count", 3, "--seed", seed, "--out", tmp_path / name).code == 0
    first = contents(tmp_path / "a")
    assert first == contents(tmp_path / "b") != contents(tmp_path / "c")
    assert len(set(first.values())) == 3
    assert all(read_instance(path).family == family for path in (tmp_path / "a").iterdir())


def test_sizes_are_obeyed(run, tmp_path):
    """--jobs, --machines, --cities and --salesmen."""
    run("generate", "jsp", "--count", 1, "--jobs", 4, "--machines", 3, "--out", tmp_path / "j")
    run("generate", "mtsp", "--count", 1, "--cities", 6, "--salesmen", 2, "--out", tmp_path / "m")
    shop = read_instance(next((tmp_path / "j").iterdir()))
    tour = read_instance(next((tmp_path / "m").iterdir()))
    assert (shop.num_jobs, shop.num_agents) == (4, 3)
    assert (tour.num_tasks, tour.num_agents) == (6, 2)


def test_known_optima_are_written_beside(run, tmp_path):
    """Instances with a known optimum come with a reference file, which a solver's row then shows."""
    out = tmp_path / "known"
    words = ("--kind", "known-optimum", "--jobs", 4, "--machines", 3)
    assert run("generate", "jsp", "--count", 2, *words, "--out", out).code == 0
    bounds = json.loads((out / "bounds.json").read_text())
    name, entry = next(iter(bounds.items()))
    found = run("solve", out / f"{name}.json", "--solver", "cp-sat", "--time-limit", 10, "--json").json
    assert found["best_known"] == entry["ub"] == found["objective"]


def test_formats_can_be_chosen(run, tmp_path):
    """--format writes another layout of the same instance."""
    for name, words in {"json": (), "jsplib": ("--format", "jsplib")}.items():
        run("generate", "jsp", "--count", 1, "--jobs", 3, "--machines", 2, *words, "--out", tmp_path / name)
    one, other = (next((tmp_path / name).iterdir()) for name in ("json", "jsplib"))
    assert one.suffix != other.suffix
    assert (read_instance(one).durations == read_instance(other).durations).all()


def test_convert_and_back(run, shop_file, tmp_path):
    """JSPLIB to JSON and back loses nothing that JSPLIB can say."""
    assert run("convert", shop_file, tmp_path / "small.json").code == 0
    assert run("convert", tmp_path / "small.json", tmp_path / "again.jsp").code == 0
    again = read_instance(tmp_path / "again.jsp")
    assert (again.durations == read_instance(shop_file).durations).all()


@pytest.mark.parametrize(
    ("family", "kind", "suffix"),
    [
        *(("fjsp", kind, ".fjs") for kind in FAMILIES["fjsp"].generators),
        ("upms", "random", ".upms"),
        ("upms", "random", ".txt"),
    ],
)
def test_machines_are_converted_and_back(run, tmp_path, family, kind, suffix):
    """What every kind generates goes through its text layout and back to the same file."""
    sizes = ("--jobs", 4, "--machines", 3)
    assert run("generate", family, "--kind", kind, "--count", 1, *sizes, "--out", tmp_path / "made").code == 0
    (made,) = (tmp_path / "made").iterdir()
    assert run("convert", made, tmp_path / f"{made.stem}{suffix}").code == 0
    assert run("convert", tmp_path / f"{made.stem}{suffix}", tmp_path / made.name, "--family", family).code == 0
    assert (tmp_path / made.name).read_text() == made.read_text()


@pytest.mark.parametrize(
    ("name", "text", "family", "message"),
    [
        ("a.fjs", "1 2\n1 1 1 5\n", "jsp", ".fjs stands for a flexible job shop"),
        ("a.fjs", "1 2\n1 1 1 5 2\n", None, "a.fjs:2: the line goes on with '2'"),
        ("a.txt", "1 4\n1 1 2 5\n", None, "several formats fit; name the family (--family)"),
        ("a.txt", "1 2\n0 5\n", "fjsp", "no known format of family 'fjsp'"),
        ("a.jsp", "1 2\n0 5 1 3\n", "upms", "no known format of family 'upms'"),
    ],
)
def test_a_family_that_does_not_fit_the_file_is_refused(run, tmp_path, name, text, family, message):
    """A file is never read as another problem than the one asked for, nor guessed; nothing is written."""
    (tmp_path / name).write_text(text)
    told = () if family is None else ("--family", family)
    outcome = run("convert", tmp_path / name, tmp_path / "x.json", *told)
    assert outcome.code == 2 and message in outcome.err
    assert not (tmp_path / "x.json").exists()


def test_convert_refuses_what_a_format_cannot_say(run, tmp_path):
    """A tour is no job shop; nothing is written."""
    run("generate", "mtsp", "--count", 1, "--cities", 4, "--salesmen", 2, "--out", tmp_path / "m")
    outcome = run("convert", next((tmp_path / "m").iterdir()), tmp_path / "x.jsp")
    assert outcome.code == 2 and not (tmp_path / "x.jsp").exists()


def test_what_solves_some_families_is_not_said_to_solve_all(run):
    """`list solvers` gives policies the families of the shipped weights, and local search those that it knows."""
    listed = {line.split()[0]: line for line in run("list", "solvers").out.splitlines()[2:]}
    for policy in ("tuned", "policy"):
        trained = {name.removeprefix(f"{policy}-") for name in shipped_names() if name.startswith(policy)}
        assert set(SOLVERS[policy].families) | {"universal"} == trained | {"universal"}
        assert "jsp fjsp mtsp upms spark" in listed[policy]
    assert "mtsp upms  " in listed["auction"] and shipped_names()[:2] == ["auction-mtsp", "auction-upms"]
    assert "jsp fjsp mtsp upms  " in listed["local-search"] and " all " in listed["pilot"]
    known = [name for name, family in FAMILIES.items() if is_supported(family.small_instance(0))]
    assert list(SOLVERS["local-search"].families) == known


def test_lists_name_everything(run):
    """Families, solvers and the 80 built-in instances with bounds."""
    assert all(name in run("list", "families").out for name in FAMILIES)
    assert all(name in run("list", "solvers").out for name in SOLVERS)
    shown = run("list", "instances").out
    assert len(shown.splitlines()) == 82 and "1231" in shown


@pytest.mark.parametrize(
    ("family", "words", "agents", "name"),
    [
        ("upms", ("--kind", "operators", "--jobs", 5, "--machines", 3, "--operators", 2, "--setup-high", 9), 3, "-w2"),
        ("spark", ("--kind", "fixed", "--jobs", 2, "--executors", 4, "--preset", "decima"), 4, "2x4"),
        ("fjsp", ("--kind", "edata", "--jobs", 3, "--machines", 4), 4, "edata"),
    ],
)
def test_options_of_families_are_obeyed(run, tmp_path, family, words, agents, name):
    """Operators, setups, presets and kinds arrive in the instance."""
    assert run("generate", family, "--count", 1, *words, "--out", tmp_path).code == 0
    (path,) = tmp_path.iterdir()
    instance = read_instance(path)
    assert instance.num_agents == agents and name in instance.name
    if family == "upms":
        assert instance.changeover.times.max() <= 9 and len(instance.resources.operator_serves) == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_every_listed_option_is_one_of_its_generators(run, tmp_path, family):
    """`list generators` names the options of each kind, and an option of another kind is refused by name."""
    lines = [line.split() for line in run("list", "generators").out.splitlines()[2:]]
    kinds = {kind: options for name, kind, *options in lines if name == family}
    assert list(kinds) == list(FAMILIES[family].generators)
    numbers = {"--jobs", "--machines", "--cities", "--salesmen", "--executors", "--setup-high", "--operators"}
    for option in sorted(numbers - set(kinds["random"])):
        outcome = run("generate", family, "--count", 1, option, 3, "--out", tmp_path / "none")
        assert outcome.code == 2 and f"{option} does not apply to {family} (random)" in outcome.err


def test_every_format_is_listed_with_its_families(run):
    """`list formats` names every format with its suffixes and the families whose files are in it."""
    lines = [line.split() for line in run("list", "formats").out.splitlines()[2:]]
    assert [line[0] for line in lines] == [str(name) for name in FORMATS]
    for family in FAMILIES.values():
        assert set(family.formats) == {line[0] for line in lines if family.name in line}


def test_an_option_of_another_kind_names_that_kind(run, tmp_path):
    """Operators are for the kind of parallel machines that has them, and the message says so."""
    outcome = run("generate", "upms", "--count", 1, "--operators", 2, "--out", tmp_path / "none")
    assert outcome.code == 2 and "leave it out, or choose --kind operators" in outcome.err
