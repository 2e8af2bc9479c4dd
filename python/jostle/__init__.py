"""jostle predicts what happens when several neural networks share one edge board.

    import jostle
    result = jostle.run("gate.yaml", set={"processes.0.batch": 8})
    result.processes[0].throughput.mean          # images/s
    result.processes[0].latency_ms.p99           # ms
    result.system.power_w.mean                   # W
    table = jostle.sweep("study.yaml")           # columns as numpy arrays
    table.to_pandas()

A scenario or a study is a path, a dict, or YAML text (docs/scenario.md, docs/studies.md). Ctrl-C stops every function
with KeyboardInterrupt; other Python threads run meanwhile. `progress` is True (a bar, where tqdm is installed) or a
function of the share done, from 0 to 1. The same scenario and seed give the same bytes as the command.
"""
from __future__ import annotations

import json as _json

from . import _jostle, inputs as _inputs
from ._jostle import __version__
from .errors import Error, Problem, RunError, ScenarioError, ScenarioWarning
from .results import Calibration, Comparison, Explanation, Offload, Plan, Result, Table, records as _records

__all__ = ["Calibration", "Comparison", "Error", "Explanation", "Offload", "Plan", "Problem", "Result", "RunError", "ScenarioError",
           "ScenarioWarning", "Table", "__version__", "calibrate",
           "compare", "devices", "explain", "networks", "offload", "plan",
           "run", "schema", "sweep"]


def run(scenario, seed=None, set=None, *, interval=False, trace="", progress=None) -> Result:
    """Simulates a scenario.

    scenario   a path, a dict or YAML text
    seed       of all random numbers, in place of the scenario's
    set        values to change first: {"processes.0.batch": 8, "power_mode": "15W"}; None removes a key
    interval   also compute pi90, the 90 % prediction intervals (about 80 times the work)
    trace      a file for the timeline, which ui.perfetto.dev opens (*.json: Chrome's format)

    A process that does not fit into memory has `status` "out_of_memory" and no figures. Raises ScenarioError, RunError.
    """
    with _inputs.Progress(progress, "run") as told:
        text, sentences = _jostle.run(_inputs.source(scenario), _inputs.changes(set, seed), interval, str(trace), told)
    _inputs.warn(sentences)
    return Result(text)


def sweep(study, *, output="", interval=False, threads=0, replace=False, progress=None) -> Table:
    """Simulates every point of a study, in parallel.

    output    a SQLite file to store points in, as `jostle sweep -o`: those already there are not computed again
    interval  add prediction intervals, as `interval: true` in the study does
    threads   how many points run in parallel (0: one per core)
    replace   put this study in the place of another one in the file
    """
    with _inputs.Progress(progress, "sweep") as told:
        swept = _jostle.sweep(_inputs.source(study), str(output), threads, interval, replace, told)
    _inputs.warn(swept["warnings"])
    return Table(swept)


def plan(study, *, output="", exhaustive=False, simulations=0, intervals=True, threads=0, progress=None) -> Plan:
    """The best point of a study with objectives, or the boards for the cameras of a fleet (docs/planning.md).

    output       a SQLite file of points, as written by `sweep`
    exhaustive   simulate every point
    simulations  most points to simulate (0: a tenth of all, at least 300)
    intervals    with 90 % prediction intervals
    """
    with _inputs.Progress(progress, "plan") as told:
        text, sentences = _jostle.plan(
            _inputs.source(study), str(output), threads, exhaustive, intervals, simulations, told)
    _inputs.warn(sentences)
    return Plan(text)


def explain(scenario, *, what_ifs=(), seed=None, set=None, progress=None) -> Explanation:
    """Where the time of every process goes, what is short, and what changes would bring (docs/explain.md).

    what_ifs  names of the changes to try, such as ["batch-doubled"] (default: all that apply)
    """
    names = [what_ifs] if isinstance(what_ifs, str) else list(what_ifs)
    with _inputs.Progress(progress, "explain") as told:
        text, sentences = _jostle.explain(_inputs.source(scenario), _inputs.changes(set, seed), names, told)
    _inputs.warn(sentences)
    explanation = Explanation(text)
    for name in names:
        if name not in [tried.name for tried in explanation.what_ifs]:
            raise ValueError(f"'{name}' does not apply to it; docs/explain.md has the names of changes")
    return explanation


def compare(a, b=None, *, set_b=None, seed=None, set=None, replications=None, until=None, progress=None) -> Comparison:
    """Two scenarios, or one and a change of it (`set_b`), run with the same seeds, with 95 % intervals of differences.

    set           changes of both; `set_b`: of b, after these
    replications  pairs of runs, one seed each (default 10; with `until` at most so many, default 100)
    until         runs pairs until the differences in throughput are known to this share of a's, as 0.01
    """
    if replications is not None and replications < 1:
        raise ValueError("replications: must be at least 1")
    if until is not None and not 0 < until < 1:
        raise ValueError("until: must be above 0 and below 1")
    other = a if b is None else b
    both = dict(set or {})
    changed = {**both, **(set_b or {})}
    name = _inputs.named(other) + "".join(f" with {one}" for one in _inputs.assignments(set_b))
    with _inputs.Progress(progress, "compare") as told:
        text, sentences = _jostle.compare(
            _inputs.source(a), _inputs.changes(both, seed), _inputs.named(a),
            _inputs.source(other), _inputs.changes(changed, seed), name, replications, until, told)
    _inputs.warn(sentences)
    return Comparison(text)


def offload(study, *, threads=0, progress=None) -> Offload:
    """Edge, cloud and split execution of streams over links (docs/offload.md): a study with a key `offload`."""
    with _inputs.Progress(progress, "offload") as told:
        text, sentences = _jostle.offload(_inputs.source(study), threads, told)
    _inputs.warn(sentences)
    return Offload(text)


def calibrate(device, evidence, *, onnx=(), name="", output="", fresh=False, quick=False, progress=None) -> Calibration:
    """Fits the profile of a board to its measurements (docs/calibration.md).

    device    the shipped profile closest to the board
    evidence  CSV files of measurements (`jostle import` makes them of logs), or a folder of them
    onnx      files of networks that the evidence names
    name      of the profile (default: from `output`)
    output    where to write the profile, which a scenario then names as its `device`
    fresh     start from reference ranges instead of the fitted values of the shipped profile
    quick     skip the error on held-out runs
    """
    with _inputs.Progress(progress, "calibrate") as told:
        text, sentences = _jostle.calibrate(
            device, _inputs.paths(evidence), _inputs.paths(onnx), name, str(output), fresh, quick, told)
    _inputs.warn(sentences)
    return Calibration(text)


def schema(name) -> dict:
    """The JSON Schema of a "scenario", a "study" or a "result"."""
    if name not in ("scenario", "study", "result"):
        raise ValueError(f"no schema of a {name}: scenario, study or result")
    return _json.loads(_jostle.schema(name))


def devices():
    """The boards and cards that ship: `name`, `description`, `power_modes`, `default_power_mode`, `profile_hash`."""
    return _records(_jostle.devices())


def networks():
    """The built-in networks: `name`, `family`, `input` (pixels or tokens; None of a language model), `parameters`, `macs`
    (multiply-adds of one image, or of a token without others before it), `source`, `description`."""
    return _records(_jostle.networks())
