import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type, TypeVar, Union

import pandas

from .page import Page
from .record import Record, Records

Figure = Optional[float]
Interval = Optional[List[float]]

_Answer = TypeVar("_Answer", bound="Answer")

class Answer(Record):
    json: str
    def __init__(self, text: str) -> None: ...
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...
    @classmethod
    def load(cls: Type[_Answer], path: Union[str, os.PathLike[str]]) -> _Answer: ...

# Of a result, by python/result_stubs.py: begin
class Breaks(Record):
    change: str
    by: Figure

class Limits(Record):
    metric: str
    words: str
    unit: str
    value: Figure
    pi90: Interval
    limit: Figure
    least: bool
    grows: bool
    met: Optional[bool]

class Verdict(Record):
    question: str
    text: str
    metric: str
    value: Figure
    pi90: Interval
    limit: Figure
    met: Optional[bool]
    breaks: Breaks
    limits: Records[Limits]

class Grades(Record):
    kernels: str
    sharing: Optional[str]
    power: Optional[str]

class IntervalParts(Record):
    parameters: float
    chance: float
    model: float
    of_parameters: Record
    model_from: str

class Throughput(Record):
    mean: Figure
    ci95: Interval
    pi90: Interval
    unit: str
    pi90_parts: IntervalParts

class Offered(Record):
    mean: Figure
    unit: str

class LatencyPredictions(Record):
    mean: Interval
    p50: Interval
    p90: Interval
    p95: Interval
    p99: Interval

class LatencyIntervals(Record):
    mean: Interval
    p50: Interval
    p90: Interval
    p99: Interval

class Latency(Record):
    mean: Figure
    p50: Figure
    p90: Figure
    p95: Figure
    p99: Figure
    pi90: Optional[LatencyPredictions]
    n: int
    ci95: LatencyIntervals
    unfinished: int
    needs: Record
    of_served: List[str]
    pi90_parts: IntervalParts

class EnqueueCall(Record):
    mean: Figure
    launch: Figure
    reschedule: Figure
    compute: Figure
    blocking: Figure

class Mean(Record):
    mean: Figure

class Stage(Record):
    name: str
    ms: Figure
    grade: str
    source: str

class TimeShare(Record):
    gpu_running: Figure
    gpu_switch: Figure
    gpu_slice_wait: Figure
    dla_running: Figure
    copying: Figure
    link: Figure
    cache_refill: Figure
    launching: Figure
    cpu_compute: Figure
    sync_wakeup: Figure
    waiting_for_core: Figure
    idle: Figure
    dla_wait: Figure
    engine_running: Figure
    engine_wait: Figure
    launch_wait: Figure
    barrier_spin: Figure

class GpuRunningBy(Record):
    compute: Figure
    memory: Figure
    fixed: Figure
    throttled: Figure

class GpuArray(Record):
    sm_active: Figure
    issue_slot: Figure
    tensor_active: Figure
    occupancy: Figure
    metrics: Record

class ProcessMemory(Record):
    context_mb: Figure
    engine_mb: Figure
    arena_mb: Figure
    io_mb: Figure
    gpu_mb: Figure

class TokenTimes(Record):
    mean: Figure
    p50: Figure
    p90: Figure
    p95: Figure
    p99: Figure
    n: int
    ci95: LatencyIntervals
    needs: Record

class DecodeStep(Record):
    gb: Figure
    kernels_ms: Figure
    memory_share: Figure

class Tokens(Record):
    decode_per_s: Mean
    prefill_per_s: Mean
    ttft_ms: TokenTimes
    itl_ms: TokenTimes
    tokens_per_s: Figure
    tokens_per_joule: Figure
    decode_step: DecodeStep
    weights_mb: Figure
    kv_cache_mb: Figure
    reused_share: Figure

class Instance(Record):
    index: int
    name: str
    model: str
    precision: Optional[str]
    batch: int
    priority: str
    throughput: Throughput
    offered: Optional[Offered]
    stable: Optional[bool]
    latency_ms: Latency
    mean_batch: Figure
    drops: int
    tokens: Optional[Tokens]

class Process(Record):
    index: int
    entry: int
    name: str
    model: str
    precision: Optional[str]
    batch: int
    runtime: Optional[str]
    training: bool
    status: str
    grade: str
    grades: Grades
    throughput: Throughput
    frames_per_s: Figure
    images: Figure
    offered: Optional[Offered]
    stable: Optional[bool]
    stationary: Optional[bool]
    backlog_growth: Figure
    stable_rate: Figure
    unstable_share: Figure
    latency_ms: Latency
    mean_batch: Figure
    converged: Record
    ec_ms: EnqueueCall
    sync_ms: Mean
    stages: Records[Stage]
    time_share: TimeShare
    gpu_running_by: GpuRunningBy
    gpu: GpuArray
    memory_mb: Figure
    memory: ProcessMemory
    throttled_share: Figure
    throttled_by: str
    tokens: Tokens
    problem: str
    drops: int
    dropped_share: Figure
    setup_ms: Figure
    finished_ms: Figure
    throughput_after_setup: Figure
    instances: Optional[Records[Instance]]
    load: str
    threads: int
    bandwidth_gb_s: Figure
    busy_cores: Figure

