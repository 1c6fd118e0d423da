"""From dataclasses to a command line, configuration files, and back."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from training.commands.arguments import COMMANDS, EvaluateOptions, TrainConfig
from training.options import OptionError, add_options, as_json, option, resolve


@dataclass(frozen=True)
class _Options:
    name: str = option("a name", positional=True)
    count: int = option("a number", 3, minimum=1, maximum=99)
    rate: float | None = option("a rate", None)
    words: tuple[str, ...] = option("words", ())
    color: str = option("a colour", "red", choices=("red", "blue"))
    loud: bool = option("noise", False)
    config: Path | None = option("file", None)  # noqa: RUF009 - returns a dataclass field


def parse(*arguments: str) -> _Options:
    parser = argparse.ArgumentParser()
    add_options(parser, _Options)
    return resolve(_Options, vars(parser.parse_args(arguments)))


def test_defaults_hold_where_nothing_is_given():
    """A field's default is the option's default."""
    assert parse("x") == _Options("x", 3, None, (), "red", False, None)


def test_words_may_be_separated_by_commas_and_blanks():
    """Lists can be typed either way."""
    assert parse("x", "--words", "a,b", "c").words == ("a", "b", "c")


def test_the_command_line_overrides_the_configuration(tmp_path):
    """Default, then file, then command line."""
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"count": 5, "rate": 2, "loud": True}))
    options = parse("x", "--config", str(path), "--count", "7")
    assert (options.count, options.rate, options.loud) == (7, 2.0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--count", "0"], "must be at least 1"),
        (["--count", "100"], "must be at most 99"),
        (["--count", "1.5"], "expected a whole number"),
        (["--rate", "nan"], "finite"),
        (["--rate", "inf"], "finite"),
        (["--color", "green"], "red, blue"),
    ],
)
def test_bad_values_are_refused_by_name(arguments, message):
    """The message names the option and the rule."""
    with pytest.raises(OptionError, match=message) as refused:
        parse("x", *arguments)
    assert arguments[0] in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"cuont": 3}', "unknown option 'cuont'"),
        ('{"count": "3"}', "expected int"),
        ('{"count": true}', "expected int"),
        ('{"count": 0}', "must be at least 1"),
        ('{"count": 100}', "must be at most 99"),
        ('{"rate": Infinity}', "finite"),
        ('{"config": "other.json"}', "unknown option 'config'"),
        ("[1]", "expected a JSON object"),
        ('{"count": \n', ":2: not valid JSON"),
    ],
)
def test_bad_configurations_are_refused_by_file(tmp_path, text, message):
    """Unknown keys, other types and broken files are errors that name what is wrong."""
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(OptionError, match=message):
        parse("x", "--config", str(path))


def test_a_missing_configuration_is_an_error(tmp_path):
    """A file that is not there is not passed over."""
    with pytest.raises(OptionError, match="cannot be read"):
        parse("x", "--config", str(tmp_path / "none.json"))


def test_a_missing_value_is_named():
    """What has no default must be given, on the command line or in the configuration."""
    with pytest.raises(OptionError, match="--solvers is missing"):
        resolve(EvaluateOptions, {"instances": ["ta01"]})


def test_the_resolved_configuration_can_be_read_back(tmp_path):
    """What is saved beside the results is a configuration that gives the same options."""
    options = resolve(TrainConfig, {"family": "jsp", "out": "there", "minutes": "0.5"})
    path = tmp_path / "config.json"
    path.write_text(json.dumps(as_json(options)))
    again = resolve(TrainConfig, {"config": str(path)})
    assert as_json(again) == as_json(options)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name):
    """--help explains every option of every command."""
    parser = argparse.ArgumentParser()
    add_options(parser, COMMANDS[name].options)
    assert all(action.help for action in parser._actions)
