"""What jostle answers: `Result` of a run, `Table` of a sweep, and the others, which are records."""
from __future__ import annotations

import json
from typing import List

from . import page
from .record import Record, Records, wrap


class Answer(Record):
    """A record with the JSON text that the command prints for it, to the byte: `json`."""

    __slots__ = ("json",)

    def __init__(self, text: str):
        object.__setattr__(self, "json", text)

    def __getattr__(self, name):
        if name == "_data":  # parsed at the first access
            data = json.loads(self.json)
            object.__setattr__(self, "_data", data)
            return data
        return super().__getattr__(name)

    def __getstate__(self):
        return self.json

    def __setstate__(self, state):
        object.__setattr__(self, "json", state)


class Result(Answer):
    """The answer to a scenario (docs/result.md): `processes`, one each with `throughput` (images/s), `latency_ms`,
    `time_share`, …, and `system` with `power_w`, `gpu`, `cpu`, `memory`, …"""

    __slots__ = ()

    def _name(self, process: dict) -> str:
        return f"{process['index']} {process.get('name') or process['model']}"

    def _repr_html_(self) -> str:
        data = self.to_dict()
        processes, system = data["processes"], data["system"]
        rows = []
        for one in processes:
            latency = one["latency_ms"]
            rows.append([one["index"], one.get("name") or one["model"], one["precision"] or "", one["batch"],
                         one["runtime"] or "", _mean(one["throughput"]), _half(one["throughput"].get("ci95")),
                         latency["p50"], latency["p90"], latency["p99"], one["grade"] if one["status"] == "ok" else one["status"]])
        heads = ["#", "process", "prec", "batch", "runtime", "images/s", "±95 %", "p50 ms", "p90 ms", "p99 ms", "grade"]
        board = [["power, W", system["power_w"]["mean"]], ["energy, mJ/image", system["energy_per_image_mj"]],
                 ["images/s in all", system["throughput"]["mean"]], ["GPU busy, share", system["gpu"]["busy"]],
                 ["GPU clock, MHz", system["gpu"]["clock_mhz"]], ["busy cores", system["cpu"]["busy_cores"]],
                 ["memory, MB", system["memory"]["used_mb"]], ["limited by", system["limited_by"]]]
        bars = [(self._name(one), one["time_share"]) for one in processes
                if any(share is not None for share in one["time_share"].values())]
        title = f"<p><b>{page.escape(data['scenario'])}</b>: {page.escape(data['device'])}, seed {data['seed']}</p>"
        charts = "<p>where each process's time went</p>" + page.shares(bars) if bars else ""
        notes = "".join(f"<p>{page.escape(note)}</p>" for note in data["warnings"])
        return title + page.table(heads, rows) + charts + page.table(["board", ""], board) + notes


class Table:
    """The points of a study, in their order. Columns are numpy arrays (NaN: no figure) or, for words, lists of str:
    `table["batch"]`, `table["throughput"]`; their names are those of `jostle query` (docs/studies.md), with units."""

    def __init__(self, swept: dict):
        self._columns = swept["columns"]
        self._lines: List[str] = swept["lines"]
        self.computed: int = swept["computed"]
        self.reused: int = swept["reused"]
        self.infeasible: int = swept["infeasible"]
        self.not_supported: int = swept["not_supported"]
        self.failed: int = swept["failed"]

    @property
    def columns(self) -> List[str]:
        return list(self._columns)

    def __getitem__(self, column: str):
        return self._columns[column]

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self):
        return iter(self._columns)

    @property
    def json(self) -> str:
        """A line of JSON a point, as `jostle sweep --export json` prints."""
        return "".join(line + "\n" for line in self._lines)

    @property
    def points(self) -> Records:
        """Each point: its `settings`, `status`, `problem` and `result`."""
        return Records([json.loads(line) for line in self._lines])

    def result(self, index: int):
        """The whole result of a point; None if it has none."""
        found = self._lines[index].partition(',"result":')[2][:-1]
        return None if found == "null" else Result(found)

    def to_dict(self) -> dict:
        return dict(self._columns)

    def to_pandas(self):
        """A DataFrame with a row a point. Imports pandas."""
        import pandas

        return pandas.DataFrame(self._columns, copy=False)

    def __repr__(self) -> str:
        return f"Table({len(self)} points: {', '.join(self._columns)})"

    def _repr_html_(self) -> str:
        most = 20
        shown = [name for name in self._columns if name not in ("problem", "limited_by", "stop")]
        rows = [[_cell(self._columns[name][i]) for name in shown] for i in range(min(len(self), most))]
        more = f"<p>… {len(self) - most} more points</p>" if len(self) > most else ""
        return page.table(shown, rows) + more


