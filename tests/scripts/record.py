"""`jostle record` as its users call it, and what `calibrate auto` makes of it.

The networks are recorded by Debian's PyTorch (python3-torch) on the processor, where it is; tests of it are skipped
elsewhere. trtexec and others are programs that stand for them. A recording of a card is made of the simulator's rates.
"""

import csv
import errno
import gc
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import weakref
from contextlib import nullcontext, redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])
FAKES = SOURCE / "tests/scripts/fake_jetson"
SCRIPT = SOURCE / "calibration/record/record_torch.py"
PYTHON = "/usr/bin/python3"
NETS = '''
import torch
from torch import nn
class Raises(nn.Module):
    def forward(self, x):
        raise ValueError("the moon is full: /opt/somebody/secret/nets.py")
class Huge(nn.Module):
    def forward(self, x):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:80] data. DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes")
def networks():
    small = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    return {"small": (small, torch.randn(1, 3, 64, 64)), "raises": (Raises(), torch.randn(1, 3)), "huge": (Huge(), torch.randn(1, 3))}
'''


def has_torch():
    return Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def script():
    spec = importlib.util.spec_from_file_location("record_torch", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Record(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.networks = self.directory / "board/networks"
        self.write("nets.py", NETS)

    def write(self, name, text, executable=False):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if executable:
            path.chmod(0o755)
        return path

    def jostle(self, *arguments, **environment):
        return subprocess.run([JOSTLE, *arguments], cwd=self.directory, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PYTHONPATH": "", **environment})

    def record(self, *arguments, **environment):
        return self.jostle("record", arguments[0], "-o", "board", "--busy", *arguments[1:], **environment)

    def torch(self, *arguments):
        if not has_torch():
            self.skipTest("there is no python3-torch here")
        return self.record("torch", "nets.py", "--quick", "--batches", "1,2", "--python", PYTHON, *arguments)

    def rows(self, name):
        with open(self.networks / name, newline="") as file:
            return list(csv.DictReader(file))

    def names(self):
        return sorted(path.name for path in self.networks.iterdir())

    # PyTorch

    def test_networks_of_ones_own_are_recorded_and_those_that_raise_are_left_out(self):
        done = self.torch()
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("raises is left out: no configuration of it runs: ValueError: the moon is full", done.stderr)
        self.assertIn("huge is left out: no configuration of it runs: out of memory", done.stderr)
        self.assertIn("Recorded: small. Left out: raises, huge.", done.stdout)
        self.assertEqual(self.names(), ["huge.failed", "machine.csv", "manifest.csv", "operators.csv", "raises.failed", "small"])
        rates = [row for row in self.rows("small/rates.csv") if row["metric"] == "throughput"]
        self.assertEqual([(row["precision"], row["batch"], row["runtime"]) for row in rates], [("fp32", "1", "cpu"), ("fp32", "2", "cpu")])
        repeats = self.rows("small/repeats.csv")
        self.assertEqual(len(repeats), 4)  # two batches, two interleaved repeats
        self.assertEqual([row["batch"] for row in repeats], ["1", "2", "1", "2"])
        for rate in rates:
            own = [float(row["images_per_s"]) for row in repeats if row["batch"] == rate["batch"]]
            self.assertAlmostEqual(float(rate["value"]), sum(own) / 2, delta=1e-3 * own[0])
        self.assertGreaterEqual(len({row["operation"] for row in self.rows("operators.csv") if not row["beside"]}), 17)
        self.assertEqual({row["beside"] for row in self.rows("operators.csv")}, {"", "hog", "poller"})
        self.write("s.yaml", "device: nvidia-h100\nprocesses: [{model: board/networks/small/small.onnx, precision: fp16, runtime: eager}]\n"
                   "run: {duration: 100 ms, warmup: 10 ms}\n")
        run = self.jostle("run", "s.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        for path in self.networks.rglob("*"):  # neither paths nor names of users and hosts
            for word in (b"/opt/somebody", str(self.directory).encode(), os.uname().nodename.encode()):
                if path.is_file() and len(word) > 3:
                    self.assertNotIn(word, path.read_bytes(), path)

    def test_what_is_recorded_is_kept(self):
        self.torch()
        before = (self.networks / "small/rates.csv").read_text()
        again = self.torch()
        self.assertIn("small is there already", again.stderr)
        self.assertIn("the operators are there already", again.stderr)
        self.assertEqual((self.networks / "small/rates.csv").read_text(), before)

    def test_ctrl_c_leaves_whole_networks_only_and_no_process(self):
        if not has_torch():
            self.skipTest("there is no python3-torch here")
        process = subprocess.Popen([JOSTLE, "record", "torch", "nets.py", "-o", "board", "--busy", "--python", PYTHON],
                                   cwd=self.directory, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": ""})
        for line in process.stderr:
            if "beside a busy loop" in line:
                break
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        self.assertEqual(process.wait(30), 130, told)
        self.assertIn("interrupted; the same command goes on", told)
        left = list(self.networks.iterdir()) if self.networks.exists() else []
        self.assertEqual([path for path in left if path.suffix in (".part", ".tmp")], [])
        self.assertFalse(subprocess.run(["pgrep", "-f", f"{self.directory}.*record_torch"], capture_output=True).stdout)

    def test_without_torch_nothing_is_written(self):
        self.write("bare/torch.py", "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
        bare = self.write("python", f"#!/bin/sh\nPYTHONPATH={self.directory}/bare exec {sys.executable} \"$@\"\n", executable=True)
        done = self.record("torch", "nets.py", "--python", str(bare))
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no torch: install it, or name another one with --python", done.stderr)
        self.assertFalse((self.directory / "board").exists())
        absent = self.record("torch", "nets.py", "--python", "./absent")
        self.assertEqual((absent.returncode, absent.stdout), (1, ""))
        self.assertIn("there is no ./absent", absent.stderr)

    def test_a_name_that_no_library_has_is_refused_before_anything_is_measured(self):
        if not has_torch():
            self.skipTest("there is no python3-torch here")
        done = self.record("torch", "timm:no_such_net", "--python", PYTHON)
        self.assertEqual(done.returncode, 1)
        self.assertIn("timm:no_such_net: no library here has it", done.stderr)
        self.assertFalse((self.directory / "board").exists())
        self.assertIn("there is no gone.py", self.record("torch", "gone.py", "--python", PYTHON).stderr)

    def test_a_full_disk_is_told_and_leaves_no_half_network(self):
        recorder = script()
        write, full = recorder.write_whole, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        facts = {"torch": "9", "device": "cpu", "python": "3", "compiles": False, "threads": 1, "names": {}}

        def survey(self):
            self.facts, self.names = facts, [{"file": "", "word": "a", "name": "a"}]

        def one_job(self, job, name, repeats, part):
            raise full
        told = io.StringIO()
        with mock.patch.object(recorder.Recorder, "survey", survey), mock.patch.object(recorder.Recorder, "operators"), \
                mock.patch.object(recorder.Recorder, "one_job", one_job), redirect_stderr(told):
            code = recorder.main(["a", "-o", str(self.directory / "board")])
        self.assertEqual(code, 1)
        self.assertIn("the disk is full", told.getvalue())
        self.assertEqual(self.names(), ["machine.csv"])
        with mock.patch("os.replace", side_effect=full), self.assertRaises(OSError):
            write(str(self.directory / "file"), "text")
        self.assertFalse((self.directory / "file.tmp").exists())

    def test_an_onnx_file_loses_its_weights_and_keeps_its_shapes(self):
        recorder = script()
        field = recorder.field
        weight = recorder.varint(1 << 3) + recorder.varint(4096) + recorder.varint(2 << 3) + recorder.varint(1) + field(8, b"w") + \
            field(9, bytes(16384))
        sizes = recorder.varint(1 << 3) + recorder.varint(4) + recorder.varint(2 << 3) + recorder.varint(7) + field(8, b"s") + \
            field(9, bytes(32))
        graph = field(5, weight) + field(5, sizes) + field(1, field(4, b"Relu") + field(6, b"File /opt/me/x.py")) + field(10, b"doc")
        bare = recorder.bare_onnx(field(7, graph) + field(14, b"metadata"))
        self.assertLess(len(bare), 200)
        self.assertIn(b"weights", bare)
        self.assertIn(field(5, sizes), bare)
        for gone in (b"/opt", b"doc", b"metadata"):
            self.assertNotIn(gone, bare)

    def test_a_trace_keeps_what_is_read_of_it(self):
        def event(cat, name, ts, dur, **args):
            return {"ph": "X", "cat": cat, "name": name, "pid": 9, "tid": 9, "ts": ts, "dur": dur, "args": args}
        inner, outer = event("cpu_op", "aten::convolution", 101.5, 3), event("cpu_op", "aten::conv2d", 100, 10)
        after = event("cpu_op", "aten::relu_", 110, 2)
        kernel = event("kernel", "gemm", 120, 5, correlation=7, grid=[1, 1, 1], **{"External id": 3, "file": "/opt/secret"})
        flow = {"ph": "s", "cat": "ac2g", "name": "ac2g", "ts": 101, "id": 7}
        kept = script().reduced([inner, outer, flow, after, kernel])
        self.assertEqual([(one["name"], one["ts"]) for one in kept], [("aten::conv2d", 0), ("aten::relu_", 10), ("gemm", 20)])
        self.assertEqual(kept[-1]["args"], {"correlation": 7, "grid": [1, 1, 1]})

    def test_a_graph_keeps_its_inputs_as_long_as_it_may_be_replayed(self):
        class Tensor:
            pass
        image, replayed = Tensor(), []
        seen = weakref.ref(image)
        graph = SimpleNamespace(replay=lambda: replayed.append(seen() is not None))
        torch = SimpleNamespace(cuda=SimpleNamespace(
            Stream=lambda: SimpleNamespace(wait_stream=lambda _: None), current_stream=lambda: SimpleNamespace(wait_stream=lambda _: None),
            stream=lambda _: nullcontext(), synchronize=lambda: None, CUDAGraph=lambda: graph, graph=lambda _: nullcontext()))
        call = script().captured(torch, lambda image=image: None)
        del image
        gc.collect()  # capturing another graph gives unused memory back to the card
        call()
        self.assertEqual(replayed, [True])

    # Other tools

    def trtexec(self, *arguments, **environment):
        self.write("tiny.onnx", "a network")
        return self.record("trtexec", "tiny.onnx", "--quick", *arguments, PATH=f"{FAKES}:{os.environ['PATH']}", FAKE_SECONDS="0.3",
                           **environment)

    def test_without_trtexec_it_is_told_where_it_comes_from(self):
        self.write("tiny.onnx", "a network")
        done = self.record("trtexec", "tiny.onnx", PATH="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no trtexec here: it comes with TensorRT", done.stderr)
        self.assertFalse((self.directory / "board").exists())

    def test_trtexec_runs_with_its_engine_built_once(self):
        done = self.trtexec("--equal", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        engine = self.networks / "engines/tiny@trtexec-fp16-b0.engine"
        self.assertTrue(engine.exists())
        rates = [row for row in self.rows("tiny@trtexec/rates.csv") if row["metric"] == "throughput"]
        self.assertEqual([(row["runtime"], float(row["value"]), row["unit"]) for row in rates],
                         [("tensorrt", 100, "images/s"), ("tensorrt-graph", 100, "images/s"), ("tensorrt", 100, "images/s")])
        self.assertIn("layer_time", {row["metric"] for row in self.rows("tiny@trtexec/rates.csv")})
        mixes = self.rows("mixes.csv")
        self.assertEqual([(row["run"], row["process"]) for row in mixes][:2], [("tiny@trtexec-alone-x2", "0"), ("tiny@trtexec-alone-x2", "1")])
        self.assertEqual(float(mixes[0]["images_per_s"]), 100)

    def test_a_tool_that_fails_is_set_aside_with_what_it_said(self):
        done = self.trtexec(FAKE_OUT_OF_MEMORY="loadEngine")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("OutOfMemory", (self.networks / "tiny@trtexec.failed/why.txt").read_text())
        self.assertEqual([name for name in self.names() if name.startswith("tiny")], ["tiny@trtexec.failed"])

    def test_any_program_that_prints_a_rate_is_recorded(self):
        program = self.write("mine", "#!/bin/sh\necho loading\necho 'throughput: 123.5 images/s'\n", executable=True)
        done = self.record("command", "--name", "resnet50", "--runtime", "libtorch", "--precisions", "fp16", "--", str(program))
        self.assertEqual(done.returncode, 0, done.stderr)
        rate = self.rows("resnet50@command/rates.csv")[0]
        self.assertEqual((rate["model"], rate["value"], rate["unit"]), ("resnet50", "123.5", "images/s"))
        silent = self.write("silent", "#!/bin/sh\necho nothing\n", executable=True)
        done = self.record("command", "--name", "other", "--runtime", "libtorch", "--precisions", "fp16", "--", str(silent))
        self.assertEqual(done.returncode, 1)
        self.assertIn("--pattern says where the number is", done.stderr)
        took = self.write("took", "#!/bin/sh\necho 'a batch took 20 of something'\n", executable=True)
        given = self.record("command", "--name", "third", "--runtime", "libtorch", "--precisions", "fp16", "--pattern", "took ([0-9]+)", "--unit", "ms", "--batches", "4", "--", str(took))
        self.assertEqual(given.returncode, 0, given.stderr)
        self.assertEqual(float(self.rows("third@command/rates.csv")[0]["value"]), 200)

    def test_tools_for_cores_and_language_models_go_over_the_threads(self):
        self.write("bin/llama-bench", """#!/bin/sh
while [ $# -gt 0 ]; do case $1 in -t) t=$2 ;; -n) n=$2 ;; esac; shift; done
echo '[{"model_type": "qwen2 1.5B Q8_0", "n_threads": '$t', "n_prompt": 0, "n_gen": '$n', "n_depth": 0, "avg_ts": 1'$t', "stddev_ts": 1}]'
""", executable=True)
        self.write("bin/benchncnn", "#!/bin/sh\necho \"  squeezenet  min =   9.00  max =  11.00  avg =  10.00\"\n", executable=True)
        self.write("mine.gguf", "")
        self.write("squeezenet1_0.param", "")
        path = f"{self.directory}/bin:{os.environ['PATH']}"
        done = self.record("llama", "mine.gguf", PATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row for row in self.rows("mine@llama/rates.csv") if row["metric"] == "decode"]
        threads = sorted({1, max(1, os.cpu_count() // 2), os.cpu_count()})
        self.assertEqual([int(row["threads"]) for row in rows if row["run"].startswith("bench")], threads)
        self.assertEqual([float(row["value"]) for row in rows if row["run"].startswith("bench")], [float(f"1{t}") for t in threads])
        done = self.record("ncnn", "squeezenet1_0.param", "--quick", "--equal", "2", PATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        rate = self.rows("squeezenet1_0@ncnn/rates.csv")[0]
        self.assertEqual((rate["model"], rate["runtime"], rate["placement"], float(rate["value"]), int(rate["threads"])),
                         ("squeezenet1_0", "ncnn", "cpu", 100, os.cpu_count()))
        self.assertEqual([row["process"] for row in self.rows("mixes.csv")], ["0", "1"])

    def test_misuse_is_answered_with_what_is_meant(self):
        for arguments, told in ((["torc", "x"], "did you mean 'torch'?"), (["trtexec"], "NETWORK is required"),
                                (["trtexec", "a.tflite"], "takes files that end in .onnx"),
                                (["trtexec", "a.onnx", "--pairs", "2"], "belong to `record torch`"),
                                (["trtexec", "gone.onnx", "--dry-run"], "there is no gone.onnx"),
                                (["torch", "resnet18", "--python", "/bin/false"], "/bin/false is no Python"),
                                (["command", "true"], "needs --name"),
                                (["command", "true", "--name", "a", "--runtime", "eager"], "needs --precisions"),
                                (["command", "true", "--name", "a", "--precisions", "fp16", "--runtime", "eagr"], "did you mean 'eager'?"),
                                (["command", "true", "--name", "a", "--pattern", "(("], "no regular expression with a group")):
            done = self.record(*arguments, PATH=f"{FAKES}:{os.environ['PATH']}")
            self.assertIn(done.returncode, (1, 2), arguments)
            self.assertIn(told, done.stderr)

    # calibrate auto

    def made_up_board(self):
        """A board whose networks run as the shipped profile has them, a third slower."""
        for name in ("identity.csv", "settings.txt"):
            self.write(f"board/{name}", (SOURCE / "calibration/evidence/h100-probe" / name).read_text())
        rows = (SOURCE / "calibration/evidence/h100-probe/parameters.csv").read_text().splitlines()
        self.write("board/parameters.csv", "\n".join([rows[0], *[row for row in rows if ",launches," in row]]) + "\n")
        self.write("board/manifest.csv", "part,file,quick,start,end,note\nlaunches,parameters.csv,0,1,2,\n")

        def rates(processes):
            text = "device: nvidia-h100\nprocesses:\n" + "".join(
                f"  - {{model: {model}, precision: fp16, batch: {batch}, runtime: {runtime}, sync: spin}}\n"
                for model, batch, runtime in processes) + "run: {duration: 1 s, warmup: 200 ms}\n"
            self.write("s.yaml", text)
            result = json.loads(self.jostle("run", "s.yaml", "--format", "json").stdout)
            return [process["throughput"]["mean"] for process in result["processes"]]
        for model in ("resnet18", "mobilenet_v2"):
            lines = ["run,model,precision,batch,input,placement,processes,runtime,sync,metric,value,unit,source"]
            for batch in (1, 4):
                rate = rates([(model, batch, "cuda-graph")])[0]
                lines.append(f"{model}-{batch},{model}.onnx,fp16,{batch},,gpu,1,cuda-graph,spin,throughput,{rate},images/s,made up")
            self.write(f"board/networks/{model}/rates.csv", "\n".join(lines) + "\n")
        mix = [("resnet18", 4, "cuda-graph"), ("mobilenet_v2", 1, "cuda-graph")]
        lines = ["run,process,sharing,cores,hogs,model,input,precision,batch,runtime,sync,arrivals,per_s,images_per_s,p50_ms,enqueue_ms,power_w"]
        for i, ((model, batch, runtime), rate) in enumerate(zip(mix, rates(mix))):
            lines.append(f"pair1,{i},time-slicing,16,0,{model}.onnx,,fp16,{batch},{runtime},spin,,,{rate},,,")
        self.write("board/networks/mixes.csv", "\n".join(lines) + "\n")

    def test_calibrate_auto_takes_the_networks_and_holds_the_mixes_out(self):
        self.made_up_board()
        done = self.jostle("calibrate", "auto", "board", "-o", "mine.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"resnet18 +cuda-graph")
        found = [line for line in done.stdout.splitlines() if line.startswith("Your own mixes")]
        self.assertEqual(len(found), 1, done.stdout)
        self.assertLess(float(found[0].split("within ")[1].split(" %")[0]), 5, found)
        self.assertIn("like: \"mine.kernels/probe.yaml\"", (self.directory / "mine.yaml").read_text())
        self.write("own.yaml", "device: mine.yaml\nprocesses: [{model: mine/resnet18, precision: fp16, batch: 4, runtime: cuda-graph}]\n"
                   "run: {duration: 1 s, warmup: 200 ms}\n")
        run = self.jostle("run", "own.yaml", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)
        rate = json.loads(run.stdout)["processes"][0]["throughput"]["mean"]
        measured = [row for row in self.rows("resnet18/rates.csv") if row["batch"] == "4"][0]
        self.assertLess(abs(rate / float(measured["value"]) - 1), 0.02)
        self.assertNotIn("it was recorded, but not as", run.stderr)
        wrong = self.jostle("run", "own.yaml", "--set", "processes.0.model=mine/resnet19")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown model 'mine/resnet19'", wrong.stderr)

    def test_a_recorded_network_in_another_runtime_is_told_to_be_computed(self):
        self.write("mine.yaml", "name: mine\nlike: nvidia-h100\n")
        (self.directory / "mine.kernels").mkdir()
        network = SOURCE / "tests/fuzz/corpus/onnx/small_cnn.onnx"
        (self.directory / "mine.kernels/small.onnx").write_bytes(network.read_bytes())
        self.write("own.yaml", "device: mine.yaml\nprocesses: [{model: mine/small, precision: fp16}]\nrun: {duration: 100 ms, warmup: 10 ms}\n")
        run = self.jostle("run", "own.yaml", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)
        told = json.loads(run.stdout)["warnings"]
        self.assertTrue(any("mine/small: it was recorded, but not as tensorrt in fp16" in one for one in told), told)
        support = self.jostle("support", "mine.yaml", "mine/small", "fp16")
        self.assertEqual(support.returncode, 0, support.stderr)
        self.assertIn("computed from the layers", support.stdout)
        self.assertIn("unknown model 'mine/smal'", self.jostle("support", "mine.yaml", "mine/smal", "fp16").stderr)

    def test_the_hosts_costs_come_from_the_operators(self):
        self.made_up_board()
        self.write("board/networks/machine.csv", "key,value\ndevice,cuda\n")
        with open(SOURCE / "calibration/evidence/h200-host/operators.csv", newline="") as file:
            known = [row for row in csv.DictReader(file) if row["mode"] == "inference_mode"]
        lines = ["beside,operation,time_s,core,us"]
        for row in known:
            for block, factor in enumerate((1.2, 1.2, 3.0)):  # the middle block counts, and none beside a hog
                lines.append(f"\"\",\"{row['operation']}\",{block},0,{factor * float(row['median_us'])}")
            lines.append(f"hog,\"{row['operation']}\",4,0,{9 * float(row['median_us'])}")
        self.write("board/networks/operators.csv", "\n".join(lines) + "\n")
        done = self.jostle("calibrate", "auto", "board", "-o", "mine.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host_time: {value: 120 %", (self.directory / "mine.kernels/probe.yaml").read_text())
        self.write("board/networks/machine.csv", "key,value\ndevice,cpu\n")  # operators of a processor say nothing of it
        self.jostle("calibrate", "auto", "board", "-o", "other.yaml")
        self.assertNotIn("host_time", (self.directory / "other.kernels/probe.yaml").read_text())

    def test_without_output_nothing_is_written_and_the_mixes_are_judged(self):
        self.made_up_board()
        before = sorted(path.name for path in self.directory.iterdir())
        done = self.jostle("calibrate", "auto", "board")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Your own mixes, which the fit did not see, come out within", done.stdout)
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), before)

    def test_rates_without_a_file_or_kernels_are_told_and_not_used(self):
        self.made_up_board()
        text = (self.networks / "resnet18/rates.csv").read_text()
        self.write("board/networks/my_own/rates.csv", text.replace("resnet18", "my_own"))
        done = self.jostle("calibrate", "auto", "board")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("my_own: neither its ONNX file nor its kernels are known", done.stdout)


if __name__ == "__main__":
    unittest.main()
