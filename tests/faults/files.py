"""Files as users give them: devices, pipes, links, inputs named as outputs, foreign and damaged studies, signals.

JOSTLE is the binary.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import time
import unittest
from pathlib import Path

from inputs import ENDLESS, JOSTLE, SOURCE, STUDY, WRITERS, Folder


class Files(Folder):
    def refused(self, *arguments):
        """Exit code 2 and nothing on standard output; gives the message."""
        done = self.jostle(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def start(self, *arguments, **options):
        process = subprocess.Popen([JOSTLE, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def signalled(self, process, number=signal.SIGINT, after=0.25):
        """Sends the signal once the program heeds it; gives exit code, standard error, and seconds to the end."""
        for _ in range(1000):
            status = Path(f"/proc/{process.pid}/status").read_text()
            if int(re.search(r"SigCgt:\s*([0-9a-f]+)", status)[1], 16) >> (signal.SIGTERM - 1) & 1:
                break
            time.sleep(0.01)
        time.sleep(after)
        self.assertIsNone(process.poll(), "it is over before the signal")
        started = time.monotonic()
        process.send_signal(number)
        errors = process.communicate(timeout=30)[1]
        return process.returncode, errors, time.monotonic() - started

    # Where outputs go

    def test_every_writer_leaves_links_devices_and_permissions(self):
        for writer, (arguments, names) in WRITERS.items():
            with self.subTest(writer):
                target, link = self.out / "target", self.out / names[0]
                target.write_text("old")
                target.chmod(0o640)
                link.symlink_to("target")
                self.done(*[argument.replace("OUT", str(self.out)) for argument in arguments])
                self.assertTrue(link.is_symlink())
                self.assertNotEqual(target.read_bytes(), b"old")
                self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)
                for path in self.out.iterdir():
                    path.unlink()
                main = next(argument for argument in arguments if argument.startswith("OUT/"))
                self.done(*[self.device("null") if argument == main else argument.replace("OUT", str(self.out))
                            for argument in arguments])
                self.assertTrue(stat.S_ISCHR(os.stat(self.device("null")).st_mode))

    def test_a_page_goes_through_a_pipe(self):
        os.mkfifo(self.out / "pipe")
        process = self.start("run", "scenario.yaml", "--html", self.out / "pipe")
        page = (self.out / "pipe").read_text()
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertIn("</html>", page)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.out / "pipe").st_mode))

    def test_a_trace_goes_to_standard_output(self):
        done = self.done("roofline", "jetson-nano", "--format", "csv", "--out", "/dev/stdout")
        self.assertIn("jetson-nano", done.stdout)

    def test_an_output_never_is_an_input(self):
        scenario = self.folder / "scenario.yaml"
        os.link(scenario, self.folder / "hard.yaml")
        (self.folder / "soft.yaml").symlink_to("hard.yaml")
        before = scenario.read_bytes()
        for name in ("scenario.yaml", "./scenario.yaml", "hard.yaml", "soft.yaml"):
            for option in ("--trace", "--html"):
                self.assertIn("it is an input", self.refused("run", "scenario.yaml", option, name))
        self.assertEqual(scenario.read_bytes(), before)
        self.assertIn("it is an input", self.refused("sweep", "study.yaml", "-o", "study.yaml"))
        self.assertIn("it is an input", self.refused("sweep", "study.yaml", "--html", "study.yaml"))
        self.assertIn("it is an input", self.refused("calibrate", "jetson-orin-nano-super", "evidence.csv", "--quick",
                                                     "-o", "evidence.csv"))
        self.assertIn("it is an input", self.refused("import", "auto", "board.log", "-o", "board.log"))

    def test_a_file_behind_standard_input_is_no_output(self):
        for name, command in (("scenario.yaml", "run - --html"), ("scenario.yaml", "run - --trace"), ("study.yaml", "sweep - -o"),
                              ("board.log", "import auto - -o"), ("evidence.csv", "validate jetson-orin-nano-super - --html")):
            before = (self.folder / name).read_bytes()
            with open(self.folder / name) as given:
                done = subprocess.run([JOSTLE, *command.split(), name], cwd=self.folder, stdin=given, capture_output=True,
                                      text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("it is an input, <standard input>", done.stderr)
            self.assertEqual((self.folder / name).read_bytes(), before)

    def test_an_output_never_is_a_file_that_the_scenario_names(self):
        shutil.copy(SOURCE / "tests/fuzz/corpus/onnx/small_cnn.onnx", self.folder)
        (self.folder / "mine.yaml").write_text("like: jetson-nano\nname: mine\n")
        (self.folder / "arrivals.txt").write_text("0.1\n0.2\n")
        scenario = ("{device: ./mine.yaml, processes: [{model: small_cnn.onnx, precision: fp16}, {model: resnet18, "
                    "precision: fp16, arrivals: {trace: arrivals.txt}}], run: {duration: 300 ms}}")
        (self.folder / "names.yaml").write_text(scenario)
        (self.folder / "study of names.yaml").write_text(f"scenario: {scenario}\n")
        self.done("run", "names.yaml")
        for name in ("mine.yaml", "small_cnn.onnx", "arrivals.txt"):
            before = (self.folder / name).read_bytes()
            for command in (["run", "names.yaml", "--trace"], ["run", "names.yaml", "--html"],
                            ["sweep", "study of names.yaml", "--html"], ["sweep", "study of names.yaml", "-o"]):
                self.assertIn("it is an input", self.refused(*command, name))
            self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertIn("it is an input", self.refused("roofline", "jetson-nano", "--network", "small_cnn.onnx", "--out",
                                                     "small_cnn.onnx"))

    def test_two_outputs_never_have_one_name(self):
        (self.out / "link").symlink_to("a")
        a = self.out / "a"
        for other in (a, self.out / "link", self.out / ".." / "out" / "a"):
            self.assertIn("another output", self.refused("run", "scenario.yaml", "--trace", a, "--html", other))
        self.assertIn("another output", self.refused("sweep", "study.yaml", "-o", a, "--html", a))
        self.assertFalse(a.exists())

    def test_what_cannot_be_opened_is_refused_before_anything_runs(self):
        for writer, (arguments, _) in WRITERS.items():
            with self.subTest(writer):
                message = self.refused(*[argument.replace("OUT", "/no/such/folder") for argument in arguments])
                self.assertIn("No such file or directory", message)
        (self.folder / "loop").symlink_to("loop")
        for arguments in (["run", "loop"], ["check", "loop"], ["query", "loop"], ["import", "auto", "loop"],
                          ["run", "scenario.yaml", "--trace", "loop"], ["sweep", "study.yaml", "-o", "loop"],
                          ["validate", "jetson-nano", "loop"]):
            self.assertIn("symbolic links", self.refused(*arguments), arguments)

    def test_a_device_that_is_full_fails_and_says_so(self):
        for option in ("--trace", "--html"):
            done = self.done("run", "scenario.yaml", option, self.device("full"), code=1)
            self.assertIn("No space left on device", done.stderr)
            self.assertIn("resnet18", done.stdout, "the answer is printed all the same")

    def test_closed_descriptors_do_not_become_files(self):
        for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                trace = self.out / "t.json"
                done = subprocess.run(["bash", "-c", f"exec '{JOSTLE}' run scenario.yaml --trace '{trace}' {closed}"],
                                      cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
                self.assertEqual(done.returncode, 0)
                self.assertGreater(len(json.loads(trace.read_text())["traceEvents"]), 10)
                trace.unlink()

    # Signals

    def test_control_c_leaves_a_whole_trace_and_the_old_page(self):
        page = self.out / "page.html"
        page.write_text("old")
        process = self.start("run", "scenario.yaml", "--set", ENDLESS, "--trace", self.out / "t.json", "--html", page)
        code, errors, _ = self.signalled(process)
        self.assertEqual((code, errors.splitlines()[-1]), (130, "jostle: interrupted"))
        self.assertGreater(len(json.loads((self.out / "t.json").read_text())["traceEvents"]), 10)
        self.assertEqual(page.read_text(), "old")
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["page.html", "t.json"])

    def test_each_signal_has_its_code(self):
        for number, code, line in ((signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM"),
                                   (signal.SIGHUP, 129, "ended by SIGHUP")):
            found, errors, _ = self.signalled(self.start("run", "scenario.yaml", "--set", ENDLESS), number)
            self.assertEqual(found, code)
            self.assertIn(line, errors)

    @unittest.skipIf("asan" in JOSTLE or "tsan" in JOSTLE, "slower under a sanitizer")
    def test_one_control_c_ends_every_wait_within_a_second(self):
        os.mkfifo(self.out / "pipe")
        pipe = self.out / "pipe"
        self.done("sweep", "study.yaml", "-o", self.out / "s.sqlite")
        endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
        # A single function that takes hours and asks nobody whether to go on.
        deaf = "SELECT instr(printf('%.50000000c', 'a'), printf('%.1000000c', 'a') || 'b')"
        for arguments in (["run", pipe], ["check", pipe], ["sweep", pipe, "-o", self.out / "x.sqlite"],
                          ["import", "auto", pipe], ["validate", "jetson-nano", pipe],
                          ["run", "scenario.yaml", "--html", pipe], ["run", "scenario.yaml", "--trace", pipe],
                          ["query", self.out / "s.sqlite", endless], ["query", self.out / "s.sqlite", deaf]):
            with self.subTest(arguments):
                code, errors, seconds = self.signalled(self.start(*arguments))
                self.assertEqual((code, errors), (130, "jostle: interrupted\n"))
                self.assertLess(seconds, 2, "a second, and what a busy machine adds")
        # A reader that opened the pipe and does not read; a writer that opened it and does not write.
        holder = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, holder)
        for arguments in (["run", "scenario.yaml", "--set", "run={duration: 20 s}", "--trace", pipe], ["run", pipe],
                          ["run", "-"], ["import", "auto", "-"]):
            with self.subTest(arguments, held=True):
                code, _, seconds = self.signalled(self.start(*arguments, stdin=holder), after=1)
                self.assertEqual(code, 130)
                self.assertLess(seconds, 2, "a second, and what a busy machine adds")

    # Studies

    def test_another_study_is_refused_by_name(self):
        file = self.out / "s.sqlite"
        self.done("sweep", "study.yaml", "-o", file)
        before = self.done("query", file, "--content").stdout
        message = self.refused("sweep", "other.yaml", "-o", file)
        for words in ("jetson-nano", "processes.0.batch", "6 points", "--replace"):
            self.assertIn(words, message)
        self.assertIn("--replace", self.refused("plan", "other.yaml", "-o", file))
        self.assertEqual(self.done("query", file, "--content").stdout, before)
        self.done("sweep", "other.yaml", "-o", file, "--replace")
        self.done("sweep", "study.yaml", "-o", file, "--replace")
        self.assertEqual(self.done("query", file, "--content").stdout, before)

    def test_a_study_that_is_extended_is_the_same(self):
        file = self.out / "s.sqlite"
        self.done("sweep", "study.yaml", "-o", file)
        (self.folder / "study.yaml").write_text(STUDY.replace("[1, 2, 4]", "[4, 2, 1, 8]"))
        self.assertIn("6 already in the file", self.done("sweep", "study.yaml", "-o", file).stderr)
        (self.folder / "study.yaml").write_text(STUDY)
        self.assertIn("--replace", self.refused("sweep", "study.yaml", "-o", file))

    def test_one_sweep_at_a_time_writes_to_a_file(self):
        file = self.out / "s.sqlite"
        (self.folder / "long.yaml").write_text(STUDY.replace("200 ms", "90000 s"))
        process = self.start("sweep", "long.yaml", "-o", file)
        for _ in range(100):
            time.sleep(0.02)
            if file.exists() and file.stat().st_size > 0:
                break
        for second in (["sweep", "study.yaml"], ["sweep", "study.yaml", "--replace"], ["plan", "study.yaml"]):
            self.assertIn("another sweep, plan or merge is writing", self.refused(*second, "-o", file))
        self.done("query", file)
        self.assertEqual(self.signalled(process, after=0)[0], 130)
        self.done("sweep", "study.yaml", "-o", file, "--replace")

    def spoilt(self, statement):
        """A study file in which somebody wrote into the schema."""
        file = self.out / "foreign.sqlite"
        file.unlink(missing_ok=True)
        self.done("sweep", "study.yaml", "-o", file)
        with sqlite3.connect(file) as database:
            database.execute("PRAGMA writable_schema = ON")
            database.execute(statement)
        database.close()
        return file

    def test_no_text_of_a_file_is_executed(self):
        pwned = self.out / "pwned.sqlite"
        file = self.spoilt("UPDATE sqlite_master SET sql = 'CREATE VIEW results AS SELECT 1; ATTACH ''" + str(pwned) +
                           "'' AS p; CREATE TABLE p.t(x)' WHERE name = 'results'")
        self.done("merge", file, "-o", self.out / "whole.sqlite")
        self.assertFalse(pwned.exists())
        rows = self.done("query", self.out / "whole.sqlite", "--format", "csv").stdout
        self.assertEqual(rows, self.done("query", file, "--format", "csv").stdout)
        self.assertEqual(rows.splitlines()[0].split(",")[:4], ["point", "status", "batch", "precision"])

    def test_a_view_that_never_ends_is_not_run(self):
        file = self.spoilt("UPDATE sqlite_master SET sql = 'CREATE VIEW results AS WITH RECURSIVE c(x) AS (SELECT 1 "
                           "UNION ALL SELECT x + 1 FROM c) SELECT x FROM c' WHERE name = 'results'")
        self.assertEqual(len(self.done("query", file, "--format", "csv").stdout.splitlines()), 7)

    def test_tables_and_columns_of_another_make_are_refused(self):
        file = self.spoilt("UPDATE sqlite_master SET sql = replace(sql, 'settings TEXT NOT NULL', "
                           "'settings TEXT AS (upper(key))') WHERE name = 'points'")
        for arguments in (["query", file], ["sweep", "study.yaml", "-o", file], ["merge", file, "-o", self.out / "m"]):
            self.assertIn("table points differs", self.refused(*arguments))
        file = self.spoilt("""UPDATE study SET value = '{"a": "x\\" FROM points; --"}' WHERE name = 'columns'""")
        self.assertIn("no valid name", self.refused("query", file))

    def test_the_view_made_anew_is_the_one_in_the_file(self):
        file = self.out / "s.sqlite"
        (self.folder / "axes.yaml").write_text(STUDY.replace(
            "sweep: {", "sweep: {clocks.gpu: [614.4 MHz, 921.6 MHz], run.duration: [200 ms, 0.1 s], processes.*.count: [1], "))
        self.done("sweep", "axes.yaml", "-o", file)
        asked = [list(json.loads(line).items()) for line in
                 self.done("query", file, "--format", "json").stdout.splitlines()]
        with sqlite3.connect(file) as database:
            rows = database.execute("SELECT * FROM results")
            names = [column[0] for column in rows.description]
            stored = [list(zip(names, row)) for row in rows]
        rounded = [[[(name, float(f"{value:.7g}") if isinstance(value, float) else value) for name, value in row]
                    for row in table] for table in (asked, stored)]
        self.assertEqual(*rounded)
        self.assertEqual(names[2:7], ["gpu_mhz", "duration", "count", "batch", "precision"])
        self.assertEqual(stored[0][2], ("gpu_mhz", 614.4))

    def test_query_cannot_reach_other_files(self):
        file = self.out / "s.sqlite"
        self.done("sweep", "study.yaml", "-o", file)
        for sql in (f"ATTACH '{self.out}/other.sqlite' AS o", f"VACUUM INTO '{self.out}/other.sqlite'",
                    "PRAGMA journal_mode = DELETE", "SELECT load_extension('x')", "DELETE FROM outcomes"):
            self.refused("query", file, sql)
        self.assertEqual([path.name for path in self.out.iterdir()], ["s.sqlite"])

    def test_a_newer_format_is_refused_and_left_as_it_is(self):
        file = self.out / "s.sqlite"
        self.done("sweep", "study.yaml", "-o", file)
        with sqlite3.connect(file) as database:
            database.execute("PRAGMA user_version = 2")
        database.close()
        before = file.read_bytes()
        for arguments in (["sweep", "study.yaml", "-o", file], ["merge", file, "-o", self.out / "m.sqlite"],
                          ["query", file]):
            self.assertIn("newer version", self.refused(*arguments))
        self.assertEqual(file.read_bytes(), before)
        self.assertFalse((self.out / "m.sqlite").exists())

    def test_damaged_outcomes_are_computed_again(self):
        file = self.out / "s.sqlite"
        self.done("sweep", "study.yaml", "-o", file)
        before = self.done("query", file, "--content").stdout
        for damage, reason in (("status = 'okay'", "its status has no meaning"),
                               ("result = substr(result, 1, 100)", "its result is no JSON object"),
                               ("result = '[]'", "its result is no JSON object"),
                               ("result = '{}'", "its result has no key 'schema'"),
                               ("result = json_remove(result, '$.system.power_w.peak')",
                                "its result has no key 'system.power_w.peak'"),
                               ("result = json_remove(result, '$.processes[0].latency_ms')",
                                "its result has no key 'processes.0.latency_ms'"),
                               ("result = json_replace(result, '$.processes', 1)", "its result has no key 'processes.0'"),
                               ("result = json_set(result, '$.processes', json_array())", "no key 'processes.0'"),
                               ("result = json_replace(result, '$.status', 'out_of_memory')",
                                "its status is not that of its result"),
                               ("throughput = 'fast'", "a metric is no number"), ("result = NULL", "no JSON object")):
            with self.subTest(damage), sqlite3.connect(file) as database:
                database.execute(f"UPDATE outcomes SET {damage} WHERE key = (SELECT min(key) FROM outcomes)")
            database.close()
            done = self.done("sweep", "study.yaml", "-o", file)
            self.assertIn("1 outcome damaged: recomputed", done.stderr)
            self.assertIn(reason, done.stderr)
            self.assertIn("1 point computed", done.stderr)
            self.assertEqual(self.done("query", file, "--content").stdout, before)

    def test_a_part_with_a_damaged_outcome_is_not_merged(self):
        part, whole = self.out / "part.sqlite", self.out / "whole.sqlite"
        self.done("sweep", "study.yaml", "-o", part)
        self.done("sweep", "study.yaml", "-o", whole)
        before = self.done("query", part, "--content").stdout
        damage = "UPDATE outcomes SET result = '{}' WHERE key = (SELECT min(key) FROM outcomes)"
        with sqlite3.connect(whole) as database:
            database.execute(damage)
        database.close()
        self.assertIn("1 outcome damaged: dropped", self.done("merge", part, "-o", whole).stderr)
        self.assertEqual(self.done("query", whole, "--content").stdout, before)
        with sqlite3.connect(part) as database:
            database.execute(damage)
        database.close()
        self.assertIn("its result has no key 'schema'", self.refused("merge", part, "-o", self.out / "other.sqlite"))
        self.assertFalse((self.out / "other.sqlite").exists())

    def test_a_damaged_file_is_noticed_wherever_it_is_damaged(self):
        good = self.out / "good.sqlite"
        self.done("sweep", "study.yaml", "-o", good)
        before = self.done("query", good, "--content").stdout
        for at in range(0, good.stat().st_size - 2048, 2048):
            file = self.out / "bad.sqlite"
            shutil.copy(good, file)
            with open(file, "r+b") as stream:
                stream.seek(at)
                stream.write(b"\xff" * 2048)
            done = self.jostle("sweep", "study.yaml", "-o", file)
            if done.returncode == 0 and self.jostle("query", file, "--content").stdout == before:
                continue  # recomputed, or a part of the file that holds nothing
            self.assertEqual(done.returncode, 2, (at, done.stderr))
            self.assertRegex(done.stderr, "damaged|malformed|not a database|not a study file")

    def test_a_merge_that_fails_leaves_no_output(self):
        part = self.out / "part.sqlite"
        self.done("sweep", "study.yaml", "-o", part)
        self.done("sweep", "other.yaml", "-o", self.out / "other.sqlite")
        self.assertIn("another study", self.refused("merge", part, self.out / "other.sqlite", "-o", self.out / "m"))
        self.assertFalse((self.out / "m").exists())
        whole = self.out / "whole.sqlite"
        self.done("merge", part, "-o", whole)
        before = whole.read_bytes()
        self.refused("merge", part, self.out / "other.sqlite", "-o", whole)
        self.assertEqual(whole.read_bytes(), before)
        self.assertIn("it is an input", self.refused("merge", part, "-o", part))


if __name__ == "__main__":
    unittest.main()
