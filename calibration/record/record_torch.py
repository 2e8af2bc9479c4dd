"""Records somebody's networks under PyTorch: rates, latency, watts and memory alone, a profiler's trace, ONNX without
weights, the host's cost of operators, and some of them together. Standard library and torch only.

The first process never imports torch: it starts a process for each network, reads the card's meters beside it, and
writes each network's folder whole or not at all. `jostle record torch` carries this file; it runs alone too:

    python3 record_torch.py -o board resnet50 timm:fastvit_t8 nets.py --pairs 3
"""
import argparse
import contextlib
import csv
import ctypes
import errno
import glob
import gzip
import io
import itertools
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

DONE, FAILED, MISUSED, SET_ASIDE, INTERRUPTED = 0, 1, 2, 3, 130
PRECISIONS = ("fp32", "tf32", "fp16")
LIBRARIES = ("torchvision", "timm", "transformers")
RATE_COLUMNS = ("run,model,precision,batch,input,placement,processes,runtime,sync,threads,metric,value,unit,sd,median,"
                "p90,p99,count,source").split(",")
REPEAT_COLUMNS = ("time_s,precision,batch,runtime,repeat,images_per_s,enqueue_ms,latency_p50_ms,host_us_before,"
                  "host_us_after,core,sm_mhz,power_instant_w,power_average_w").split(",")
MANIFEST_COLUMNS = ("run,file,format,device,power_mode,pinned,cpu_mhz,model,precision,batch,processes,runtime,sync,"
                    "start,end,note").split(",")
MIX_COLUMNS = ("run,process,sharing,cores,hogs,model,input,precision,batch,runtime,sync,arrivals,per_s,images_per_s,"
               "p50_ms,enqueue_ms,power_w").split(",")
OPERATOR_COLUMNS = "beside,operation,time_s,core,us".split(",")


class Refused(Exception):
    """What cannot be done, in a sentence for the user."""


def say(text):
    print("record: " + text, file=sys.stderr, flush=True)


def scrubbed(text):
    """The text without the paths and names of this machine and its user."""
    for path in (os.getcwd(), os.path.expanduser("~"), tempfile.gettempdir()):
        if len(path) > 1:
            text = text.replace(path, "…")
    text = re.sub(r"(/[\w.+-]+){2,}/([\w.+-]+)", r"…/\2", text)
    return text.strip()


def safe_name(name):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def csv_text(columns, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([number(row.get(column, "")) for column in columns])
    return out.getvalue()


def number(value):
    return "%.7g" % value if isinstance(value, float) else value


def write_whole(path, text):
    """Writes a file beside its place, then moves it there."""
    part = path + ".tmp"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------------------------------------ meters of a card

class Meters:
    """The card's clock and watts by NVML, or a Jetson's input by its sensor; read in a thread of the first process."""

    AVERAGE, INSTANT = 185, 186  # NVML_FI_DEV_POWER_AVERAGE, NVML_FI_DEV_POWER_INSTANT

    class Field(ctypes.Structure):
        _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("time", ctypes.c_longlong),
                    ("latency", ctypes.c_longlong), ("type", ctypes.c_uint), ("status", ctypes.c_uint),
                    ("value", ctypes.c_ulonglong)]

    def __init__(self, uuid=""):
        self.samples, self.stopping, self.device, self.rail = [], False, None, self.find_rail()
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
            if self.nvml.nvmlInit_v2() == 0:
                device = ctypes.c_void_p()
                found = self.nvml.nvmlDeviceGetHandleByUUID(
                    ("GPU-" + uuid).encode(), ctypes.byref(device)) if uuid else 1
                if found != 0:
                    found = self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))
                self.device = device if found == 0 else None
        except (OSError, AttributeError):
            pass
        self.thread = threading.Thread(target=self.run, daemon=True)
        if self.device is not None or self.rail:
            self.thread.start()

    @staticmethod
    def find_rail():
        """The files of voltage and current of a Jetson's input."""
        for label in glob.glob("/sys/bus/i2c/drivers/ina3221*/*/hwmon/hwmon*/in*_label"):
            with contextlib.suppress(OSError):
                if open(label).read().strip() in ("VDD_IN", "POM_5V_IN", "VIN"):
                    return label.replace("_label", "_input"), re.sub(r"in(\d+)_label", r"curr\1_input", label)
        return None

    def read(self):
        """Megahertz, and watts by the instant and the average meter; None where a meter is missing."""
        if self.device is None:
            with contextlib.suppress(OSError, ValueError, TypeError):
                volts, amperes = (float(open(path).read()) / 1e3 for path in self.rail)
                return None, volts * amperes, None
            return None, None, None
        mhz, milliwatts = ctypes.c_uint(), ctypes.c_uint()
        fields = (self.Field * 2)()
        fields[0].id, fields[1].id = self.INSTANT, self.AVERAGE
        clock = mhz.value if self.nvml.nvmlDeviceGetClockInfo(self.device, 1, ctypes.byref(mhz)) == 0 else None
        watts = [None, None]
        if self.nvml.nvmlDeviceGetFieldValues(self.device, 2, fields) == 0:
            for i in (0, 1):
                if fields[i].status == 0:
                    watts[i] = (fields[i].value & 0xFFFFFFFF) / 1e3
        if watts == [None, None] and self.nvml.nvmlDeviceGetPowerUsage(self.device, ctypes.byref(milliwatts)) == 0:
            watts[1] = milliwatts.value / 1e3
        return clock or mhz.value or None, watts[0], watts[1]

    def run(self):
        while not self.stopping:
            self.samples.append((time.monotonic(),) + self.read())
            del self.samples[:-6000]
            time.sleep(0.02)

    def mean(self, begin, end):
        """The means of megahertz and both meters in a stretch of the monotonic clock; '' without samples."""
        inside = [s for s in list(self.samples) if begin <= s[0] <= end]
        means = []
        for i in (1, 2, 3):
            values = [s[i] for s in inside if s[i] is not None]
            means.append(statistics.mean(values) if values else "")
        return means

    def lags(self, begin, end):
        """Seconds from the start of a step of load until each meter has shown 63 % of it."""
        rows = []
        for i, name in ((2, "instant"), (3, "average")):
            before = [s[i] for s in list(self.samples) if begin - 0.5 <= s[0] < begin and s[i] is not None]
            after = [s[i] for s in list(self.samples) if end - 0.3 <= s[0] <= end and s[i] is not None]
            if not before or not after:
                continue
            low, high = statistics.mean(before), statistics.mean(after)
            reached = [s[0] - begin for s in list(self.samples)
                       if s[0] >= begin and s[i] is not None and s[i] >= low + 0.63 * (high - low)]
            if high > low * 1.1 and reached:
                rows.append({"meter": name, "lag_s": reached[0], "idle_w": low, "load_w": high})
        return rows

    def stop(self):
        self.stopping = True
        if self.thread.is_alive():
            self.thread.join()


