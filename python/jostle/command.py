"""What jostle does as its command does: logs to evidence, predictions against measurements, published statements, pages.

`main` is the command itself, which the wheel installs as `jostle`; `python -m jostle` is the same.
"""
from __future__ import annotations

import os
import sys

from . import _jostle, inputs
from .results import Claims, Evidence, Validation
from .running import call


def main() -> int:
    return _jostle.command_line(sys.argv[1:])


def options(**given) -> list:
    """device="x", pinned=True, onnx=["a", "b"] as the command's options."""
    words = []
    for name, value in given.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (flag, os.fspath(one))]
        elif value is not None and value is not False and value != "":
            words += [flag, value if isinstance(value, (str, os.PathLike)) else str(value)]
    return words


def import_logs(logs, format="auto", *, device="", power_mode="", pinned=False, model="", precision="", batch=None,
                input=None, runtime="", processes=None, run="", onnx=(), output="", progress=None) -> Evidence:
    """Logs of measuring tools as evidence (docs/calibration.md), which `calibrate` and `validate` take.

    logs      a file, several, or folders that scripts/record-jetson wrote
    format    "trtexec", "tegrastats", … (default: each file's is found)
    device    the board: name or path of a profile, which is checked against the logs, or a new name
    output    a CSV file to write, all or nothing

    The others say of a run what its log does not, as the options of `jostle import` do.
    """
    files = inputs.paths(logs)
    words = files if all(_is_recording(one) for one in files) and format == "auto" else [format, *files]
    told = options(device=device, power_mode=power_mode, pinned=pinned, model=model, precision=precision, batch=batch,
                   input=input, runtime=runtime, processes=processes, run=run, onnx=inputs.paths(onnx))
    evidence = Evidence(call(["import", *words, *told], progress))
    if output:
        evidence.save(output)
    return evidence


def validate(subject="", evidence=(), *, onnx=(), set=None, progress=None) -> Validation:
    """Predictions against measured runs, as `jostle validate` (docs/validation.md).

    subject   "h200", "boards", "language" (default: these three), "mps", "pytorch"; or a profile, with `evidence`
    evidence  CSV files of measurements, or a folder of them
    set       parameters of the profile to change first: {"gpu.time_slicing.slice": "1 ms"}
    """
    words = ["validate", *([os.fspath(subject)] if subject else []), *inputs.paths(evidence)]
    return Validation(call([*words, *options(onnx=inputs.paths(onnx), set=inputs.assignments(set), format="json")], progress))


def reproduce(*claims, progress=None) -> Claims:
    """Published statements, simulated (docs/claims.md): all, or those with these names, such as "C06"."""
    return Claims(call(["reproduce", *claims, "--format", "json"], progress, good=(0, 1)))


def _is_recording(path) -> bool:
    return os.path.isdir(path) or os.path.basename(path) == "manifest.csv"
