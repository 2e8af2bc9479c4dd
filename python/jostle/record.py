"""JSON objects as Python objects: `result.system.power_w.mean`."""
from __future__ import annotations

from typing import Any, Iterator


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
            raise AttributeError(f"no figure '{name}'; there are: {', '.join(self._data)}") from None

    def __getitem__(self, key: str) -> Any:
        return wrap(self._data[key])

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
        """A DataFrame with a row each; nested keys are joined by dots ("latency_ms.p99"). Imports pandas."""
        import pandas

        return pandas.json_normalize(self._rows)


def short(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return f"[{len(value)}]" if value and isinstance(value[0], (dict, list)) else repr(value)
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