# ------------------------------------------------------------------------------------ in the process of one network

def tell(kind, **what):
    """One line for the first process."""
    os.write(TELL, (json.dumps({"kind": kind, **what}) + "\n").encode())


TELL = 1


def thermometer():
    """Microseconds of a fixed piece of Python: tells the speed that the host has at the moment."""
    best = 1e9
    for _ in range(3):
        begin = time.perf_counter()
        total = 0
        for i in range(4000):
            total += i * i
        best = min(best, time.perf_counter() - begin)
    return best * 1e6


def core_now():
    try:
        with open("/proc/thread-self/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[36])
    except (OSError, ValueError, IndexError):
        return -1


def networks_of_file(path):
    """What networks() of the user's file gives: name to (module, example input)."""
    import importlib.util
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("networks_to_record", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "networks", None)):
        raise Refused("%s has no function networks() that gives name: (module, example input)" % os.path.basename(path))
    found = module.networks()
    for name, pair in found.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise Refused("networks() of %s: %s is no pair (module, example input)" % (os.path.basename(path), name))
    return found


def made(word):
    """The module of a name in a library, with weights drawn at random, and an example input."""
    import torch
    library, _, name = word.rpartition(":")
    for candidate in [library] if library else LIBRARIES[:2]:
        try:
            if candidate == "torchvision":
                import torchvision
                module = torchvision.models.get_model(name, weights=None) if hasattr(
                    torchvision.models, "get_model") else getattr(torchvision.models, name)(weights=None)
                side = 299 if name == "inception_v3" else 224
                return module, torch.randn(1, 3, side, side)
            if candidate == "timm":
                import timm
                module = timm.create_model(name, pretrained=False)
                return module, torch.randn(1, *timm.data.resolve_model_data_config(module)["input_size"])
            if candidate == "transformers":
                import transformers
                config = transformers.AutoConfig.for_model(name)
                module = transformers.AutoModel.from_config(config)
                side = getattr(config, "image_size", None)
                if side:
                    return module, torch.randn(1, getattr(config, "num_channels", 3), side, side)
                return module, torch.randint(0, config.vocab_size, (1, 128))
        except (ImportError, ValueError, KeyError, AttributeError, RuntimeError) as error:
            if library:
                raise Refused("%s cannot be made: %s" % (word, str(error).split("\n")[0]))
    raise Refused("%s: neither torchvision nor timm has it here, and there is no such file" % word)


def check_known(word):
    """Refuses a name that no library here has."""
    import importlib
    library, _, name = word.rpartition(":")
    absent = []
    for candidate in [library] if library else LIBRARIES[:2]:
        if candidate not in LIBRARIES:
            raise Refused("%s: %s is none of %s" % (word, candidate, ", ".join(LIBRARIES)))
        try:
            found = importlib.import_module(candidate)
        except ImportError:
            absent.append(candidate)
            continue
        names = (found.CONFIG_MAPPING if candidate == "transformers" else
                 found.list_models() if candidate == "timm" else dir(found.models))
        if name in names:
            return
    raise Refused("%s: no library here has it%s" % (word, " (%s not installed)" % " and ".join(
        absent) if absent else "; a FILE.py with networks() may give any module"))


def leaves(value):
    import torch
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else []


def mapped(value, change):
    import torch
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    return type(value)(mapped(item, change) for item in value) if isinstance(value, (tuple, list)) else value


class Network:
    """A module of the user, its example input, and both in a precision at a batch."""

    def __init__(self, job, device):
        import torch
        self.torch, self.device, self.job = torch, device, job
        if job["file"]:
            self.module, self.example = networks_of_file(job["file"])[job["word"]]
        else:
            self.module, self.example = made(job["word"])
        self.module.eval()
        self.library, self.now, self.modules = not job["file"], None, {}
        weights = [p for p in self.module.parameters()]
        dtypes = {p.dtype for p in weights if p.is_floating_point()}
        if torch.bfloat16 in dtypes:
            raise Refused("its weights are in bfloat16, which jostle has no times for: record it with .half()")
        convs = sum(p.numel() for m in self.module.modules() if type(m).__name__.startswith("Conv")
                    for p in m.parameters(recurse=False))
        total = sum(p.numel() for p in weights)
        tensor_cores = device == "cuda" and torch.cuda.get_device_capability()[0] >= 8
        # PyTorch lets convolutions use TF32 by default, and no other product.
        self.own = "fp16" if torch.float16 in dtypes else "tf32" if tensor_cores and convs > total / 2 else "fp32"

    def precisions(self, asked):
        if self.device == "cpu":
            return ["fp32"]
        wanted = asked or [self.own, "fp16"]
        return list(dict.fromkeys(p for p in wanted if p in PRECISIONS))

    def input_side(self):
        tensors = leaves(self.example)
        if tensors and tensors[0].dim() == 4:
            return tensors[0].shape[-1]
        return tensors[0].shape[1] if tensors and tensors[0].dim() == 2 and not tensors[0].is_floating_point() else ""

    def set_precision(self, precision):
        torch = self.torch
        if self.now == precision:
            return
        self.now = precision
        torch.backends.cudnn.allow_tf32 = precision != "fp32"
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32" and self.own == "fp32"

    def ready(self, precision, batch):
        """A call without arguments that enqueues a batch."""
        import copy
        torch = self.torch
        self.set_precision(precision)
        if precision not in self.modules:
            module = copy.deepcopy(self.module).to(self.device)
            if precision == "fp16":
                module = module.half()
                if self.library and leaves(self.example)[0].dim() == 4:
                    module = module.to(memory_format=torch.channels_last)
            self.modules = {**self.modules, precision: module}
        module = self.modules[precision]
        first = leaves(self.example)[0].shape[0]

        def sized(tensor):
            if tensor.dim() > 0 and tensor.shape[0] == first:
                tensor = tensor[:1].repeat(batch, *[1] * (tensor.dim() - 1))
            tensor = tensor.to(self.device)
            if tensor.is_floating_point() and precision == "fp16":
                tensor = tensor.half()
                if self.library and tensor.dim() == 4:
                    tensor = tensor.to(memory_format=torch.channels_last)
            return tensor
        inputs = mapped(self.example, sized)
        if isinstance(inputs, dict):
            return lambda: module(**inputs)
        if isinstance(inputs, (tuple, list)):
            return lambda: module(*inputs)
        return lambda: module(inputs)


