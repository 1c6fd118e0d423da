"""Colours that stay apart from each other, on screen and in print."""

from __future__ import annotations

import colorsys

BASE = (
    "#3366aa", "#e8742c", "#3a9a5b", "#c43c48", "#8a63b8", "#d9a514", "#2fa6b5", "#d465a3", "#7d5a44", "#8fb43a",
    "#5b8ff0", "#a83279", "#1f6f5c", "#f08d7e", "#5d5fa8", "#b08a3e", "#63c08f", "#963d2b", "#9aa7d6", "#5f7a1f",
)  # fmt: skip
"""Twenty hues of similar weight; neighbours in the list are far apart."""

GOLDEN_ANGLE = 0.381966
LIGHTNESS = (0.42, 0.58, 0.70, 0.34)


def color(index: int) -> str:
    """Colour of the series or job ``index``; beyond twenty the hue turns by the golden angle."""
    if index < len(BASE):
        return BASE[index]
    hue = (index * GOLDEN_ANGLE) % 1.0
    red, green, blue = colorsys.hls_to_rgb(hue, LIGHTNESS[index % len(LIGHTNESS)], 0.55)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def luminance(hexadecimal: str) -> float:
    """Relative luminance of a colour ``#rrggbb``, 0 (black) to 1 (white), as the accessibility guidelines define it."""
    channels = [int(hexadecimal[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink(background: str) -> str:
    """Black or white, whichever is easier to read on ``background``."""
    return "#111111" if luminance(background) > 0.3 else "#ffffff"
