"""Studies as their users run them: killed, gone on with, interrupted, sharded, merged, asked and exported.

JOSTLE is the binary, SOURCE the repository.
"""

import csv
import io
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])

SMALL = """scenario:
  device: jetson-orin-nano
  processes: [{model: resnet50, precision: fp16}]
  run: {duration: 500 ms, warmup: 100 ms}
sweep:
  device: [jetson-orin-nano, jetson-nano]
  processes.0.batch: [1, 4]
  processes.*.count: {start: 1, stop: 3, step: 1}
"""
LONG = SMALL.replace("500 ms", "100 s").replace("stop: 3", "stop: 40")
TIGHT = SMALL.replace("stop: 3, step: 1", "stop: 61, step: 20")


class Sweep(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def study(self, text, name="study.yaml"):
        path = self.directory / name
        path.write_text(text)
        return str(path)

    def path(self, name):
        return str(self.directory / name)

    def jostle(self, *arguments):
        return subprocess.run([JOSTLE, *arguments], capture_output=True, text=True, timeout=250)

    def sweep(self, study, output, *arguments, code=0):
        done = self.jostle("sweep", study, "-o", output, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def counts(self, stderr):
        """(computed, there already) as the last line says."""
        computed = re.search(r"(\d+) points? computed", stderr)
        reused = re.search(r"(\d+) already in the file", stderr)
        return int(computed[1]), int(reused[1]) if reused else 0

    def content(self, file):
        done = self.jostle("query", file, "--content")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def outcomes(self, file):
        with sqlite3.connect(file) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            return dict(database.execute("SELECT key, result FROM outcomes"))

    @unittest.skipIf("asan" in JOSTLE, "minutes under a sanitizer")
    def test_a_sweep_killed_ten_times_loses_nothing_and_computes_nothing_twice(self):
        study, output = self.study(LONG), self.path("a.sqlite")
        chance = random.Random(1)
        there = {}
        longest = 0.15  # s; longer where the machine is too busy to finish a point in that
        for _ in range(10):
            process = subprocess.Popen([JOSTLE, "sweep", study, "-o", output], stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.02, longest))
            process.send_signal(signal.SIGKILL)
            self.assertEqual(process.wait(), -signal.SIGKILL, "the study is too short to be killed ten times")
            if not there:
                longest *= 1.5
            if not os.path.exists(output):
                continue
            with sqlite3.connect(output) as database:
                if not database.execute("SELECT name FROM sqlite_master WHERE name = 'outcomes'").fetchall():
                    continue
            now = self.outcomes(output)
            self.assertTrue(there.items() <= now.items())
            there = now
        self.assertGreater(len(there), 0)
        self.assertLess(len(there), 160)
        done = self.sweep(study, output)
        self.assertEqual(self.counts(done.stderr), (160 - len(there), len(there)))
        now = self.outcomes(output)
        self.assertEqual(len(now), 160)
        self.assertTrue(there.items() <= now.items())
        self.sweep(study, self.path("b.sqlite"), "--threads", "1")
        self.assertEqual(self.content(output), self.content(self.path("b.sqlite")))

    def test_the_same_study_again_computes_nothing(self):
        study, output = self.study(SMALL), self.path("a.sqlite")
        self.assertEqual(self.counts(self.sweep(study, output).stderr), (12, 0))
        self.assertEqual(self.counts(self.sweep(study, output).stderr), (0, 12))
        # Values that were there are found again, whatever the study now looks like.
        self.study(SMALL.replace("[1, 4]", "[4, 1, 2]"))
        self.assertEqual(self.counts(self.sweep(study, output).stderr), (6, 12))

    def test_points_that_ask_the_same_are_computed_once(self):
        study = self.study(SMALL.replace("[1, 4]", "[1, 1]"))
        self.assertEqual(self.counts(self.sweep(study, self.path("a.sqlite")).stderr), (6, 0))
        done = self.jostle("query", self.path("a.sqlite"), "SELECT count(*) AS n FROM results", "--format", "csv")
        self.assertEqual(done.stdout, "n\n12\n")

    def test_ctrl_c_stores_what_is_done_and_says_130(self):
        study, output = self.study(LONG.replace("100 s", "400 s")), self.path("a.sqlite")
        process = subprocess.Popen([JOSTLE, "sweep", study, "-o", output], stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        for _ in range(400):
            time.sleep(0.05)
            if os.path.exists(output + "-wal") and os.path.getsize(output + "-wal") > 50_000:
                break
        process.send_signal(signal.SIGINT)
        stderr = process.communicate()[1]
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("interrupted", stderr)
        self.assertEqual(len(self.outcomes(output)), self.counts(stderr)[0])
        self.assertGreater(len(self.outcomes(output)), 0)

    def test_shards_merged_say_what_one_process_says(self):
        study = self.study(TIGHT)
        self.sweep(study, self.path("whole.sqlite"))
        parts = []
        for i in (1, 2, 3):
            parts.append(self.path(f"part{i}.sqlite"))
            self.sweep(study, parts[-1], "--shard", f"{i}/3")
        sizes = [len(self.outcomes(part)) for part in parts]
        self.assertEqual(sum(sizes), 16)
        self.assertLessEqual(max(sizes) - min(sizes), 1)
        for name, order in (("all.sqlite", parts), ("reversed.sqlite", parts[::-1])):
            done = self.jostle("merge", *order, "-o", self.path(name))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.content(self.path(name)), self.content(self.path("whole.sqlite")))
        self.assertEqual(self.counts(self.sweep(study, self.path("all.sqlite")).stderr), (0, 16))

    def test_merge_refuses_parts_of_another_study_and_what_is_no_study(self):
        self.sweep(self.study(SMALL), self.path("a.sqlite"))
        self.sweep(self.study(SMALL.replace("[1, 4]", "[1, 2]")), self.path("b.sqlite"))
        for other in (self.path("b.sqlite"), self.study(SMALL), self.path("nothing.sqlite")):
            done = self.jostle("merge", self.path("a.sqlite"), other, "-o", self.path("c.sqlite"))
            self.assertEqual(done.returncode, 2)
            self.assertIn(Path(other).name, done.stderr)
        self.assertFalse(os.path.exists(self.path("nothing.sqlite")))

    def test_a_point_that_does_not_fit_is_stored_as_infeasible(self):
        self.sweep(self.study(TIGHT), self.path("a.sqlite"))
        done = self.jostle(
            "query", self.path("a.sqlite"),
            "SELECT status, throughput IS NULL AS none, problem FROM results WHERE count = 61", "--format", "json",
        )
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual((row["status"], row["none"]), ("infeasible", 1))
            self.assertIn("memory", row["problem"])

    def test_typos_are_told_with_their_place_and_nothing_is_written(self):
        for wrong, message in (
            (SMALL.replace("[1, 4]", "[1, 4, none]"), "study.yaml:7: sweep.processes.0.batch: expected"),
            (SMALL.replace("0.batch", "0.bacth"), "did you mean 'batch'?"),
            (SMALL.replace("sweep:", "sweeps:"), "did you mean 'sweep'?"),
            (SMALL.replace("resnet50", "resnet5"), "scenario.processes.0.model: unknown model 'resnet5'"),
            (SMALL + "  power_mode: [15W, 17W]\n", "sweep.power_mode"),
        ):
            done = self.sweep(self.study(wrong), self.path("a.sqlite"), code=2)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.path("a.sqlite")))

    def test_a_file_of_something_else_is_left_as_it_is(self):
        study = self.study(SMALL)
        done = self.jostle("sweep", study, "-o", study)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(Path(study).read_text(), SMALL)
        with sqlite3.connect(self.path("other.sqlite")) as database:
            database.execute("CREATE TABLE mine(x)")
        done = self.jostle("sweep", study, "-o", self.path("other.sqlite"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not a study file", done.stderr)

    def test_csv_has_a_row_a_point_and_json_a_line(self):
        study, output = self.study(SMALL), self.path("a.sqlite")
        rows = list(csv.DictReader(io.StringIO(self.sweep(study, output, "--export", "csv").stdout)))
        self.assertEqual(len(rows), 12)
        self.assertEqual([row["count"] for row in rows[:4]], ["1", "2", "3", "1"])
        lines = self.jostle("sweep", study, "--export", "json").stdout.splitlines()
        points = [json.loads(line) for line in lines]
        self.assertEqual(points[4]["settings"], {
            "device": "jetson-orin-nano", "processes.0.batch": 4, "processes.*.count": 2})
        for row, point in zip(rows, points, strict=True):
            self.assertAlmostEqual(float(row["power_w"]), point["result"]["system"]["power_w"]["mean"], places=9)

    def test_a_point_says_what_run_says_of_its_resolved_scenario(self):
        lines = self.jostle("sweep", self.study(SMALL), "--export", "json").stdout.splitlines()
        result = json.loads(lines[5])["result"]
        scenario = self.directory / "point.yaml"
        scenario.write_text(json.dumps(result["resolved"]))
        again = json.loads(self.jostle("run", str(scenario), "--format", "json").stdout)
        self.assertEqual(again, result)

    def test_query_only_reads(self):
        output = self.path("a.sqlite")
        self.sweep(self.study(SMALL), output)
        before = self.content(output)
        for sql in ("DELETE FROM points", "DROP TABLE outcomes", "SELECT 1; DELETE FROM points", "SELEC 1", ""):
            self.assertEqual(self.jostle("query", output, sql).returncode, 2, sql)
        self.assertEqual(self.content(output), before)
        table = self.jostle("query", output, "SELECT device, max(throughput) AS best FROM results GROUP BY device")
        self.assertEqual(table.stdout.split()[:2], ["device", "best"])
        self.assertEqual(len(table.stdout.splitlines()), 3)

    def test_the_grid_of_the_paper_is_right(self):
        done = self.jostle("sweep", str(SOURCE / "scenarios/planning/paper_grid.yaml"), "--export", "csv",
                           "--shard", "1/100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 7)


if __name__ == "__main__":
    unittest.main()
