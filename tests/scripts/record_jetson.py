"""scripts/record-jetson on a fake board: a tree of files for /sys, /proc and /etc, and tools that stand for NVIDIA's.

SOURCE is the repository. What a real board does differently is not tested here.
"""

import csv
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
FAKE = SOURCE / "tests/scripts/fake_jetson"
POLICY = "sys/devices/system/cpu/cpufreq/policy0"
GPU = "sys/class/devfreq/17000000.gpu"
BOARD = {
    "proc/device-tree/model": "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super\0",
    "proc/meminfo": "MemTotal:        7802880 kB\nMemAvailable:    5000000 kB\nSwapTotal: 3901440 kB\nSwapFree: 3901440 kB\n",
    "proc/uptime": "4000.12 20000.00\n",
    "proc/loadavg": "0.10 0.20 0.30 1/300 4242\n",
    "proc/sys/kernel/osrelease": "5.15.148-tegra\n",
    "etc/nv_tegra_release": "# R36 (release), REVISION: 4.3\n",
    "etc/nvpmodel.conf": "< POWER_MODEL ID=0 NAME=MAXN_SUPER >\n",
    "usr/local/cuda/version.json": '{\n  "cuda" : {\n    "name" : "CUDA SDK",\n    "version" : "12.6.68"\n  }\n}\n',
    "var/lib/nvpmodel/status": "pmode:0000\n",
    "sys/devices/system/cpu/online": "0-5\n",
    f"{POLICY}/scaling_governor": "schedutil\n",
    f"{POLICY}/scaling_min_freq": "729600\n",
    f"{POLICY}/scaling_max_freq": "1728000\n",
    f"{POLICY}/scaling_cur_freq": "960000\n",
    f"{POLICY}/cpuinfo_min_freq": "115200\n",
    f"{POLICY}/cpuinfo_max_freq": "1728000\n",
    f"{POLICY}/scaling_available_frequencies": "115200 729600 960000 1190400 1344000 1728000\n",
    f"{GPU}/governor": "nvhost_podgov\n",
    f"{GPU}/min_freq": "306000000\n",
    f"{GPU}/max_freq": "1020000000\n",
    f"{GPU}/cur_freq": "306000000\n",
    "sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
    "sys/class/thermal/thermal_zone0/temp": "48000\n",
    "sys/class/thermal/thermal_zone1/type": "PMIC-Die\n",
    "sys/class/thermal/thermal_zone1/temp": "100000\n",
    "sys/class/thermal/cooling_device0/type": "pwm-fan\n",
    "sys/class/thermal/cooling_device0/cur_state": "2\n",
    "sys/class/thermal/cooling_device1/type": "gpu-throttle-alert\n",
    "sys/class/thermal/cooling_device1/cur_state": "0\n",
    "sys/class/hwmon/hwmon3/oc3_event_cnt": "7\n",
}
SHORT = ["--duration", "1", "--warmup", "0", "--idle", "0.3", "--quick", "--processes", "1"]


