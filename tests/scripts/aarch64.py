"""The command for arm64 under qemu: it probes, calibrates, and gives the bytes of this machine's command.

JOSTLE is this machine's binary, SOURCE the repository, JOSTLE_AARCH64 the binary for arm64 (default:
build/aarch64/cli/jostle of the repository), JOSTLE_SYSROOT its libraries (default: build/sysroot). Without them each test is
skipped, and says so: docs/shell.md has the commands that make them.
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

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])
AARCH64 = Path(os.environ.get("JOSTLE_AARCH64") or SOURCE / "build/aarch64/cli/jostle")
SYSROOT = Path(os.environ.get("JOSTLE_SYSROOT") or SOURCE / "build/sysroot")
QEMU = "qemu-aarch64-static"
EMULATED = [QEMU, "-L", SYSROOT, AARCH64]
RUNS = (("tests/golden/tx2_unequal_cores.yaml", "--interval"), ("tests/golden/h200_arrivals.yaml",),
        ("scenarios/teaching/training_beside_a_camera.yaml",))
ABSENT = next((f"{what} is absent" for what, there in ((QEMU, shutil.which(QEMU)), (AARCH64, AARCH64.exists()), (SYSROOT, SYSROOT.exists()))
               if not there), "")


def run(command, *arguments, **options):
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=600, **options)


def sources_of(command):
    """The commit and the data that a command was built from."""
    return run(command, "--version").stdout.splitlines()[1:3]


@unittest.skipIf(ABSENT, ABSENT)
class Aarch64(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def done(self, *arguments):
        """What the command prints, on standard output and beside it; it succeeds."""
        done = run(EMULATED, *arguments, cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_results_have_the_bytes_of_this_machines_command(self):
        here, there = sources_of([JOSTLE]), sources_of(EMULATED)
        if here != there:
            self.skipTest(f"the two commands are built from other sources: {here} and {there}")
        for scenario, *options in RUNS:
            with self.subTest(scenario=scenario):
                arguments = ("run", SOURCE / scenario, *options, "--format", "json")
                self.assertEqual(self.done(*arguments)[0], run([JOSTLE], *arguments).stdout)

    def test_a_probe_of_cores_and_memory_becomes_a_profile_that_predicts(self):
        out, _ = self.done("probe", "--list")
        self.assertRegex(out, r"architecture +aarch64")
        _, said = self.done("probe", "--only", "cpu,memory", "--quick", "--busy", "-o", "board")
        if not Path("/proc/driver/nvidia").exists():
            self.assertIn("There is no GPU to measure: no driver of an NVIDIA GPU is loaded", said)
        with open(self.directory / "board/parameters.csv") as file:
            measured = {row["parameter"]: float(row["value"]) for row in csv.DictReader(file)}
        for parameter in ("cpu.reference_clock", "cpu.costs.context_switch", "memory.cores.read", "memory.cores.write"):
            self.assertGreater(measured[parameter], 0)
        with open(self.directory / "board/manifest.csv") as file:
            self.assertEqual({row["part"] for row in csv.DictReader(file)}, {"cpu", "cpu_memory"})
        self.assertEqual([of.name for of in self.directory.glob("board/*.part")], [])
        self.assertIn("parameters a profile can take", self.done("import", "board")[0])
        out, _ = self.done("calibrate", "auto", "board", "-o", "mine.yaml")
        self.assertRegex(out, r"cpu.costs.context_switch\b.*\bmeasured\b")
        (self.directory / "scene.yaml").write_text("device: mine.yaml\nprocesses: [{model: mobilenet_v2, runtime: tflite, precision: fp32}]\n"
                                                   "run: {duration: 1 s}\n")
        self.assertIn('"throughput"', self.done("run", "scene.yaml", "--format", "json")[0])

    def test_an_interrupted_probe_leaves_nothing(self):
        process = subprocess.Popen([*EMULATED, "probe", "--only", "cpu", "--busy", "-o", "board"], cwd=self.directory,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for _ in range(600):
            if (self.directory / "board/cpu.part").exists():
                break
            time.sleep(0.1)
        time.sleep(2)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("interrupted", said)
        self.assertEqual(list(self.directory.iterdir()), [])
        with self.assertRaises(ProcessLookupError):  # no worker of the session is left
            os.killpg(process.pid, 0)

    def test_a_typo_is_refused_with_a_suggestion(self):
        (self.directory / "typo.yaml").write_text("device: jetson-nano\nprocesses: [{model: resnet18, precison: fp16}]\n")
        done = run(EMULATED, "run", self.directory / "typo.yaml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("precision", done.stderr)

    def test_the_tarball_runs_with_the_loader_inside_and_with_the_systems(self):
        archive = run([SOURCE / "scripts/packages/portable", AARCH64, SYSROOT], cwd=self.directory, check=True).stdout.strip()
        subprocess.run(["tar", "xzf", archive], cwd=self.directory, check=True)
        folder = self.directory / archive.removesuffix(".tar.gz")
        libraries, inside = folder / "lib", folder / "lib/libc/ld-linux-aarch64.so.1"
        done = run([QEMU, inside, "--library-path", f"{libraries}:{libraries / 'libc'}", libraries / "jostle"], "list", "devices")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("jetson-orin-nano", done.stdout)
        # bin/jostle is a shell's script: it starts the loader that it is told of, here the sysroot's.
        loader = self.directory / "loader"
        loader.write_text(f'#!/bin/sh\nexec {QEMU} -L "{SYSROOT}" "{SYSROOT}/lib/ld-linux-aarch64.so.1" "$@"\n')
        loader.chmod(0o755)
        done = run([folder / "bin/jostle"], "--version", env={**os.environ, "JOSTLE_SYSTEM_LOADER": str(loader)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(re.match(r"jostle \d", done.stdout))


if __name__ == "__main__":
    unittest.main()