class SystemThroughput(Record):
    mean: Figure
    ci95: Interval
    pi90: Interval
    pi90_parts: IntervalParts

class Power(Record):
    mean: Figure
    peak: Figure
    rails: Record
    rail_peaks: Record
    parts: Record
    wall: Figure
    ci95: Interval
    pi90: Interval
    pi90_parts: IntervalParts

class PerS(Record):
    mean: Figure
    pi90: Interval
    pi90_parts: IntervalParts

class EnergyMj(Record):
    mean: Figure
    pi90: Interval
    grade: str

class SystemTokens(Record):
    per_s: PerS
    energy_mj: EnergyMj

class SystemGpu(Record):
    busy: Figure
    reported_load: Figure
    sm_active: Figure
    issue_slot: Figure
    tensor_active: Figure
    occupancy: Figure
    clock_mhz: Figure
    clock_effective_mhz: Figure
    switches_per_s: Figure
    repeated: Figure
    compositor: Figure
    metrics: Record

class Dla(Record):
    name: str
    busy: Figure
    clock_mhz: Figure

class Engine(Record):
    name: str
    busy: Figure

class Link(Record):
    busy: Figure
    load: Figure
    requests_per_s: Figure
    resends: Figure
    wait_ms: Figure
    queued: int
    power_w: Figure

class Cpu(Record):
    busy_cores: Figure
    migrations_per_s: Figure
    involuntary_switches_per_s: Figure
    clock_mhz: List[float]
    interrupted: Figure

class Memory(Record):
    used_mb: Figure
    needed_mb: Figure
    capacity_mb: Figure
    gpu_share: Figure
    bandwidth_gb_s: Figure
    clock_mhz: Figure

class System(Record):
    throughput: SystemThroughput
    power_w: Power
    energy_per_image_mj: Figure
    tokens: SystemTokens
    gpu: SystemGpu
    dla: Records[Dla]
    engines: Records[Engine]
    link: Link
    cpu: Cpu
    memory: Memory
    temperature_c: Figure
    temperature_peak_c: Figure
    time_in_state: Record
    limited_by: str
    limited_share: Record
    stop: str

class FoundWarmup(Record):
    throughput: Figure
    power: Figure
    temperature: Figure

class Warmup(Record):
    set_s: float
    found_s: FoundWarmup

class Result(Answer):
    schema: str
    scenario: str
    device: str
    profile_hash: str
    seed: int
    status: str
    verdict: Verdict
    processes: Records[Process]
    system: System
    scenario_hash: str
    simulated_s: float
    replications: int
    stationary: Optional[bool]
    warmup: Warmup
    warnings: List[str]
    sharing_note: str
    resolved: Record
    def __init__(self, text: str, folder: str = "") -> None: ...
    def page(self, *, height: int = 720, progress: Union[None, bool, Callable[[float], Any]] = None) -> Page: ...
    def plot(self, axes: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...
# end

class Table:
    def __init__(self, found: Dict[str, Any]) -> None: ...
    @property
    def columns(self) -> List[str]: ...
    def __getitem__(self, column: str) -> Any: ...
    def __contains__(self, column: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def to_dict(self) -> Dict[str, Any]: ...
    def to_pandas(self, *, empty: bool = False) -> pandas.DataFrame: ...

class Sweep(Table):
    computed: int
    reused: int
    infeasible: int
    not_supported: int
    failed: int
    @property
    def json(self) -> str: ...
    @property
    def points(self) -> Records[Record]: ...
    def result(self, index: int) -> Optional[Result]: ...

class Runs(Table):
    def __init__(self, found: Dict[str, Any], varied: List[Dict[str, Any]]) -> None: ...
    @property
    def runs(self) -> int: ...
    def result(self, run: int) -> Result: ...

class Explanation(Answer):
    def scenario_of(self, what_if: str) -> Dict[str, Any]: ...

class Offload(Records[Record]):
    json: str
    def __init__(self, text: str) -> None: ...
    def of(self, kind: str) -> Records[Record]: ...

class Plan(Answer): ...
class Calibration(Answer): ...
class Comparison(Answer): ...
class Validation(Answer): ...

class Evidence(Records[Record]):
    csv: str
    def __init__(self, text: str) -> None: ...
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...

class Claims(Records[Record]):
    json: str
    def __init__(self, text: str) -> None: ...

def records(text: str) -> Any: ...
