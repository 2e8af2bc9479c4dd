"""The command as its users start it: exit codes, what goes where, and what is said of mistakes.

JOSTLE is the binary, PROTOC a protobuf compiler (it decodes timelines), SOURCE the repository.
"""

import csv
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])

# More than 7 W allow, and easy at 25 W.
CAMERAS = """device: jetson-orin-nano-super
power_mode: 7W
processes: [{name: camera, model: yolov8n, precision: int8, count: 6, arrivals: {periodic: 20 /s}}]
run: {duration: 4 s}
"""
GOOD = """device: nvidia-h200
processes:
  - {model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 2}
  - {name: front, model: mobilenet_v2, precision: fp16, runtime: eager, sync: spin, arrivals: {poisson: 50 /s}}
run: {duration: 500 ms, warmup: 100 ms}
"""
TYPO = GOOD.replace("precision", "precison", 1)
TEGRASTATS = (
    "RAM 2048/7620MB (lfb 9x4MB) SWAP 10/3810MB (cached 0MB) CPU [10%@1000,30%@2000,off,off,off,off] EMC_FREQ 5%@2133 "
    "GR3D_FREQ 40%@[612] VDD_IN 6000mW/6000mW\n"
)
JTOP = "time,nvp model,jetson_clocks,CPU1,GPU,power cur\nt,15W,ON,5,7,4000\n"
EVIDENCE = """run,device,power_mode,pinned,model,precision,batch,metric,value,unit
a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,throughput,450,images/s
a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,power,17,W
"""
NVPMODEL = """< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_1 /sys/devices/system/cpu/cpu1/online
< POWER_MODEL ID=0 NAME=MAXN >
CPU_ONLINE CORE_1 1
< PM_CONFIG DEFAULT=0 >
"""
ENDLESS = "run={duration: 900000 s}"


