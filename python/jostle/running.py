"""Runs the command inside of this process."""
from __future__ import annotations

import os

from . import _jostle, inputs
from .errors import Error


def call(arguments, progress=None, *, good=(0,)):
    """What the command prints; its messages become warnings. Raises Error with them if it fails."""
    with inputs.Progress(progress, arguments[0]) as told:
        code, output, messages = _jostle.command([os.fspath(one) for one in arguments], told)
    if code not in good:
        raise Error(messages.strip().removeprefix("jostle: ") or f"jostle {arguments[0]}: exit code {code}")
    inputs.warn([line.removeprefix("jostle: ").removeprefix("warning: ").removeprefix("note: ")
                 for line in messages.splitlines()], level=4)
    return output
