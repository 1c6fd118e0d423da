"""From words to instances."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_schedules import shop, square

from problems.formats import write_instance
from training.instances import expand, find
from training.options import OptionError

TSP = """NAME: square
TYPE: TSP
DIMENSION: 4
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 0 3
3 4 3
4 4 0
EOF
"""


def names(*words: str) -> list[str]:
    return [source.name for source in expand(words)]


def test_ranges_keep_their_digits():
    """ta08-ta11 names four instances, and the prefix may be left out behind the dash."""
    assert names("ta08-ta11") == names("ta08-11") == ["ta08", "ta09", "ta10", "ta11"]


def test_built_in_instances_are_generated():
    """A name loads the generated instance, without any file."""
    instance = find("ta01").load()
    assert (instance.name, instance.num_jobs, instance.num_agents) == ("ta01", 15, 15)


@pytest.mark.parametrize("word", ["ta81", "ta00", "la01", "nothing.jsp", "ta10-ta09"])
def test_words_that_name_nothing_are_refused(word):
    """A misspelt name is an error before anything runs."""
    with pytest.raises(OptionError):
        expand([word])


@pytest.mark.parametrize(("family", "agents", "message"), [("mtsp", None, "job shop"), (None, 3, "leave --agents out")])
def test_contradictions_are_refused(family, agents, message):
    """A built-in job shop has neither another family nor another number of machines."""
    with pytest.raises(OptionError, match=message):
        find("ta01", family, agents).load()


def test_a_file_wins_over_a_name(tmp_path, monkeypatch):
    """A file called ta01 is read rather than generated."""
    monkeypatch.chdir(tmp_path)
    Path("ta01").write_text("1 1\n0 5\n")
    assert find("ta01").load().num_jobs == 1


def test_a_folder_gives_its_instances_in_natural_order(tmp_path, capsys):
    """Reference files and other JSON are no instances; 9 comes before 10."""
    for name in ("shop10", "shop9"):
        write_instance(shop(name), tmp_path / f"{name}.json")
    for name in ("bounds.json", "x_best_known.json", "index.json", "notes.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "README.md").write_text("words")
    assert names(str(tmp_path)) == ["shop9", "shop10"]
    assert "notes.json: passed over" in capsys.readouterr().err


def test_a_broken_file_of_a_folder_stays_in_the_list(tmp_path):
    """What looks like an instance and cannot be read becomes an error row, not a gap in the table."""
    (tmp_path / "broken.jsp").write_text("2 2\n0 1\n")
    assert names(str(tmp_path)) == ["broken"]


def test_an_empty_folder_is_an_error(tmp_path):
    """Nothing to do is not a success."""
    with pytest.raises(OptionError, match="names no instance"):
        expand([str(tmp_path)])


def test_listed_numbers_of_salesmen_make_one_row_each(tmp_path):
    """A reference file one level up lists with how many salesmen a file is solved, each number once."""
    folder = tmp_path / "mtsp"
    folder.mkdir()
    (folder / "square.tsp").write_text(TSP)
    (folder / "other.tsp").write_text(TSP)
    listed = [{"file": "mtsp/square.tsp", "m": m, "ub": 12.0} for m in (3, 2, 2)]
    entries = {f"entry{number}": entry for number, entry in enumerate(listed)}
    (tmp_path / "small_best_known.json").write_text(json.dumps({"instances": entries}))
    assert [(source.name, source.agents) for source in expand([str(folder)])] == [("square", 2), ("square", 3)]
    assert [source.agents for source in expand([str(folder / "square.tsp")])] == [2, 3]


def test_numbers_of_salesmen_that_are_asked_for_replace_the_listed_ones(tmp_path):
    """--agents overrides the reference file."""
    (tmp_path / "square.tsp").write_text(TSP)
    sources = expand([str(tmp_path)], "mtsp", (1, 4))
    assert [source.agents for source in sources] == [1, 4]
    assert [source.load().num_agents for source in sources] == [1, 4]


def test_our_json_knows_its_salesmen(tmp_path):
    """A file that holds the number of salesmen needs no option."""
    write_instance(square(2), tmp_path / "square.json")
    assert find(str(tmp_path / "square.json")).load() == square(2)
