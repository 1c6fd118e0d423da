"""A small SVG writer: numbers are rounded, text is escaped, nothing else is clever."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

FONT = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, Liberation Sans, sans-serif"

Point = tuple[float, float]


def number(value: float) -> str:
    """Write a coordinate with at most two decimals and no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def text_width(text: str, size: float) -> float:
    """Estimate the width of ``text`` in a proportional sans-serif font of ``size`` pixels."""
    narrow = sum(character in "iljtfr.,:;|'()[] 1" for character in text)
    wide = sum(character in "mwMW@%" for character in text)
    return size * (0.58 * (len(text) - narrow - wide) + 0.34 * narrow + 0.88 * wide)


def _attributes(values: dict[str, object]) -> str:
    """Write keyword arguments as XML attributes: ``stroke_width=2`` becomes ``stroke-width="2"``."""
    parts = []
    for name, value in values.items():
        if value is None:
            continue
        text = number(value) if isinstance(value, int | float) else str(value)
        parts.append(f" {name.strip('_').replace('_', '-')}={quoteattr(text)}")
    return "".join(parts)


class Drawing:
    """An SVG picture of ``width`` x ``height`` pixels, filled by its methods and written by `render`.

    Parameters
    ----------
    width, height
        Size in pixels; the picture scales with its container.
    label
        What the picture shows, for people who do not see it.
    """

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []
        self._definitions: list[str] = []

    def element(self, tag: str, content: str | None = None, tip: str | None = None, **values: object) -> None:
        """Append an element; ``content`` is escaped text, ``tip`` is shown when the mouse rests on it."""
        inner = (f"<title>{escape(tip)}</title>" if tip else "") + (escape(content) if content else "")
        self._parts.append(
            f"<{tag}{_attributes(values)}>{inner}</{tag}>" if inner else f"<{tag}{_attributes(values)}/>"
        )

    def define(self, markup: str) -> None:
        """Add raw markup (a pattern, a marker) to the definitions."""
        self._definitions.append(markup)

    def rect(self, x: float, y: float, width: float, height: float, **values: object) -> None:
        """Append a rectangle."""
        self.element("rect", x=x, y=y, width=max(width, 0.0), height=max(height, 0.0), **values)  # type: ignore[arg-type]

    def line(self, start: Point, end: Point, **values: object) -> None:
        """Append a straight line."""
        self.element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **values)  # type: ignore[arg-type]

    def polyline(self, points: Iterable[Point], closed: bool = False, **values: object) -> None:
        """Append a line through ``points``, closed to a polygon if asked."""
        joined = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        values.setdefault("fill", "none")
        self.element("polygon" if closed else "polyline", points=joined, **values)  # type: ignore[arg-type]

    def circle(self, center: Point, radius: float, **values: object) -> None:
        """Append a circle."""
        self.element("circle", cx=center[0], cy=center[1], r=radius, **values)  # type: ignore[arg-type]

    def text(self, at: Point, content: str, size: float = 12, **values: object) -> None:
        """Append one line of text; ``anchor="middle"`` or ``"end"`` aligns it."""
        anchor = values.pop("anchor", None)
        values.setdefault("fill", "#222")
        self.element("text", content, x=at[0], y=at[1], font_size=size, text_anchor=anchor, **values)  # type: ignore[arg-type]

    def render(self) -> str:
        """Write the picture as one self-contained SVG element."""
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        box = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" font-family={quoteattr(FONT)}'
            f" aria-label={quoteattr(self.label)}>"
        )
        definitions = f"<defs>{''.join(self._definitions)}</defs>" if self._definitions else ""
        background = f'<rect {size} fill="#fff"/>'
        return "\n".join([head, definitions + background, *self._parts, "</svg>"]) + "\n"