class Loop:
    """A closed loop with two batches in flight on a card, one at a time on the processor."""

    def __init__(self, torch, device):
        self.torch, self.on_card = torch, device == "cuda"
        if self.on_card:
            self.events = [torch.cuda.Event() for _ in range(3)]

    def run(self, call, end, least=4):
        """Runs until the monotonic time `end`. Times of enqueuing, latencies, batches, seconds."""
        enqueue, latency, begin, batches, before = [], [], time.monotonic(), 0, None
        for i in itertools.count():
            start = time.monotonic()
            if start >= end and batches >= least:
                break
            call()
            if not self.on_card:
                latency.append(time.monotonic() - start)
                batches += 1
                continue
            event = self.events[i % 3]
            event.record()
            enqueue.append(time.monotonic() - start)
            if before is not None:
                before[0].synchronize()
                latency.append(time.monotonic() - before[1])
                batches += 1
            before = (event, start)
        seconds = time.monotonic() - begin
        if self.on_card:
            self.torch.cuda.synchronize()
        return enqueue, latency, batches, seconds


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def captured(torch, call):
    """A CUDA graph of a batch. Its memory, that of the inputs included, lives as long as it may be replayed."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()

    def replay(kept=(call, result)):
        graph.replay()
    return replay


def without_memory(torch, error):
    kind = getattr(torch.cuda, "OutOfMemoryError", ()) if hasattr(torch, "cuda") else ()
    return isinstance(error, MemoryError) or (kind and isinstance(error, kind)) or any(
        words in str(error) for words in ("out of memory", "not enough memory", "CUBLAS_STATUS_ALLOC_FAILED"))


def reason(torch, error):
    if without_memory(torch, error):
        return "out of memory"
    lines = [line for line in str(error).strip().split("\n") if line.strip()] or [""]
    return scrubbed("%s: %s" % (type(error).__name__, lines[0]))[:300]


def calls_of(torch, network, job):
    """The calls of each configuration that works, and what does not, with its reason."""
    calls, left_out = {}, []
    runtimes = ["eager", "cuda-graph"] if network.device == "cuda" else ["cpu"]
    for precision in network.precisions(job["precisions"]):
        for batch in job["batches"]:
            for runtime in runtimes:
                key = (precision, batch, runtime)
                try:
                    call = network.ready(precision, batch)
                    if network.device == "cuda":
                        torch.cuda.reset_peak_memory_stats()
                    for _ in range(3):
                        call()
                    if network.device == "cuda":
                        torch.cuda.synchronize()
                    if runtime == "cuda-graph":
                        call = captured(torch, call)
                        call()
                        torch.cuda.synchronize()
                    memory = torch.cuda.max_memory_reserved() / 2**20 if network.device == "cuda" else None
                    calls[key] = (call, memory)
                except Exception as error:  # a network may raise whatever it likes
                    left_out.append("%s at batch %d in %s: %s" % (runtime, batch, precision, reason(torch, error)))
                    if network.device == "cuda":
                        with contextlib.suppress(Exception):
                            torch.cuda.synchronize()
                        torch.cuda.empty_cache()
    return calls, left_out


def timed_block(torch, network, call, key, repeat, seconds):
    precision, batch, runtime = key
    network.set_precision(precision)
    loop = Loop(torch, network.device)
    loop.run(call, time.monotonic() + min(0.15, seconds / 4), 2)
    before = thermometer()
    begin = time.monotonic()
    enqueue, latency, batches, took = loop.run(call, begin + seconds)
    end = time.monotonic()
    block = {"precision": precision, "batch": batch, "runtime": runtime, "repeat": repeat,
             "images_per_s": batches * batch / took,
             "enqueue_ms": 1e3 * statistics.median(enqueue) if enqueue else "",
             "latency_p50_ms": 1e3 * quantile(latency, 0.5), "latency_p90_ms": 1e3 * quantile(latency, 0.9),
             "latency_p99_ms": 1e3 * quantile(latency, 0.99), "host_us_before": before,
             "host_us_after": thermometer(), "core": core_now()}
    tell("block", begin=begin, end=end, row=block)


# Categories of events, and their arguments, that `jostle import chrome-trace` reads.
TRACED = ("kernel", "gpu_memset", "memset", "gpu_memcpy", "memcpy", "cuda_runtime", "runtime", "cuda_driver", "cpu_op",
          "operator")
TRACED_ARGUMENTS = ("device", "correlation", "grid", "block", "registers per thread", "shared memory", "stream")


def reduced(events):
    """What is read of a trace, without paths: calls, kernels and outermost operators, times from its start."""
    kept, until = [], {}
    events = [event for event in events if str(event.get("cat", "")).lower() in TRACED and event.get("ph") == "X"]
    start = min((event["ts"] for event in events), default=0)
    for event in sorted(events, key=lambda one: (one["ts"], -one.get("dur", 0))):
        end = event["ts"] + event.get("dur", 0)
        if event["cat"].lower() in ("cpu_op", "operator"):
            if event["ts"] < until.get(event.get("tid"), float("-inf")):
                continue  # inside of another one
            until[event.get("tid")] = end
        kept.append({**event, "ts": round(event["ts"] - start, 3), "dur": round(event.get("dur", 0), 3), "args": {
            key: value for key, value in event.get("args", {}).items() if key in TRACED_ARGUMENTS}})
    return kept


def profiled(torch, network, key, folder, batches):
    """A trace of warm batches, packed, without paths."""
    from torch.profiler import ProfilerActivity, profile
    precision, batch, _ = key
    call = network.ready(precision, batch)
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if network.device == "cuda" else [])
    for _ in range(3):
        call()
    with profile(activities=activities) as profiler:
        for _ in range(batches):
            call()
        if network.device == "cuda":
            torch.cuda.synchronize()
    name = "trace_%s_b%d.json" % (precision, batch)
    path = os.path.join(folder, name)
    profiler.export_chrome_trace(path)
    with open(path, encoding="utf-8", errors="replace") as file:
        trace = json.load(file)
    if isinstance(trace, list):  # older profilers write the events alone
        trace = {"traceEvents": trace}
    os.remove(path)
    events = reduced(trace["traceEvents"])
    kept = {key: trace[key] for key in ("schemaVersion", "deviceProperties") if key in trace}
    text = json.dumps({**kept, "traceEvents": events}, separators=(",", ":"))
    with gzip.GzipFile(path + ".gz", "wb", 9, mtime=0) as file:
        file.write(text.encode())
    return name + ".gz"


# ----------------------------------------------------------------------------------------- ONNX without weights

def varint(value):
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def fields_of(data):
    """Number, wire type, bytes of the whole field and of its content, for each field of a message."""
    at = 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        begin = at
        tag = read()
        wire = tag & 7
        if wire == 0:
            read()
            content = b""
        elif wire == 2:
            size = read()
            content = data[at:at + size]
            at += size
        else:
            content = b""
            at += 8 if wire == 1 else 4
        yield tag >> 3, wire, data[begin:at], content


def field(number_, content):
    return varint(number_ << 3 | 2) + varint(len(content)) + content


def bare_tensor(data):
    """A tensor whose values lie elsewhere, if they take more than 1 KiB, or 64 KiB of whole numbers (of shapes)."""
    whole_numbers = any(number_ == 2 and whole[-1] in (6, 7) for number_, _, whole, _ in fields_of(data))
    most = 65536 if whole_numbers else 1024
    if sum(len(whole) for number_, _, whole, _ in fields_of(data) if number_ in (4, 5, 6, 7, 9, 10, 11)) <= most:
        return bytes(data)
    kept = b"".join(whole for number_, _, whole, _ in fields_of(data) if number_ in (1, 2, 8))
    place = field(1, b"location") + field(2, b"weights")
    return bytes(kept) + field(13, place) + varint(14 << 3) + varint(1)


def bare_graph(data):
    out = bytearray()
    for number_, wire, whole, content in fields_of(data):
        if number_ == 1 and wire == 2:
            out += field(1, b"".join(w for n, _, w, _ in fields_of(content) if n not in (6, 9)))
        elif number_ == 5 and wire == 2:
            out += field(5, bare_tensor(content))
        elif number_ not in (10, 16):
            out += whole
    return bytes(out)


def bare_onnx(data):
    """An ONNX model without weights, stack traces and comments."""
    out = bytearray()
    for number_, wire, whole, content in fields_of(memoryview(data)):
        if number_ == 7 and wire == 2:
            out += field(7, bare_graph(content))
        elif number_ not in (6, 14):
            out += whole
    return bytes(out)


def export_onnx(torch, network, path):
    """Writes the network at batch 1 in fp32; raises where PyTorch cannot."""
    import copy
    import inspect
    import warnings
    module = copy.deepcopy(network.module).to("cpu").float().eval()
    first = leaves(network.example)[0].shape[0]
    inputs = mapped(network.example, lambda t: (t[:1] if t.dim() and t.shape[0] == first else t).to("cpu"))
    inputs = mapped(inputs, lambda t: t.float() if t.is_floating_point() else t)
    for place in ("torch.onnx._internal.torchscript_exporter.onnx_proto_utils", "torch.onnx._internal.onnx_proto_utils"):
        with contextlib.suppress(Exception):  # it would ask for the package onnx, for functions that none has here
            import importlib
            importlib.import_module(place)._add_onnxscript_fn = lambda model, functions: model
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    arguments = (inputs,) if not isinstance(inputs, (tuple, dict)) else inputs if isinstance(inputs, tuple) else (inputs,)
    out = io.BytesIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for opset in (17, 16):
            try:
                torch.onnx.export(module, arguments, out, opset_version=opset, **options)
                break
            except ValueError:
                out = io.BytesIO()
    if not out.getvalue():
        raise ValueError("PyTorch wrote nothing")
    with open(path, "wb") as file:
        file.write(bare_onnx(out.getvalue()))


# -------------------------------------------------------------------------------------------- jobs of a process

def device_of(torch, job):
    return "cpu" if job.get("cpu") or not torch.cuda.is_available() else "cuda"


def survey(job):
    import torch
    facts = {"torch": torch.__version__, "device": device_of(torch, job), "python": "%d.%d" % sys.version_info[:2],
             "compiles": hasattr(torch, "compile"), "threads": torch.get_num_threads()}
    if facts["device"] == "cuda":
        card = torch.cuda.get_device_properties(0)
        facts.update(gpu=card.name, sms=card.multi_processor_count, capability="%d.%d" % (card.major, card.minor),
                     memory_mib=card.total_memory >> 20, uuid=str(getattr(card, "uuid", "")),
                     cuda=torch.version.cuda, cudnn=torch.backends.cudnn.version())
    for word in job["words"]:
        check_known(word)
    facts["names"] = {file: list(networks_of_file(file)) for file in job["files"]}
    tell("facts", facts=facts)


def record_network(job):
    import torch
    torch.manual_seed(0)
    device = device_of(torch, job)
    network = Network(job, device)
    if device == "cuda":
        torch.cuda.init()
        free, total = torch.cuda.mem_get_info()
        context = (total - free) / 2**20
    with torch.inference_mode():
        calls, left_out = calls_of(torch, network, job)
        if not calls:
            why = dict.fromkeys(one.partition(": ")[2] for one in left_out)
            raise Refused("no configuration of it runs: %s" % "; ".join(why))
        tell("step", done=0.15, what="loaded")
        for repeat in range(job["repeats"]):
            last = repeat + 1 == job["repeats"]
            for i, (key, (call, _)) in enumerate(calls.items()):
                long = last and key[2] != "eager" and not job["quick"] and device == "cuda"
                timed_block(torch, network, call, key, repeat, job["watt_s"] if long else job["block_s"])
                tell("step", done=0.15 + 0.5 * (repeat + (i + 1) / len(calls)) / job["repeats"], what="alone")
        traces = []
        for key in [k for k in calls if k[2] in ("eager", "cpu")]:
            try:
                traces.append((key, profiled(torch, network, key, job["folder"], job["traced"])))
            except Exception as error:
                if isinstance(error, OSError):
                    raise
                left_out.append("the trace at batch %d in %s: %s" % (key[1], key[0], reason(torch, error)))
            tell("step", done=0.65 + 0.2 * len(traces) / len(calls), what="traced")
    tell("network", left_out=left_out, traces=traces, onnx="", input=network.input_side(), own=network.own,
         memory={"%s %d %s" % key: memory for key, (_, memory) in calls.items() if memory},
         context=context if device == "cuda" else None)


def record_onnx(job):
    import torch
    torch.manual_seed(0)
    name = job["name"] + ".onnx"
    with torch.no_grad():
        export_onnx(torch, Network(job, device_of(torch, job)), os.path.join(job["folder"], name))
    tell("onnx", file=name)


def record_compiled(job):
    """torch.compile at one configuration, in a process of its own, since it may take minutes or fail. It is timed after
    a line of standard input, when nothing else runs."""
    import torch
    torch.manual_seed(0)
    network = Network(job, device_of(torch, job))
    precision = network.precisions(job["precisions"])[-1]
    batch = job["batches"][len(job["batches"]) // 2]
    network.ready(precision, batch)
    with torch.inference_mode():
        network.modules[precision] = torch.compile(network.modules[precision])
        call = network.ready(precision, batch)
        for _ in range(3):
            call()
        sys.stdin.readline()
        for repeat in range(job["repeats"]):
            timed_block(torch, network, call, (precision, batch, "torch-compile"), repeat, job["block_s"])


def record_together(job):
    """A process of a mix: ready, then loops from a common start, which standard input tells."""
    import torch
    network = Network(job, device_of(torch, job))
    with torch.inference_mode():
        call = network.ready(job["precision"], job["batch"])
        for _ in range(5):
            call()
        if network.device == "cuda":
            torch.cuda.synchronize()
            if job["runtime"] == "cuda-graph":
                call = captured(torch, call)
        tell("ready")
        start = float(sys.stdin.readline())
        while time.monotonic() < start:
            time.sleep(0.0005)
        loop = Loop(torch, network.device)
        loop.run(call, start + job["warm_s"], 1)
        enqueue, latency, batches, seconds = loop.run(call, start + job["warm_s"] + job["measured_s"], 1)
    tell("together", images_per_s=batches * job["batch"] / seconds, p50_ms=1e3 * quantile(latency, 0.5),
         enqueue_ms=1e3 * statistics.median(enqueue) if enqueue else "", input=network.input_side())


def operators_of(torch, device):
    """The kinds of evidence/h200-host/operators.csv that are timed here, each a call."""
    half = {"dtype": torch.float16} if device == "cuda" else {}
    image = torch.randn(1, 64, 14, 14, device=device, **half).to(memory_format=torch.channels_last)
    tokens = torch.randn(1, 64, 128, device=device, **half)
    heads = torch.randn(1, 4, 64, 32, device=device, **half)

    def module(made_):
        made_ = made_.to(device).eval()
        return made_.half().to(memory_format=torch.channels_last) if device == "cuda" else made_
    nn, functional = torch.nn, torch.nn.functional
    modules = {"module call (Identity)": (nn.Identity(), image), "conv2d 3x3 module": (nn.Conv2d(64, 64, 3), image),
               "conv2d 3x3 depthwise module": (nn.Conv2d(64, 64, 3, groups=64), image),
               "batch_norm module": (nn.BatchNorm2d(64), image), "layer_norm module": (nn.LayerNorm(128), tokens),
               "linear module": (nn.Linear(128, 128), tokens), "relu_ module": (nn.ReLU(inplace=True), image),
               "silu_ module": (nn.SiLU(inplace=True), image), "gelu module": (nn.GELU(), image),
               "max_pool2d module": (nn.MaxPool2d(2), image)}
    calls = {"python call": lambda: None}
    for name, (one, given) in modules.items():
        calls[name] = (lambda one, given: lambda: one(given))(module(one), given)
    calls.update({"add": lambda: image + image, "mul": lambda: image * image,
                  "cat of two": lambda: torch.cat((image, image), 1), "softmax": lambda: torch.softmax(heads, -1),
                  "matmul batched": lambda: torch.matmul(heads, heads.transpose(-1, -2)),
                  "reshape (view)": lambda: tokens.reshape(64, 128), "permute": lambda: tokens.permute(0, 2, 1)})
    if hasattr(functional, "scaled_dot_product_attention"):
        calls["scaled_dot_product_attention"] = lambda: functional.scaled_dot_product_attention(heads, heads, heads)
    return calls


def operator_blocks(torch, device, calls, beside, rounds):
    """Blocks of some 1 ms of each operator, in turn, so that both speeds of a host are met."""
    rows, counts = [], {}
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    for name, call in calls.items():
        for _ in range(20):
            call()
        wait()
        begin = time.perf_counter()
        for _ in range(20):
            call()
        counts[name] = max(1, min(20000, int(1e-3 / ((time.perf_counter() - begin) / 20))))
        wait()
    for _ in range(rounds):
        for name, call in calls.items():
            count = counts[name]
            begin = time.perf_counter()
            for _ in range(count):
                call()
            took = time.perf_counter() - begin
            rows.append({"beside": beside, "operation": name, "time_s": time.monotonic(), "core": core_now(),
                         "us": 1e6 * took / count})
            wait()
    return rows


HOG = "import time\nwhile True: pass\n"
POLLER = "import time\nwhile True: time.sleep(100e-6)\n"


def record_operators(job):
    import torch
    device = device_of(torch, job)
    rounds = job["rounds"]
    rows = []
    with torch.inference_mode():
        calls = operators_of(torch, device)
        rows += operator_blocks(torch, device, calls, "", rounds)
        before = os.sched_getaffinity(0)
        core = sorted(before)[len(before) // 2]
        for beside, text in (("hog", HOG), ("poller", POLLER)):
            other = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.DEVNULL)
            try:
                os.sched_setaffinity(0, {core})
                os.sched_setaffinity(other.pid, {core})
                time.sleep(0.1)
                rows += operator_blocks(torch, device, calls, beside, max(2, rounds // 4))
            finally:
                other.kill()
                other.wait()
                os.sched_setaffinity(0, before)
    step = None
    if device == "cuda" and job["step_s"]:
        a = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
        torch.cuda.synchronize()
        time.sleep(1.6)
        begin = time.monotonic()
        while time.monotonic() < begin + job["step_s"]:
            for _ in range(4):
                a @ a
            torch.cuda.synchronize()
        step = [begin, time.monotonic()]
    tell("operators", rows=rows, step=step)


JOBS = {"survey": survey, "network": record_network, "onnx": record_onnx, "compiled": record_compiled, "together": record_together,
        "operators": record_operators}


def worker(text):
    """Runs a job in this process, and says how it ended in its last line."""
    global TELL
    TELL = os.dup(1)
    os.dup2(2, 1)  # whatever a network prints does not mix with the lines
    job = json.loads(text)
    try:
        JOBS[job["job"]](job)
        tell("end", why="")
    except Refused as error:
        tell("end", why=scrubbed(str(error)))
    except ModuleNotFoundError as error:
        tell("end", why="this Python has no module %s" % error.name, missing=error.name)
    except OSError as error:
        tell("end", why="%s" % (error.strerror or error), full=error.errno in (errno.ENOSPC, errno.EDQUOT))
    except BaseException as error:
        import torch
        tell("end", why=reason(torch, error))


# --------------------------------------------------------------------------------------------- the first process

class Worker:
    """A process with a job; its lines are read until it ends."""

    def __init__(self, job, environment=None):
        self.noise = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--worker", json.dumps(job)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.noise, start_new_session=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})})
        self.limit = threading.Timer(job.get("limit_s", 600), self.kill)
        self.limit.daemon = True
        self.limit.start()

    def kill(self):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def lines(self):
        ended = False
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                ended |= message["kind"] == "end"
                if message.get("full"):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                yield message
        self.process.wait()
        if not ended:
            late = not self.limit.is_alive()
            killed = self.process.returncode == -signal.SIGKILL
            yield {"kind": "end", "why": "it took too long" if late else
                   "it was killed, as the system does when memory is short" if killed else
                   "its process ended with %d%s" % (self.process.returncode, self.last_words())}
        self.limit.cancel()

    def last_words(self):
        self.noise.seek(0)
        lines = [line for line in self.noise.read()[-4000:].decode(errors="replace").split("\n") if line.strip()]
        return ": " + scrubbed(lines[-1])[:200] if lines else ""

    def send(self, text):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.limit.cancel()
        self.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.noise.close()


class Recorder:
    def __init__(self, options):
        self.options, self.aside, self.finished, self.kept = options, [], [], []
        self.folder = os.path.join(options.output, "networks")
        self.meters, self.facts, self.names = None, None, []
        self.begun = time.monotonic()

    def job(self, kind, **more):
        quick = self.options.quick
        return {"job": kind, "cpu": self.options.cpu, "quick": quick, "precisions": self.options.precisions,
                "batches": self.options.batches, "repeats": 2 if quick else 3, "block_s": 0.25 if quick else 0.45,
                "watt_s": 1.8, "traced": 8 if quick else 20, "limit_s": 180 if quick else 600, **more}

    def survey(self):
        files = [word for word in self.options.what if word.endswith(".py")]
        for file in files:
            if not os.path.isfile(file):
                raise Refused("there is no %s" % file)
        why = "Python ended at once"
        with Worker(self.job("survey", files=files, limit_s=120,
                             words=[word for word in self.options.what if word not in files])) as one:
            for message in one.lines():
                if message["kind"] == "facts":
                    self.facts = message["facts"]
                elif message["kind"] == "end":
                    why = message["why"]
                    if message.get("missing") == "torch":
                        raise Refused("this Python (%s) has no torch: install it, or name another one with --python" %
                                      os.path.basename(sys.executable))
        if self.facts is None or why:
            named = any(why.startswith(word) for word in self.options.what)
            raise Refused("PyTorch does not work here: %s" % why if self.facts is None and not named else why)
        for word in self.options.what:
            for name in self.facts["names"].get(word, [word]):
                self.names.append({"file": word if word.endswith(".py") else "", "word": name,
                                   "name": safe_name(name.rpartition(":")[2])})
        seen = set()
        for one in self.names:
            if one["name"] in seen:
                raise Refused("two networks are called %s" % one["name"])
            seen.add(one["name"])

    def announce(self):
        if self.facts["device"] == "cpu" and (self.options.pairs or self.options.equal):
            say("mixes are left out: they need a GPU")
            self.options.pairs, self.options.equal = 0, []
        on = self.facts.get("gpu", "the processor")
        seconds = 25 + len(self.names) * self.seconds_each() + 12 * self.mixes_planned()
        say("%d network%s with PyTorch %s on %s into %s, about %s" %
            (len(self.names), "" if len(self.names) == 1 else "s", self.facts["torch"], on, self.folder,
             "%d s" % seconds if seconds < 180 else "%d min" % ((seconds + 59) // 60)))
        if self.facts["device"] == "cpu":
            say("PyTorch sees no GPU: networks run on the processor, without CUDA graphs and watts")

    def seconds_each(self):
        configurations = len(self.options.batches) * (2 if self.facts["device"] == "cuda" else 1)
        if self.options.quick:
            return 12 + 2.5 * configurations
        return 18 + 8 * configurations + (25 if self.compiles() else 0)

    def compiles(self):
        return self.facts["compiles"] and not self.options.quick and not self.options.no_compile

    def mixes_planned(self):
        return self.options.pairs + len(self.options.equal) * 2 * len(self.names)

    def open(self):
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "machine.csv")
        facts = {key: value for key, value in self.facts.items() if key not in ("names", "uuid", "compiles")}
        facts.update(cores=len(os.sched_getaffinity(0)), kernel=os.uname().release, machine=os.uname().machine)
        before = {row["key"]: row["value"] for row in read_rows(path)}
        for key in ("gpu", "sms", "torch", "device"):
            if key in before and before[key] != str(facts.get(key, "")):
                raise Refused("%s holds a recording with another %s (%s; this is %s): choose another --output" %
                              (self.folder, key, before[key], facts.get(key, "none")))
        write_whole(path, csv_text(["key", "value"], [{"key": k, "value": v} for k, v in facts.items()]))
        for left in glob.glob(os.path.join(self.folder, "*.part")):
            shutil.rmtree(left, ignore_errors=True)
        self.meters = Meters(self.facts.get("uuid", "")) if self.facts["device"] == "cuda" else None

    def operators(self):
        path = os.path.join(self.folder, "operators.csv")
        if os.path.exists(path):
            say("the operators are there already")
            return
        say("the host's time of operators, alone, beside a busy loop and beside a poller")
        rounds = 20 if self.options.quick else 60
        with Worker(self.job("operators", rounds=rounds, step_s=0 if self.options.quick else 2.2)) as one:
            for message in one.lines():
                if message["kind"] == "operators":
                    if message["step"] and self.meters:
                        lags = self.meters.lags(*message["step"])
                        write_whole(os.path.join(self.folder, "meter.csv"),
                                    csv_text(["meter", "lag_s", "idle_w", "load_w"], lags))
                        for lag in lags:
                            say("the %s meter of the card lags %.2f s behind" % (lag["meter"], lag["lag_s"]))
                    write_whole(path, csv_text(OPERATOR_COLUMNS, message["rows"]))
                elif message["kind"] == "end" and message["why"]:
                    say("the operators could not be timed: %s" % message["why"])
                    self.aside.append("operators")

    def progress(self, name, done):
        if sys.stderr.isatty():
            print("\rrecord: %s %3.0f %%\033[K" % (name, 100 * done), end="", file=sys.stderr, flush=True)

    def clear(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def block_row(self, message):
        row = dict(message["row"], time_s=message["begin"] - self.begun)
        if self.meters:
            time.sleep(0.05)
            settled = max(message["begin"], message["end"] - 0.4)
            row["sm_mhz"], instant, average = self.meters.mean(settled, message["end"])
            if message["end"] - message["begin"] >= 1.2:
                row["power_instant_w"], row["power_average_w"] = instant, average
        return row

    def network(self, one):
        name = one["name"]
        place = os.path.join(self.folder, name)
        if os.path.exists(os.path.join(place, "rates.csv")):
            self.kept.append(name)
            say("%s is there already" % name)
            return
        part = place + ".part"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        repeats, begin = [], time.time()
        facts, why = self.one_job(self.job("network", folder=part, **one), name, repeats, part)
        if why:
            self.set_aside(name, part, why)
            return
        with Worker(self.job("onnx", folder=part, **one)) as export:  # while torch.compile compiles
            if self.compiles():
                job = self.job("compiled", folder=part, **one, limit_s=120)
                _, why = self.one_job(job, name, repeats, part, lambda: self.exported(export, facts))
                if why:
                    facts["left_out"].append("torch.compile: " + why)
            else:
                self.exported(export, facts)
        self.write_network(name, part, repeats, facts, (begin, time.time()))
        for old in (place + ".failed", place):
            shutil.rmtree(old, ignore_errors=True)
        os.rename(part, place)
        self.write_manifest()
        self.finished.append(name)
        self.clear()
        for what in facts["left_out"]:
            say("%s: left out: %s" % (name, what))
        best = max((r for r in repeats), key=lambda r: r["images_per_s"])
        say("%s: up to %.0f images/s (%s, %s, batch %d)" %
            (name, best["images_per_s"], best["runtime"], best["precision"], best["batch"]))

    def exported(self, export, facts):
        """Waits for the network's file."""
        for message in export.lines():
            if message["kind"] == "onnx":
                facts["onnx"] = message["file"]
            elif message["kind"] == "end" and message["why"]:
                facts["left_out"].append("ONNX: " + message["why"])

    def one_job(self, job, name, repeats, part, before=lambda: None):
        """Facts of the network, and why it failed; rows are written as they come. A job that waits goes on after
        `before`."""
        facts, why = None, ""
        path = os.path.join(part, "repeats.csv")
        with Worker(job) as one:
            before()
            one.send("go\n")
            for message in one.lines():
                if message["kind"] == "block":
                    repeats.append(self.block_row(message))
                    write_whole(path, csv_text(REPEAT_COLUMNS, repeats))
                elif message["kind"] == "step":
                    self.progress("%s: %s" % (name, message["what"]), message["done"])
                elif message["kind"] == "network":
                    facts = message
                elif message["kind"] == "end":
                    why = message["why"]
        return facts, why

    def set_aside(self, name, part, why):
        self.clear()
        failed = part[:-len(".part")] + ".failed"
        shutil.rmtree(failed, ignore_errors=True)
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(failed)
        write_whole(os.path.join(failed, "why.txt"), why + "\n")
        self.aside.append(name)
        say("%s is left out: %s" % (name, why))

    def write_network(self, name, part, repeats, facts, span):
        model = facts["onnx"] or name
        side = facts["input"] if not facts["onnx"] and facts["input"] not in ("", 224) else ""
        rates, manifest, blocks = [], [], {}
        for row in repeats:
            blocks.setdefault((row["precision"], row["batch"], row["runtime"]), []).append(row)
        for (precision, batch, runtime), rows in blocks.items():
            on_card = self.facts["device"] == "cuda"
            common = {"run": "%s-%s-b%d-%s" % (name, precision, batch, runtime), "model": model, "precision": precision,
                      "batch": batch, "input": side, "placement": "gpu" if on_card else "cpu", "processes": 1,
                      "runtime": runtime, "sync": "spin" if on_card else "",
                      "threads": "" if on_card else self.facts["threads"],
                      "source": "jostle record torch: PyTorch %s" % self.facts["torch"]}
            speeds = [row["images_per_s"] for row in rows]
            rates.append({**common, "metric": "throughput", "value": statistics.median(speeds), "unit": "images/s",
                          "sd": statistics.stdev(speeds) if len(speeds) > 1 else "", "count": len(speeds)})
            middle = {key: statistics.median(row[key] for row in rows)
                      for key in ("latency_p50_ms", "latency_p90_ms", "latency_p99_ms")}
            rates.append({**common, "metric": "latency", "value": middle["latency_p50_ms"], "unit": "ms",
                          "median": middle["latency_p50_ms"], "p90": middle["latency_p90_ms"],
                          "p99": middle["latency_p99_ms"], "count": len(rows)})
            if rows[0]["enqueue_ms"] != "":
                rates.append({**common, "metric": "enqueue_call", "unit": "ms", "count": len(rows),
                              "value": statistics.median(row["enqueue_ms"] for row in rows)})
            for meter in ("average", "instant"):
                watts = [row["power_%s_w" % meter] for row in rows if row.get("power_%s_w" % meter) not in (None, "")]
                if watts:
                    rates.append({**common, "metric": "power" if meter == "average" else "power_instant",
                                  "value": statistics.mean(watts), "unit": "W", "count": len(watts)})
            memory = facts["memory"].get("%s %d %s" % (precision, batch, runtime))
            if memory:
                rates.append({**common, "metric": "gpu_memory", "value": memory, "unit": "MiB", "count": 1})
        compiled = [row for row in rates if row["runtime"] == "torch-compile"]
        rates = [row for row in rates if row["runtime"] != "torch-compile"]
        for (precision, batch, runtime), file in facts["traces"] if self.meters else []:
            manifest.append({"run": "%s-%s-b%d-%s" % (name, precision, batch, runtime), "file": "%s/%s" % (name, file),
                             "format": "chrome-trace", "model": model, "precision": precision, "batch": batch,
                             "processes": 1, "runtime": runtime, "start": "%.3f" % span[0], "end": "%.3f" % span[1],
                             "note": ""})
        write_whole(os.path.join(part, "manifest.rows"), csv_text(MANIFEST_COLUMNS, manifest))
        if compiled:
            write_whole(os.path.join(part, "compiled.csv"), csv_text(RATE_COLUMNS, compiled))
        if facts["left_out"]:
            write_whole(os.path.join(part, "left_out.txt"), "\n".join(facts["left_out"]) + "\n")
        write_whole(os.path.join(part, "rates.csv"), csv_text(RATE_COLUMNS, rates))

    def write_manifest(self):
        rows = []
        for path in sorted(glob.glob(os.path.join(self.folder, "*", "manifest.rows"))):
            if os.path.dirname(path).rpartition(".")[2] not in ("part", "failed"):
                rows += read_rows(path)
        write_whole(os.path.join(self.folder, "manifest.csv"), csv_text(MANIFEST_COLUMNS, rows))

    # ---- together

    def recorded(self):
        """What ran alone: network, precision, batch, runtime."""
        found = []
        for one in self.names:
            for row in read_rows(os.path.join(self.folder, one["name"], "rates.csv")):
                if row["metric"] == "throughput":
                    found.append((one, row["precision"], int(row["batch"]), row["runtime"], row["model"], row["input"]))
        return found

    def mixes(self):
        """The mixes to record, drawn with a seed: name, way of sharing, entries."""
        known = self.recorded()
        if not known:
            return
        draw = random.Random(self.options.seed)
        graphs = [one for one in known if one[3] == "cuda-graph"] or known
        ways = [("time-slicing", graphs), ("time-slicing", known)] + ([("mps", graphs)] if mps_daemon() else [])
        for i in range(self.options.pairs):
            sharing, among = ways[i % len(ways)]
            yield "pair%d" % (i + 1), sharing, [draw.choice(among) for _ in range(draw.choice((2, 2, 3)))]
        for count in self.options.equal:
            for runtime in ("cuda-graph", "eager"):
                for name in dict.fromkeys(one[0]["name"] for one in known):
                    own = [one for one in known if one[0]["name"] == name and one[3] == runtime and one[1] == "fp16"]
                    if own:
                        one = own[len(own) // 2]
                        yield "equal%d-%s-%s" % (count, name, runtime), "time-slicing", [one] * count

    def together(self):
        path = os.path.join(self.folder, "mixes.csv")
        rows = read_rows(path)
        done = {row["run"] for row in rows}
        for run, sharing, entries in self.mixes():
            if run in done:
                continue
            found = self.run_mix(run, sharing, entries)
            if found:
                rows += found
                write_whole(path, csv_text(MIX_COLUMNS, rows))

    def run_mix(self, run, sharing, entries):
        environment, daemon = ({}, None)
        if sharing == "mps":
            daemon = Mps()
            environment = daemon.environment
        results = []
        with contextlib.ExitStack() as stack:
            if daemon:
                stack.callback(daemon.stop)
            workers, streams = [], []
            for one, precision, batch, runtime, _, _ in entries:
                workers.append(stack.enter_context(Worker(
                    self.job("together", precision=precision, batch=batch, runtime=runtime, warm_s=0.6, measured_s=2.0,
                             limit_s=120, **{k: one[k] for k in ("file", "word", "name")}), environment)))
                streams.append(workers[-1].lines())
            for i, stream in enumerate(streams):
                message = next(stream)
                if message["kind"] != "ready":
                    say("%s: left out: %s" % (run, message.get("why", "")))
                    self.aside.append(run)
                    return []
            start = time.monotonic() + 0.3
            for one in workers:
                one.send("%r\n" % start)
            for (one, precision, batch, runtime, model, side), stream in zip(entries, streams):
                for message in stream:
                    if message["kind"] == "together":
                        results.append({"run": run, "process": len(results), "sharing": sharing,
                                        "cores": len(os.sched_getaffinity(0)), "hogs": 0, "model": model, "input": side,
                                        "precision": precision, "batch": batch, "runtime": runtime, "sync": "spin",
                                        "images_per_s": message["images_per_s"], "p50_ms": message["p50_ms"],
                                        "enqueue_ms": message["enqueue_ms"]})
                    elif message["kind"] == "end" and message["why"]:
                        say("%s: left out: %s" % (run, message["why"]))
                        self.aside.append(run)
                        return []
            _, instant, average = self.meters.mean(start + 2.0, start + 2.6)
            for row in results:
                row["power_w"] = average if average != "" else instant
        say("%s (%s): %s" % (run, sharing, ", ".join(
            "%s %s b%d %s %.0f /s" % (e[0]["name"], e[1], e[2], e[3], r["images_per_s"])
            for e, r in zip(entries, results))))
        return results

    def run(self):
        self.survey()
        self.announce()
        if self.options.dry_run:
            return DONE
        self.open()
        self.operators()
        for one in self.names:
            self.network(one)
        self.together()
        done = self.finished + self.kept
        if not done:
            say("nothing was recorded")
            return FAILED
        print("Recorded: %s.%s" % (", ".join(done), " Left out: %s." % ", ".join(self.aside) if self.aside else ""))
        probe = "" if os.path.exists(os.path.join(self.options.output, "identity.csv")) else (
            "jostle probe -o %s, then " % self.options.output)
        print("Next: %sjostle calibrate auto %s -o mine.yaml" % (probe, self.options.output))
        return SET_ASIDE if self.aside else DONE

    def stop(self):
        if self.meters:
            self.meters.stop()
        for left in glob.glob(os.path.join(self.folder, "*.part")):
            shutil.rmtree(left, ignore_errors=True)
        for left in (self.folder, self.options.output):
            with contextlib.suppress(OSError):
                os.rmdir(left)  # only what is empty goes


def mps_daemon():
    return shutil.which("nvidia-cuda-mps-control")


class Mps:
    """A daemon of MPS of our own, in a folder of its own."""

    def __init__(self):
        self.place = tempfile.mkdtemp(prefix="jostle-mps-")
        self.environment = {"CUDA_MPS_PIPE_DIRECTORY": self.place, "CUDA_MPS_LOG_DIRECTORY": self.place}
        subprocess.run([mps_daemon(), "-d"], env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def stop(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([mps_daemon()], env={**os.environ, **self.environment}, input=b"quit -t 2\n",
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=20)
        shutil.rmtree(self.place, ignore_errors=True)


def counts(text):
    try:
        found = [int(one) for one in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError("wants numbers such as 1,4,16")
    if not found or min(found) < 1 or max(found) > 4096:
        raise argparse.ArgumentTypeError("wants numbers from 1 to 4096")
    return found


def precisions(text):
    found = text.split(",")
    for one in found:
        if one not in PRECISIONS:
            raise argparse.ArgumentTypeError("%s is none of %s" % (one, ", ".join(PRECISIONS)))
    return found


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="record torch", description=__doc__.split("\n\n")[0])
    parser.add_argument("what", nargs="+", metavar="NETWORK", help="FILE.py with networks(), or a name of torchvision, "
                        "timm:NAME, transformers:TYPE")
    parser.add_argument("-o", "--output", default="board", metavar="DIR")
    parser.add_argument("--batches", type=counts, default=[1, 4, 16], metavar="N,...")
    parser.add_argument("--precisions", type=precisions, default=[], metavar="WORD,...")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="record so many mixes drawn at random too")
    parser.add_argument("--equal", type=counts, default=[], metavar="N,...", help="and so many equal processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="30 s a network, no torch.compile, no settled watts")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="leave the GPU alone")
    parser.add_argument("--dry-run", action="store_true", help="say what would be recorded, and how long it takes")
    return parser.parse_args(arguments)


def main(arguments):
    if arguments[:1] == ["--worker"]:
        worker(arguments[1])
        return DONE
    options = options_of(arguments)

    def interrupted(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, interrupted)
    recorder = Recorder(options)
    try:
        return recorder.run()
    except Refused as error:
        say(str(error))
        return FAILED
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        say("the disk is full: what was finished before is kept, the network under way is not" if full
            else "%s: %s" % (os.path.basename(str(error.filename or "file")), error.strerror or error))
        return FAILED
    except KeyboardInterrupt:
        recorder.clear()
        say("interrupted; the same command goes on after the networks that are finished")
        return INTERRUPTED
    finally:
        recorder.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
