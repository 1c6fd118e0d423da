"""Small pieces of HTML: everything that is not markup is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

STYLE = """
:root { color-scheme: light; --ink: #1c1f23; --soft: #5d6670; --line: #dfe3e8; --accent: #3366aa; --bad: #a3212e; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: #fff; line-height: 1.5;
  font: 16px/1.5 "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 64px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 1.2rem; margin: 44px 0 8px; padding-top: 10px; border-top: 2px solid var(--ink); }
h3 { font-size: 1rem; margin: 24px 0 6px; }
p { margin: 6px 0 10px; max-width: 75ch; }
.soft, figcaption { color: var(--soft); font-size: 0.87rem; }
.scroll { overflow-x: auto; margin: 10px 0 18px; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: baseline; }
thead th { border-bottom: 1.5px solid var(--ink); font-weight: 600; white-space: nowrap; }
td:first-child { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.best { font-weight: 700; }
td.bad, .bad { color: var(--bad); }
tr.total td { border-top: 1.5px solid var(--ink); font-weight: 600; }
figure { margin: 14px 0 26px; }
figure .scroll { margin: 0; }
figure svg { display: block; width: 100%; min-width: 520px; height: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 470px), 1fr)); gap: 0 24px; }
.grid figure { min-width: 0; }
.grid figure svg { min-width: 440px; }
code { font: 0.85rem ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
pre { background: #f5f6f8; padding: 10px 12px; border-radius: 4px; white-space: pre-wrap; margin: 6px 0; }
@media (max-width: 600px) { main { padding: 18px 14px 40px; } h1 { font-size: 1.4rem; } th, td { padding-right: 9px; } }
@media print { main { max-width: none; padding: 0; } figure, tr { break-inside: avoid; } .scroll { overflow: visible; }
  figure svg { min-width: 0; } h2 { break-after: avoid; } body { font-size: 11pt; } }
"""


class Cell:
    """A table cell: text, and how it is set.

    Parameters
    ----------
    text
        Shown as it is; None is an empty cell.
    kind
        Words among ``number``, ``best``, ``bad``.
    """

    def __init__(self, text: object, kind: str = "") -> None:
        self.text = "" if text is None else str(text)
        self.kind = kind

    def render(self, tag: str = "td") -> str:
        """The cell as HTML."""
        kind = f' class="{self.kind}"' if self.kind else ""
        return f"<{tag}{kind}>{escape(self.text)}</{tag}>"


def number(text: object, kind: str = "") -> Cell:
    """A cell set to the right."""
    return Cell(text, f"number {kind}".strip())


def table(head: Sequence[Cell], rows: Sequence[Sequence[Cell]], caption: str = "", total: bool = False) -> str:
    """A table that scrolls sideways where the page is narrow; ``total`` sets the last row apart."""
    above = paragraph(caption, "soft") if caption else ""
    lines = ["<thead><tr>" + "".join(cell.render("th") for cell in head) + "</tr></thead><tbody>"]
    for position, row in enumerate(rows):
        last = ' class="total"' if total and position == len(rows) - 1 else ""
        lines.append(f"<tr{last}>" + "".join(cell.render() for cell in row) + "</tr>")
    return above + '<div class="scroll"><table>' + "\n".join(lines) + "</tbody></table></div>"


def figure(svg: str, caption: str) -> str:
    """A picture with a line below it."""
    return f'<figure><div class="scroll">{svg}</div><figcaption>{escape(caption)}</figcaption></figure>'


def grid(parts: Sequence[str]) -> str:
    """Figures side by side where the page is wide enough."""
    return f'<div class="grid">{"".join(parts)}</div>' if parts else ""


def section(title: str, *parts: str) -> str:
    """A heading and what follows; nothing if there is nothing."""
    body = "\n".join(part for part in parts if part)
    return f"<section><h2>{escape(title)}</h2>\n{body}\n</section>" if body else ""


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def page(title: str, *parts: str) -> str:
    """A whole page that needs nothing from outside."""
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )
