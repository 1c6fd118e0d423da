"""The README quotes what was measured, and nothing else."""

from benchmarks.readme import BEGIN, END, README, block
from benchmarks.rows import Row, as_table, at_least, at_most, within
from marl.weights import load_shipped


def test_the_table_is_the_measured_one():
    """The results in the README are those in benchmarks/results."""
    shown = README.read_text().split(BEGIN)[1].split(END)[0]
    assert shown.strip() == block().strip()


def test_the_readme_says_that_messages_do_not_help_while_the_cards_do():
    """The sentence on the network follows the cards of the shipped weights."""
    helps = any(load_shipped("policy", family).card["messages"]["help"] for family in ("jsp", "mtsp"))
    assert ("adds nothing to `tuned` yet" in README.read_text()) is not helps


def test_bars_are_bars():
    """A number beyond its bar is a miss, and the table shows it."""
    assert at_most("a", 1.0, 1.0, "").passed
    assert not at_most("a", 1.01, 1.0, "").passed
    assert not at_least("a", 0.99, 1.0, "").passed
    assert within("a", 1.2, 1.0, 0.3, "").passed
    assert not within("a", 1.4, 1.0, 0.3, "").passed
    assert "| NO |" in as_table([Row("a", 2, "<= 1", False, "b")])
