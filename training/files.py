"""Files that appear whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from training.options import OptionError


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` so that a reader finds the old file or the new one, never a part."""
    produce_whole(path, lambda target: target.write_text(text, encoding="utf-8", newline="\n"))


def produce_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file beside ``path``, then move it there in one step.

    The temporary file has the suffix of ``path``, since writers choose their format by it.

    Raises
    ------
    OptionError
        If the file cannot be written.
    """
    try:
        make_folder(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            write(temporary)
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OptionError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def make_folder(path: Path) -> Path:
    """Make a folder and its parents; an error names the folder."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{path}: cannot be made a folder ({error.strerror}); choose another place") from None
    return path


def to_json(value: Any, indent: int | None = 2) -> str:
    """Strict JSON with a final line end; NaN and infinities are refused."""
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """CSV with a header; None is an empty cell, nested values are JSON, true and false are lower case."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return target.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        return json.dumps(value, allow_nan=False)
    return str(value)
