"""What is on the disk after short writes, interrupted calls, a full disk and SIGKILL: the old content or the new.

JOSTLE is the binary, SHIM the library that makes calls fail (shim.cpp).
"""

import os
import random
import signal
import sqlite3
import subprocess
import time
import unittest

from inputs import JOSTLE, WRITERS, Folder

SHIM = os.environ["SHIM"]
OLD = b"the old content\n"


class Files(Folder):
    def faulty(self, arguments, fault):
        return self.jostle(*arguments, LD_PRELOAD=SHIM, FAULT=fault, FAULT_FOLDER=str(self.out),
                           FAULT_COUNT=str(self.folder / "count"))

    def calls(self, arguments):
        """How many calls write to the folder."""
        done = self.faulty(arguments, "count")
        self.assertEqual(done.returncode, 0, done.stderr)
        return int((self.folder / "count").read_text())

    def old(self, names):
        for path in self.out.iterdir():
            path.unlink()
        for name in names:
            (self.out / name).write_bytes(OLD)

    def contents(self, names):
        return [(self.out / name).read_bytes() for name in names]

    def check_writer(self, writer):
        arguments, names = WRITERS[writer]
        arguments = [argument.replace("OUT", str(self.out)) for argument in arguments]
        calls = self.calls(arguments)
        self.assertGreaterEqual(calls, 3 * len(names), "written, brought to the disk, renamed")
        new = self.contents(names)
        for fault in ("short", "eintr"):
            self.old(names)
            done = self.faulty(arguments, fault)
            self.assertEqual((done.returncode, self.contents(names)), (0, new), (fault, done.stderr))
        places = sorted({1, 2, calls - 1, calls, *range(1, calls + 1, max(1, calls // 4))})
        if writer == "calibrate":
            places = [1, 3, calls]  # each takes a second
        for at in places:
            self.old(names)
            done = self.faulty(arguments, f"full:{at}")
            for now, then in zip(self.contents(names), new):
                self.assertIn(now, (OLD, then), f"full:{at}")
            self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted(names), "nothing is left over")
            if OLD in self.contents(names):
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertIn("No space left on device", done.stderr)
        for at in places:
            self.old(names)
            done = self.faulty(arguments, f"kill:{at}")
            self.assertEqual(done.returncode, -signal.SIGKILL, f"kill:{at}")
            for now, then in zip(self.contents(names), new):
                self.assertIn(now, (OLD, then), f"kill:{at}")

    def test_a_chrome_trace(self):
        self.check_writer("chrome")

    def test_the_page_of_a_run(self):
        self.check_writer("run")

    def test_the_page_of_a_sweep(self):
        self.check_writer("sweep")

    def test_the_page_of_a_plan(self):
        self.check_writer("plan")

    def test_the_page_of_an_offload_study(self):
        self.check_writer("offload")

    def test_rooflines(self):
        self.check_writer("roofline")

    def test_the_page_of_a_validation(self):
        self.check_writer("validate")

    def test_a_calibrated_profile_and_its_table(self):
        self.check_writer("calibrate")

    def test_the_page_of_statements(self):
        self.check_writer("reproduce")

    def test_imported_evidence(self):
        self.check_writer("import")

    # Studies: what SQLite promises, and that a sweep goes on

    def content(self, file):
        return self.done("query", file, "--content").stdout

    def outcomes(self, file):
        with sqlite3.connect(file) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'outcomes'").fetchall():
                return {}
            return dict(database.execute("SELECT key, result FROM outcomes"))

    def clear(self):
        for path in self.out.iterdir():
            path.unlink()

    def check_study(self, *command):
        """Whatever happens, the file holds some of the points, whole, and the same command completes it."""
        file = self.out / "s.sqlite"
        arguments = [*command, "-o", file]
        calls = self.calls(arguments)
        whole, content = self.outcomes(file), self.content(file)
        for fault in ("short", "eintr"):
            self.clear()
            done = self.faulty(arguments, fault)
            self.assertEqual(done.returncode, 0, (fault, done.stderr))
            self.assertEqual(self.content(file), content, fault)
        places = sorted({1, 2, calls, *range(3, calls, max(1, calls // 7))})
        for fault in [f"{kind}:{at}" for kind in ("full", "kill") for at in places]:
            self.clear()
            done = self.faulty(arguments, fault)
            self.assertIn(done.returncode, (-signal.SIGKILL,) if "kill" in fault else (0, 1, 2), (fault, done.stderr))
            if file.exists():
                self.assertTrue(self.outcomes(file).items() <= whole.items(), fault)
            self.done(*arguments)
            self.assertEqual(self.content(file), content, fault)

    def test_the_file_of_a_sweep(self):
        self.check_study("sweep", "study.yaml", "--threads", "1")

    def test_the_file_of_a_plan(self):
        self.check_study("plan", "study.yaml", "--no-interval", "--exhaustive", "--threads", "1")

    def test_merged_parts_are_all_there_or_none(self):
        parts = []
        for i in (1, 2):
            parts.append(self.folder / f"part{i}.sqlite")
            self.done("sweep", "study.yaml", "--shard", f"{i}/2", "-o", parts[-1])
        file = self.out / "whole.sqlite"
        arguments = ["merge", *parts, "-o", file]
        calls = self.calls(arguments)
        whole = self.outcomes(file)
        self.assertEqual(len(whole), 6)
        for at in sorted({1, 2, calls, *range(3, calls, max(1, calls // 7))}):
            for kind in ("full", "kill"):
                self.clear()
                done = self.faulty(arguments, f"{kind}:{at}")
                if kind == "full" and done.returncode != 0:
                    self.assertEqual(list(self.out.iterdir()), [], "a merge that fails leaves no file")
                if file.exists():
                    self.assertIn(self.outcomes(file), ({}, whole))
                self.done(*arguments)
                self.assertEqual(self.outcomes(file), whole)

    # At random times, without the library

    def test_killed_at_random_times(self):
        chance = random.Random(1)
        page, trace = self.out / "p.html", self.out / "t.json"
        arguments = ["run", "scenario.yaml", "--html", page, "--trace", trace]
        started = time.monotonic()
        self.done(*arguments)
        length = time.monotonic() - started
        new = [page.read_bytes(), trace.read_bytes()]
        for _ in range(25):
            page.write_bytes(OLD)
            trace.write_bytes(OLD)
            process = subprocess.Popen([JOSTLE, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, 1.2 * length))
            process.kill()
            process.wait()
            self.assertIn(page.read_bytes(), (OLD, new[0]))
            self.assertIn(trace.read_bytes(), (OLD, new[1]))


if __name__ == "__main__":
    unittest.main()
