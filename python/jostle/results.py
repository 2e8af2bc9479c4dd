"""What jostle answers: `Result` of a run, `Table` of a sweep, and the others, which are records."""
from __future__ import annotations

import json
import os
from typing import List

from . import page
from .record import MissingKey, Record, Records, frame, has_values, missing, wrap
from .running import call


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

    def save(self, path) -> None:
        """Writes the JSON text to a file, as the command would print it."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.json + "\n")

    @classmethod
    def load(cls, path):
        """The answer in a file that `save` or the command wrote."""
        with open(path, encoding="utf-8") as file:
            text = file.read().rstrip("\n")
        found = json.loads(text)
        wanted = f"jostle.{cls.__name__.lower()}/"
        schema = found.get("schema") if isinstance(found, dict) else None
        if not str(schema).startswith(wanted):
            raise ValueError(f"{os.fspath(path)}: not a {cls.__name__}: its schema is {schema!r}, not {wanted}…")
        return cls(text)


class Result(Answer):
    """The answer to a scenario (docs/result.md): `processes`, one each with `throughput` (images/s), `latency_ms`,
    `time_share`, …, and `system` with `power_w`, `gpu`, `cpu`, `memory`, …"""

    __slots__ = ("_folder",)  # which paths of the scenario are relative to

    def __init__(self, text: str, folder: str = ""):
        super().__init__(text)
        object.__setattr__(self, "_folder", folder)

    def __setstate__(self, state):
        super().__setstate__(state)
        object.__setattr__(self, "_folder", "")

    def page(self, *, height=720, progress=None) -> page.Page:
        """The page of the report, which a notebook shows in place: as `jostle run --html` writes it. Runs the scenario
        again, for its timeline."""
        return page.of_result(call, self.to_dict(), self._folder, height, progress)

    def plot(self, axes=None):
        """Bars of images/s, with their 95 % intervals, and of where each process's time goes: two axes of matplotlib,
        which are returned. `axes`: two to draw on."""
        return page.plot(self.to_dict(), axes)

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
                 ["memory, MB", system["memory"]["used_mb"]], ["clocks held by", system["limited_by"]]]
        if "tokens" in system:
            board[2:2] = [["tokens/s in all", system["tokens"]["per_s"]["mean"]], ["energy, mJ/token", system["tokens"]["energy_mj"]["mean"]]]
        bars = [(self._name(one), one["time_share"]) for one in processes
                if any(share is not None for share in one["time_share"].values())]
        title = f"<p><b>{page.escape(data['scenario'])}</b>: {page.escape(data['device'])}, seed {data['seed']}</p>"
        charts = "<p>where each process's time went</p>" + page.shares(bars) if bars else ""
        notes = "".join(f"<p>{page.escape(note)}</p>" for note in data["warnings"])
        return title + page.table(heads, rows) + charts + page.table(["board", ""], board) + notes


class Table:
    """Columns by name: numpy arrays (NaN: no figure) or, for words and for integers beside empty cells, lists:
    `table["batch"]`. Units are in the names."""

    def __init__(self, found: dict):
        self._columns = found["columns"]

    @property
    def columns(self) -> List[str]:
        """The names of the columns that have values."""
        return [name for name, values in self._columns.items() if has_values(values)]

    def __getitem__(self, column: str):
        try:
            return self._columns[column]
        except KeyError:
            raise MissingKey(missing("column", column, self.columns)) from None

    def __contains__(self, column) -> bool:
        return column in self._columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self):
        return iter(self.columns)

    def to_dict(self) -> dict:
        """The columns that have values."""
        return {name: self._columns[name] for name in self.columns}

    def to_pandas(self, *, empty=False):
        """A DataFrame of the columns that have values, or, `empty`, of all; integers stay exact. Imports pandas."""
        return frame(self._columns, empty)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        return page.columns(self.to_dict(), len(self))


class Sweep(Table):
    """The points of a study, in their order. The names of columns are those of `jostle query` (docs/studies.md)."""

    def __init__(self, swept: dict):
        super().__init__(swept)
        self._lines: List[str] = swept["lines"]
        self.computed: int = swept["computed"]
        self.reused: int = swept["reused"]
        self.infeasible: int = swept["infeasible"]
        self.not_supported: int = swept["not_supported"]
        self.failed: int = swept["failed"]

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


class Runs(Table):
    """Many runs, with a row a process: `run` numbers them, what was varied has a column by its key, and the other columns
    are those of CSV (docs/result.md)."""

    def __init__(self, found: dict, varied: List[dict]):
        self._lines: List[str] = found["lines"]
        columns = found["columns"]
        seeds = len(self._lines) // len(varied)
        variant = (columns["run"] // seeds).tolist()
        keys = {key: None for values in varied for key in values}
        own = {key: _column([varied[one].get(key) for one in variant]) for key in keys if key not in columns}
        super().__init__({"columns": {"run": columns["run"], **own, **columns}})

    @property
    def runs(self) -> int:
        """How many there are."""
        return len(self._lines)

    def result(self, run: int) -> Result:
        """The whole result of a run."""
        return Result(self._lines[run])


def _column(values: list):
    """An array of numbers, if all are, or the list."""
    import numpy

    kinds = {type(value) for value in values}
    return numpy.array(values) if kinds in ({int}, {float}) else values


class Explanation(Answer):
    """Where the time of every process goes, what is short (`critical`), and what each change would bring (`what_ifs`)
    (docs/explain.md). `scenario_of(name)` is a changed scenario, which `run` takes."""

    __slots__ = ()

    def scenario_of(self, what_if: str) -> dict:
        for one in self.to_dict()["what_ifs"]:
            if one["name"] == what_if:
                return one["scenarios"][0]
        raise MissingKey(missing("change", what_if, [one["name"] for one in self.to_dict()["what_ifs"]]))

    def __str__(self) -> str:
        data = self.to_dict()
        lines = [f"{group['label']}: {group['sentence']}" for group in data["groups"]]
        if data["critical"]:
            lines.append(data["critical"]["sentence"])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        data = self.to_dict()
        aim = data["objective"]
        columns = {f'{aim["name"]} {aim["unit"]}'.strip(): "objective", "images/s": "throughput", f'{aim["p99"]} ms': "latency_p99_ms"}
        rows = [[one["label"], *(cell for key in columns.values() for cell in (one[key]["after"], _percent(one[key]))),
                 one["power_w"]["after"]] for one in data["what_ifs"]]
        words = "".join(f"<p>{page.escape(line)}</p>" for line in str(self).splitlines())
        return words + page.table(["what if", *(cell for name in columns for cell in (name, "%")), "W"], rows)


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

    def _repr_html_(self) -> str:
        data = self.to_dict()
        return page.fleet(data) if "choices" in data else page.plan(data)


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


class Evidence(Records):
    """Measurements of logs, each a record with `run`, `metric`, `value`, `unit`, …; `csv` is the text that `jostle import`
    prints, and `save` writes it for `calibrate` and `validate`."""

    def __init__(self, text: str):
        import csv
        import io

        super().__init__(list(csv.DictReader(io.StringIO(text))))
        self.csv = text

    def save(self, path) -> None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.csv)

    def _repr_html_(self) -> str:
        return page.columns({key: [row.get(key) or None for row in self.to_dict()] for key in (self.to_dict() or [{}])[0]},
                            len(self))


class Validation(Answer):
    """Predictions against measurements: `groups`, each with `runs`, `quantity`, `n`, `mean_error`, `limit`, … (errors are
    relative), and `left_out`, laboratories that no fit has used (docs/validation.md)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        groups = self.to_dict()["groups"]
        over = sum(bool(one["limit_exceeded"]) for one in groups)
        rows = [[one["runs"], one["quantity"], one["n"], 100 * one["mean_error"], 100 * one["worst"], one["worst_run"],
                 "" if one["limit"] is None else "over" if one["limit_exceeded"] else "met"] for one in groups]
        return f"<p>{over} of {len(groups)} rows over their limit</p>" + page.table(
            ["runs", "quantity", "n", "mean error, %", "worst, %", "worst run", "limit"], rows)


class Claims(Records):
    """Published statements, each a record with `id`, `statement`, `stated`, `simulated`, `holds`, `why`
    (docs/claims.md). `json` is what the command prints."""

    def __init__(self, text: str):
        super().__init__([json.loads(line) for line in text.splitlines()])
        self.json = text

    def _repr_html_(self) -> str:
        rows = [[one["id"], one["statement"], one["stated"], one["simulated"], "yes" if one["holds"] else "no"]
                for one in self.to_dict()]
        return page.table(["claim", "statement", "stated", "simulated", "holds"], rows)


def records(text: str):
    return wrap(json.loads(text))


def _mean(throughput):
    return throughput["mean"]


def _half(interval):
    return None if interval is None else (interval[1] - interval[0]) / 2


def _percent(change):
    relative = change.get("relative")
    return None if relative is None else 100 * relative
