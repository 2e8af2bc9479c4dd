"""From a recording of one's own board and network to predictions, as a user does it: import, calibrate, run.

The board is made up: the simulator with figures and a factor on the network's kernels that the commands do not know.
Its logs lie in the folders of scripts/record-jetson.
"""

import csv
import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
BOARD = "jetson-orin-nano-super"
COLUMNS = "run,file,format,device,power_mode,pinned,cpu_mhz,model,precision,batch,processes,runtime,sync,start,end,note".split(",")


# An ONNX file without the package of that name: fields of protobuf messages.
def varint(value):
    text = b""
    while value > 127:
        text += bytes([value & 127 | 128])
        value >>= 7
    return text + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def value_info(name, dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def ints(name, values):
    return field(5, field(1, name) + b"".join(field(8, value) for value in values) + field(20, 7))


def network(side=320, channels=(32, 64, 64, 128, 128, 256, 256, 512)):
    nodes, weights, last, before = b"", b"", "x", 3
    for i, after in enumerate(channels):
        weights += field(5, b"".join(field(1, dim) for dim in (after, before, 3, 3)) + field(2, 1) + field(8, f"w{i}") +
                         field(9, bytes(4 * after * before * 9)))
        stride = 2 if i % 2 == 0 else 1
        side //= stride
        nodes += field(1, field(1, last) + field(1, f"w{i}") + field(2, f"c{i}") + field(3, f"/conv{i}") + field(4, "Conv") +
                       ints("kernel_shape", [3, 3]) + ints("pads", [1] * 4) + ints("strides", [stride] * 2))
        nodes += field(1, field(1, f"c{i}") + field(2, f"r{i}") + field(3, f"/relu{i}") + field(4, "Relu"))
        last, before = f"r{i}", after
    graph = nodes + field(2, "mine") + weights + field(11, value_info("x", [1, 3, 320, 320]))
    graph += field(12, value_info(last, [1, before, side, side]))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


class OwnBoard(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        (self.directory / "mine.onnx").write_bytes(network())
        support = self.jostle("import", "auto", self.log("first.log", 100, 9, 0.2), "--run", "r")
        content = list(csv.DictReader(support.splitlines()))[0]["onnx"]
        self.assertRegex(content, "^onnx-[0-9a-f]{16}$")
        made_up = "grade: assumed, source: made up"
        (self.directory / "truth.yaml").write_text(f"""name: truth
description: a made-up board
like: {BOARD}
gpu:
  time_slicing:
    switch_at_expiry: {{value: 260 us, {made_up}}}
runtimes:
  tensorrt:
    per_launch: {{value: 8.5 us, {made_up}}}
power:
  gpu:
    sm: {{value: 2.1 nF, {made_up}}}
factors:
  - {{network: {content}, precision: fp16, factor: 1.37}}
  - {{network: {content}, precision: int8, factor: 1.33}}
""")

    def jostle(self, *arguments, refused=False):
        done = subprocess.run([JOSTLE, *map(str, arguments)], cwd=self.directory, capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 2 if refused else 0, done.stdout + done.stderr)
        self.said = done.stderr
        return done.stderr if refused else done.stdout

    def run_on(self, device, runtime="tensorrt", sync="blocking", precision="fp16", batch=1, processes=1, model="mine.onnx"):
        scenario = self.directory / "scene.yaml"
        scenario.write_text(f"""device: {device}
power_mode: MAXN_SUPER
jetson_clocks: true
processes: [{{model: {model}, precision: {precision}, batch: {batch}, count: {processes}, runtime: {runtime}, sync: {sync}}}]
run: {{duration: 4 s, warmup: 1 s, seed: 5}}
""")
        return json.loads(self.jostle("run", scenario, "--format", "json"))

    def log(self, name, qps, gpu_ms, enqueue_ms, engine=False):
        def line(what, ms):
            return (f"[11/20/2026-10:00:05] [I] {what}: min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms, "
                    f"percentile(90%) = {ms} ms, percentile(95%) = {ms} ms, percentile(99%) = {ms} ms\n")
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        what = "--loadEngine=mine.engine" if engine else "--onnx=mine.onnx --fp16"
        path.write_text(f"&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec {what}\n"
                        + "[11/20/2026-10:00:00] [I] Compute Capability: 8.7\n"
                        + ("[11/20/2026-10:00:00] [I] Load engine: mine-fp16-b1.engine\n" if engine
                           else "[11/20/2026-10:00:00] [I] Precision: FP32+FP16\n")
                        + "[11/20/2026-10:00:00] [I] Input binding for x with dimensions 1x3x320x320 is created.\n"
                        + "[11/20/2026-10:00:00] [I] === Performance summary ===\n"
                        + f"[11/20/2026-10:00:05] [I] Throughput: {qps} qps\n"
                        + line("Latency", gpu_ms) + line("Enqueue Time", enqueue_ms) + line("GPU Compute Time", gpu_ms)
                        + "[11/20/2026-10:00:05] [I] Total GPU Compute Time: 2.9 s\n&&&& PASSED TensorRT.trtexec\n")
        return path

    def tegrastats(self, path, power):
        mw = round(1000 * power)
        path.write_text("".join(
            f"11-20-2026 10:00:{i:02} RAM 2500/7620MB (lfb 9x4MB) SWAP 0/3810MB (cached 0MB) CPU [10%@1728,3%@1728,0%@1728,"
            f"0%@1728,0%@1728,0%@1728] EMC_FREQ 40%@3199 GR3D_FREQ 99%@[1016] cpu@50C VDD_IN {mw}mW/{mw}mW\n" for i in range(20)))

    def record(self, state="MAXN_SUPER-pinned"):
        """What scripts/record-jetson would leave of the board."""
        folder = self.directory / "recording" / state
        rows = []

        def row(run, file, form, processes="", runtime="", sync="", model="mine"):
            known = dict(run=run, file=file, format=form, device=BOARD, power_mode="MAXN_SUPER", pinned=1, model=model,
                         precision="fp16" if model else "", batch=1 if model else "", processes=processes, runtime=runtime,
                         sync=sync, start="1.000", end="11.000", note="made up")
            rows.append({column: known.get(column, "") for column in COLUMNS})

        for runtime, sync, processes in [("tensorrt", "blocking", 1), ("tensorrt", "spin", 1), ("cuda-graph", "blocking", 1),
                                         ("tensorrt", "blocking", 2), ("tensorrt", "blocking", 4)]:
            run = f"mine-fp16-b1-{runtime}-{sync}-p{processes}"
            simulated = "tensorrt-graph" if runtime == "cuda-graph" else runtime  # as scripts/record-jetson calls it
            result = self.run_on("truth.yaml", simulated, sync, processes=processes)
            for i, process in enumerate(result["processes"]):
                name = "trtexec.log" if processes == 1 else f"trtexec.{i}.log"
                rate = process["throughput"]["mean"]
                share = process["time_share"]["gpu_running"]
                self.log(f"recording/{state}/{run}/{name}", rate, 1e3 / rate * share, process["ec_ms"]["mean"], engine=True)
                row(run, f"{run}/{name}", "trtexec", processes, runtime, sync)
            self.tegrastats(folder / run / "tegrastats.log", result["system"]["power_w"]["mean"])
            row(run, f"{run}/tegrastats.log", "tegrastats", processes, runtime, sync)
        (folder / "idle").mkdir()
        self.tegrastats(folder / "idle/tegrastats.log", 4)
        row("idle", "idle/tegrastats.log", "tegrastats", processes=0, model="")
        (folder / "nvpmodel.txt").write_text("NV Power Mode: MAXN_SUPER\n2\n")
        row("state", "nvpmodel.txt", "nvpmodel", model="")
        engine = self.directory / "recording/engines/mine-fp16-b1"
        engine.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256((self.directory / "mine.onnx").read_bytes()).hexdigest()
        (engine / "info.txt").write_text(f"onnx=mine.onnx\nonnx_sha256={digest}\ntensorrt=100300\n")
        self.manifest(folder, rows)
        return folder, rows

    def manifest(self, folder, rows):
        with (folder / "manifest.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def test_a_recording_gives_predictions_of_another_batch_precision_and_number_of_processes(self):
        self.record()
        self.jostle("import", "recording", "-o", "ev.csv")
        said = self.jostle("calibrate", BOARD, "ev.csv", "-o", "mine.yaml")
        self.assertNotIn("CUDA graph", self.said)
        self.jostle("run", self.directory / "scene.yaml", "--set", "device=mine.yaml")
        if os.environ.get("SHOW"):
            print(said)
        for words in ("factor mine.onnx fp16", "ev.csv: ", "rows used", "left out", "throughput is off by"):
            self.assertIn(words, said)
        (self.directory / "mine.onnx").rename(self.directory / "renamed.onnx")  # it is known by its content
        for most, asked in [(0.05, {"batch": 4}), (0.05, {"precision": "int8"}), (0.08, {"processes": 3}), (0.08, {"processes": 2, "precision": "int8", "batch": 4}),
                            (0.08, {"processes": 6})]:
            truth, mine = (self.run_on(device, model="renamed.onnx", **asked) for device in ("truth.yaml", "mine.yaml"))
            is_, predicted = (result["system"]["throughput"]["mean"] for result in (truth, mine))
            if os.environ.get("SHOW"):
                print(asked, is_, predicted)
            self.assertLess(abs(predicted / is_ - 1), most, (asked, is_, predicted))
            self.assertEqual(mine["processes"][0]["grades"]["kernels"], "fitted")

    def test_logs_of_one_run_share_what_one_of_them_says(self):
        self.log("trtexec.log", 90, 10.5, 0.3)
        self.tegrastats(self.directory / "tegrastats.log", 9)
        self.jostle("import", "auto", "trtexec.log", "tegrastats.log", "--run", "r1", "-o", "ev.csv")
        for option in ("--device", "--power-mode", "--pinned"):
            self.assertIn(option, self.said)
        rows = list(csv.DictReader((self.directory / "ev.csv").read_text().splitlines()))
        self.assertEqual({(row["run"], row["model"], row["precision"], row["batch"]) for row in rows},
                         {("r1", "mine.onnx", "fp16", "1")})
        self.assertIn("factor mine.onnx fp16", self.jostle("calibrate", BOARD, "ev.csv", "-o", "mine.yaml"))

    def test_what_no_log_says_is_named_with_its_option(self):
        self.log("trtexec.log", 90, 10.5, 0.3, engine=True)
        self.jostle("import", "auto", "trtexec.log", "--run", "r1", "-o", "ev.csv")
        for option in ("--model NAME", "--onnx FILE", "--precision WORD"):
            self.assertIn(option, self.said)
        self.assertIn("--onnx FILE", self.jostle("calibrate", BOARD, "ev.csv", refused=True))
        self.jostle("import", "auto", "trtexec.log", "--model", "mine.onnx", "-o", "ev.csv")
        self.assertIn("--precision", self.jostle("calibrate", BOARD, "ev.csv", refused=True))

    def test_states_are_not_mixed(self):
        folder, rows = self.record()
        changed = [dict(row) for row in rows]
        changed[1]["power_mode"] = "15W"
        self.manifest(folder, changed)
        self.assertIn("mixes power modes: 15W here, MAXN_SUPER", self.jostle("import", folder / "manifest.csv", refused=True))
        changed[1] = {**rows[1], "pinned": 0}
        self.manifest(folder, changed)
        self.assertIn("mixes clocks", self.jostle("import", "recording", refused=True))
        self.manifest(folder, rows)
        (folder / "nvpmodel.txt").write_text("NV Power Mode: 15W\n0\n")
        self.assertIn("the board was in 15W", self.jostle("import", "recording", refused=True))
        (folder / "nvpmodel.txt").write_text("NV Power Mode: MAXN_SUPER\n2\n")
        (folder / "mine-x.mixed").mkdir()
        (folder / "mine-x.mixed/why.txt").write_text("the state changed: mode\n")
        self.jostle("import", "recording", "-o", "ev.csv")
        self.assertIn("mine-x.mixed is left out: the state changed", self.said)

    def test_another_file_of_the_same_name_is_refused(self):
        folder, _ = self.record()
        (self.directory / "mine.onnx").write_bytes(network(channels=(32, 64)))
        self.assertIn("not the file that was recorded", self.jostle("import", folder, refused=True))

    def test_a_process_without_its_log_is_refused(self):
        folder, rows = self.record()
        self.manifest(folder, [row for row in rows if not row["file"].endswith("trtexec.3.log")])
        self.assertIn("has 4 processes, but 3 of their logs", self.jostle("import", folder, refused=True))

    def test_a_folder_without_a_manifest_says_what_to_do(self):
        (self.directory / "empty").mkdir()
        self.assertIn("import auto FILE", self.jostle("import", "empty", refused=True))


if __name__ == "__main__":
    unittest.main()
