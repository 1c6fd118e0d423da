"""Calls of compiled functions without the cost of finding out what their arguments are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import numba
import numpy as np

_ENTRIES: dict[Hashable, Callable[..., Any]] = {}


def bound(function: Callable[..., Any], arrays: tuple[Any, ...], rest: tuple[Any, ...]) -> Callable[..., Any]:
    """``function`` with ``arrays`` as its first arguments, to be called with arguments of the types of ``rest``.

    A jitted function looks at the type of every array in every call. For the few dozen arrays of a problem and its
    state that takes several times as long as a step of the simulator. So it is done once, here, and the machine code
    is called directly (under ``NUMBA_DISABLE_JIT=1`` the plain function).
    """
    return partial(_entry(function, (*arrays, *rest)), *arrays)


def _entry(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Machine code of ``function`` for the types of ``arguments``; found once per process and kind of arguments."""
    key = (function, _kind(arguments))
    if key not in _ENTRIES:
        if hasattr(function, "compile"):
            _ENTRIES[key] = function.compile(tuple(numba.typeof(argument) for argument in arguments))
        else:
            _ENTRIES[key] = function
    return _ENTRIES[key]


def _kind(argument: Any) -> Hashable:
    """All that the machine code takes for granted."""
    if isinstance(argument, np.ndarray):
        return argument.dtype.str, argument.ndim, argument.flags.c_contiguous, argument.flags.writeable
    if isinstance(argument, tuple):
        return type(argument), *map(_kind, argument)
    return type(argument).__name__
