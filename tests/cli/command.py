"""The command as its users start it: exit codes, what goes where, and what is said of mistakes.

JOSTLE is the binary, PROTOC a protobuf compiler (it decodes timelines), SOURCE the repository.
"""

import csv
import io
import json
import os
import pty
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

GOOD = """device: nvidia-h200
processes:
  - {model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 2}
  - {name: front, model: mobilenet_v2, precision: fp16, runtime: eager, sync: spin, arrivals: {poisson: 50 /s}}
run: {duration: 500 ms, warmup: 100 ms}
"""
TYPO = GOOD.replace("precision", "precison", 1)
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

    def refused(self, *arguments):
        """Exit code 2, nothing on standard output; gives the message."""
        done = self.jostle(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertNotEqual(done.stderr, "")
        return done.stderr

    # What works

    def test_a_run_prints_a_table_and_nothing_else(self):
        done = self.jostle("run", self.good)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("resnet50", "front", "images/s", "total", "time went"):
            self.assertIn(word, done.stdout)
        self.assertNotIn("\x1b", done.stdout)

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
        trace = self.directory / "trace.pftrace"
        done = self.jostle("run", self.good, "--trace", str(trace))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        proto = SOURCE / "tests/scenarios/perfetto.proto"
        message = [line.split()[1] for line in proto.read_text().splitlines() if line.startswith("message Trace ")]
        package = [line.split()[1].rstrip(";") for line in proto.read_text().splitlines() if line.startswith("package ")]
        decoded = subprocess.run(
            [os.environ["PROTOC"], f"--decode={'.'.join(package + message)}", f"-I{proto.parent}", str(proto)],
            stdin=trace.open("rb"), capture_output=True, text=True, check=True,
        ).stdout
        for word in ("core 0", "GPU", "process 0", "front"):
            self.assertIn(word, decoded)
        self.assertGreater(decoded.count("timestamp"), 100)

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

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_a_network_is_a_graph_that_graphviz_draws(self):
        graph = self.jostle("show", "model", "yolov8n", "--format", "dot").stdout
        drawn = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, timeout=250)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertIn("22.dfl.conv", drawn.stdout)

    def onnx(self, name):
        shutil.copy(SOURCE / "tests/fuzz/corpus/onnx" / name, self.directory)
        return str(self.directory / name)

    def test_an_onnx_file_runs_like_a_network_of_ours(self):
        self.onnx("small_cnn.onnx")
        path = self.file("onnx.yaml", GOOD.replace("model: resnet50", "model: small_cnn.onnx"))
        done = self.jostle("run", path, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        process = json.loads(done.stdout)["processes"][0]
        self.assertEqual((process["model"], process["grade"]), ("small_cnn.onnx", "datasheet"))
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

    # Where it is read

    def test_no_line_is_wider_than_a_narrow_terminal(self):
        done = self.jostle("run", self.good, COLUMNS="60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 60)
        for word in ("resnet50", "front", "images/s"):
            self.assertIn(word, done.stdout)

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

    def test_the_verdicts_on_published_statements_are_those_of_the_documentation(self):
        verdicts = self.jostle("reproduce", "--markdown").stdout.split("\n## ")[0]
        self.assertIn(verdicts, (SOURCE / "docs/claims.md").read_text(), "scripts/update-docs brings it up to date")

    def test_statements_are_told_as_data_too(self):
        done = self.jostle("reproduce", "C64", "C43", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual([claim["id"] for claim in told["claims"]], ["C64", "C43"])
        self.assertTrue(all(claim["checks"] for claim in told["claims"]))

    def test_an_unknown_statement_is_refused(self):
        self.assertIn("C99", self.refused("reproduce", "C64", "C99"))

    def test_control_c_ends_a_validation(self):
        process = subprocess.Popen([JOSTLE, "validate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "the comparison is over before it could be interrupted")
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("interrupted", errors)

    def test_control_c_ends_a_reproduction(self):
        process = subprocess.Popen([JOSTLE, "reproduce"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.2)
        self.assertIsNone(process.poll(), "it is over before it could be interrupted")
        process.send_signal(signal.SIGINT)
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
        messages = done.stderr.splitlines()
        self.assertEqual(len(messages), len(failed))
        for message, process in zip(messages, failed):
            self.assertRegex(message, rf"crowd.yaml: process {process['index']} \(resnet50\) does not fit into memory: "
                                      r"\d+ MB short, at its (context|engine|activations|inputs and outputs)")
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
        done = self.jostle("check", self.crowded("jetson-nano", 5))
        self.assertEqual(done.returncode, 0)
        self.assertIn("ok", done.stdout)
        self.assertIn("process 4 (resnet50) does not fit into memory", done.stderr)

    # What is wrong

    def test_a_misspelt_key_is_answered_with_its_place_and_the_nearest(self):
        path = self.file("typo.yaml", TYPO)
        message = self.refused("run", path)
        self.assertIn(f"{path}:3: ", message)
        self.assertIn("precison", message)
        self.assertIn("did you mean 'precision'", message)

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

    def test_what_is_not_modelled_yet_is_refused_rather_than_ignored(self):
        self.assertIn("power_cap", self.refused("run", self.good, "--set", "power_cap={budget: 10 W, window: 1 s}"))

    def test_a_timeline_that_cannot_be_written_fails(self):
        done = self.jostle("run", self.good, "--trace", str(self.directory / "no" / "trace"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("trace", done.stderr)

    def test_output_that_cannot_be_written_fails(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([JOSTLE, "run", self.good], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertNotEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
