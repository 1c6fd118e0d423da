"""The examples of the pages on file formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from problems.formats import Format, Source, parse_instance

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLES = [
    (page, kind, text)
    for page in ("formats.md", "instance-json.md")
    for kind, text in re.findall(r"^```(\w+)\n(.*?)^```$", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize(("page", "kind", "text"), EXAMPLES, ids=[f"{page}-{kind}" for page, kind, _ in EXAMPLES])
def test_every_example_is_read(page: str, kind: str, text: str) -> None:
    """What the documentation shows is recognised as the format that it names and is a valid instance."""
    assert Format.detect(Source(None, text)) is Format(kind)
    assert parse_instance(Source(None, text)).num_tasks > 0


def test_every_text_format_has_an_example() -> None:
    """No format is left out of the page."""
    shown = {kind for page, kind, _ in EXAMPLES if page == "formats.md"}
    assert shown == {str(name) for name in Format if name is not Format.SPARK_JSON}