class Command(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.good = self.file("good.yaml", GOOD)

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return str(path)

    def jostle(self, *arguments, **environment):
        return subprocess.run(
            [JOSTLE, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, timeout=250
        )

    def interrupt(self, process):
        """Ctrl-C once the program heeds it: how soon that is depends on how it was built."""
        heeded = 1 << (signal.SIGINT - 1)
        for _ in range(1000):
            status = Path(f"/proc/{process.pid}/status").read_text()
            if int(re.search(r"SigCgt:\s*([0-9a-f]+)", status)[1], 16) & heeded:
                break
            time.sleep(0.01)
        time.sleep(0.1)
        self.assertIsNone(process.poll(), "it is over before it could be interrupted")
        process.send_signal(signal.SIGINT)

    def refused(self, *arguments):
        """Exit code 2, nothing on standard output; gives the message."""
        done = self.jostle(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertNotEqual(done.stderr, "")
        return done.stderr

    # The machine itself

    def made_up_machine(self):
        """A tree of /proc and /sys of a board without a GPU; gives its root."""
        root = self.directory / "machine"
        for path, text in (("proc/sys/kernel/osrelease", "6.1.0-rpi"), ("proc/meminfo", "MemTotal: 8000000 kB"),
                           ("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0"),
                           ("proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0b\n"),
                           ("sys/devices/system/cpu/online", "0"), ("sys/devices/system/cpu/present", "0")):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        return str(root)

    def made_up_probe(self, name="probe"):
        folder = self.directory / name
        folder.mkdir()
        (folder / "manifest.csv").write_text("part,file,quick,start,end,note\ncpu,parameters.csv,0,10,20,no idle state\n")
        (folder / "identity.csv").write_text("key,value\narchitecture,aarch64\nboard,Raspberry Pi 5 Model B Rev 1.0\n")
        (folder / "settings.txt").write_text("online=0-3\n")
        (folder / "parameters.csv").write_text(
            "parameter,value,unit,relative_sd_pct,samples,part,how\n"
            "cpu.costs.context_switch,1.5,us,0.4,200,cpu,a pipe\nseen.stretch_of_2_hogs,4,ms,0.1,99,cpu,hogs\n")
        return folder

    def test_a_probe_lists_its_parts_and_what_the_system_tells(self):
        done = self.jostle("probe", "--list", "--root", self.made_up_machine())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("cpu_memory", "Raspberry Pi 5", "Cortex-A76", "no driver of an NVIDIA GPU is loaded"):
            self.assertIn(word, done.stdout)

    def test_a_probe_says_what_it_will_do_and_leaves_nothing_when_it_is_interrupted(self):
        folder = self.directory / "board"
        process = subprocess.Popen([JOSTLE, "probe", "--busy", "-o", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.interrupt(process)
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("Measures this machine into", errors)
        self.assertIn("interrupted", errors)
        self.assertFalse(folder.exists())

    def test_a_probe_that_two_signals_end_leaves_nothing(self):
        folder = self.directory / "board"
        process = subprocess.Popen([JOSTLE, "probe", "--quick", "--busy", "--only", "cpu", "-o", folder], stderr=subprocess.PIPE, text=True)
        while not (folder / "cpu.part").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        (folder / "cpu.part/raw").mkdir(exist_ok=True)
        (folder / "cpu.part/raw/samples.csv").write_text("a\n1\n")
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)  # both are there when it goes on
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (-signal.SIGTERM, -signal.SIGINT))
        self.assertFalse(folder.exists())

    def test_a_probe_whose_folder_cannot_be_written_is_refused_before_it_measures(self):
        (self.directory / "file").write_text("")
        self.assertIn("cannot be", self.refused("probe", "--busy", "-o", str(self.directory / "file/board")))

    def test_a_probe_that_measured_nothing_names_no_next_step(self):
        root = Path(self.made_up_machine())
        process = subprocess.Popen([JOSTLE, "probe", "--quick", "--busy", "--only", "cpu", "--root", root, "-o", self.directory / "board"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (self.directory / "board/cpu.part").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        (root / "sys/devices/system/cpu/online").write_text("0-1\n")
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn("Set aside: cpu", out)
        self.assertNotIn("Next", out)

    def test_a_probe_refuses_a_busy_machine_and_a_foreign_folder(self):
        root = Path(self.made_up_machine())
        (root / "proc/77/fd").mkdir(parents=True)
        (root / "proc/77/fd/3").symlink_to("/dev/nvidia0")
        (root / "proc/77/comm").write_text("trtexec\n")
        done = self.jostle("probe", "--root", str(root), "-o", str(self.directory / "board"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("others use the GPU: 77 trtexec", done.stderr)
        self.assertFalse((self.directory / "board").exists())
        done = self.jostle("probe", "--busy", "-o", str(self.directory))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no folder of a probe", done.stderr)
        self.assertIn("cheese", self.refused("probe", "--only", "cheese"))

    def test_a_probe_becomes_a_profile(self):
        folder = self.made_up_probe()
        done = self.jostle("import", str(folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 parameter a profile can take; 1 more were seen", done.stdout)
        mine = str(self.directory / "mine.yaml")
        done = self.jostle("calibrate", "auto", str(folder), "-o", mine)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("Base: raspberry-pi-5: the device tree calls", "1.5 us", "measured", "Next:"):
            self.assertIn(word, done.stdout)
        done = self.jostle("profile", "compare", "raspberry-pi-5", mine)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"cpu.costs.context_switch +5 us +assumed +1.5 us +measured +0.3")
        self.assertIn("Different: 1 parameter.", done.stdout)

    def test_a_probe_goes_with_a_recording(self):
        probe = self.made_up_probe()
        recording = self.directory / "recording"
        recording.mkdir()
        (recording / "tegrastats.log").write_text(TEGRASTATS * 3)
        (recording / "manifest.csv").write_text(
            "run,file,format,device,power_mode,pinned,cpu_mhz,model,precision,batch,processes,runtime,sync,start,end,note\n"
            "idle,tegrastats.log,tegrastats,jetson-orin-nano-super,15W,0,,,,,,,,1,2,idle\n")
        done = self.jostle("import", str(recording), str(probe))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("run,device,"))
        self.assertIn("a probe of aarch64", done.stderr)

    def test_a_damaged_probe_is_refused_with_file_and_line(self):
        folder = self.made_up_probe()
        with open(folder / "parameters.csv", "a") as file:
            file.write("cpu.costs.preempted,many,us,1,1,cpu,x\n")
        for command in (("import", str(folder)), ("calibrate", "auto", str(folder))):
            self.assertIn("parameters.csv:4", self.refused(*command))
        self.assertIn("no folder that `jostle probe` wrote", self.refused("calibrate", "auto", self.good))
        self.assertIn("takes one folder", self.refused("calibrate", "auto", str(folder), self.good))

    # What works

    def test_a_run_prints_a_table_and_nothing_else(self):
        done = self.jostle("run", self.good)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("resnet50", "front", "images/s", "total", "time went"):
            self.assertIn(word, done.stdout)
        self.assertNotIn("\x1b", done.stdout)

    def test_an_answer_begins_with_what_was_asked_the_verdict_why_and_how_sure(self):
        limited = self.file("limited.yaml", "device: jetson-orin-nano\njetson_clocks: true\nconstraints: {processes.latency_ms.p90: {max: 90 ms}}\n"
                            "processes: [{name: gate, model: resnet50, precision: fp16, arrivals: {periodic: 20 /s}}]\nrun: {duration: 2 s}\n")
        head = " ".join(self.jostle("run", limited).stdout.split("\n\n")[0].split())
        self.assertRegex(head, r"^Does jetson-orin-nano, power mode 15W, jetson_clocks, keep gate p90 under 90 ms, running resnet50 fp16\? gate: resnet50 fp16, batch 1, tensorrt, "
                         r"20 /s at regular times gate p90 [\d.]+ ms "
                         r".*, under 90: yes; .* why: gate: resnet50 fp16 b1 tensorrt: .* idle .* how sure: Throughput and latency: a real board may differ by ")
        verdict = json.loads(self.jostle("run", limited, "--format", "json").stdout)["verdict"]
        self.assertTrue(head.startswith(f"{verdict['question']}? gate: "), head)
        self.assertIn(f"{verdict['text']} why: ", head)
        for fan, cooler in (("true", "with"), ("false", "without")):
            warm = " ".join(self.jostle("run", limited, "--thermal", "equilibrium", "--set", f"fan={fan}").stdout.split())
            self.assertRegex(warm, rf"; after hours at this load the chip has \d+ degC {cooler} its fan \(assumed: some \d+ K more or less\), and throttles from 99 degC on why:")
        self.assertNotIn("verdict", json.loads(self.jostle("run", self.good, "--format", "json").stdout))
        self.assertRegex(" ".join(self.jostle("run", self.good).stdout.split()), r"^How many images a second do 2 x resnet50 fp16 .* get on .*\? .*why: .*how sure: ")

    def test_libraries_that_only_some_commands_need_are_not_loaded_at_the_start(self):
        loaded = subprocess.run([JOSTLE], env=os.environ | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True)
        self.assertIn("libc.so", loaded.stdout)
        for library in ("sqlite3", "tbb", "onnx", "ceres", "protobuf"):
            self.assertNotIn(f"lib{library}", loaded.stdout)

    def test_json_is_one_object_on_one_line_for_each_file(self):
        done = self.jostle("run", self.good, self.good, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0], lines[1])
        result = json.loads(lines[0])
        self.assertEqual(result["schema"], "jostle.result/1")
        self.assertEqual([process["index"] for process in result["processes"]], [0, 1, 2])
        self.assertEqual([process["entry"] for process in result["processes"]], [0, 0, 1])
        for process in result["processes"]:
            self.assertAlmostEqual(sum(process["time_share"].values()), 1, places=9)

    def test_json_has_no_key_twice(self):
        def object_of(pairs):
            self.assertEqual(len(pairs), len(dict(pairs)), pairs)
            return dict(pairs)
        for path in sorted(Path(os.environ["SOURCE"], "bench/baseline").glob("*.yaml")):
            done = self.jostle("run", str(path), "--format", "json", "--set", "run.duration=20 ms", "--set", "run.warmup=0 s")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads(done.stdout, object_pairs_hook=object_of)["processes"])

    def test_json_has_every_key_of_the_contract(self):
        result = json.loads(self.jostle("run", self.good, "--format", "json").stdout)
        process = result["processes"][0]
        system = result["system"]
        contract = {
            "schema scenario device profile_hash seed status processes system": result,
            "index entry model precision batch runtime status grade throughput latency_ms ec_ms sync_ms time_share "
            "gpu_running_by memory_mb drops": process,
            "mean ci95 pi90 unit": process["throughput"],
            "mean p50 p90 p95 p99 pi90": process["latency_ms"],
            "mean launch reschedule compute blocking": process["ec_ms"],
            "mean": process["sync_ms"],
            "gpu_running gpu_switch gpu_slice_wait dla_running copying link cache_refill launching cpu_compute "
            "sync_wakeup waiting_for_core idle": process["time_share"],
            "compute memory fixed throttled": process["gpu_running_by"],
            "throughput power_w energy_per_image_mj gpu cpu memory temperature_c time_in_state limited_by "
            "limited_share stop": system,
            "mean peak rails": system["power_w"],
            "busy reported_load sm_active issue_slot tensor_active clock_mhz switches_per_s": system["gpu"],
            "busy_cores migrations_per_s involuntary_switches_per_s": system["cpu"],
            "used_mb capacity_mb gpu_share bandwidth_gb_s": system["memory"],
            "context_mb engine_mb arena_mb io_mb gpu_mb": process["memory"],
        }
        for keys, there in contract.items():
            self.assertLessEqual(set(keys.split()), set(there))
        self.assertEqual(process["throughput"]["unit"], "images/s")

    def test_csv_has_one_header_and_a_row_a_process(self):
        done = self.jostle("run", self.good, self.good, "--format", "csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([row["index"] for row in rows], ["0", "1", "2"] * 2)
        self.assertGreater(float(rows[0]["throughput_images_per_s"]), 0)

    def test_set_and_seed_change_the_question(self):
        result = json.loads(
            self.jostle("run", self.good, "--format", "json", "--seed", "7", "--set", "processes.0.batch=4").stdout
        )
        self.assertEqual(result["seed"], 7)
        self.assertEqual(result["processes"][0]["batch"], 4)
        plain, again, other = (
            self.jostle("run", self.good, "--format", "json", *more).stdout for more in ([], [], ["--seed", "2"])
        )
        self.assertEqual(plain, again)
        self.assertNotEqual(plain, other)

    def test_a_timeline_is_written_that_decodes(self):
        trace = self.directory / "trace.json"
        done = self.jostle("run", self.good, "--trace", str(trace))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        events = json.loads(trace.read_text())["traceEvents"]
        names = " ".join(event["args"]["name"] for event in events if event["name"] == "thread_name")
        for word in ("core 0", "GPU", "process 0", "front"):
            self.assertIn(word, names)
        self.assertGreater(len(events), 100)

    def test_check_runs_nothing_and_list_and_show_know_the_boards(self):
        done = self.jostle("check", self.good)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("ok", done.stdout)
        self.assertNotIn("images/s", done.stdout)
        devices = self.jostle("list", "devices").stdout
        for device in ("nvidia-h200", "jetson-orin-nano", "jetson-nano", "jetson-tx2"):
            self.assertIn(device, devices)
            shown = self.jostle("show", "device", device)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertIn("slice", shown.stdout)
        self.assertIn("resnet50", self.jostle("list", "models").stdout)

    def test_every_network_that_is_listed_is_shown_and_documented(self):
        table = self.jostle("list", "models", "--markdown").stdout
        self.assertIn(table, (SOURCE / "docs/networks.md").read_text(), "scripts/update-docs brings it up to date")
        for row in table.splitlines()[2:]:
            name = row.split("|")[1].strip()
            shown = self.jostle("show", "model", name, COLUMNS="60")
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertLessEqual(max(len(line) for line in shown.stdout.splitlines()), 60)

    def test_a_language_model_of_a_config_json_is_shown_and_run(self):
        shapes = {"model_type": "olmoe", "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 16,
                  "num_key_value_heads": 16, "intermediate_size": 1024, "vocab_size": 50304, "num_experts": 64,
                  "num_experts_per_tok": 8}
        path = self.file("config.json", json.dumps(shapes))
        told = json.loads(self.jostle("show", "model", path, "--format", "json").stdout)
        self.assertEqual((told["name"], told["parameters"], told["experts"]["count"]), (path, 6919161856, 64))
        self.assertIn("8 of 64", self.jostle("show", "model", path).stdout)
        scenario = self.file("chat.yaml", "device: nvidia-h200\nprocesses:\n  - {model: config.json, precision: fp16, "
                             "runtime: vllm, bench: {tg: 16}}\nrun: {duration: 500 ms}\n")
        process = json.loads(self.jostle("run", scenario, "--format", "json").stdout)["processes"][0]
        self.assertEqual(process["model"], "config.json")
        self.assertGreater(process["tokens"]["tokens_per_s"], 0)
        del shapes["hidden_size"]
        self.assertIn("hidden_size: missing", self.refused("show", "model", self.file("config.json", json.dumps(shapes))))

    def test_a_language_model_is_shown_by_its_shapes_and_has_no_layers_to_draw(self):
        told = json.loads(self.jostle("show", "model", "qwen2.5_1.5b", "--format", "json").stdout)
        self.assertEqual((told["schema"], told["parameters"]), ("jostle.language_model/1", 1543714304))
        self.assertEqual(told["weight_bytes"]["fp16"], 2 * told["parameters"])
        for asked in (["--format", "dot"], ["--format", "csv"], ["--batch", "2"], ["--input", "64"]):
            refused = self.jostle("show", "model", "qwen2.5_1.5b", *asked)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("is a language model", refused.stderr)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_a_network_is_a_graph_that_graphviz_draws(self):
        graph = self.jostle("show", "model", "yolov8n", "--format", "dot").stdout
        drawn = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, timeout=250)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertIn("22.dfl.conv", drawn.stdout)

    def test_rooflines_come_as_tables_and_data(self):
        question = ["roofline", "jetson-orin-nano", "--network", "resnet50", "--network", "mobilenet_v2"]
        table = self.jostle(*question, COLUMNS="60")
        self.assertEqual((table.returncode, table.stderr), (0, ""))
        self.assertLessEqual(max(len(line) for line in table.stdout.splitlines()), 60)
        for word in ("15W", "7W", "ridge", "resnet50"):
            self.assertIn(word, table.stdout)
        told = json.loads(self.jostle(*question, "--format", "json").stdout)
        self.assertEqual([mode["power_mode"] for mode in told["modes"]], ["15W", "7W"])
        rows = list(csv.DictReader(io.StringIO(self.jostle(*question, "--format", "csv").stdout)))
        self.assertEqual({row["point"] for row in rows}, {"roof", "network"})
        self.assertEqual(self.jostle(*question, "--out", str(self.directory / "no" / "roofs.csv")).returncode, 2)
        self.assertIn("raspberry-pi-3b has no GPU", self.refused("roofline", "raspberry-pi-3b"))
        self.assertIn("FAST", self.refused(*question, "--mode", "FAST"))

    def test_training_is_told_in_the_table_and_refused_with_tensorrt(self):
        path = self.file("train.yaml", GOOD.replace("runtime: cuda-graph", "training: true, runtime: eager", 1))
        self.assertIn("resnet50 training", self.jostle("run", path).stdout)
        self.assertIn("tensorrt does not train", self.refused("run", path, "--set", "processes.0.runtime=tensorrt"))

    def onnx(self, name):
        shutil.copy(SOURCE / "tests/fuzz/corpus/onnx" / name, self.directory)
        return str(self.directory / name)

    def test_an_onnx_file_runs_like_a_network_of_ours(self):
        self.onnx("small_cnn.onnx")
        path = self.file("onnx.yaml", GOOD.replace("model: resnet50", "model: small_cnn.onnx"))
        done = self.jostle("run", path, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        process = json.loads(done.stdout)["processes"][0]
        self.assertEqual((process["model"], process["grade"]), ("small_cnn.onnx", "fitted"))
        self.assertGreater(process["throughput"]["mean"], 0)

    def test_what_is_approximated_of_an_onnx_file_is_said_beside_the_answer(self):
        path = self.onnx("unknown_operator.onnx")
        scenario = self.file("onnx.yaml", GOOD.replace("model: resnet50", "model: unknown_operator.onnx"))
        for arguments in (["run", scenario], ["check", scenario], ["show", "model", path]):
            done = self.jostle(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn("warning", done.stderr)
            self.assertIn("com.acme.Twist", done.stderr)
            self.assertNotIn("warning", done.stdout)

    def test_the_share_of_an_onnx_file_that_is_not_understood_is_in_the_json_and_lowers_the_grade(self):
        self.onnx("unknown_operator.onnx")
        scenario = self.file("onnx.yaml", GOOD.replace("model: resnet50", "model: unknown_operator.onnx"))
        result = json.loads(self.jostle("run", scenario, "--format", "json").stdout)
        self.assertRegex(result["warnings"][0], r"unknown_operator.onnx: \d+ of \d+ nodes .* are not understood")
        self.assertEqual(result["processes"][0]["grades"]["kernels"], "assumed")

    def test_show_model_reads_onnx_files_for_a_given_input(self):
        path = self.onnx("transformer_17.onnx")
        done = self.jostle("show", "model", path, "--input", "48")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("layer_norm", done.stdout)
        self.assertIn("'tokens'", self.refused("show", "model", path))

    def test_broken_onnx_files_are_refused_and_named(self):
        text = self.file("text.onnx", "this is no protobuf")
        for path in (self.onnx("cycle.onnx"), self.onnx("absurd.onnx"), text, str(self.directory / "none.onnx")):
            with self.subTest(path=path):
                self.assertIn(path, self.refused("show", "model", path))
                scenario = self.file("broken.yaml", GOOD.replace("model: resnet50", f"model: {Path(path).name}"))
                self.assertIn(Path(path).name, self.refused("run", scenario))

    # Calibration

    def calibration(self, *arguments):
        evidence = self.file("mine.csv", EVIDENCE)
        return ("calibrate", "jetson-orin-nano-super", evidence, "--quick", *arguments)

    def test_a_calibrated_profile_can_be_run(self):
        profile = str(self.directory / "mine.yaml")
        done = self.jostle(*self.calibration("-o", profile))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("all runs, as fitted", done.stdout)
        scenario = self.file("fitted.yaml", "device: mine.yaml\nprocesses: [{model: resnet50, precision: fp16}]\n"
                             "power_mode: MAXN_SUPER\njetson_clocks: true\n")
        result = json.loads(self.jostle("run", scenario, "--format", "json").stdout)
        self.assertAlmostEqual(result["system"]["throughput"]["mean"], 450, delta=15)

    def test_evidence_of_ones_own_is_compared_with_a_profile(self):
        done = self.jostle("validate", "jetson-orin-nano-super", self.file("mine.csv", EVIDENCE))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("all", "throughput", "power"):
            self.assertIn(word, done.stdout)
        object = json.loads(self.jostle("validate", "jetson-orin-nano-super", self.file("mine.csv", EVIDENCE), "--format", "json").stdout)
        self.assertEqual((object["schema"], object["left_out"]), ("jostle.validation/1", None))
        self.assertIn("throughput", [row["quantity"] for row in object["groups"]])
        self.assertIn("EVIDENCE", self.refused("validate", "jetson-orin-nano-super"))
        self.assertIn("no metric", self.refused("validate", "jetson-nano", self.file("none.csv", EVIDENCE[:EVIDENCE.index("\n") + 1])))

    def test_wrong_evidence_is_refused_with_its_line_and_nothing_is_written(self):
        evidence = self.file("wrong.csv", EVIDENCE.replace("fp16", "fp61"))
        profile = self.directory / "mine.yaml"
        said = self.refused("calibrate", "jetson-orin-nano-super", evidence, "-o", str(profile))
        self.assertIn("wrong.csv:2", said)
        self.assertIn("fp61", said)
        self.assertFalse(profile.exists())
        self.assertIn("did you mean 'jetson-nano'", self.refused("calibrate", "jetson-nanno", evidence))

    @unittest.skipIf("asan" in str(JOSTLE), "minutes under a sanitizer")
    def test_traces_of_a_shared_gpu_give_a_profile_that_is_held_against_contended_ones(self):
        traces = str(self.directory / "traces")
        shutil.copytree(SOURCE / "calibration/evidence/h200", traces)
        for table in (SOURCE / "profiles/kernels/h200").iterdir():
            shutil.copy(table, traces)
        profile = str(self.directory / "my-h200.yaml")
        done = self.jostle("calibrate", "nvidia-h200", traces, "-o", profile)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("gpu.time_slicing.switch_when_idle", "measured", "fitted", "equal GPU-bound processes"):
            self.assertIn(word, done.stdout)
        # The fit of watts is compared too, in the first rows and in what follows the table; columns are as wide as it asks.
        def rows_of_contention(text):
            table = text[text.index("\none process"):].strip().split("\n\n")[0]
            return [" ".join(line.split()) for line in table.splitlines()]
        compared = rows_of_contention(done.stdout)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[lines.index("one network left out") + 1].startswith("  power"))
        for validate in ((profile,), (profile, traces)):
            self.assertEqual(rows_of_contention(self.jostle("validate", *validate, "--all", COLUMNS="99999").stdout), compared)
        self.assertNotEqual(rows_of_contention(self.jostle("validate", "h200", "--all", COLUMNS="99999").stdout), compared)

    def test_a_folder_of_measurements_says_what_it_cannot_use(self):
        folder = self.directory / "traces"
        folder.mkdir()
        self.assertIn("this folder has no .csv files", self.refused("calibrate", "nvidia-h200", str(folder)))
        traces = SOURCE / "calibration" / "evidence" / "h200"
        shutil.copy(traces / "timeslices.csv", folder)
        (folder / "notes.csv").write_text("what,when\nfan,off\n")
        done = self.jostle("calibrate", "nvidia-h200", str(folder), "--quick")
        self.assertEqual(done.returncode, 0)
        self.assertIn("notes.csv", done.stderr)
        self.assertIn("gpu.time_slicing.slice ", done.stdout)
        self.assertNotIn("idle_wake", done.stdout)
        shutil.copy(traces / "timeslices.csv", folder / "again.csv")
        self.assertIn("two files with the columns of timeslices.csv", self.refused("calibrate", "nvidia-h200", str(folder)))
        (folder / "again.csv").unlink()
        mixed = self.file("mine.csv", EVIDENCE)
        self.assertIn("one after the other", self.refused("calibrate", "nvidia-h200", str(folder), mixed))
        self.assertIn("no runs to compare", self.refused("validate", "nvidia-h200", str(folder)))

    def test_a_validation_prints_what_is_over_its_limit_and_keeps_limits_and_names(self):
        groups = [row for row in json.loads(self.jostle("validate", "h200", "--format", "json").stdout)["groups"]]
        limits = [row for row in groups if row["limit"] is not None]
        over = [row for row in limits if row["limit_exceeded"]]
        text = self.jostle("validate", "h200", COLUMNS="60").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 60)
        whole = " ".join(text.split())
        self.assertIn(f"{len(limits) - len(over)} of {len(limits)} limits are met, {len(over)} exceeded", whole)
        self.assertEqual(text.count(": exceeded"), sum(row["limit"]["on"] != "each" for row in over))
        self.assertEqual(len(re.findall(r": [0-9]+ of [0-9]+ over", whole)), sum(row["limit"]["on"] == "each" for row in over))
        for row in groups:
            self.assertEqual(row["runs"] in whole, any(one["runs"] == row["runs"] for one in over), row["runs"])
        text = self.jostle("validate", "h200", "--all").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        for row in groups:
            self.assertIn(row["runs"], text)
        self.assertEqual(text.count(": met"), len(limits) - len(over))

    def test_a_sweep_without_an_output_prints_its_table(self):
        study = self.file("s.yaml", "scenario:\n  device: jetson-orin-nano-super\n  processes: [{model: resnet50, precision: fp16}]\n  run: {duration: 4 s}\n"
                          "sweep: {processes.0.batch: [1, 2]}\n")
        done = self.jostle("sweep", study)
        self.assertEqual(done.returncode, 0)
        head, *rows = done.stdout.splitlines()
        self.assertEqual(head.split()[:6], ["point", "status", "batch", "throughput", "latency_p99_ms", "power_w"])
        self.assertEqual(len(rows), 2)
        self.assertNotIn("problem", head)
        self.assertLessEqual(max(map(len, self.jostle("sweep", study, COLUMNS="60").stdout.splitlines())), 60)

    def test_a_sweep_says_what_has_no_p99_and_which_point_is_best(self):
        study = self.file("s.yaml", "scenario:\n  device: jetson-orin-nano-super\n  processes: [{model: resnet50, precision: fp16, arrivals: {periodic: 9 /s}}]\n  run: {duration: 3 s}\n"
                          "sweep: {processes.0.arrivals.periodic: [9 /s, 20 /s, 9000 /s]}\nobjectives: [max system.throughput]\n")
        done = self.jostle("sweep", study, "-o", str(self.directory / "s.sqlite"))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"3 points without p99: 1 overloaded, of 2 the run is too short")
        self.assertRegex(done.stderr, r"best: periodic 20 /s: throughput 20 images/s")
        points = [json.loads(line) for line in self.jostle("sweep", study, "--export", "json").stdout.splitlines()]
        self.assertEqual(["verdict" in point for point in points], [False, True, False])
        self.assertRegex(points[1]["verdict"]["text"], r"^periodic 20 /s: throughput 20 images/s")

    def test_a_sweep_says_how_many_settings_tie_with_the_best(self):
        for modes, others in (("7W, 15W, 25W, MAXN_SUPER", "3 other settings lie within the model's usual error, 25 %, of the best: they"),
                              ("15W, 25W, MAXN_SUPER", "2 other settings lie within the model's usual error, 25 %, of the best, 2 of them equal to it within 1 %: they")):
            study = self.file("modes.yaml", "scenario:\n  name: modes\n  device: jetson-orin-nano-super\n  run: {duration: 1 s}\n"
                              "  processes: [{model: resnet18, precision: int8, arrivals: {periodic: 30 /s}}]\n"
                              f"sweep:\n  power_mode: [{modes}]\nobjectives: [min system.power_w]\n")
            self.assertIn(others, " ".join(self.jostle("sweep", study).stderr.split()))

    def test_the_best_point_of_a_sweep_holds_a_limit_on_one_process(self):
        body = ("scenario:\n  device: jetson-orin-nano-super\n  processes:\n"
                "    - {name: detector, model: yolov8n, precision: int8, arrivals: {periodic: 30 /s}}\n"
                "    - {model: resnet50, precision: int8}\n  run: {duration: 4 s}\n"
                "sweep: {power_mode: [7W, 15W, 25W]}\nobjectives: [min system.power_w]\n")
        points = list(map(json.loads, self.jostle("sweep", self.file("s.yaml", body), "--export", "json").stdout.splitlines()))
        p50 = [point["result"]["processes"][0]["latency_ms"]["p50"] for point in points]
        watts = [point["result"]["system"]["power_w"]["mean"] for point in points]
        limit = max(p50) - 1e-3
        best = min((i for i in range(3) if p50[i] <= limit), key=lambda i: watts[i])
        self.assertNotEqual(best, min(range(3), key=lambda i: watts[i]), "the limit rules out the least power")
        study = self.file("t.yaml", body + f"constraints: {{processes.0.latency_ms.p50: {{max: {limit} ms}}}}\n")
        page = self.directory / "t.html"
        self.assertEqual(self.jostle("sweep", study, "--html", page).returncode, 0)
        data = json.loads(re.search(r'\{"schema":"jostle.report/1".*\}', page.read_text()).group())
        self.assertEqual(data["study"]["best_point"], best)
        self.assertRegex(data["words"]["question"], r"^Which of 3 settings of power mode gives the least W, with p50 of process 0 at most")
        [asked, *others] = [row["cells"] for row in data["words"]["answer"][0]["table"]["rows"]]
        self.assertEqual((asked[0], float(asked[1])), ("least W", float(f"{watts[best]:.3g}")))
        self.assertTrue(all("7W" not in row for row in others), others)
        told = self.jostle("sweep", study).stderr
        self.assertRegex(told, r"(?s)Which of 3 settings.*power mode 15W: power .*: yes.*why: power with power mode .* in place of 15W: .* % (more|less).*how sure: ")

    def test_a_sweep_without_limits_says_of_one_process_more_that_it_does_not_keep_up_and_of_one_less_that_fewer_are_asked_for(self):
        body = ("scenario:\n  device: jetson-xavier-nx\n  power_mode: 20W_6CORE\n  processes:\n    - {name: patrol, model: yolo11n, precision: fp16, arrivals: {periodic: 10 /s}}\n"
                "    - {name: gate, model: resnet18, precision: int8, arrivals: {poisson: 30 /s}}\nsweep: {processes.0.count: [7, 8, 9]}\n")
        told = " ".join(self.jostle("sweep", self.file("s.yaml", body)).stderr.split())
        self.assertRegex(told, r"processes 9 in place of 8: [0-9.]+ % more; but it does not keep up; 7: [0-9.]+ % less, as fewer are asked for")
        self.assertNotIn("a limit is missed", told)
        self.assertNotIn("too short to judge", told)

    def test_why_a_clock_is_best_is_told_by_the_next_ones_and_no_power_mode_holds_a_clock_that_is_set(self):
        body = ("scenario:\n  device: jetson-orin-nano-super\n  power_mode: MAXN_SUPER\n  processes: [{model: resnet18, precision: int8, batch: 8}]\n"
                "  run: {duration: 300 ms}\nsweep: {clocks.gpu: {start: 306 MHz, stop: 1020 MHz, step: 102 MHz}, processes.0.precision: [int8, fp16]}\n"
                "objectives: [min system.energy_per_image_mj]\n")
        told = " ".join(self.jostle("sweep", self.file("s.yaml", body)).stderr.split())
        self.assertRegex(told, r"\? jetson-orin-nano-super, power mode MAXN_SUPER: resnet18 GPU clock")
        self.assertRegex(told, r"why: energy an image with precision fp16 in place of int8: \d+ % more, as it takes .* power for .* images/s; GPU clock \d+ MHz in place of \d+ MHz: ")
        self.assertNotIn("power mode holds", told)
        run = self.file("r.yaml", "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\nclocks: {gpu: 765 MHz}\nrun: {duration: 300 ms}\nprocesses: [{model: resnet18, precision: int8}]\n")
        self.assertNotIn("holds the clocks down", " ".join(self.jostle("run", run).stdout.split()))
        self.assertIn("the power mode holds the clocks down", " ".join(self.jostle("run", run, "--set", "clocks={}", "--set", "power_mode=15W", "--set", "jetson_clocks=true").stdout.split()))

    # A new scenario

    def test_a_new_scenario_from_a_template_is_checked_and_run(self):
        for name in ("robot", "cameras", "chat", "server", "cpu"):
            path = str(self.directory / f"{name}.yaml")
            self.assertEqual(self.jostle("new", "--template", name, "-o", path).returncode, 0)
            self.assertEqual(self.jostle("check", path).returncode, 0)
            self.assertIn("exists", self.refused("new", "--template", name, "-o", path))
            self.assertEqual(self.jostle("new", "--template", name, "-o", path, "--replace").returncode, 0)
        run = json.loads(self.jostle("run", str(self.directory / "robot.yaml"), "--format", "json").stdout)
        self.assertTrue(run["verdict"]["met"])
        self.assertLessEqual(max(map(len, self.jostle("run", path, COLUMNS="60").stdout.splitlines())), 60)
        self.assertIn("robot", self.refused("new", "--template", "robo"))

    def test_a_new_scenario_by_questions_asks_again_after_a_wrong_answer(self):
        answers = "jetson-orin-nno\njetson-orin-nano\nrobot 25 /s\nyolo8n\nyolov8n\nC++\n40 ms\n"
        done = subprocess.run([JOSTLE, "new"], input=answers, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("unknown 'jetson-orin-nno'", done.stderr)
        self.assertIn("yolo8n", done.stderr)
        for line in ("device: jetson-orin-nano ", "model: yolov8n", "periodic: 25 /s", "{normalise: cpu}", "max: 40 ms"):
            self.assertIn(line, done.stdout)
        self.assertNotIn("numpy", done.stdout)
        ended = subprocess.run([JOSTLE, "new"], input="nonsense\n", capture_output=True, text=True, timeout=60)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))

    def test_list_says_what_it_can_list(self):
        done = self.jostle("list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[1:]], ["devices", "models", "stages", "modes"])

    # Where it is read

    def test_no_line_is_wider_than_a_narrow_terminal(self):
        done = self.jostle("run", self.good, COLUMNS="60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 60)
        for word in ("resnet50", "front", "images/s"):
            self.assertIn(word, done.stdout)

    def test_an_explanation_fits_a_narrow_terminal_and_its_percentages_sum_to_a_hundred(self):
        done = self.jostle("explain", self.good, COLUMNS="60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 60)
        self.assertNotIn("\x1b", done.stdout)
        groups = done.stdout.split("critical resource")[0].strip().split("\n\n")[2:]  # head and title before
        self.assertEqual(len(groups), 2)
        for group in groups:
            tenths = [int(a + b) for a, b in re.findall(r"^  [a-z][a-z -]+ +(\d+)\.(\d) %", group, re.M)]
            self.assertEqual(sum(tenths), 1000, group)

    def test_an_explanation_names_overload_first(self):
        path = self.file("cameras.yaml", CAMERAS)
        done = self.jostle("explain", path, COLUMNS="60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 60)
        head, title, overload = done.stdout.split("\n\n")[:3]
        self.assertTrue(overload.startswith("overloaded: "), overload)
        self.assertIn("6 processes (camera) serve", " ".join(overload.split()))
        self.assertRegex(" ".join(overload.split()), r"it would keep up with any of: [^:;]+ \(images/s \+\d+\.\d %\)")
        self.assertRegex(done.stdout, r"images/s\s+each,\s+latency grows")
        self.assertIn("grows", re.search("^as it is.*$", self.jostle("explain", path).stdout, re.M).group())
        answer = json.loads(self.jostle("explain", path, "--format", "json").stdout)
        self.assertEqual(answer["overloaded"], [0, 1, 2, 3, 4, 5])
        self.assertLess(answer["overload"]["served"], answer["overload"]["offered"])
        for what_if in answer["what_ifs"]:
            self.assertEqual(what_if["name"] in answer["overload"]["stable_with"], what_if["overloaded"] == [])
            if what_if["overloaded"]:
                self.assertIsNone(what_if["latency_p99_ms"]["after"])

    def test_who_is_served_nothing_is_told_in_every_form(self):
        text = ("device: jetson-orin-nano\nprocesses: [{model: resnet50, precision: fp16, sync: spin, policy: {fifo: 99}, "
                "count: 2, cpus: [0]}]\nrun: {duration: 1 s}\n")
        path = self.file("starved.yaml", text)
        table = self.jostle("run", path).stdout
        self.assertRegex(table, r"(?m)^1 +resnet50 .* 0\.0 ")
        self.assertIn("process 1 served nothing in 1 s: it waited for a core for 100 % of the time", table)
        rows = list(csv.DictReader(io.StringIO(self.jostle("run", path, "--format", "csv").stdout)))
        self.assertEqual([rows[1][name] for name in ("throughput_images_per_s", "images")], ["0", "0"])
        explained = self.jostle("explain", path).stdout
        self.assertRegex(explained, r"2 x resnet50 fp16 b1 tensorrt: 0 to \d+\.\d images/s\n")
        self.assertIn("process 1 served nothing in 1 s", explained)
        study = self.file("starved_study.yaml", "scenario:\n  " + text.replace("count: 2, ", "").replace("\n", "\n  ") +
                          "\nsweep: {processes.0.count: [1, 2]}\n")
        self.jostle("sweep", study, "-o", self.directory / "s.sqlite")
        points = [json.loads(line) for line in self.jostle(
            "query", self.directory / "s.sqlite", "SELECT throughput, process_throughput_min, process_throughput_mean "
            "FROM results", "--format", "json").stdout.splitlines()]
        self.assertEqual(points[1]["process_throughput_min"], 0)
        self.assertAlmostEqual(points[1]["process_throughput_mean"], points[1]["throughput"] / 2, places=6)
        self.assertGreater(points[0]["process_throughput_min"], 100)

    def test_numbers_with_exponents_are_numbers(self):
        study = self.file("long.yaml", "scenario: {device: jetson-orin-nano, processes: [{model: resnet18, precision: fp16}], "
                          "run: {warmup: 1e+01 ms}}\nsweep: {run.duration: {start: 1.0e-01 s, stop: 2e-1 s, step: 1e+02 ms}}\n")
        self.assertIn("the units 's', 's' and 'ms'", self.refused("check", study))
        Path(study).write_text(Path(study).read_text().replace("1e+02 ms", "1.0E-1 s"))
        lines = self.jostle("sweep", study, "--export", "csv").stdout.splitlines()
        self.assertTrue(lines[0].startswith("point,status,duration_s,"), lines[0])
        self.assertEqual([line.split(",")[2] for line in lines[1:]], ["0.1", "0.2"])
        patient = self.file("patient.yaml", "device: jetson-orin-nano\nprocesses: [{model: resnet18, precision: fp16, "
                            "arrivals: {poisson: 1 /s}}]\nrun: {duration: 1.2e+02 s}\n")
        told = re.search("simulate about ([0-9]+) s", self.jostle("run", patient).stdout)
        self.assertGreater(int(told.group(1)), 120)

    def test_files_may_begin_with_a_byte_order_mark(self):
        mark = b"\xef\xbb\xbf"
        (self.directory / "times.csv").write_bytes(mark + b"time_s\r\n0.1\r\n0.2\r\n")
        (self.directory / "requests.csv").write_bytes(mark + b"prompt,tokens\r\n5,5\r\n")
        scenario = self.directory / "marked.yaml"
        scenario.write_bytes(mark + b"device: jetson-orin-nano\nprocesses:\n"
                             b"  - {model: resnet18, precision: fp16, arrivals: {trace: times.csv}}\n"
                             b"  - {model: qwen2.5_0.5b, precision: q4_k_m, generate: {trace: requests.csv}}\n"
                             b"run: {duration: 500 ms, warmup: 0 s}\n")
        result = json.loads(self.jostle("run", scenario, "--format", "json").stdout)
        self.assertEqual(result["processes"][0]["images"], 2)
        log = self.directory / "my.log"
        log.write_bytes(mark + TEGRASTATS.encode() * 20)
        self.assertIn("6", self.jostle("import", "auto", log).stdout)

    def test_an_explanation_tells_who_would_win_on_streams_of_one_process(self):
        path = self.file("two.yaml", GOOD.replace("eager", "cuda-graph"))
        done = self.jostle("explain", path, COLUMNS="60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("as streams of one process", done.stdout)
        said = " ".join(done.stdout.split("who would win and who would starve")[1].split())
        self.assertRegex(said, r"as streams of one process: resnet50 wins \(\+\d")
        answer = json.loads(self.jostle("explain", path, "--what-if", "as-streams", "--format", "json").stdout)
        groups = answer["what_ifs"][0]["standings"]["groups"]
        self.assertEqual([(group["label"], group["count"]) for group in groups], [("resnet50", 2), ("front", 1)])
        # What is printed is a scenario, and it asks the reverse.
        server = self.jostle("explain", path, "--what-if", "as-streams", "--print").stdout
        back = self.jostle("explain", self.file("server.yaml", server), COLUMNS="60")
        self.assertEqual(back.returncode, 0)
        self.assertRegex(back.stderr, r"^(jostle: warning: .*: this may take some .*\n)?$")
        self.assertIn("as processes of their own", back.stdout)
        self.assertIn("resnet50 b1 on 2 streams: ", back.stdout)

    def test_an_explanation_tells_what_the_governors_did(self):
        path = self.file("cameras.yaml", CAMERAS)
        moderate = ("explain", path, "--set", "power_mode=MAXN_SUPER", "--set", "run.duration=60 s",
                    "--set", "processes.0.arrivals={periodic: 17 /s}")
        answer = json.loads(self.jostle(*moderate, "--format", "json").stdout)
        self.assertEqual((answer["overloaded"], answer["overload"]), ([], None))
        self.assertEqual(answer["critical"]["resource"], "clock_governors")
        faster = next(each for each in answer["what_ifs"] if each["name"] == "double-arithmetic")
        gpu = faster["clocks_mhz"]["gpu"]
        self.assertTrue(gpu["by_governor"])
        self.assertLess(gpu["after"], gpu["before"])
        self.assertRegex(faster["sentence"], r"the governors? lowered the .*GPU clock from \d+ to \d+ MHz")

    def test_an_explanation_is_told_as_data_with_runs_that_can_be_repeated(self):
        answer = json.loads(self.jostle("explain", self.good, "--format", "json").stdout)
        self.assertEqual(answer["schema"], "jostle.explain/1")
        for process in answer["processes"]:
            self.assertAlmostEqual(sum(process["percent"].values()), 100, places=9)
        what_if = next(each for each in answer["what_ifs"] if each["name"] == "double-bandwidth")
        path = self.file("what_if.yaml", json.dumps(what_if["scenarios"][0]))
        again = json.loads(self.jostle("run", path, "--format", "json").stdout)
        self.assertEqual(again["system"]["throughput"]["mean"], what_if["throughput"]["after"])

    def test_a_printed_change_runs_like_the_one_explained(self):
        printed = self.jostle("explain", self.good, "--what-if", "batch-doubled", "--print").stdout
        again = json.loads(self.jostle("run", self.file("printed.yaml", printed), "--format", "json").stdout)
        answer = json.loads(
            self.jostle("explain", self.good, "--what-if", "batch-doubled", "--format", "json").stdout)
        self.assertEqual(len(answer["what_ifs"]), 1)
        self.assertEqual(again["system"]["throughput"]["mean"], answer["what_ifs"][0]["throughput"]["after"])

    def test_the_first_column_of_an_explanation_is_what_changes_are_judged_by_also_as_data(self):
        path = self.file("camera.yaml", "device: jetson-orin-nano-super\nprocesses:\n  - {name: a, model: yolov8s, precision: fp16, "
                         "arrivals: {periodic: 30 /s}}\nrun: {duration: 4 s}\n")
        answer = json.loads(self.jostle("explain", path, "--format", "json").stdout)
        self.assertEqual((answer["objective"]["name"], answer["objective"]["unit"]), ("mean latency", "ms"))
        locked = next(each for each in answer["what_ifs"] if each["name"] == "pinned-clocks")
        self.assertEqual(*(({key: locked[of][key] for key in ("before", "after", "relative")}) for of in ("objective", "latency_mean_ms")))
        self.assertIsNotNone(locked["objective"]["difference_ci95"])
        for width in ("60", "100"):
            text = self.jostle("explain", path, COLUMNS=width).stdout
            self.assertLessEqual(max(len(line) for line in text.splitlines()), int(width))
            self.assertRegex(text, r"(?m)^what if +mean latency ms +% ")
            self.assertRegex(text, rf"(?m)^1\. jetson_clocks +[\d.]+ +{100 * locked['objective']['relative']:+.1f} ")
        asked = self.jostle("explain", self.good, "--set", "objective=processes.1.latency_ms.p50").stdout
        self.assertRegex(asked, r"(?m)^what if +p50 of front ms +% ")
        self.assertNotIn("worst p99", asked)

    def test_a_comparison_fits_a_narrow_terminal_and_names_both(self):
        done = self.jostle("compare", self.good, "--set-b", "processes.0.batch=8", "--replications", "3", COLUMNS="60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines() if not line.startswith(("A:", "B:"))
                                 and self.good not in line), 60)
        self.assertIn("beyond", done.stdout)
        told = " ".join(done.stdout.split())
        self.assertRegex(told, r"why: B is (faster|slower) because \S+ \S+ \S+ takes [\d.]+ ms an image in place of [\d.]+: ")
        self.assertRegex(told, r"throughput (stays (higher|lower) in B|[+-][\d.]+ % is less than)")

    def test_a_comparison_tells_of_the_latency_that_differs_beyond_noise_and_equal_processes_once(self):
        path = self.file("r.yaml", "device: jetson-orin-nano-super\npower_mode: 15W\njetson_clocks: true\nprocesses:\n"
                         "  - {name: detector, model: yolo11n, precision: int8, arrivals: {periodic: 30 /s}, stages: [{resize: 640}, {normalise: numpy}, infer, {nms: numpy}]}\n"
                         "  - {name: small, model: mobilenet_v2, precision: int8, arrivals: {periodic: 10 /s}, count: 3}\nrun: {duration: 4 s}\n")
        done = self.jostle("compare", path, "--set-b", "power_mode=25W", COLUMNS="200")
        told = " ".join(done.stdout.split())
        self.assertRegex(told, r"B against A: throughput stays [\d.]+ images/s, power \+[\d.]+ % ")
        self.assertRegex(told, r"latency \w+ of detector \+[\d.]+( ± [\d.]+)? % \(")
        self.assertEqual(done.stdout.count("3 x small"), 2)  # the question, and one table
        self.assertNotIn("process 0", done.stdout)

    def test_a_comparison_ends_when_the_differences_are_known(self):
        done = self.jostle("compare", self.good, "--set-b", "processes.0.batch=8", "--until", "5 %", "--format", "json")
        answer = json.loads(done.stdout)
        self.assertTrue(answer["reached"])
        self.assertGreaterEqual(answer["replications"], 6)
        total = next(row for row in answer["system"] if row["figure"] == "throughput")
        self.assertLessEqual(total["ci95"][1] - total["difference"], 0.05 * total["a"])
        self.assertIn("known to 5 %", self.jostle("compare", self.good, self.good, "--until", "5%").stdout)
        for share in ("5", "0 %", "200 %", "five"):
            self.assertIn("--until", self.refused("compare", self.good, self.good, "--until", share))

    def test_two_profiles_are_compared_under_one_scenario(self):
        profile = self.file("slow.yaml", "name: slow\ndescription: slow switches\nlike: nvidia-h200\n"
                            "gpu: {time_slicing: {switch_when_idle: {value: 2 ms, grade: assumed, source: test}}}\n")
        done = self.jostle("compare", self.good, "--profile", "nvidia-h200", "--profile", profile,
                           "--replications", "2", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = json.loads(done.stdout)
        self.assertNotEqual(answer["a"]["profile_hash"], answer["b"]["profile_hash"])
        total = next(row for row in answer["system"] if row["figure"] == "throughput")
        self.assertLess(total["relative"], -0.1)
        self.assertTrue(total["significant"])

    def test_control_c_ends_an_explanation_and_a_comparison_without_half_an_answer(self):
        for command in ("explain", "compare"):
            files = [self.good] * (2 if command == "compare" else 1)
            process = subprocess.Popen([JOSTLE, command, *files, "--set", ENDLESS], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            time.sleep(1)
            self.assertIsNone(process.poll(), "it is over before it could be interrupted")
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (130, ""))
            self.assertIn("interrupted", errors)

    def test_a_reader_that_leaves_early_hears_no_complaint(self):
        command = f'"{JOSTLE}" run {" ".join([self.good] * 50)} --format json 2>"{self.directory}/errors" | head -c 1'
        subprocess.run(["bash", "-c", command], capture_output=True, check=True, timeout=250)
        self.assertEqual((self.directory / "errors").read_text(), "")

    def test_progress_is_shown_on_a_terminal_and_wiped(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [JOSTLE, "run", self.good, "--set", ENDLESS], stdout=subprocess.PIPE, stderr=theirs,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(theirs)
        seen = b""
        deadline = time.monotonic() + 60
        while b"%" not in seen and time.monotonic() < deadline:
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertIn(b"%", seen)
        self.assertEqual((process.returncode, out), (130, b""))

    def test_control_c_ends_a_long_run_at_once(self):
        process = subprocess.Popen(
            [JOSTLE, "run", self.good, "--set", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(1)
        self.assertIsNone(process.poll(), "the run is over before it could be interrupted")
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("interrupted", errors)
        self.assertLess(time.monotonic() - started, 20)

    @unittest.skipIf("asan" in str(JOSTLE) or "tsan" in str(JOSTLE), "minutes under a sanitizer")
    def test_the_verdicts_on_published_statements_are_those_of_the_documentation(self):
        verdicts, *sections = self.jostle("reproduce", "--markdown").stdout.split("\n## ")
        reasons = next(section for section in sections if section.startswith("Statements that are not reproduced"))
        rows = [line.split(" | ") for line in verdicts.splitlines() if re.match(r"\| [A-Z]\d\d \|", line)]
        missed = [row[0][2:] for row in rows if not re.match("reproduced|not judged", row[-1])]
        self.assertEqual(re.findall(r"^- \*\*(\w+)\*\* \w", reasons, re.MULTILINE), missed)
        self.assertIn(verdicts, (SOURCE / "docs/claims.md").read_text(), "scripts/update-docs brings it up to date")
        known = re.findall(r"^\| ([A-Z]\d\d) \|", (SOURCE / "docs/deviations.md").read_text(), re.MULTILINE)
        self.assertEqual(sorted(known), [row[0][2:] for row in rows if not row[-1].startswith("reproduced")])

    def test_the_limits_that_are_known_to_be_exceeded_are_limits_and_those_of_the_h200_all_are_known(self):
        page = (SOURCE / "docs/deviations.md").read_text().split("\n## Limits")[1]
        rows = [[cell.split("; ") for cell in line.strip("| ").split(" | ")] for line in page.splitlines() if re.match(r"\| [a-z]", line)][1:]
        known = [(group, quantity) for groups, quantities, *_ in rows for group in groups for quantity in quantities]
        self.assertEqual(len(known), len(set(known)))
        sources = "".join(path.read_text() for path in (SOURCE / "calibration/validate").glob("*.cpp"))
        listed = (SOURCE / "calibration/groups.csv").read_text()
        for group, quantity in known:
            self.assertTrue(f'"{group}"' in sources or f",{group}," in listed or f'"{group}"' in listed, group)
        over = [row for row in json.loads(self.jostle("validate", "h200", "--format", "json").stdout)["groups"] if row["limit_exceeded"]]
        self.assertGreater(len(over), 2)
        for row in over:
            self.assertIn((row["runs"], row["quantity"]), known)

    def test_every_scenario_and_study_that_ships_is_right(self):
        files = sorted(str(path) for path in (SOURCE / "scenarios").rglob("*.yaml"))
        self.assertGreater(len(files), 15)
        done = self.jostle("check", *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(": ok, "), len(files))

    def test_stages_of_the_host_are_told(self):
        done = self.jostle("run", str(SOURCE / "scenarios/paper/video_pipeline.yaml"), "--set", "run.duration=10 s")
        self.assertRegex(done.stdout, r"0  ssd300_resnet50  normalise numpy +\d+")
        self.assertRegex(done.stdout, r"0  ssd300_resnet50  tensors on the GPU +\d+")

    def test_pipelines_are_near_public_figures(self):
        # docs/pipelines.md, but for the video, the two streams and the short application, which it tells as misses.
        def first(name, *sets):
            told = self.jostle("run", str(SOURCE / "scenarios/pipelines" / name), "--format", "json",
                               *[word for each in sets for word in ("--set", each)])
            self.assertEqual(told.returncode, 0, told.stderr)
            result = json.loads(told.stdout)
            return result["system"]["throughput"]["mean"], result["processes"][0]["latency_ms"]["mean"]

        holoscan = [first("holoscan.yaml", f"processes.0.count={count}")[1] for count in (1, 2, 3)]
        predicted_over_reported = {
            "OpenCV": first("python_opencv.yaml")[0] / 24.5,
            "OpenCV, 5W": first("python_opencv_video.yaml", "power_mode=5W", "jetson_clocks=false")[0] / 5,
            "server": first("python_server.yaml")[1] / 50,
            "ROS 2": first("ros2_nodes.yaml")[0] / 65,
            "DeepStream": first("deepstream.yaml")[0] / 73,
            "Holoscan, 2": holoscan[1] / holoscan[0] / 1.76,
            "Holoscan, 3": holoscan[2] / holoscan[0] / 2.39,
        }
        for name, ratio in predicted_over_reported.items():
            self.assertTrue(0.7 < ratio < 1.4, f"{name}: {ratio:.2f}")

    def test_a_deepstream_configuration_becomes_a_scenario_that_runs(self):
        self.file("infer.txt", "[property]\nonnx-file=yolov8n.onnx\nnetwork-mode=2\nnetwork-type=0\n")
        app = self.file("app.txt", "[source0]\nenable=1\ntype=4\nuri=rtsp://camera/h264\n[streammux]\nbatch-size=1\n"
                        "batched-push-timeout=40000\nwidth=1280\nheight=720\n[primary-gie]\nenable=1\n"
                        "config-file=infer.txt\n[osd]\nenable=1\n")
        out = str(self.directory / "cameras.yaml")
        done = self.jostle("import", "deepstream-app", str(app), "--device", "jetson-orin-nano", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not said: the rate of the cameras: 30 /s is taken", done.stderr)
        run = self.jostle("run", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"decode h264 +\d")
        refused = self.jostle("import", "deepstream-app", str(app), "x.txt")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("usage: import deepstream-app FILE", refused.stderr)

    def test_a_configuration_that_the_board_cannot_run_is_refused_whole(self):
        self.file("infer.txt", "[property]\nonnx-file=yolov8n.onnx\nnetwork-mode=2\nnetwork-type=0\n")
        text = ("[source0]\nenable=1\ntype=4\nuri=rtsp://camera/h264\n[source1]\nenable=1\ntype=1\n"
                "camera-width=640\ncamera-height=480\ncamera-fps-n=10\n[primary-gie]\nenable=1\n"
                "config-file=infer.txt\n")
        app = str(self.file("app.txt", text + "[sink0]\nenable=1\ntype=4\n"))
        out = self.directory / "cameras.yaml"
        done = self.jostle("import", "deepstream-app", app, "--device", "jetson-orin-nano", "-o", str(out))
        self.assertEqual(done.returncode, 2)
        self.assertIn("jetson-orin-nano has no nvenc", done.stderr)
        self.assertFalse(out.exists())
        done = self.jostle("import", "deepstream-app", app, "--device", "jetson-agx-orin-64gb", "--rate", "50")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--rate", done.stderr)
        done = self.jostle("import", "deepstream-app", app, "--device", "jetson-agx-orin-64gb")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 2 sources are cameras without a codec", done.stderr)
        self.assertIn("{decode: h264", done.stdout)

    def test_a_configuration_takes_a_power_mode_and_no_option_of_logs(self):
        self.file("infer.txt", "[property]\nonnx-file=yolov8n.onnx\nnetwork-mode=2\nnetwork-type=0\n")
        app = str(self.file("app.txt", "[source0]\nenable=1\ntype=4\nuri=rtsp://camera/h264\n[tiled-display]\nenable=1\n"
                            "[trakcer]\nenable=1\n[primary-gie]\nenable=1\nconfig-file=infer.txt\n"))
        here = ("import", "deepstream-app", app, "--device", "jetson-orin-nx-16gb")
        done = self.jostle(*here)
        self.assertIn("not said: the power mode: 15W, the default of jetson-orin-nx-16gb, is taken", done.stderr)
        self.assertIn("not said: left out: groups trakcer", done.stderr)
        self.assertIn("not said: tiled-display: the picture of all tiles is counted", done.stderr)
        self.assertIn('power_mode: "25W"\n', self.jostle(*here, "--power-mode", "25W").stdout)
        self.assertIn("power_mode", self.refused(*here, "--power-mode", "26W"))
        for option in (("--batch", "8"), ("--precision", "int8"), ("--pinned",), ("--input", "320"), ("--processes", "2")):
            self.assertIn(f"{option[0]} is for logs", self.refused(*here, *option))
        self.assertIn("orin-nx-17gb", self.refused(*here[:-1], "orin-nx-17gb"))

    def test_a_detector_whose_name_is_like_a_classifiers_is_refused(self):
        infer = self.file("infer.txt", "[property]\nonnx-file=resnet18_trafficcamnet_pruned.onnx\nnetwork-mode=2\n")
        app = str(self.file("app.txt", "[source0]\nenable=1\ntype=4\n[primary-gie]\nenable=1\nconfig-file=infer.txt\n"))
        self.assertIn("resnet18, which classifies", self.refused("import", "deepstream-app", app))
        self.assertEqual(self.jostle("import", "deepstream-app", app, "--model", "ssd_mobilenet_v2").returncode, 0)
        with open(infer, "a", encoding="utf-8") as file:
            file.write("network-type=1\n")
        self.assertEqual(self.jostle("import", "deepstream-app", app).returncode, 0)

    def test_a_triton_repository_becomes_a_scenario_that_runs(self):
        (self.directory / "models/yolov8n").mkdir(parents=True)
        (self.directory / "models/yolov8n/config.pbtxt").write_text(
            'platform: "tensorrt_plan"\nmax_batch_size: 4\ndynamic_batching { max_queue_delay_microseconds: 500 }\n')
        done = self.jostle("import", "triton", str(self.directory / "models"), "--rate", "40 /s")
        self.assertEqual(done.returncode, 0, done.stderr)
        run = self.jostle("run", str(self.file("server.yaml", done.stdout)))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("yolov8n", run.stdout)

    def test_words_for_stages_are_listed(self):
        done = self.jostle("list", "stages", "--markdown")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\| decode +\| h264 +\| nvdec +\|")

    def test_statements_are_told_as_data_too(self):
        done = self.jostle("reproduce", "C64", "C43", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([claim["id"] for claim in told], ["C64", "C43"])
        for claim in told:
            self.assertEqual(list(claim)[:8],
                             ["id", "stated", "simulated", "error", "holds", "grade", "why", "basis"])
            self.assertEqual(claim["basis"], "given")
            self.assertTrue(claim["checks"])
            self.assertTrue(claim["holds"])
            self.assertIsNone(claim["why"])

    def test_verdicts_say_what_they_rest_on(self):
        told = self.jostle("reproduce", "C01", "C08", "C43", "C66", "--format", "json").stdout
        told = {claim["id"]: claim for claim in map(json.loads, told.splitlines())}
        self.assertEqual([claim["basis"] for claim in told.values()], ["predicted", "fitted", "given", "not judged"])
        self.assertEqual(told["C08"]["chosen"], "kernels.tensor_efficiency, cuda_efficiency")
        self.assertIsNone(told["C01"]["chosen"])
        self.assertFalse(told["C66"]["holds"])
        self.assertIn("neither", told["C66"]["why"])
        table = self.jostle("reproduce", "C01", "C08", "C43", "C66").stdout
        self.assertIn("3 of 4 statements reproduced (1 of 1 predicted, 1 of 1 fitted, 1 of 1 given, 1 not judged)",
                      table)
        self.assertRegex(table, r"C66 .*not judged")

    def test_an_unknown_statement_is_refused(self):
        self.assertIn("C99", self.refused("reproduce", "C64", "C99"))

    def test_control_c_ends_a_validation(self):
        process = subprocess.Popen([JOSTLE, "validate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.interrupt(process)
        out, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("interrupted", errors)

    def test_control_c_ends_a_reproduction(self):
        process = subprocess.Popen([JOSTLE, "reproduce"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.interrupt(process)
        out, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("interrupted", errors)

    def test_a_plan_chooses_among_processes_streams_and_mps_and_lists_every_way(self):
        study = self.file("ways.yaml", "scenario: {device: nvidia-h200, run: {duration: 60 ms, warmup: 20 ms},\n"
                          "  processes: [{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin}]}\n"
                          "sweep: {processes.0.count: [4, 4, 1], processes.0.streams: [1, 1, 4], mps: [false, true, false]}\n"
                          "zip: [[processes.0.count, processes.0.streams, mps]]\nplan: {effort: 5}\n"
                          "objectives: [max system.throughput]\nconstraints: {processes.latency_ms.p50: {max: 1 s}}\n")
        answer = json.loads(self.jostle("plan", study, "--no-interval", "--format", "json").stdout)
        self.assertEqual(len(answer["every"]), 3)
        values = [point["objectives"][0]["value"] for point in answer["every"]]
        self.assertEqual(values, sorted(values, reverse=True))
        # Small kernels: turns lose against both ways of sharing in space.
        self.assertEqual(answer["every"][2]["settings"],
                         {"processes.0.count": 4, "processes.0.streams": 1, "mps": False})
        self.assertIn(answer["best"]["settings"], [point["settings"] for point in answer["every"][:2]])
        text = self.jostle("plan", study, "--no-interval").stdout
        self.assertIn("every point, best first; all meet the limits", text)
        rows = text.split("every point")[1].splitlines()[1:5]
        self.assertEqual(rows[0].split()[-3:], ["count", "streams", "mps"])
        self.assertEqual(rows[3].split()[-3:], ["4", "1", "false"])

    def test_a_study_varies_the_streams_of_an_instance_and_asks_for_each(self):
        study = self.file("server.yaml", "scenario: {device: nvidia-h200, run: {duration: 60 ms, warmup: 20 ms},\n"
                          "  processes: [{runtime: cuda-graph, instances: [{model: resnet50, precision: fp16, batch: 4},\n"
                          "    {model: mobilenet_v2, precision: fp16}]}]}\n"
                          "sweep: {processes.0.instances.0.count: [1, 2]}\n")
        points = self.directory / "server.sqlite"
        self.assertEqual(self.jostle("sweep", study, "-o", str(points)).returncode, 0)
        done = self.jostle("query", str(points), "SELECT count, json_extract(result, "
                           "'$.processes[0].instances[#-1].throughput.mean') AS small FROM results "
                           "JOIN points USING (point) JOIN outcomes USING (key)", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([row["count"] for row in rows], ["1", "2"], done.stderr)
        self.assertGreater(float(rows[0]["small"]), float(rows[1]["small"]))  # one more beside it

    def test_a_plan_is_written_for_a_tool_whole_or_not_at_all_and_comes_back_with_its_rates(self):
        body = ("scenario: {name: s, device: jetson-orin-nano-super, processes: [{name: front, model: resnet50, precision: fp16, nice: 5,\n"
                "  max_queue_delay: 2 ms, arrivals: {poisson: 100 /s}}, {name: rear, model: yolov8n, precision: int8, arrivals: {poisson: 9 /s}}],\n"
                "  run: {duration: 4 s}}\nsweep: {processes.0.batch: [1, 4]}\nobjectives: [max system.throughput]\n")
        study, folder = self.file("s.yaml", body), self.directory / "models"
        done = self.jostle("plan", study, "--no-interval", "--format", "json", "--write", "triton", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        best = json.loads(done.stdout)["best"]
        self.assertIn("not said: front: nice 5 (--write systemd)", done.stderr)
        self.assertIn("# Not said: front: nice 5 (--write systemd)", (folder / "front/front/config.pbtxt").read_text())
        back = self.jostle("import", "triton", folder, "--device", "jetson-orin-nano-super", "--power-mode", "25W", "-o", self.directory / "b.yaml")
        self.assertEqual((back.returncode, back.stderr), (0, ""))
        run = json.loads(self.jostle("run", self.directory / "b.yaml", "--format", "json").stdout)
        self.assertEqual([process["name"] for process in run["processes"]], ["front", "rear"])
        self.assertAlmostEqual(run["system"]["throughput"]["mean"] / best["objectives"][0]["value"], 1, delta=0.05)
        self.assertIn("models: the folder is not empty", self.refused("plan", study, "--write", "compose", folder))
        self.assertIn("did you mean 'triton'", self.refused("plan", study, "--write", "trition", self.directory / "new"))
        self.assertIn("--write cannot be combined", self.refused("plan", study, "--online", "--write", "triton", self.directory / "new"))
        none = self.file("n.yaml", body + "constraints: {processes.latency_ms.p99: {max: 1 us}}\n")
        self.assertEqual(self.jostle("plan", none, "--no-interval", "--write", "nvpmodel", self.directory / "new").returncode, 1)
        self.assertFalse((self.directory / "new").exists())
        self.assertEqual(self.jostle("plan", study, "--no-interval", "--write", "nvpmodel", self.directory / "new",
                                     "--write", "compose", self.directory / "other").returncode, 0)
        self.assertTrue((self.directory / "other/compose.yaml").exists())
        limited = self.file("l.yaml", body + "constraints: {processes.1.latency_ms.p90: {max: 1 s}}\n")
        self.assertIn("rear p90", json.loads(self.jostle("plan", limited, "--no-interval", "--format", "json").stdout)["verdict"]["text"])
        self.assertTrue(os.access(self.directory / "new/clocks.sh", os.X_OK))
        self.assertEqual([path.name for path in self.directory.glob("new*")], ["new"])

    def test_a_plan_tells_its_noise_and_a_fleet_refuses_what_it_has_no_use_for(self):
        body = ("scenario: {device: jetson-nano, run: {duration: 300 ms, warmup: 100 ms}, "
                "processes: [{model: resnet18, precision: fp16%s}]}\n")
        study = self.file("s.yaml", body % "" + "sweep: {processes.0.batch: [1, 2, 4]}\nplan: {effort: 5, confidence: 90 %}\n"
                          "objectives: [max system.throughput]\nconstraints: {processes.latency_ms.p99: {max: 500 ms}}\n")
        answer = json.loads(self.jostle("plan", study, "--no-interval", "--format", "json").stdout)
        self.assertEqual(answer["confidence"], 0.9)
        self.assertGreater(answer["simulated_s"]["replications"], 0)
        self.assertGreaterEqual(answer["best"]["p_feasible"], 0.9)
        self.assertGreaterEqual(answer["best"]["replications"], 5)
        self.assertGreaterEqual(answer["best"]["constraints"][0]["half_width"], 0)
        self.assertIn("replications; all limits are met in",
                      " ".join(self.jostle("plan", study, "--no-interval").stdout.split()))
        bad = self.jostle("plan", self.file("b.yaml", open(study).read().replace("90 %", "100 %")))
        self.assertEqual(bad.returncode, 2)
        self.assertIn("plan.confidence", bad.stderr)
        fleet = self.file("f.yaml", body % "" + "fleet: {cameras: 4, rate: 5 /s, boards: [jetson-nano]}\n")
        for option in (["--online"], ["--exhaustive"], ["--simulations", "9"], ["--windows", "9"], ["-o", "x.sqlite"]):
            done = self.jostle("plan", fleet, *option)
            self.assertEqual(done.returncode, 2, option)
            self.assertIn("cannot be used for a study of a fleet", done.stderr)
        choice = json.loads(self.jostle("plan", fleet, "--no-interval", "--format", "json").stdout)["choices"][0]
        self.assertIsNone(choice["power_w_pi90"])
        self.assertGreaterEqual(choice["replications"], 5)

    def test_a_plan_stays_in_the_green_and_says_what_would_overload(self):
        body = ("scenario: {device: jetson-nano, run: {duration: 1 s, warmup: 200 ms}, processes: [{model: resnet18, precision: fp16, "
                "arrivals: {periodic: 10 /s, streams: 2}}]}\nsweep: {processes.0.arrivals.streams: [2, 4, 6, 8, 10]}\n"
                "objectives: [max system.throughput]\nplan: {headroom: 30 %, energy_price: 0.3 USD/kWh}\n")
        study = self.file("s.yaml", body)
        answer = json.loads(self.jostle("plan", study, "--no-interval", "--format", "json").stdout)
        best, cameras = answer["best"], answer["best"]["overload"]
        self.assertEqual(cameras["unit"], "cameras")
        self.assertEqual(cameras["asked"], best["settings"]["processes.0.arrivals.streams"])
        self.assertEqual(cameras["overloads_at"], cameras["carries"] + 1)
        self.assertEqual(best["constraints"][-1]["figure"], "headroom")
        scenario = ("device: jetson-nano\nrun: {duration: 1 s, warmup: 200 ms, thermal: equilibrium}\n"
                    "processes: [{model: resnet18, precision: fp16, arrivals: {periodic: 10 /s, streams: %d}}]\n")
        for count, stable in ((cameras["carries"], True), (cameras["overloads_at"], False)):
            run = json.loads(self.jostle("run", self.file("r.yaml", scenario % count), "--format", "json").stdout)
            self.assertEqual(run["processes"][0]["stable"], stable, count)
        done = self.jostle("plan", study, COLUMNS="60")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 60, done.stdout)
        self.assertIn(cameras["sentence"], " ".join(done.stdout.split()))
        self.assertNotIn(" 0.0 %", done.stdout)
        for wrong, words in (("headrom: 30 %", "did you mean 'headroom'?"), ("headroom: 30", "has no unit"), ("headroom: 95 %", "90 %")):
            bad = self.jostle("plan", self.file("b.yaml", body.replace("headroom: 30 %", wrong)))
            self.assertEqual(bad.returncode, 2, wrong)
            self.assertIn(words, bad.stderr)

    def test_control_c_ends_an_offload_study(self):
        study = self.file("many.yaml", """
scenario: {device: jetson-orin-nano-super, run: {duration: 60 s},
           processes: [{model: yolov8s, precision: int8, arrivals: {periodic: 30 /s}, count: 16}]}
offload:
  cloud: {device: nvidia-a40, processes: [{model: yolov8s, precision: fp16}]}
  link: {bandwidth: [100 Mbit/s, 1 Gbit/s], rtt: {start: 1 ms, stop: 100 ms, step: 1 ms}}
""")
        process = subprocess.Popen([JOSTLE, "offload", study], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.interrupt(process)
        out, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("interrupted", errors)

    # What does not fit

    def crowded(self, device, count):
        return self.file("crowd.yaml", f"device: {device}\nprocesses:\n"
                         f"  - {{model: resnet50, precision: fp16, count: {count}}}\n"
                         "run: {duration: 300 ms, warmup: 100 ms}\n")

    def test_a_process_that_does_not_fit_is_named_and_the_others_run(self):
        path = self.crowded("jetson-orin-nano", 24)
        done = self.jostle("run", path, "--format", "json")
        self.assertEqual(done.returncode, 3)
        result = json.loads(done.stdout)
        self.assertEqual(result["status"], "out_of_memory")
        fits = [process for process in result["processes"] if process["status"] == "ok"]
        failed = [process for process in result["processes"] if process["status"] == "out_of_memory"]
        self.assertEqual((len(fits) + len(failed), bool(fits), bool(failed)), (24, True, True))
        self.assertEqual([process["index"] for process in result["processes"]], list(range(24)))
        for process in fits:
            self.assertGreater(process["throughput"]["mean"], 0)
            parts = process["memory"]
            self.assertAlmostEqual(process["memory_mb"], sum(parts[f"{part}_mb"] for part in ("context", "engine", "arena", "io")))
        for process in failed:
            self.assertIsNone(process["throughput"]["mean"])
            self.assertIsNone(process["memory_mb"])
            self.assertIsNone(process["time_share"]["gpu_running"])
        self.assertLessEqual(result["system"]["memory"]["used_mb"], result["system"]["memory"]["capacity_mb"])
        self.assertGreater(result["system"]["throughput"]["mean"], 0)
        self.assertRegex(done.stderr, rf"^jostle: .*crowd.yaml: {len(failed)} of 24 processes do not fit into memory; the "
                                      rf"first is process {failed[0]['index']} \(resnet50\): "
                                      r"\d+ MB short, at its (context|engine|activations|inputs and outputs)[^\n]*\n$")
        table = self.jostle("run", path)
        self.assertEqual(table.returncode, 3)
        self.assertIn("out_of_memory", table.stdout)
        rows = self.jostle("run", path, "--format", "csv")
        self.assertEqual((rows.returncode, len(rows.stdout.splitlines())), (3, 25))

    def test_a_board_that_reboots_takes_every_process_with_it(self):
        self.assertEqual(self.jostle("run", self.crowded("jetson-nano", 4)).returncode, 0)
        done = self.jostle("run", self.crowded("jetson-nano", 5), "--format", "json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("process 4 (resnet50) does not fit into memory", done.stderr)
        self.assertIn("the board reboots", done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual({process["status"] for process in result["processes"]}, {"out_of_memory"})
        self.assertIsNone(result["system"]["throughput"]["mean"])

    def test_check_tells_what_will_not_fit(self):
        path = self.crowded("jetson-nano", 5)
        done = self.jostle("check", path)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("process 4 (resnet50) does not fit into memory", done.stderr)
        self.assertIn("takes 4 other processes with it", done.stderr)
        self.assertEqual(done.stderr, self.jostle("run", path).stderr)
        self.assertEqual(self.jostle("check", path, "--set", "processes.0.count=4").returncode, 0)

    # Text of the input on a terminal

    HOSTILE = "a\\n0  forged\\e[31m\\0\\x9b2J\\u202e\\u200b\\u2028\\r="  # in YAML's quotes
    CONTROLS = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]")

    def test_no_name_acts_on_the_terminal(self):
        name = f'"{self.HOSTILE}"'
        one = f"{{name: {name}, model: resnet18, precision: fp16, stages: {{before: [{{name: {name}, time: 1 ms}}]}}}}"
        run = "run: {duration: 200 ms, warmup: 10 ms}"
        scenario = self.file("x.yaml", f"name: {name}\ndevice: jetson-orin-nano\nprocesses: [{one}]\n{run}\n")
        other = self.file("y.yaml", f"name: {name}\ndevice: jetson-orin-nano\nprocesses: [{one}, {one}]\n{run}\n")
        # The profile of a board with such a name, in such a mode.
        profile = self.file("p.yaml", f"like: jetson-orin-nano\nname: {name}\ndescription: {name}\n")
        body = f"scenario: {{name: {name}, device: jetson-orin-nano, processes: [{one}], {run}}}\n"
        study = self.file("s.yaml", body + f"sweep: {{processes.0.name: [{name}, b]}}\nobjectives: [max system.throughput]\n")
        offload = self.file("o.yaml", body.replace("stages", "arrivals: {periodic: 5 /s}, stages")
                            + "offload: {cloud: {device: nvidia-a40, processes: [{model: resnet18, precision: fp16}]}, "
                              "link: {bandwidth: 9 Mbit/s, rtt: 9 ms}}\n")
        evidence = self.file("e.csv", EVIDENCE.replace("\na,", "\n\x1b[31m\u202eforged,"))
        database = str(self.directory / "s.sqlite")
        odd = self.file("odd\n\x1b[31m.yaml", GOOD)
        commands = [
            (0, "run", scenario), (0, "run", scenario, "--set", "processes.0.arrivals={periodic: 99999 /s}"), (0, "run", other),
            (3, "run", other, "--set", "processes.1.count=200"), (0, "run", odd),
            (3, "check", other, "--set", "processes.1.count=200"), (0, "check", scenario), (0, "check", odd),
            (0, "explain", scenario), (0, "explain", other), (0, "compare", scenario, other),
            (0, "compare", scenario, "--profile", profile, "--profile", "jetson-orin-nano"),
            (0, "plan", study), (0, "sweep", study, "-o", database), (0, "query", database),
            (0, "query", database, "SELECT result, key AS \"\x1b[31m\" FROM outcomes"), (0, "offload", offload),
            (0, "show", "device", profile), (0, "list", "modes", profile), (0, "roofline", profile),
            (0, "validate", profile, evidence, "--details"), (2, "run", scenario, "--set", f"processes.0.{self.HOSTILE}=1"),
            (2, "run", self.file("z.yaml", f"device: {name}\nprocesses: [{{model: {name}}}]\n{name}: 1\n")),
            (2, "run", "no\x1b[31m\nfile"), (2, "reproduce", "\x1b[31m"), (2, "import", "\x1b[31m", odd),
            (2, "import", "--detect", odd), (2, "query", odd), (2, "merge", odd, "-o", database), (2, "\x1b[31m"),
            (2, "show", "model", "\x1b[31m"), (2, "support", "\x1b[31m", "\x1b[31m", "fp16"), (2, "calibrate", profile, odd),
        ]
        for code, *arguments in commands:
            with self.subTest(arguments=arguments):
                done = self.jostle(*arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                for text in (done.stdout, done.stderr):
                    self.assertNotRegex(text, self.CONTROLS)
                    self.assertNotRegex(text, r"(?m)^0 +forged")

    def test_json_and_csv_keep_the_names(self):
        scenario = self.file("x.yaml", GOOD.replace("name: front", 'name: "=\\e[31m\\u202e"'))
        done = self.jostle("run", scenario, "--format", "json")
        self.assertEqual(json.loads(done.stdout)["processes"][2]["name"], "=\x1b[31m\u202e")
        rows = list(csv.DictReader(io.StringIO(self.jostle("run", scenario, "--format", "csv").stdout)))
        self.assertEqual(rows[2]["name"], "'=\x1b[31m\u202e")  # a spreadsheet does not compute it

    # The wrong file for a command

    def test_a_file_of_another_kind_is_named_with_the_command_that_reads_it(self):
        body = "scenario: {device: jetson-nano, processes: [{model: resnet18, precision: fp16}]}\n"
        files = {
            "scenario": (self.good, "run"),
            "study": (self.file("s.yaml", body + "sweep: {processes.0.batch: [1, 2]}\n"), "sweep"),
            "study of a fleet": (self.file("f.yaml", body + "fleet: {cameras: 4, rate: 5 /s, boards: [jetson-nano]}\n"), "plan"),
            "study of offloading": (self.file("o.yaml", body + "offload: {cloud: {device: nvidia-a40, processes: [{model: "
                                    "resnet18, precision: fp16}]}, link: {bandwidth: 9 Mbit/s, rtt: 9 ms}}\n"), "offload"),
            "device profile": (self.file("p.yaml", "like: jetson-nano\nname: mine\ndescription: mine\n"), "show device"),
        }
        takes = {"run": ["scenario"], "explain": ["scenario"], "compare": ["scenario"], "sweep": ["study"],
                 "plan": ["study", "study of a fleet"], "offload": ["study of offloading"], "show device": ["device profile"],
                 "list modes": ["device profile"], "roofline": ["device profile"]}
        for command, taken in takes.items():
            for kind, (path, reader) in files.items():
                if kind in taken:
                    continue
                with self.subTest(command=command, kind=kind):
                    extra = ["-o", str(self.directory / "s.sqlite")] if command == "sweep" else [path] if command == "compare" else []
                    done = self.jostle(*command.split(), path, *extra)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertLessEqual(done.stderr.count("\n"), 2)
                    self.assertIn(f"this is a {kind}, not a", done.stderr)
                    self.assertIn(f"jostle {reader}", done.stderr)

    def test_an_unknown_device_is_answered_with_the_option_that_was_typed(self):
        for device, near in (("jetson-orin-nx", "'jetson-orin-nx-8gb' or 'jetson-orin-nx-16gb'"), ("jetson-xavier", "'jetson-xavier-nx' or 'jetson-agx-xavier'"),
                             ("jetson-agx-thorn", "'jetson-agx-thor'"), ("jetson-thor", "'jetson-")):
            done = self.jostle("compare", self.good, "--profile", "nvidia-h200", "--profile", device)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^--profile {device}: device: unknown device '{device}' \(did you mean {near}")

    def test_roofline_names_the_options_that_were_typed(self):
        for option, value in (("--mode", "99W"), ("--network", "resnet5"), ("--precision", "fp61")):
            done = self.jostle("roofline", "jetson-nano", option, value)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^{option}: .*'{value}'")

    # Standard input

    def test_a_dash_is_standard_input(self):
        study = "scenario: {device: jetson-nano, processes: [{model: resnet18, precision: fp16}], run: {duration: 1 s}}\n" \
                "sweep: {processes.0.batch: [1, 2]}\nobjectives: [max system.throughput]\n"
        profile = "like: jetson-nano\nname: mine\ndescription: mine\n"
        for text, *arguments in ((GOOD, "run", "-"), (GOOD, "check", "-"), (study, "check", "-"), (GOOD, "explain", "-"),
                                 (GOOD, "compare", "-", self.good), (study, "sweep", "-", "--export", "csv"), (study, "plan", "-"),
                                 (TEGRASTATS * 3, "import", "tegrastats", "-"), (TEGRASTATS, "import", "--detect", "-"),
                                 (profile, "show", "device", "-"), (profile, "roofline", "-"), (profile, "list", "modes", "-"),
                                 (EVIDENCE, "validate", "jetson-orin-nano-super", "-")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([JOSTLE, *arguments], input=text, capture_output=True, text=True, timeout=250)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotEqual(done.stdout, "")
        with open(self.good) as given:
            here = subprocess.run([JOSTLE, "run", "-", "--format", "csv"], stdin=given, capture_output=True, text=True)
        there = self.jostle("run", self.good, "--format", "csv")
        self.assertEqual(here.stdout.replace("standard input,", "good,"), there.stdout)
        wrong = subprocess.run([JOSTLE, "run", "-"], input=TYPO, capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertRegex(wrong.stderr, "^<standard input>:3: ")
        twice = subprocess.run([JOSTLE, "compare", "-", "-"], input=GOOD, capture_output=True, text=True)
        self.assertEqual((twice.returncode, twice.stderr), (2, "jostle: standard input (-) can be read once only\n"))

    def test_a_device_is_no_input_file(self):
        for arguments in (("run", "/dev/zero"), ("show", "device", "/dev/zero"), ("import", "auto", "/dev/zero")):
            done = self.jostle(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("/dev/zero: is not a regular file", done.stderr)
        (self.directory / "x.onnx").symlink_to("/dev/zero")
        done = self.jostle("show", "model", str(self.directory / "x.onnx"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not a regular file", done.stderr)

    # Help

    def all_commands(self, *command):
        yield command
        listed = re.search(r"(?ms)^Subcommands:\n(.*?)(\n\n|\Z)", self.jostle(*command, "--help").stdout)
        for name in re.findall(r"(?m)^  ([a-z]+)", listed[1] if listed else ""):
            yield from self.all_commands(*command, name)

    def test_every_help_has_two_examples_that_work(self):
        gate = "device: jetson-orin-nano\nprocesses: [{model: resnet18, precision: fp16}]\nrun: {duration: 200 ms, warmup: 10 ms}\n"
        body = "scenario: {device: jetson-orin-nano, processes: [{model: resnet18, precision: fp16}], run: {duration: 200 ms}}\n"
        self.file("gate.yaml", gate)
        self.file("gate_batch8.yaml", gate.replace("fp16", "fp16, batch: 8"))
        study = self.file("study.yaml", body + "sweep: {processes.0.batch: [1, 2]}\nobjectives: [max system.throughput]\n")
        self.file("fleet.yaml", body + "fleet: {cameras: 4, rate: 5 /s, boards: [jetson-nano]}\n")
        self.file("cameras.yaml", body.replace("fp16}", "fp16, arrivals: {periodic: 5 /s}}") + "offload: {cloud: {device: nvidia-a40, "
                  "processes: [{model: resnet18, precision: fp16}]}, link: {bandwidth: 9 Mbit/s, rtt: 9 ms}}\n")
        self.file("evidence.csv", EVIDENCE)
        self.file("my-board.yaml", "like: jetson-nano\nname: mine\ndescription: mine\n")
        self.file("tegrastats.log", TEGRASTATS * 3)
        self.file("nvpmodel.conf", NVPMODEL)
        for name, shard in (("study", "1/1"), ("part1", "1/2"), ("part2", "2/2")):
            self.jostle("sweep", study, "--shard", shard, "-o", str(self.directory / f"{name}.sqlite"))
        shutil.copy(SOURCE / "tests/cli/trtexec.log", self.directory / "trtexec.log")
        self.file("config.txt", "[source0]\nenable=1\ntype=4\n[primary-gie]\nenable=1\nconfig-file=infer.txt\n")
        self.file("infer.txt", "[property]\nonnx-file=yolov8n.onnx\n")
        self.file("model.onnx", "")
        commands = list(self.all_commands())
        self.assertGreater(len(commands), 22)
        tried = set()
        for command in commands:
            text = self.jostle(*command, "--help", COLUMNS="100").stdout
            examples = [line.strip() for line in text.replace("\\\n", "").split("Examples:\n")[-1].splitlines()]
            with self.subTest(command=command):
                self.assertGreaterEqual(len(examples), 2)
                self.assertIn("Examples:", text)
            for example in examples:
                self.assertTrue(example.startswith("jostle " + " ".join(command)), example)
                if example in tried:
                    continue
                tried.add(example)
                with self.subTest(example=example):  # that it is right shows in a second, also where the answer takes longer
                    done = subprocess.run(["timeout", "-s", "INT", "-k", "60", "2", "bash", "-c", f"exec {JOSTLE}{example[6:]}"],
                                          cwd=self.directory, capture_output=True, text=True)
                    self.assertIn(done.returncode, (0, 124), done.stderr)

    def test_help_fits_the_terminal(self):
        for command in self.all_commands():
            for width in (60, 100):
                text = self.jostle(*command, "--help", COLUMNS=str(width)).stdout
                wide = [line for line in text.splitlines() if len(line) > width and '"' not in line]
                self.assertEqual(wide, [], command)
        self.assertEqual(self.jostle("help", "run").stdout, self.jostle("run", "--help").stdout)
        self.assertEqual(self.jostle("help").stdout, self.jostle("--help").stdout)
        self.assertEqual(self.jostle("help", "list", "modes").stdout, self.jostle("list", "modes", "--help").stdout)
        wrong = self.jostle("help", "rum")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean 'run'?", wrong.stderr)

    def test_ids_of_statements_have_no_case(self):
        self.assertEqual(self.jostle("reproduce", "c06").stdout, self.jostle("reproduce", "C06").stdout)

    def test_a_rate_beyond_any_run_is_refused(self):
        for arrivals in ("{periodic: 0.00000001 /s}", "{poisson: 1e-300 /s}", "{periodic: 1e9 kHz}"):
            done = self.jostle("run", self.file("r.yaml", GOOD.replace("{poisson: 50 /s}", arrivals)))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("from 0.000001 /s (one request in the longest run) to 1000000 /s", done.stderr)
        rare = "{periodic: 0.000001 /s, streams: 3}", "{poisson: 0.000001 /s, dynamic_batching: true}"
        for arrivals in rare:
            path = self.file("r.yaml", GOOD.replace("{poisson: 50 /s}", arrivals + ", batch: 4096"))
            self.assertEqual(self.jostle("run", path).returncode, 0)

    # What is wrong

    def test_a_misspelt_key_is_answered_with_its_place_and_the_nearest(self):
        path = self.file("typo.yaml", TYPO)
        message = self.refused("run", path)
        self.assertIn(f"{path}:3: ", message)
        self.assertIn("precison", message)
        self.assertIn("did you mean 'precision'", message)

    def test_a_misspelt_key_is_not_explained_and_not_compared(self):
        path = self.file("typo.yaml", TYPO)
        self.assertIn("did you mean 'precision'", self.refused("explain", path))
        self.assertIn("did you mean 'precision'", self.refused("compare", self.good, path))
        self.assertIn("did you mean 'batch-doubled'", self.refused("explain", self.good, "--what-if", "batch-double"))
        self.assertIn("does not apply", self.refused("explain", self.good, "--what-if", "no-profiler"))
        self.assertIn("--what-if", self.refused("explain", self.good, "--print"))
        self.assertIn("two devices", self.refused("compare", self.good))
        self.assertIn("did you mean 'nvidia-h200'",
                      self.refused("compare", self.good, "--profile", "nvidia-h20", "--profile", "nvidia-h200"))

    def test_one_wrong_file_among_several_leaves_only_its_errors(self):
        message = self.refused("run", self.good, self.file("typo.yaml", TYPO), self.good)
        self.assertIn("typo.yaml:3", message)
        self.assertNotIn("good.yaml", message)

    def test_what_is_no_scenario_is_refused_and_named(self):
        for path in (
            str(self.directory),
            str(self.directory / "missing.yaml"),
            self.file("empty.yaml", ""),
            self.file("list.yaml", "- 1\n- 2\n"),
            self.file("syntax.yaml", "device: [nvidia-h200\n"),
            self.file("bytes.yaml", "\x00\x01\x02"),
            self.file("duplicate.yaml", GOOD + "device: jetson-nano\n"),
            self.file("unit.yaml", GOOD.replace("500 ms", "500 kg")),
            self.file("number.yaml", GOOD.replace("count: 2", "count: -2")),
            self.file("many.yaml", GOOD.replace("count: 2", "count: 1000000")),
            self.file("device.yaml", GOOD.replace("nvidia-h200", "nvidia-h20")),
            self.file("model.yaml", GOOD.replace("resnet50", "resnet51")),
            self.file("bomb.yaml", "a: &a [x, x]\n" + "".join(
                f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(9))),
        ):
            with self.subTest(path=path):
                self.assertIn(path, self.refused("run", path))

    def test_a_truncated_arrival_trace_is_refused(self):
        self.file("arrivals.csv", "0.1\n0.2\n0.3")
        path = self.file("trace.yaml", GOOD.replace("{poisson: 50 /s}", "{trace: arrivals.csv}"))
        self.assertIn("arrivals.csv", self.refused("run", path))

    def test_wrong_overrides_and_options_are_refused(self):
        self.assertIn("did you mean 'batch'", self.refused("run", self.good, "--set", "processes.0.bach=4"))
        self.assertIn("processes.9", self.refused("run", self.good, "--set", "processes.9.batch=4"))
        self.assertIn("--seed", self.refused("run", self.good, "--seed", "-1"))
        self.assertIn("json", self.refused("run", self.good, "--format", "jsn"))
        self.assertIn("--format", self.refused("run", self.good, "--fromat", "json"))
        self.assertIn("run", self.refused("rum", self.good))
        self.refused("run")

    def test_a_timeline_that_cannot_be_written_fails(self):
        done = self.jostle("run", self.good, "--trace", str(self.directory / "no" / "trace"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("trace", done.stderr)

    def test_output_that_cannot_be_written_fails(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([JOSTLE, "run", self.good], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertNotEqual(done.stderr, "")

    # Logs

    def test_logs_become_rows_of_evidence(self):
        tegra, jtop = self.file("board.log", TEGRASTATS), self.file("jtop.csv", JTOP)
        out = self.directory / "evidence.csv"
        done = self.jostle("import", "auto", tegra, jtop, "--device", "jetson-orin-nano", "--power-mode", "15W",
                           "--run", "s1", "-o", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        rows = list(csv.DictReader(io.StringIO(out.read_text())))
        power = [row for row in rows if row["metric"] == "power"]
        self.assertEqual([row["value"] for row in power], ["6", "4"])
        self.assertEqual({(row["run"], row["device"]) for row in rows}, {("s1", "jetson-orin-nano")})
        self.assertEqual([path.name for path in self.directory.glob("evidence*")], ["evidence.csv"])
        printed = self.jostle("import", "tegrastats", tegra)
        self.assertEqual(printed.stdout.splitlines()[0], out.read_text().splitlines()[0])

    def test_logs_are_told_apart(self):
        done = self.jostle("import", "--detect", self.file("board.log", TEGRASTATS), self.file("j.csv", JTOP))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"board.log: tegrastats .*\n.*j.csv: jtop ")
        self.assertEqual(self.jostle("import", "--detect", self.good).returncode, 2)

    def test_one_wrong_log_leaves_the_evidence_as_it_was(self):
        out = self.directory / "evidence.csv"
        out.write_text("before")
        good = self.file("board.log", TEGRASTATS)
        for name, text, message in (
            ("cut.log", "&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=a.onnx\n", "ends before"),
            ("none.log", "hello\n", "not a supported log format"),
            ("trace.json", '{"traceEvents": [{"ph": "X",\n', "trace.json:2: the JSON ends inside a value"),
            ("deep.json", '{"traceEvents": ' + "[" * 100, "deep"),
        ):
            with self.subTest(name):
                wrong = self.file(name, text)
                message_seen = self.refused("import", "auto", good, wrong, "-o", str(out))
                self.assertIn(message, message_seen)
                self.assertIn(wrong, message_seen)
                self.assertEqual(out.read_text(), "before")
        self.assertEqual([path.name for path in self.directory.glob("evidence*")], ["evidence.csv"])

    def test_a_log_of_another_tool_or_board_is_named(self):
        tegra = self.file("board.log", TEGRASTATS)
        self.assertIn("it looks like tegrastats", self.refused("import", "trtexec", tegra))
        self.assertIn("jetson-agx-orin-64gb", self.refused("import", "auto", tegra, "--device", "jetson-agx-orin-64gb"))
        self.assertIn("did you mean 'tegrastats'", self.refused("import", "tegrastat", tegra))
        self.assertIn("it is an input", self.refused("import", "auto", tegra, "-o", tegra))
        # A board without a profile is taken at its word.
        new = self.jostle("import", "auto", tegra, "--device", "my-board")
        self.assertEqual(new.returncode, 0)
        self.assertIn("cannot check", new.stderr)

    def test_evidence_that_cannot_be_written_fails(self):
        done = self.jostle("import", "auto", self.file("b.log", TEGRASTATS), "-o", str(self.directory / "no" / "e.csv"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("e.csv", done.stderr)


if __name__ == "__main__":
    unittest.main()
