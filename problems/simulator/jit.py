"""The one decorator for compiled code.

Numba's cache does not see that a *callee* in another module has changed. So the cache folder is keyed by a
hash of all compiled sources: after any edit everything is compiled anew, and a stale result cannot be loaded.
The folder lies in the user's cache, so the package itself may be read-only.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

COMPILED_PACKAGES = ("problems", "graphs", "solvers", "marl")
MARKER = b"problems.simulator.jit import"
IMPORT = re.compile(rb"^\s*from ((?:problems|graphs|solvers|marl)[\w.]*) import", re.MULTILINE)

_njit: Any = numba.njit  # its type stub does not list `_nrt`

F = TypeVar("F", bound=Callable[..., Any])


def compiled_sources(root: Path) -> list[Path]:
    """Source files under ``root`` that use the decorator, and all that these import, in a fixed order.

    Compiled code holds the constants that it reads, and those may lie in modules that compile nothing.
    """
    files = [path for package in COMPILED_PACKAGES for path in (root / package).rglob("*.py")]
    found = {path: path.read_bytes() for path in files}
    waiting = [path for path, source in found.items() if MARKER in source]
    chosen = set(waiting)
    while waiting:
        for module in IMPORT.findall(found[waiting.pop()]):
            path = _file_of(root, module.decode())
            if path in found and path not in chosen:
                chosen.add(path)
                waiting.append(path)
    return sorted(chosen)


def _file_of(root: Path, module: str) -> Path:
    place = root.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def source_hash(root: Path) -> str:
    """Hash of all compiled sources under ``root``."""
    digest = hashlib.sha256()
    for path in compiled_sources(root):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Folder of compiled code for the present sources (``MAKESPAN_CACHE_DIR``, else the user's cache)."""
    base = os.environ.get("MAKESPAN_CACHE_DIR")
    if base is None:
        base = str(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "makespan")
    folder = Path(base) / source_hash(Path(__file__).resolve().parents[2])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK)
    except OSError:
        usable = False
    return folder if usable else Path(tempfile.gettempdir()) / "makespan" / folder.name


def is_cold() -> bool:
    """Whether nothing has been compiled for the present sources yet."""
    folder = cache_folder()
    return not folder.exists() or not any(folder.rglob("*.nbi"))


def jit(function: F) -> F:
    """Compile ``function`` (no Python objects, no GIL, cached); a plain function under ``NUMBA_DISABLE_JIT=1``.

    Compiled code allocates no arrays and counts no references: passing tuples of arrays from function to function
    would otherwise cost an atomic operation per array and call, more than the work itself (docs/decisions/0002).
    """
    return _compile(function)


def inlined(function: F) -> F:
    """Compile ``function`` into each of its callers.

    For small functions of hot loops: passing named tuples of arrays to them costs more than what they do.
    """
    return _compile(function, inline="always")


def _compile(function: F, **options: Any) -> F:
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(cache_folder())
    try:
        return _njit(cache=True, nogil=True, error_model="numpy", _nrt=False, **options)(function)
    finally:
        settings.CACHE_DIR = before
