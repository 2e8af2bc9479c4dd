"""What the functions take: a path, a dict or YAML text; values to set; a progress bar."""
from __future__ import annotations

import json
import os
import warnings as _warnings

from . import _jostle
from .errors import ScenarioWarning


def _plain(value):
    """numpy's scalars and arrays as Python's, for json."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a {type(value).__name__} cannot be part of a scenario")


def source(given) -> _jostle.Source:
    """A dict, YAML text (a str with a line end, or that begins with "{"), or a path (any other str, os.PathLike)."""
    if isinstance(given, os.PathLike):
        return _jostle.Source(text=None, name=os.fspath(given))
    if isinstance(given, str):
        is_text = "\n" in given or given.lstrip().startswith("{")
        return _jostle.Source(text=given if is_text else None, name="<text>" if is_text else given)
    if isinstance(given, dict):
        return _jostle.Source(text=json.dumps(given, default=_plain, ensure_ascii=False, indent=1), name="<dict>")
    raise TypeError(f"expected a path, YAML text or a dict, not a {type(given).__name__}")


def named(given) -> str:
    """What a comparison calls it."""
    return source(given).name


def assignments(values) -> list:
    """{"processes.0.batch": 8} as ["processes.0.batch=8"]; a str is YAML, as after --set; None removes the key."""
    return [f"{key}={value if isinstance(value, str) else json.dumps(value, default=_plain)}"
            for key, value in (values or {}).items()]


def changes(values, seed) -> _jostle.Changes:
    return _jostle.Changes(set=assignments(values), seed=None if seed is None else int(seed))


def paths(given) -> list:
    """One path, or several."""
    return [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [os.fspath(one) for one in given]


class Progress:
    """None, a function of the share done (0 to 1), or True: a bar of tqdm, where it is installed."""

    def __init__(self, wanted, what):
        self._bar = None
        self.call = wanted if callable(wanted) else None
        if wanted is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=100, desc=what, unit="%", leave=False, bar_format="{desc}: {percentage:3.0f}% |{bar}| {elapsed}")
            self.call = self._show

    def _show(self, done):
        self._bar.update(100 * done - self._bar.n)

    def __enter__(self):
        return self.call

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()


def warn(sentences):
    for sentence in sentences:
        _warnings.warn(sentence, ScenarioWarning, stacklevel=3)
