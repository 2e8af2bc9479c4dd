"""JSON objects as Python objects: `result.system.power_w.mean`."""
from __future__ import annotations

import difflib
from typing import Any, Iterator


def missing(kind: str, name: Any, known) -> str:
    """No figure 'p9'; did you mean 'p99'? There are: …"""
    names = [str(one) for one in known]
    near = [one for one in names if one.startswith(str(name))] or difflib.get_close_matches(str(name), names, 1)
    return f"no {kind} '{name}'; " + (f"did you mean '{near[0]}'? " if near else "") + f"there are: {', '.join(names)}"


class MissingKey(KeyError):
    """A KeyError whose message is a sentence, not its repr."""

    def __str__(self) -> str:
        return str(self.args[0])


def wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return Records(value) if value and all(isinstance(one, dict) for one in value) else [wrap(one) for one in value]
    return value


class Record:
    """An object of an answer. Its keys are attributes, and items too: `rails["VDD_IN"]`. A metric that is undefined is
    None. Units are in the names: _ms, _w, _mj, _mb (10^6 bytes), _gb_s, _mhz, _c (degrees Celsius), _per_s; shares are
    from 0 to 1; throughputs are images/s."""

    __slots__ = ("_data",)

    def __init__(self, data: dict):
        self._data = data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return wrap(self._data[name])
        except KeyError:
            raise AttributeError(missing("figure", name, self._data)) from None

    def __getitem__(self, key: str) -> Any:
        try:
            return wrap(self._data[key])
        except KeyError:
            raise MissingKey(missing("figure", key, self._data)) from None

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self._data if key.isidentifier())]

    def __eq__(self, other) -> bool:
        return isinstance(other, Record) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self):
        return self._data

    def __setstate__(self, data):
        self._data = data

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={short(value)}' for key, value in self._data.items())})"

    def keys(self):
        return self._data.keys()

    def items(self):
        return [(key, wrap(value)) for key, value in self._data.items()]

    def to_dict(self) -> dict:
        """The object as json.loads gives it."""
        return self._data


class Records(list):
    """A list of `Record`s, which pandas can have as rows."""

    def __init__(self, rows: list):
        super().__init__(Record(row) for row in rows)
        self._rows = rows

    def to_dict(self) -> list:
        return self._rows

    def to_pandas(self):
        """A DataFrame with a row each; nested keys are joined by dots ("latency_ms.p99"). Integers stay exact.
        Imports pandas."""
        rows = [dict(_flat(row)) for row in self._rows]
        names = {name: None for row in rows for name in row}
        return frame({name: [row.get(name) for row in rows] for name in names}, empty=True)


def _flat(row: dict, before: str = "") -> Iterator[tuple]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def has_values(column) -> bool:
    """False if no cell of the column, a list or a numpy array, has a value."""
    if hasattr(column, "dtype"):
        return column.dtype.kind != "f" or bool((column == column).any())
    return any(value is not None for value in column)


def frame(columns: dict, empty: bool):
    """A DataFrame of columns, lists or numpy arrays; `empty`: also of those without values. Integers and truths beside
    empty cells become pandas' types that have them. Imports pandas."""
    import pandas

    def column(values):
        if hasattr(values, "dtype"):
            return values
        kinds = {type(value) for value in values if value is not None}
        exact = {bool: "boolean", int: "Int64"}.get(next(iter(kinds))) if len(kinds) == 1 else None
        try:
            return pandas.array(values, dtype=exact) if exact else values
        except (OverflowError, TypeError):  # beyond 64 bits
            return values

    return pandas.DataFrame({name: column(values) for name, values in columns.items()
                             if empty or has_values(values)}, copy=False)


def short(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return f"[{len(value)}]" if value and isinstance(value[0], (dict, list)) else repr(value)
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
