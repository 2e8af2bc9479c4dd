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
    if is_file(given):
        return _jostle.Source(text=None, name=os.fspath(given))
    if isinstance(given, str):
        return _jostle.Source(text=given, name="<text>")
    if isinstance(given, dict):
        return _jostle.Source(text=json.dumps(given, default=_plain, ensure_ascii=False, indent=1), name="<dict>")
    raise TypeError(f"expected a path, YAML text or a dict, not a {type(given).__name__}")


def is_file(given) -> bool:
    """True of a path; a str with a line end, or that begins with "{", is YAML text."""
    return isinstance(given, os.PathLike) or (
        isinstance(given, str) and "\n" not in given and not given.lstrip().startswith("{"))


def folder(given) -> str:
    """The folder that paths of a scenario are relative to: of one that is no file the current one."""
    return os.path.dirname(os.path.abspath(given)) if is_file(given) else os.getcwd()


def seeds(given) -> list:
    if given is None:
        return []
    if isinstance(given, (int, str)):
        raise TypeError(f"seeds: expected several, such as range(20) or [{given}]")
    found = [int(seed) for seed in given]
    if not found:
        raise ValueError("seeds: at least one is needed; None runs with the scenarios' own")
    return found


def variants(scenarios, values) -> list:
    """(source, changes, what the changes vary) of each scenario with each dict of changes."""
    several = [scenarios] if isinstance(scenarios, (str, os.PathLike, dict)) else list(scenarios)
    if not several:
        raise ValueError("scenarios: at least one is needed")
    all_changes = [values] if values is None or isinstance(values, dict) else list(values)
    if not all_changes:
        raise ValueError("set: at least one dict is needed; None changes nothing")
    return [(source(one), changes(some, None), dict(some or {})) for one in several for some in all_changes]


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


def warn(sentences, level=3):
    for sentence in sentences:
        _warnings.warn(sentence, ScenarioWarning, stacklevel=level)
