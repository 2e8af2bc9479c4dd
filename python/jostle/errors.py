"""What can go wrong: all errors of jostle are an `Error`."""
from __future__ import annotations

from typing import List, NamedTuple, Optional


class Error(Exception):
    """jostle cannot do what was asked, such as writing a file that belongs to another study."""


class RunError(Error, RuntimeError):
    """A run could not go on; the message names who waits for whom."""


class Problem(NamedTuple):
    """One thing that is wrong with an input.

    `file` is the path, or what a text is called; `line` counts from 1 (None where there are no lines); `key` is the
    path of the value, as in "processes.0.batch" (empty: the whole input); `hint` says how to correct it (may be empty).
    """

    file: Optional[str]
    line: Optional[int]
    key: str
    message: str
    hint: str
    text: str

    def __str__(self) -> str:
        return self.text


class ScenarioError(Error, ValueError):
    """A scenario, a study or a set of logs is wrong; nothing was run. `problems` lists everything found."""

    def __init__(self, problems):
        self.problems: List[Problem] = [
            found if isinstance(found, Problem) else Problem(**found) for found in problems]
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self):
        return ScenarioError, (self.problems,)


class ScenarioWarning(UserWarning):
    """Something of an input was approximated, or a run was too short for a figure."""
