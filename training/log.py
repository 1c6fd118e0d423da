"""Messages and progress, on stderr only."""

from __future__ import annotations

import sys
from typing import TextIO

BAR = 28


def say(message: str) -> None:
    """Print one line for people on stderr."""
    print(message, file=sys.stderr, flush=True)


class Progress:
    """A bar on a terminal, a log line per step otherwise.

    Parameters
    ----------
    total
        Number of steps.
    stream
        Where to write; stderr if None.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total, self.done = total, 0
        self.stream = stream if stream is not None else sys.stderr
        self.live = self.stream.isatty()

    def step(self, message: str) -> None:
        """Count one finished step, described by ``message``."""
        self.done += 1
        if self.live:
            filled = BAR * self.done // max(self.total, 1)
            bar = "#" * filled + "." * (BAR - filled)
            self.stream.write(f"\r\x1b[K[{bar}] {self.done}/{self.total} {message[:60]}")
        else:
            self.stream.write(f"{self.done}/{self.total} {message}\n")
        self.stream.flush()

    def close(self) -> None:
        """End the bar's line."""
        if self.live and self.done:
            self.stream.write("\n")
            self.stream.flush()
