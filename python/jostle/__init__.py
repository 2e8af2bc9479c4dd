"""jostle predicts what happens when several neural networks share one edge board.

    import jostle
    result = jostle.run("gate.yaml", set={"processes.0.batch": 8})
    result.processes[0].throughput.mean          # images/s
    result.processes[0].latency_ms.p99           # ms
    result.system.power_w.mean                   # W
    runs = jostle.run_many(["gate.yaml"], seeds=range(20), set=[{"power_mode": "15W"}, {"power_mode": "7W"}])
    runs.to_pandas()                             # a row a process of each run
    table = jostle.sweep("study.yaml")           # columns as numpy arrays

A scenario or a study is a path, a dict, or YAML text (docs/scenario.md, docs/studies.md). Ctrl-C stops every function
with KeyboardInterrupt; other Python threads run meanwhile. `progress` is True (a bar, where tqdm is installed) or a
function of the share done, from 0 to 1. The same scenario and seed give the same bytes as the command.
"""
from __future__ import annotations

import json as _json
import os as _os

from . import _jostle, inputs as _inputs
from ._jostle import __version__
from .command import import_logs, reproduce, validate
from .errors import Error, Problem, RunError, ScenarioError, ScenarioWarning
from .record import Record as _Record
from .results import (Calibration, Claims, Comparison, Evidence, Explanation, Offload, Plan, Result, Runs, Sweep,
                      Table, Validation, records as _records)

__all__ = ["Calibration", "Claims", "Comparison", "Error", "Evidence", "Explanation", "Offload", "Plan", "Problem",
           "Result", "RunError", "Runs", "ScenarioError", "ScenarioWarning", "Sweep", "Table", "Validation", "__version__",
           "calibrate", "check", "compare", "devices", "explain", "import_logs", "networks", "offload", "plan", "query",
           "reproduce", "run", "run_many", "schema", "sweep", "validate"]


def run(scenario, seed=None, set=None, *, interval=False, trace="", progress=None) -> Result:
    """Simulates a scenario.

    scenario   a path, a dict or YAML text
    seed       of all random numbers, in place of the scenario's
    set        values to change first: {"processes.0.batch": 8, "power_mode": "15W"}; None removes a key
    interval   also compute pi90, the 90 % prediction intervals (about 80 times the work)
    trace      a file for the timeline, in Chrome's JSON, which ui.perfetto.dev opens

    A process that does not fit into memory has `status` "out_of_memory" and no figures. Raises ScenarioError, RunError.
    """
    with _inputs.Progress(progress, "run") as told:
        text, sentences = _jostle.run(_inputs.source(scenario), _inputs.changes(set, seed), interval, str(trace), told)
    _inputs.warn(sentences)
    return Result(text, _inputs.folder(scenario))


def run_many(scenarios, seeds=None, set=None, *, interval=False, threads=0, progress=None) -> Runs:
    """Simulates scenarios with every seed, in parallel: a table with a row a process, which pandas can take.

    scenarios  one scenario (a path, a dict or YAML text), or several in a list
    seeds      such as range(20); each scenario runs with each (default: its own)
    set        values to change first, as of `run`; or a list of such dicts, with each of which each scenario runs
    interval   add the 90 % prediction intervals (about 80 times the work)
    threads    how many runs are simulated in parallel (0: one per core)

    Rows are ordered by scenario, then `set`, then seed, then process. The column `run` numbers the runs: `result(run)` is
    the whole result, to the byte that of `run`. What `set` varies has a column, and so has what CSV has (docs/result.md),
    with units. Nothing runs unless all scenarios are valid.
    """
    variants = _inputs.variants(scenarios, set)
    with _inputs.Progress(progress, "run_many") as told:
        found = _jostle.run_many([(source, changes) for source, changes, _ in variants], _inputs.seeds(seeds), interval,
                                 threads, told)
    _inputs.warn(found["warnings"])
    return Runs(found, [varied for _, _, varied in variants])


def check(given, seed=None, set=None, *, progress=None) -> _Record:
    """Reads a scenario or a study as strictly as `run` does, and runs nothing. Raises ScenarioError.

    Of a scenario: `processes`, `fits` (into memory), `memory_mb`; of a study: `points`, and how many are `not_supported`.
    `problems` says why.
    """
    with _inputs.Progress(progress, "check") as told:
        text, sentences = _jostle.check(_inputs.source(given), _inputs.changes(set, seed), told)
    _inputs.warn(sentences)
    return _records(text)


def query(file, sql="SELECT * FROM results") -> Table:
    """A read-only SQL query on the SQLite file of a study (docs/studies.md), as a table."""
    return Table({"columns": _jostle.query(_os.fspath(file), sql)})


def sweep(study, *, output="", interval=False, threads=0, replace=False, progress=None) -> Sweep:
    """Simulates every point of a study, in parallel.

    output    a SQLite file to store points in, as `jostle sweep -o`: those already there are not computed again
    interval  add prediction intervals, as `interval: true` in the study does
    threads   how many points run in parallel (0: one per core)
    replace   put this study in the place of another one in the file
    """
    with _inputs.Progress(progress, "sweep") as told:
        swept = _jostle.sweep(_inputs.source(study), str(output), threads, interval, replace, told)
    _inputs.warn(swept["warnings"])
    return Sweep(swept)


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


def explain(scenario, *, what_ifs=(), seed=None, set=None, interval=False, progress=None) -> Explanation:
    """Where the time of every process goes, what is short, and what changes would bring (docs/explain.md).

    what_ifs  names of the changes to try, such as ["batch-doubled"] (default: all that apply)
    interval  add pi90 of power, the 90 % prediction interval (about 80 runs more)
    """
    names = [what_ifs] if isinstance(what_ifs, str) else list(what_ifs)
    with _inputs.Progress(progress, "explain") as told:
        text, sentences = _jostle.explain(_inputs.source(scenario), _inputs.changes(set, seed), names, interval, told)
    _inputs.warn(sentences)
    explanation = Explanation(text)
    for name in names:
        if name not in [tried.name for tried in explanation.what_ifs]:
            raise ValueError(f"'{name}' does not apply to it; docs/explain.md has the names of changes")
    return explanation


def compare(a, b=None, *, set_b=None, seed=None, set=None, replications=None, until=None, interval=False,
            progress=None) -> Comparison:
    """Two scenarios, or one and a change of it (`set_b`), run with the same seeds, with 95 % intervals of differences.

    set           changes of both; `set_b`: of b, after these
    replications  pairs of runs, one seed each (default 10; with `until` at most so many, default 100)
    until         runs pairs until the differences in throughput are known to this share of a's, as 0.01
    interval      add pi90 of the power of both, the 90 % prediction interval (about 160 runs more)
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
            _inputs.source(other), _inputs.changes(changed, seed), name, replications, until, interval, told)
    _inputs.warn(sentences)
    return Comparison(text)


def offload(study, *, threads=0, interval=False, progress=None) -> Offload:
    """Edge, cloud and split execution of streams over links (docs/offload.md): a study with a key `offload`.

    interval  add pi90 of the power of both devices, the 90 % prediction interval (about 160 runs more)
    """
    with _inputs.Progress(progress, "offload") as told:
        text, sentences = _jostle.offload(_inputs.source(study), threads, interval, told)
    _inputs.warn(sentences)
    return Offload(text)


def calibrate(device, evidence, *, onnx=(), name="", output="", fresh=False, quick=False, progress=None) -> Calibration:
    """Fits the profile of a board to its measurements (docs/calibration.md).

    device    the shipped profile closest to the board
    evidence  CSV files of measurements (`import_logs` makes them of logs), or a folder of them
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
