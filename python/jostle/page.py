"""Tables and bars for notebooks: HTML that needs no script, so that it also shows where a notebook is only viewed."""
from __future__ import annotations

from html import escape

_COLOURS = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e",
            "#9498a0", "#b4b4b4", "#d9d9d9"]


def number(value, digits=5) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        text = f"{value:.{digits}g}"
        return f"{float(text):g}" if "e" in text else text
    return str(value)


def table(heads, rows) -> str:
    """Cells are text; those of a row that is a number are set to the right."""
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = ""
    for row in rows:
        body += "<tr>" + "".join(
            f"<td style='text-align:{'right' if not isinstance(one, str) else 'left'}'>{escape(number(one))}</td>"
            for one in row) + "</tr>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shares(bars) -> str:
    """A stacked bar for each (label, {name: share from 0 to 1}), with a legend of what is there."""
    names = [name for name in next(iter(bars))[1]] if bars else []
    used = [name for name in names if any((share.get(name) or 0) >= 0.0005 for _, share in bars)]
    colour = {name: _COLOURS[names.index(name) % len(_COLOURS)] for name in used}
    width, height, left = 560, 18, 150
    svg = ""
    for index, (label, share) in enumerate(bars):
        y, x = index * (height + 6), float(left)
        svg += (f"<text x='{left - 6}' y='{y + 13}' text-anchor='end' font-size='12' fill='currentColor'>"
                f"{escape(label[:22])}</text>")
        for name in used:
            wide = (share.get(name) or 0) * width
            svg += (f"<rect x='{x:.1f}' y='{y}' width='{wide:.1f}' height='{height}' fill='{colour[name]}'>"
                    f"<title>{escape(name.replace('_', ' '))} {100 * (share.get(name) or 0):.1f} %</title></rect>")
            x += wide
    tall = len(bars) * (height + 6)
    legend = " ".join(
        f"<span style='white-space:nowrap'><span style='color:{colour[name]}'>■</span> "
        f"{escape(name.replace('_', ' '))}</span>" for name in used)
    return (f"<svg role='img' aria-label='where each process&#39;s time went' width='100%' style='max-width:{left + width}px'"
            f" viewBox='0 0 {left + width} {tall}'>{svg}</svg><div style='font-size:85%'>{legend}</div>")