class RecordJetson(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.root = self.directory / "board"
        for name, text in BOARD.items():
            self.write(name, text)
        self.tools = self.directory / "tools"
        shutil.copytree(FAKE, self.tools)
        (self.directory / "tiny.onnx").write_text("a network")
        self.output = self.directory / "out"
        self.state = self.output / "MAXN_SUPER"

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, name):
        return (self.root / name).read_text()

    def command(self, *arguments, network="tiny.onnx", **environment):
        command = [SOURCE / "scripts/record-jetson", "--root", self.root, "-o", self.output, *arguments]
        environment = {
            **os.environ, "PATH": f"{self.tools}:/usr/bin:/bin", "FAKE_ROOT": str(self.root), "FAKE_SECONDS": "0.1", "FAKE_WALL": "0.4",
            "TMPDIR": str(self.directory), **environment,
        }
        return {"args": [*map(str, command), network], "env": environment, "cwd": self.directory, "text": True,
                "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    def record(self, *arguments, expected=0, **more):
        done = subprocess.run(**self.command(*arguments, **more), timeout=60)
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done

    def manifest(self, state="MAXN_SUPER"):
        with (self.output / state / "manifest.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def values(self, path):
        return dict(line.split("=", 1) for line in path.read_text().splitlines())

    def leftovers(self):
        return [path for path in self.output.rglob("*") if path.suffix in (".part", ".mixed", ".failed")]

    # What comes out

    def test_a_recording_holds_what_a_fit_needs(self):
        self.record("--duration", "1", "--warmup", "0", "--idle", "0.3", "--processes", "1,2", "--cpu-steps", "1",
                    FAKE_WALL="2")
        rows = self.manifest()
        for row in rows:
            self.assertTrue((self.state / row["file"]).stat().st_size > 0, row)
            self.assertEqual((row["device"], row["power_mode"], row["pinned"]), ("jetson-orin-nano-super", "MAXN_SUPER", "0"))
        runs = {row["run"]: row for row in rows if row["format"] == "trtexec"}
        self.assertEqual(
            {(row["runtime"], row["sync"], row["processes"], row["cpu_mhz"]) for row in runs.values()},
            {("tensorrt", "blocking", "1", ""), ("tensorrt", "spin", "1", ""), ("cuda-graph", "blocking", "1", ""),
             ("tensorrt", "blocking", "2", ""), ("cuda-graph", "blocking", "2", ""), ("tensorrt", "blocking", "1", "729.6")})
        self.assertEqual({(row["model"], row["precision"], row["batch"]) for row in runs.values()}, {("tiny", "fp16", "1")})
        self.assertEqual({row["format"] for row in rows}, {"trtexec", "times", "profile", "layers", "tegrastats", "nvpmodel"})
        together = [row for row in rows if row["run"] == "tiny-fp16-b1-tensorrt-blocking-p2"]
        self.assertEqual([row["format"] for row in together], ["trtexec", "times"] * 2 + ["tegrastats"])
        commands = (self.state / "tiny-fp16-b1-tensorrt-blocking-p2/command.txt").read_text().splitlines()
        self.assertEqual(len(commands), 2)
        self.assertTrue(all("--loadEngine=" in command and "Profile" not in command for command in commands))
        self.assertIn("--fp16", (self.output / "engines/tiny-fp16-b1/command.txt").read_text())
        for when in ("before", "after"):
            state = self.values(self.state / f"tiny-fp16-b1-cuda-graph-blocking-p1/state.{when}.txt")
            for key, value in {
                "kernel": "5.15.148-tegra", "cuda": "12.6.68", "tensorrt": "100300", "mode": "0 MAXN_SUPER", "online": "0-5",
                "cpu.policy0.scaling_governor": "schedutil", "gpu.17000000.gpu.max_freq": "1020000000",
                "temperature.cpu-thermal": "48000", "oc3_event_cnt": "7", "pinned": "0",
            }.items():
                self.assertEqual(state[key], value)
        self.assertEqual((self.state / "nvpmodel.conf").read_text(), BOARD["etc/nvpmodel.conf"])
        self.assertEqual(self.leftovers(), [])
        self.assertEqual(self.read(f"{POLICY}/scaling_min_freq"), BOARD[f"{POLICY}/scaling_min_freq"])
        self.assertEqual(self.read(f"{POLICY}/scaling_max_freq"), BOARD[f"{POLICY}/scaling_max_freq"])

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_under_sudo_only_what_was_written_is_given_to_the_caller(self):
        (self.output / "MAXN_SUPER").parent.mkdir(parents=True)
        mine = self.output / "notes.txt"
        mine.write_text("root's")
        secret = self.directory / "secret"
        secret.write_text("root's")
        (self.output / "link").symlink_to(secret)
        self.record(*SHORT, SUDO_UID="4321", SUDO_GID="4321")
        for path in (self.output, mine, secret, self.output / "link"):
            self.assertEqual(path.lstat().st_uid, 0, path)
        for folder in (self.state, self.output / "engines"):
            for path in (folder, *folder.rglob("*")):
                self.assertEqual((path.lstat().st_uid, path.lstat().st_gid), (4321, 4321), path)
        self.record(*SHORT, "-o", self.directory / "new/deep", SUDO_UID="4321", SUDO_GID="4321")
        for path in ("new", "new/deep", "new/deep/MAXN_SUPER/manifest.csv"):
            self.assertEqual((self.directory / path).stat().st_uid, 4321)
        self.assertEqual(self.directory.stat().st_uid, 0)

    def test_power_is_cut_to_the_timed_stretch(self):
        self.record(*SHORT, FAKE_SECONDS="0.6", FAKE_WALL="0.3")
        row = next(row for row in self.manifest() if row["format"] == "tegrastats" and row["processes"] == "1")
        self.assertAlmostEqual(float(row["end"]) - float(row["start"]), 0.3, delta=0.01)
        folder = (self.state / row["file"]).parent
        lines = [line.split("\t") for line in (folder / "tegrastats.whole.txt").read_text().splitlines()]
        inside = [text for at, text in lines if float(row["start"]) + 0.1 <= int(at) / 1000 <= float(row["end"])]
        self.assertEqual((folder / "tegrastats.log").read_text().splitlines(), inside)
        self.assertLess(len(inside), len(lines))
        self.assertGreater(len(inside), 0)

    def test_what_is_there_is_kept_and_the_rest_added(self):
        self.record(*SHORT)
        before = {row["run"]: row["start"] for row in self.manifest()}
        shutil.rmtree(self.state / "tiny-fp16-b1-cuda-graph-blocking-p1")
        done = self.record(*SHORT)
        after = {row["run"]: row["start"] for row in self.manifest()}
        self.assertEqual(set(before), set(after))
        self.assertEqual([run for run in after if before[run] != after[run]], ["tiny-fp16-b1-cuda-graph-blocking-p1"])
        self.assertIn("idle is there already", done.stderr)

    def test_modes_go_into_folders_of_their_own_and_one_that_needs_a_reboot_is_refused(self):
        done = self.record(*SHORT, "--modes", "1,2", "--pin", expected=3)
        self.assertIn("mode 2 needs a reboot", done.stderr)
        self.assertFalse((self.root / "rebooted").exists())
        self.assertEqual(sorted(path.name for path in self.output.iterdir()), ["15W-pinned", "engines"])
        self.assertEqual({(row["power_mode"], row["pinned"]) for row in self.manifest("15W-pinned")}, {("15W", "1")})
        for name in (f"{POLICY}/scaling_max_freq", f"{POLICY}/scaling_min_freq", f"{GPU}/min_freq", "var/lib/nvpmodel/status"):
            self.assertEqual(self.read(name), BOARD[name])

    # What is not mixed

    def test_a_clock_that_changes_in_the_middle_marks_the_run_as_mixed(self):
        done = self.record(*SHORT, expected=3, FAKE_AT="--useCudaGraph", FAKE_WRITE=f"{POLICY}/scaling_max_freq=960000")
        mixed = self.state / "tiny-fp16-b1-cuda-graph-blocking-p1.mixed"
        self.assertIn("cpu.policy0.scaling_max_freq: 1728000 -> 960000", (mixed / "why.txt").read_text())
        self.assertIn("no longer in the state", done.stderr)
        self.assertEqual({row["run"] for row in self.manifest()}, {"state", "idle", "tiny-fp16-b1-tensorrt-blocking-p1"})

    def test_a_clock_that_changes_and_changes_back_is_seen(self):
        self.record(*SHORT, expected=3, FAKE_AT="--useCudaGraph", FAKE_WRITE=f"{GPU}/max_freq=612000000", FAKE_BACK="1020000000")
        why = (self.state / "tiny-fp16-b1-cuda-graph-blocking-p1.mixed/why.txt").read_text()
        self.assertIn("gpu.17000000.gpu.max_freq: 1020000000 -> 612000000", why)
        self.assertIn("tiny-fp16-b1-profile", {row["run"] for row in self.manifest()})

    def test_an_over_current_alarm_sets_a_run_aside_unless_it_is_allowed(self):
        change = {"FAKE_AT": "--useCudaGraph", "FAKE_WRITE": "sys/class/hwmon/hwmon3/oc3_event_cnt=9"}
        self.record(*SHORT, expected=3, **change)
        self.assertIn("oc3_event_cnt: 7 -> 9", (self.state / "tiny-fp16-b1-cuda-graph-blocking-p1.mixed/why.txt").read_text())
        self.write("sys/class/hwmon/hwmon3/oc3_event_cnt", "7\n")
        self.record(*SHORT, "--allow-over-current", **change)
        notes = [row["note"] for row in self.manifest() if row["run"] == "tiny-fp16-b1-cuda-graph-blocking-p1"]
        self.assertTrue(notes and all("over-current: oc3_event_cnt: 7 -> 9" in note for note in notes), notes)
        self.assertEqual(self.leftovers(), [])

    def test_a_second_state_into_the_same_folder_is_refused(self):
        self.record(*SHORT)
        before = sorted(self.output.rglob("*"))
        self.write(f"{GPU}/max_freq", "612000000\n")
        done = self.record(*SHORT, expected=1)
        self.assertRegex(done.stderr, "holds another state .*max_freq: 1020000000 -> 612000000")
        self.assertEqual(sorted(self.output.rglob("*")), before)

    def test_a_folder_of_something_else_is_refused(self):
        self.state.mkdir(parents=True)
        (self.state / "thesis.txt").write_text("mine")
        self.assertIn("holds no recording", self.record(*SHORT, expected=1).stderr)

    def test_ctrl_c_leaves_no_half_run_and_restores_clocks(self):
        steps = ["--duration", "1", "--warmup", "0", "--idle", "0.3", "--processes", "1", "--cpu-steps", "1", "--pin"]
        # A run that lasts long enough to be interrupted.
        long = {"FAKE_AT": "cpu729.6.part", "FAKE_WRITE": "unrelated=1", "FAKE_BACK": "1"}
        running = subprocess.Popen(**self.command(*steps, **long))
        stepped = self.output / "MAXN_SUPER-pinned/tiny-fp16-b1-tensorrt-blocking-p1-cpu729.6.part/trtexec.log"
        try:
            deadline = time.monotonic() + 30
            while running.poll() is None and time.monotonic() < deadline:
                if stepped.exists() and "Starting inference" in stepped.read_text():
                    break
                time.sleep(0.01)
            self.assertEqual(self.read(f"{POLICY}/scaling_max_freq"), "729600\n")
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=30)
        finally:
            running.kill()
        self.assertEqual(running.returncode, 130, errors)
        self.assertEqual(self.leftovers(), [])
        for name in (f"{POLICY}/scaling_min_freq", f"{POLICY}/scaling_max_freq", f"{GPU}/min_freq"):
            self.assertEqual(self.read(name), BOARD[name])
        self.assertNotIn("cpu729.6", " ".join(row["run"] for row in self.manifest("MAXN_SUPER-pinned")))
        self.assertEqual([path.name for path in self.directory.iterdir() if path.name.startswith("tmp.")], [])

    # What is refused

    def test_a_dry_run_touches_nothing(self):
        before = {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        done = self.record("--dry-run", "--modes", "0,1", "--pin")
        self.assertFalse(self.output.exists())
        self.assertEqual({path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}, before)
        for word in ("--saveEngine=", "--useCudaGraph", "--useSpinWait", "--separateProfileRun", "tegrastats", "nvpmodel -m 1",
                     "# 4 at once", "CPU clock 729.6 MHz"):
            self.assertIn(word, done.stdout.replace("   # ", "# "))

    def test_missing_tools_are_a_clear_error(self):
        (self.tools / "tegrastats").unlink()
        self.assertIn("there is no tegrastats", self.record(*SHORT, expected=1).stderr)
        (self.tools / "trtexec").unlink()
        self.assertIn("there is no trtexec", self.record(*SHORT, expected=1).stderr)
        self.assertFalse(self.output.exists())

    def test_another_process_on_the_gpu_is_named(self):
        self.write("proc/4242/comm", "python3\n")
        (self.root / "proc/4242/fd").mkdir()
        (self.root / "proc/4242/fd/9").symlink_to("/dev/nvgpu/igpu0/channel")
        self.assertIn("4242 python3", self.record(*SHORT, expected=1).stderr)

    def test_a_gpu_that_is_busy_while_idle_is_refused(self):
        self.assertIn("the GPU is 40 % busy", self.record(*SHORT, expected=1, FAKE_GPU_LOAD="40").stderr)
        self.assertEqual(self.leftovers(), [])

    def test_a_board_that_stays_hot_is_refused(self):
        self.write("sys/class/thermal/thermal_zone0/temp", "81000\n")
        self.assertRegex(self.record(*SHORT, "--cool-wait", "0", expected=1).stderr, "stays hot.*81 degC")

    def test_a_batch_that_the_engine_does_not_have_is_refused(self):
        self.assertIn("batch is 4, not 1", self.record(*SHORT, expected=1, FAKE_BATCH="4").stderr)
        self.assertEqual(self.leftovers(), [])

    def test_a_board_too_small_for_several_processes_keeps_the_rest(self):
        done = self.record(*SHORT[:-1], "1,2", expected=3, FAKE_OUT_OF_MEMORY="times.1.json")
        self.assertIn("OutOfMemory", (self.state / "tiny-fp16-b1-tensorrt-blocking-p2.failed/why.txt").read_text(), done.stderr)
        self.assertEqual({row["processes"] for row in self.manifest() if row["format"] == "trtexec"}, {"1"})

    def test_wrong_options_are_refused(self):
        for arguments, word in ((["--fast"], "--fast"), (["--duration", "soon"], "soon"), (["--modes", "MAXN"], "--modes"),
                                (["a.onnx:fp8"], "fp8"), (["--output"], "tiny.onnx.*|no network"), (["no.onnx"], "no.onnx")):
            with self.subTest(arguments=arguments):
                done = subprocess.run(**self.command(*arguments), timeout=60)
                self.assertIn(done.returncode, (1, 2))
                self.assertTrue(re.search(word, done.stderr), done.stderr)
                self.assertFalse(self.output.exists())


if __name__ == "__main__":
    unittest.main()
