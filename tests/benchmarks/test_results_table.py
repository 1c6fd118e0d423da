"""The README quotes what was measured, and nothing else."""

import re

from benchmarks.readme import BEGIN, END, README, block
from benchmarks.rows import Row, as_table, at_least, at_most, within
from marl.weights import load_shipped


def test_the_table_is_the_measured_one():
    """The results in the README are those in benchmarks/results."""
    shown = README.read_text().split(BEGIN)[1].split(END)[0]
    assert shown.strip() == block().strip()


IN_WORDS = {
    "flexible shops": "fjsp",
    "parallel machines": "upms",
    "job shops": "jsp",
    "routes": "mtsp",
    "Spark": "spark",
}


def test_the_readme_says_where_messages_help():
    """The sentence on the network names the families whose cards say that messages help, and no others."""
    text = " ".join(README.read_text().split())
    sentence = re.search(r"The network of `policy` earns its keep on ([^:]*):", text)
    assert sentence is not None
    named = {IN_WORDS[words.strip()] for words in re.split(",| and ", sentence[1])}
    assert named == {name for name in IN_WORDS.values() if load_shipped("policy", name).card["messages"]["help"]}


def test_bars_are_bars():
    """A number beyond its bar is a miss, and the table shows it."""
    assert at_most("a", 1.0, 1.0, "").passed
    assert not at_most("a", 1.01, 1.0, "").passed
    assert not at_least("a", 0.99, 1.0, "").passed
    assert within("a", 1.2, 1.0, 0.3, "").passed
    assert not within("a", 1.4, 1.0, 0.3, "").passed
    assert "| NO |" in as_table([Row("a", 2, "<= 1", False, "b")])
