"""Tables and bars for notebooks: HTML that needs no script, so that it also shows where a notebook is only viewed; and the
report's page, which needs one."""
from __future__ import annotations

import json
import os
import tempfile
from html import escape

_MOST_ROWS = 20

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
    return f"<div style='overflow-x:auto'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell(value):
    """numpy's numbers as Python's, so that integers stay integers; a NaN is no value."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return None if value != value else value


def columns(by_name, rows) -> str:
    """A table of columns. What is equal in all rows stands above it, once, so that the rest fits."""
    same, varied = {}, []
    for name, values in by_name.items():
        first = _cell(values[0]) if rows else None
        if rows > 1 and all(_cell(value) == first for value in values):
            same[name] = first
        else:
            varied.append(name)
    above = ", ".join(f"{escape(name.replace('_', ' '))} {escape(number(value))}" for name, value in same.items())
    shown = [[_cell(by_name[name][i]) for name in varied] for i in range(min(rows, _MOST_ROWS))]
    more = f"<p>… {rows - _MOST_ROWS} more rows</p>" if rows > _MOST_ROWS else ""
    return (f"<p>in all rows: {above}</p>" if above else "") + table(varied, shown) + more


def _settings(settings) -> str:
    return ", ".join(f"{key} {number(_cell(value))}" for key, value in settings.items())


def plan(data) -> str:
    """The best points of a study, the runner-up and the front, a row each."""
    best = data.get("best")
    if not best:
        missed = "; ".join(str(one.get("sentence", one)) if isinstance(one, dict) else str(one) for one in data["missed"])
        return f"<p>no point meets the limits{': ' if missed else ''}{escape(missed)}</p>"
    asked = [*best["objectives"], *best["constraints"]]
    heads = ["", "settings", *(one["figure"] for one in asked)]
    rows = [[name, _settings(one["settings"]), *(_cell(figure["value"]) for figure in [*one["objectives"], *one["constraints"]])]
            for name, one in (("best", best), ("runner-up", data.get("runner_up"))) if one]
    front = [["front", _settings(one["settings"]), *(_cell(figure["value"]) for figure in [*one["objectives"], *one["constraints"]])]
             for one in data.get("front") or []]
    sentence = (data.get("runner_up") or {}).get("sentence") or ""
    counts = f"{data['simulated']} of {data['points']} points simulated"
    return f"<p>{counts}</p>" + table(heads, rows + front[:_MOST_ROWS]) + (f"<p>{escape(sentence)}</p>" if sentence else "")


def fleet(data) -> str:
    """A row a kind of board, the cheapest first as the answer has them."""
    heads = ["device", "boards", "cameras a board", "power, W", "p99 ms", "price", "settings"]
    rows = [[one["device"], one["boards"], one["cameras_per_board"], one["power_w"], one["latency_ms_p99"], one["price"],
             f"power_mode {one['power_mode']}, {_settings(one['settings'])}"] for one in data["choices"]]
    return f"<p>{data['cameras']} cameras at {number(data['rate'])} /s</p>" + table(heads, rows)


class Page:
    """A page as HTML text, `html`, that a notebook shows in place and `save` writes."""

    def __init__(self, html: str, height: int):
        self.html = html
        self.height = height

    def save(self, path) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" title="report" width="100%" height="{self.height}" style="border:0"></iframe>'


def of_result(call, result, folder, height, progress) -> Page:
    """The report's page of a result; `call` runs the command."""
    scenario = dict(result["resolved"])
    device = scenario["device"]
    if os.sep in device or device.endswith((".yaml", ".yml")):
        scenario["device"] = os.path.abspath(os.path.join(folder, device))
    pi90 = any(one["throughput"].get("pi90") for one in result["processes"])
    with tempfile.TemporaryDirectory() as directory:
        written, html = os.path.join(directory, "scenario.yaml"), os.path.join(directory, "page.html")
        with open(written, "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        call(["run", written, "--format", "json", "--html", html, *(["--interval"] if pi90 else [])], progress, good=(0, 3))
        with open(html, encoding="utf-8") as file:
            return Page(file.read(), height)


def plot(result, axes=None):
    """Two axes of matplotlib: images/s with intervals, and shares of time."""
    import matplotlib.pyplot

    processes = [one for one in result["processes"] if one["status"] == "ok" and one["throughput"]["mean"] is not None]
    if axes is None:
        _, axes = matplotlib.pyplot.subplots(1, 2, figsize=(11, 1.4 + 0.45 * len(processes)), sharey=True,
                                             width_ratios=[2, 3], layout="constrained")
    speed, time = axes
    labels = [f"{one['index']} {one.get('name') or one['model']}" for one in processes]
    at = range(len(labels))
    means = [one["throughput"]["mean"] for one in processes]
    spans = [one["throughput"].get("ci95") or [mean, mean] for one, mean in zip(processes, means)]
    speed.barh(at, means, color=_COLOURS[0], capsize=3,
               xerr=[[max(mean - low, 0) for mean, (low, _) in zip(means, spans)],
                     [max(high - mean, 0) for mean, (_, high) in zip(means, spans)]])
    speed.set_yticks(list(at), labels)
    speed.invert_yaxis()
    speed.set_xlabel("images/s")
    names = list(processes[0]["time_share"]) if processes else []
    left = [0.0] * len(labels)
    for index, name in enumerate(names):
        wide = [100 * (one["time_share"].get(name) or 0) for one in processes]
        if max(wide) < 0.05:
            continue
        time.barh(at, wide, left=left, color=_COLOURS[index % len(_COLOURS)], label=name.replace("_", " "))
        left = [before + one for before, one in zip(left, wide)]
    time.set_xlabel("% of the time")
    if time.get_legend_handles_labels()[0]:
        time.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")
    return axes


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