class Explanation(Answer):
    """Where the time of every process goes, what is short (`critical`), and what each change would bring (`what_ifs`)
    (docs/explain.md). `scenario_of(name)` is a changed scenario, which `run` takes."""

    __slots__ = ()

    def scenario_of(self, what_if: str) -> dict:
        for one in self.to_dict()["what_ifs"]:
            if one["name"] == what_if:
                return one["scenarios"][0]
        raise KeyError(what_if)

    def __str__(self) -> str:
        data = self.to_dict()
        lines = [f"{group['label']}: {group['sentence']}" for group in data["groups"]]
        if data["critical"]:
            lines.append(data["critical"]["sentence"])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        data = self.to_dict()
        rows = [[one["label"], one["throughput"]["after"], _percent(one["throughput"]), one["latency_p99_ms"]["after"],
                 _percent(one["latency_p99_ms"]), one["power_w"]["after"]] for one in data["what_ifs"]]
        words = "".join(f"<p>{page.escape(line)}</p>" for line in str(self).splitlines())
        return words + page.table(["what if", "images/s", "%", "p99 ms", "%", "W"], rows)


class Offload(Records):
    """The lines of an offload study (docs/offload.md), each a record with its `kind`: point, prices, break_even, cut,
    boards. `json` is what the command prints."""

    def __init__(self, text: str):
        super().__init__([json.loads(line) for line in text.splitlines()])
        self.json = text

    def of(self, kind: str) -> Records:
        return Records([row for row in self.to_dict() if row["kind"] == kind])


class Plan(Answer):
    """The best point of a study or the boards for a fleet (docs/planning.md): `best`, `runner_up`, `front`, `relaxed`,
    …; of a fleet `choices` and `mix`."""

    __slots__ = ()


class Calibration(Answer):
    """A fit: `parameters` with their values before and after, `errors` (relative) on the runs of the fit and on held-out
    ones, `next_logs` that would tell most, and `profile`, the YAML text."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        data = self.to_dict()
        rows = [[one["path"], one["before"], one["fitted"], 100 * one["relative_sd"], one["grade"]]
                for one in data["parameters"]]
        errors = [[one["runs"], one["quantity"], one["count"], 100 * one["mean_absolute"], 100 * one["worst"]]
                  for one in data["errors"]]
        return (page.table(["parameter", "before", "fitted", "±%", "grade"], rows)
                + page.table(["runs", "quantity", "values", "mean error, %", "worst, %"], errors))


class Comparison(Answer):
    """Two scenarios, run with the same seeds: `processes` and `system`, lists of figures with `a`, `b`, `difference`,
    `ci95` and `significant` (docs/explain.md)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        data = self.to_dict()
        parts = [(f"{one['label']}", one["figures"]) for one in data["processes"]] + [("board", data["system"])]
        html = f"<p>A: {page.escape(data['a']['name'])}, B: {page.escape(data['b']['name'])}</p>"
        for label, figures in parts:
            html += f"<p>{page.escape(label)}</p>" + page.table(
                ["", "A", "B", "B − A", "95 %"],
                [[f"{one['figure']} {one['unit']}", one["a"], one["b"], one["difference"],
                  "significant" if one["significant"] else "–"] for one in figures])
        return html


def records(text: str) -> Records:
    return wrap(json.loads(text))


def _mean(throughput):
    return throughput["mean"]


def _half(interval):
    return None if interval is None else (interval[1] - interval[0]) / 2


def _percent(change):
    relative = change.get("relative")
    return None if relative is None else 100 * relative


def _cell(value):
    if isinstance(value, str) or value is None:
        return value or ""
    return None if value != value else float(value)
