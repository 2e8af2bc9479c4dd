"""`import jostle`: the same answers as the command's, errors that can be acted on, and a good citizen of the interpreter.

JOSTLE is the command, SOURCE the repository; the package is on PYTHONPATH.
"""

import ast
import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import jostle
import numpy

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])

TWO = """device: jetson-orin-nano-super
processes:
  - {model: resnet50, precision: fp16, batch: 4, count: 2}
  - {name: front, model: mobilenet_v2, precision: fp16, arrivals: {poisson: 50 /s}}
run: {duration: 1 s, seed: 7}
"""
STUDY = """scenario:
  device: jetson-orin-nano-super
  processes: [{model: resnet50, precision: fp16}]
  run: {duration: 1 s}
sweep:
  processes.0.batch: [1, 2, 4]
  power_mode: [15W, 7W]
objectives: [max system.throughput]
constraints: {system.power_w: {max: 12 W}}
"""
ENDLESS = {"run": {"duration": "900000 s"}}


class Module(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)
        Path("two.yaml").write_text(TWO)
        Path("study.yaml").write_text(STUDY)

    def command(self, *arguments):
        return subprocess.run([JOSTLE, *arguments], capture_output=True, text=True, check=True).stdout

    def test_a_result_equals_the_commands_to_the_byte(self):
        self.assertEqual(jostle.run("two.yaml").json + "\n", self.command("run", "two.yaml", "--format", "json"))

    def test_shipped_scenarios_give_the_commands_bytes(self):
        for name in ("teaching/the_hog", "teaching/half_the_cores", "teaching/utilisation", "planning/h200_mix"):
            path = str(SOURCE / f"scenarios/{name}.yaml")
            self.assertEqual(jostle.run(path).json + "\n", self.command("run", path, "--format", "json"), name)

    def test_seed_and_set_are_those_of_the_command(self):
        mine = jostle.run("two.yaml", seed=3, set={"processes.0.batch": 8, "power_mode": "15W", "run.duration": "2 s"})
        theirs = self.command("run", "two.yaml", "--seed", "3", "--set", "processes.0.batch=8", "--set", "power_mode=15W",
                              "--set", "run.duration=2 s", "--format", "json")
        self.assertEqual(mine.json + "\n", theirs)

    def test_a_path_a_dict_and_a_text_say_the_same(self):
        as_dict = {"name": "two", "device": "jetson-orin-nano-super",
                   "processes": [{"model": "resnet50", "precision": "fp16", "batch": numpy.int64(4), "count": 2},
                                 {"name": "front", "model": "mobilenet_v2", "precision": "fp16",
                                  "arrivals": {"poisson": "50 /s"}}],
                   "run": {"duration": "1 s", "seed": 7}}
        first = jostle.run(Path("two.yaml")).json
        self.assertEqual(jostle.run(as_dict).json, first)
        self.assertEqual(jostle.run("name: two\n" + TWO).json, first)

    def test_figures_are_attributes_and_items(self):
        result = jostle.run("two.yaml")
        data = result.to_dict()
        self.assertEqual(result.processes[2].name, "front")
        self.assertEqual(result.processes[0].throughput.mean, data["processes"][0]["throughput"]["mean"])
        self.assertEqual(result["system"]["power_w"].mean, data["system"]["power_w"]["mean"])
        self.assertIn("latency_ms", dir(result.processes[0]))
        with self.assertRaisesRegex(AttributeError, "no figure 'throughputt'"):
            result.processes[0].throughputt

    def test_an_error_says_file_line_key_and_hint(self):
        Path("wrong.yaml").write_text(TWO.replace("batch", "bach"))
        with self.assertRaises(jostle.ScenarioError) as caught:
            jostle.run("wrong.yaml")
        (problem,) = caught.exception.problems
        self.assertEqual((problem.file, problem.line, problem.key), ("wrong.yaml", 3, "processes.0.bach"))
        self.assertEqual(problem.message, "unknown key")
        self.assertIn("batch", problem.hint)
        self.assertIsInstance(caught.exception, (jostle.Error, ValueError))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).problems, [problem])

    def test_all_problems_are_reported_at_once(self):
        with self.assertRaises(jostle.ScenarioError) as caught:
            jostle.run({"device": "jetson-nan", "processes": [{"model": "resnet51", "precision": "fp17"}]})
        self.assertEqual([problem.key for problem in caught.exception.problems],
                         ["device", "processes.0.model", "processes.0.precision"])

    def test_a_missing_file_and_a_wrong_study_are_scenario_errors(self):
        for call in (lambda: jostle.run("none.yaml"), lambda: jostle.sweep("two.yaml"), lambda: jostle.plan(
                STUDY.replace("objectives", "constraints_")), lambda: jostle.offload("study.yaml")):
            with self.assertRaises(jostle.ScenarioError):
                call()

    def test_a_value_of_set_is_named_by_its_key(self):
        with self.assertRaises(jostle.ScenarioError) as caught:
            jostle.run("two.yaml", set={"processes.0.batch": 0})
        self.assertEqual(caught.exception.problems[0].key, "processes.0.batch")

    def test_what_does_not_fit_is_a_status(self):
        result = jostle.run({"device": "jetson-nano", "processes": [
            {"model": "resnet50", "precision": "fp16", "batch": 64, "count": 8}], "run": {"duration": "1 s"}})
        self.assertEqual(result.status, "out_of_memory")
        self.assertIsNone(result.processes[7].throughput.mean)

    def test_a_table_holds_what_the_sweep_exports(self):
        table = jostle.sweep("study.yaml")
        points = [json.loads(line) for line in self.command("sweep", "study.yaml", "--export", "json").splitlines()]
        for point in points:
            point.pop("verdict", None)  # the command's conclusion, with its best point
        self.assertEqual([json.loads(line) for line in table.json.splitlines()], points)
        self.assertEqual(len(table), 6)
        self.assertEqual(table["batch"].tolist(), [1, 1, 2, 2, 4, 4])
        self.assertEqual(table["power_mode"], ["15W", "7W"] * 3)
        self.assertEqual(table["throughput"][4], table.result(4).system.throughput.mean)
        self.assertEqual(table.result(4).json, jostle.run({
            **table.result(4).resolved.to_dict()}).json)

    def test_columns_are_arrays_that_were_not_copied(self):
        table = jostle.sweep("study.yaml")
        for name in ("batch", "throughput"):
            self.assertIsInstance(table[name], numpy.ndarray)
            self.assertFalse(table[name].flags.owndata)
        self.assertEqual(table["batch"].dtype, numpy.int64)
        throughput = table["throughput"]
        del table
        self.assertTrue((throughput > 0).all())

    def test_columns_lose_no_digits(self):
        odd = 2**53 + 1  # no double is
        study = {"scenario": {"device": "jetson-orin-nano", "processes": [{"model": "resnet18", "precision": "fp16"}],
                              "run": {"duration": "10 ms", "warmup": "0 s", "seed": 1}},
                 "sweep": {"run.seed": [odd, 2**63 - 1], "processes.0.name": [1e-7, 0.1, 12345678901234567, "front"]}}
        table = jostle.sweep(study)
        self.assertEqual(table["seed"].tolist(), [odd] * 4 + [2**63 - 1] * 4)
        self.assertEqual(table["name"], ["1e-07", "0.1", "12345678901234567", "front"] * 2)
        self.assertEqual(table.result(0).seed, odd)
        study["sweep"] = {"run.seed": [None, odd]}
        self.assertEqual(jostle.sweep(study)["seed"], [None, odd])
        study["sweep"] = {"run.seed": [None, 7]}
        self.assertEqual(jostle.sweep(study)["seed"], [None, 7])
        study["sweep"] = {"run.duration": ["1.8e-02 s", "20e-3 s"]}
        self.assertEqual(jostle.sweep(study)["duration"], ["1.8e-02 s", "20e-3 s"])  # in quotes: text
        self.assertEqual(jostle.sweep(study).result(0).simulated_s, 0.018)

    def test_many_runs_are_a_table_with_a_row_a_process(self):
        many = jostle.run_many(["two.yaml", Path("two.yaml")], seeds=[3, 4], set=[{"processes.0.batch": 1}, {"processes.0.batch": 2}])
        self.assertIsInstance(many, jostle.Runs)
        self.assertEqual((many.runs, len(many)), (8, 24))
        self.assertEqual(many["run"].tolist(), [run for run in range(8) for _ in range(3)])
        self.assertEqual(many["seed"].tolist(), ([3] * 3 + [4] * 3) * 4)
        self.assertEqual(many["processes.0.batch"].tolist(), ([1] * 6 + [2] * 6) * 2)
        self.assertEqual(many["name"], [None, None, "front"] * 8)
        for run, (seed, batch) in enumerate([(3, 1), (4, 1), (3, 2), (4, 2)]):
            alone = jostle.run("two.yaml", seed=seed, set={"processes.0.batch": batch})
            self.assertEqual(many.result(run).json, alone.json)
            self.assertEqual(many["throughput_images_per_s"][3 * run + 2], alone.processes[2].throughput.mean)

    def test_columns_of_many_runs_are_those_of_csv(self):
        heads, *rows = self.command("run", "two.yaml", "--format", "csv").splitlines()
        many = jostle.run_many("two.yaml")
        frame = many.to_pandas(empty=True)
        self.assertEqual(list(frame.columns), ["run", *heads.split(",")])
        self.assertEqual(len(frame), len(rows))
        self.assertEqual(str(frame["batch"].dtype), "int64")
        self.assertNotIn("load", many.columns)  # no value in any row
        self.assertTrue(numpy.isnan(many["load"]).all())

    def test_nothing_of_many_runs_begins_before_all_scenarios_are_valid(self):
        wrong = [TWO.replace("resnet50", "resnet51"), TWO.replace("fp16", "fp61")]
        with self.assertRaises(jostle.ScenarioError) as caught:
            jostle.run_many(wrong, seeds=range(3))
        text = str(caught.exception)
        self.assertIn("resnet51", text)
        self.assertIn("fp61", text)
        for wrong_seeds in (3, "3"):
            with self.assertRaisesRegex(TypeError, "several"):
                jostle.run_many("two.yaml", seeds=wrong_seeds)
        for nothing in ({"seeds": []}, {"set": []}):
            with self.assertRaises(ValueError):
                jostle.run_many("two.yaml", **nothing)

    def test_integers_beside_empty_cells_stay_integers(self):
        study = {"scenario": {"device": "jetson-orin-nano", "processes": [{"model": "resnet18", "precision": "fp16"}],
                              "run": {"duration": "10 ms", "warmup": "0 s", "seed": 1}}, "sweep": {"run.seed": [None, 7]}}
        table = jostle.sweep(study)
        self.assertEqual(table["seed"], [None, 7])
        self.assertEqual(str(table.to_pandas()["seed"].dtype), "Int64")
        self.assertIn(">7<", table._repr_html_())

    def test_a_wrong_name_of_a_figure_or_a_column_suggests_one(self):
        result, table = jostle.run("two.yaml"), jostle.sweep("study.yaml")
        for wrong, words in ((lambda: result["sytem"], "did you mean 'system'"), (lambda: table["throuhput"], "did you mean 'throughput'"),
                             (lambda: jostle.run_many("two.yaml")["throughput"], "did you mean 'throughput_images_per_s'")):
            with self.assertRaisesRegex(KeyError, words):
                wrong()
        with self.assertRaisesRegex(AttributeError, "did you mean 'throughput'"):
            result.processes[0].throughputt

    def test_a_result_is_saved_and_loaded(self):
        result = jostle.run("two.yaml")
        result.save("two.json")
        self.assertEqual(Path("two.json").read_text(), self.command("run", "two.yaml", "--format", "json"))
        self.assertEqual(jostle.Result.load("two.json"), result)
        with self.assertRaisesRegex(ValueError, "not a Plan"):
            jostle.Plan.load("two.json")

    def test_the_page_of_a_result_is_the_commands(self):
        page = jostle.run("two.yaml", set={"name": "two"}).page()
        self.command("run", "two.yaml", "--set", "name=two", "--html", "two.html")
        self.assertEqual(page.html, Path("two.html").read_text())
        self.assertTrue(page._repr_html_().startswith("<iframe srcdoc="))
        self.assertNotIn('"', page._repr_html_().split('srcdoc="')[1].split('" title')[0])

    def test_a_page_finds_the_profile_beside_the_scenario(self):
        Path("far").mkdir()
        Path("far/mine.yaml").write_text((SOURCE / "profiles/devices/jetson-orin-nano.yaml").read_text())
        Path("far/own.yaml").write_text(TWO.replace("jetson-orin-nano-super", "./mine.yaml"))
        self.assertIn("resnet50", jostle.run("far/own.yaml").page().html)

    def test_a_plot_has_bars_of_speed_and_of_time(self):
        import matplotlib
        matplotlib.use("agg")
        result = jostle.run("two.yaml")
        speed, time_axes = result.plot()
        self.assertEqual([bar.get_width() for bar in speed.patches], [one.throughput.mean for one in result.processes])
        self.assertAlmostEqual(sum(bar.get_width() for bar in time_axes.patches), 300, delta=3)

    def test_a_check_runs_nothing_and_says_what_does_not_fit(self):
        told = jostle.check("two.yaml", set={"run.duration": "900000 s"})
        self.assertEqual((told.kind, told.processes, told.fits, told.problems), ("scenario", 3, True, []))
        crowd = jostle.check({"device": "jetson-nano", "processes": [{"model": "resnet50", "precision": "fp16", "batch": 64, "count": 8}]})
        self.assertFalse(crowd.fits)
        self.assertTrue(any("memory" in problem for problem in crowd.problems))
        self.assertEqual(jostle.check("study.yaml").points, 6)
        with self.assertRaises(jostle.ScenarioError):
            jostle.check(TWO.replace("batch", "bach"))

    def test_a_query_gives_columns_and_only_reads(self):
        table = jostle.sweep("study.yaml", output="study.sqlite")
        found = jostle.query("study.sqlite", "SELECT batch, throughput FROM results ORDER BY point")
        self.assertEqual(found["batch"].tolist(), table["batch"].tolist())
        self.assertEqual(found["throughput"].tolist(), table["throughput"].tolist())
        with self.assertRaisesRegex(jostle.Error, "read-only"):
            jostle.query("study.sqlite", "DELETE FROM outcomes")

    def test_logs_become_evidence_as_by_the_command(self):
        log = SOURCE / "tests/cli/trtexec.log"
        evidence = jostle.import_logs(log, device="jetson-orin-nano-super", run="r1", output="r1.csv")
        theirs = self.command("import", "auto", str(log), "--device", "jetson-orin-nano-super", "--run", "r1")
        self.assertEqual(evidence.csv, theirs)
        self.assertEqual(Path("r1.csv").read_text(), theirs)
        self.assertEqual({row.run for row in evidence}, {"r1"})
        with self.assertRaisesRegex(jostle.Error, "did you mean 'trtexec'"):
            jostle.import_logs(log, "trtexek")

    def test_statements_and_measurements_are_held_against_predictions(self):
        claims = jostle.reproduce("C06")
        self.assertEqual(claims.json, subprocess.run([JOSTLE, "reproduce", "C06", "--format", "json"], capture_output=True, text=True).stdout)
        self.assertEqual(claims[0].id, "C06")
        with self.assertRaisesRegex(jostle.Error, "C99"):
            jostle.reproduce("C99")
        Path("mine.csv").write_text("run,device,power_mode,pinned,model,precision,batch,metric,value,unit\n"
                                    "a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,throughput,450,images/s\n")
        groups = jostle.validate("jetson-orin-nano-super", "mine.csv").groups
        self.assertIn("throughput", [group.quantity for group in groups])

    def test_an_interval_is_an_option_of_every_function_that_the_command_has_it_for(self):
        short = {"run.duration": "200 ms", "run.warmup": "20 ms"}
        self.assertIn("pi90", jostle.explain("two.yaml", what_ifs="batch-doubled", set=short, interval=True).json)
        self.assertNotEqual(jostle.compare("two.yaml", set_b={"processes.0.batch": 8}, set=short, replications=2, interval=True).json,
                            jostle.compare("two.yaml", set_b={"processes.0.batch": 8}, set=short, replications=2).json)
        many = jostle.run_many("two.yaml", set=short, interval=True)
        self.assertTrue(many["throughput_pi90_low"][0] < many["throughput_images_per_s"][0] < many["throughput_pi90_high"][0])

    def test_who_is_served_nothing_has_a_zero_and_a_warning(self):
        result = jostle.run({"device": "jetson-orin-nano", "run": {"duration": "500 ms"}, "processes": [
            {"model": "resnet50", "precision": "fp16", "sync": "spin", "policy": {"fifo": 99}, "count": 2, "cpus": [0]}]})
        self.assertEqual(result.processes[1].throughput.mean, 0)
        self.assertEqual(result.processes[1].images, 0)
        self.assertIn("process 1 served nothing in 0.5 s", result.warnings[0])

    def test_points_of_a_sweep_are_kept_in_a_file(self):
        jostle.sweep("study.yaml", output="study.sqlite")
        self.assertEqual((lambda again: (again.computed, again.reused))(jostle.sweep("study.yaml", output="study.sqlite")),
                         (0, 6))
        with self.assertRaisesRegex(jostle.Error, "another study"):
            jostle.sweep(STUDY.replace("resnet50", "resnet18"), output="study.sqlite")

    def test_analyses_give_the_commands_json(self):
        self.assertEqual(jostle.explain("two.yaml", what_ifs=["batch-doubled"]).json + "\n",
                         self.command("explain", "two.yaml", "--what-if", "batch-doubled", "--format", "json"))
        self.assertEqual(jostle.plan("study.yaml", intervals=False).json + "\n",
                         self.command("plan", "study.yaml", "--no-interval", "--format", "json"))
        self.assertEqual(jostle.compare("two.yaml", set_b={"processes.0.batch": "8"}, replications=3).json + "\n",
                         self.command("compare", "two.yaml", "--set-b", "processes.0.batch=8", "--replications", "3",
                                      "--format", "json"))
        gate = str(SOURCE / "scenarios/offload/cut_alexnet.yaml")
        offload = jostle.offload(gate)
        self.assertEqual(offload.json, self.command("offload", gate, "--format", "json"))
        self.assertGreater(len(offload.of("cut")), 1)

    def test_a_change_that_does_not_apply_is_an_error(self):
        for name in ("no-quota", "no-such-change"):
            with self.assertRaisesRegex(ValueError, f"'{name}' does not apply"):
                jostle.explain("two.yaml", what_ifs=name)

    def test_a_what_if_is_a_scenario_to_run(self):
        why = jostle.explain("two.yaml", what_ifs="batch-doubled")
        after = why.what_ifs[0].throughput.after
        self.assertEqual(jostle.run(why.scenario_of("batch-doubled")).system.throughput.mean, after)

    def test_a_profile_is_fitted_and_used(self):
        Path("logs.csv").write_text(
            "run,device,power_mode,pinned,model,precision,batch,metric,value,unit\n"
            "a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,throughput,450,images/s\n"
            "a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,power,17,W\n")
        fit = jostle.calibrate("jetson-orin-nano-super", "logs.csv", output="mine.yaml", quick=True)
        self.command("calibrate", "jetson-orin-nano-super", "logs.csv", "-o", "theirs.yaml", "--name", "mine", "--quick")
        self.assertEqual(fit.profile, Path("mine.yaml").read_text())
        self.assertEqual(fit.profile, Path("theirs.yaml").read_text())
        self.assertEqual(Path("mine.uncertainty.csv").read_text(), Path("theirs.uncertainty.csv").read_text())
        alone = {"device": "./mine.yaml", "power_mode": "MAXN_SUPER", "jetson_clocks": True,
                 "processes": [{"model": "resnet50", "precision": "fp16"}]}
        self.assertLess(abs(jostle.run(alone).processes[0].throughput.mean / 450 - 1), 0.05)

    def test_a_profile_that_changes_is_read_anew(self):
        text = (SOURCE / "profiles/devices/jetson-orin-nano.yaml").read_text()
        Path("mine.yaml").write_text(text)
        scenario = {"device": "./mine.yaml", "processes": [{"model": "resnet50", "precision": "fp16"}],
                    "run": {"duration": "100 ms", "warmup": "10 ms"}}
        first = jostle.run(scenario)
        self.assertEqual(jostle.run(scenario).profile_hash, first.profile_hash)
        changed = text.replace("memory_bytes_per_clock: {value: 95", "memory_bytes_per_clock: {value: 80", 1)
        self.assertNotEqual(changed, text)
        Path("mine.yaml").write_text(changed)
        self.assertNotEqual(jostle.run(scenario).profile_hash, first.profile_hash)

    def interrupted(self, code):
        """Seconds from Ctrl-C to the end of a Python that runs `code`."""
        child = subprocess.Popen([sys.executable, "-c", "import jostle\nprint('ready', flush=True)\n" + code],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        child.stdout.readline()
        time.sleep(0.5)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", errors)
        return time.monotonic() - sent

    def test_ctrl_c_stops_a_run(self):
        self.assertLess(self.interrupted("jostle.run('two.yaml', set={'run.duration': '900000 s'})"), 10)

    def test_ctrl_c_stops_many_runs_and_a_validation(self):
        self.assertLess(self.interrupted("jostle.run_many('two.yaml', seeds=range(8), set={'run.duration': '900000 s'})"), 10)
        self.assertLess(self.interrupted("jostle.validate('boards')"), 10)

    def test_ctrl_c_stops_a_sweep_which_can_go_on(self):
        Path("long.yaml").write_text(STUDY.replace("duration: 1 s", "duration: 900000 s"))
        self.assertLess(self.interrupted("jostle.sweep('long.yaml', output='long.sqlite')"), 10)
        self.assertTrue(Path("long.sqlite").exists())
        after = jostle.run("two.yaml")  # in this process nothing is interrupted
        self.assertEqual(after.status, "ok")

    def test_other_threads_run_meanwhile(self):
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        jostle.run("two.yaml", set={"run.duration": "200 s"})
        stop.set()
        thread.join()
        self.assertGreater(counted[0], 5)

    def test_threads_may_run_at_the_same_time(self):
        want = [jostle.run("two.yaml", seed=seed).json for seed in range(4)]
        got = [None] * 4

        def one(seed):
            got[seed] = jostle.run("two.yaml", seed=seed).json

        threads = [threading.Thread(target=one, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, want)

    def test_progress_is_told_and_may_stop_the_run(self):
        told = []
        jostle.run("two.yaml", set={"run.duration": "300 s"}, progress=told.append)
        self.assertEqual(told[-1], 1.0)
        self.assertEqual(told, sorted(told))

        def enough(done):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            jostle.run("two.yaml", set={"run.duration": "900000 s"}, progress=enough)
        self.assertEqual(jostle.run("two.yaml").status, "ok")

    def test_a_call_that_is_stopped_stops_no_other(self):
        jostle.sweep("study.yaml", output="held.sqlite")
        os.mkfifo("late.yaml")
        told, raised = threading.Event(), []

        def enough(done):
            told.set()
            raise RuntimeError("enough")

        def stopped():  # from when progress raises until the pipe has a writer
            try:
                jostle.run("late.yaml", progress=enough)
            except RuntimeError as error:
                raised.append(str(error))

        def waiting():  # for whoever writes to its file
            swept.append(jostle.sweep("study.yaml", output="held.sqlite"))

        swept = []
        writer = sqlite3.connect("held.sqlite", isolation_level=None, check_same_thread=False)
        writer.execute("BEGIN IMMEDIATE")
        threads = [threading.Thread(target=stopped), threading.Thread(target=waiting)]
        for thread in threads:
            thread.start()
        self.assertTrue(told.wait(60))
        time.sleep(0.5)  # both wait, the one as it is told to end
        writer.execute("ROLLBACK")
        writer.close()
        threads[1].join()
        with open("late.yaml", "w") as pipe:
            pipe.write("device: jetson-nano\n")
        threads[0].join()
        self.assertEqual(raised, ["enough"])
        self.assertEqual(len(swept), 1)

    def test_pandas_comes_when_it_is_asked_for(self):
        code = ("import sys, jostle\nr = jostle.run('two.yaml')\nt = jostle.sweep('study.yaml')\n"
                "assert 'pandas' not in sys.modules and 'tqdm' not in sys.modules\n"
                "p = r.processes.to_pandas()\nassert list(p['latency_ms.p99'].notna()) is not None\n"
                "assert p['throughput.mean'][0] == r.processes[0].throughput.mean\n"
                "assert t.to_pandas()['throughput'][3] == t['throughput'][3]\nassert 'pandas' in sys.modules\n")
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_a_notebook_shows_tables_and_bars_without_a_script(self):
        html = jostle.run("two.yaml")._repr_html_()
        self.assertIn("<table>", html)
        self.assertIn("<svg", html)
        self.assertIn("resnet50", html)
        self.assertNotIn("<script", html)
        for answer in (jostle.sweep("study.yaml"), jostle.plan("study.yaml", intervals=False), jostle.explain("two.yaml", what_ifs="batch-doubled"),
                       jostle.compare("two.yaml", set_b={"processes.0.batch": 8}, replications=2)):
            self.assertIn("<table>", answer._repr_html_())

    def test_names_from_outside_are_escaped_in_html(self):
        html = jostle.run(TWO, set={"name": "'<b>x</b>'"})._repr_html_()
        self.assertNotIn("<b>x</b>", html)

    def test_results_can_be_pickled(self):
        result = jostle.run("two.yaml")
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual(again.json, result.json)
        self.assertEqual(again.processes[0].model, "resnet50")

    def test_a_timeline_is_written(self):
        jostle.run("two.yaml", trace="two.json")
        self.assertIn("traceEvents", json.loads(Path("two.json").read_text()))

    def test_what_ships_is_listed(self):
        self.assertIn("nvidia-h200", [device.name for device in jostle.devices()])
        modes = {device.name: device.power_modes for device in jostle.devices()}
        self.assertIn("15W", modes["jetson-orin-nano"])
        resnet = next(network for network in jostle.networks() if network.name == "resnet50")
        self.assertEqual(resnet.parameters, 25557032)
        listed = subprocess.run([JOSTLE, "list", "models", "--markdown"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual([network.name for network in jostle.networks()], [line.split()[1] for line in listed[2:]])

    def test_approximations_are_warnings(self):
        Path("nvpmodel.conf").write_text(
            "< PARAM TYPE=FILE NAME=CPU_ONLINE >\nCORE_1 /sys/devices/system/cpu/cpu1/online\n"
            "< PARAM TYPE=FILE NAME=OTHER >\nX /sys/other\n< POWER_MODEL ID=0 NAME=MAXN >\nCPU_ONLINE CORE_1 1\nOTHER X 3\n"
            "< PM_CONFIG DEFAULT=0 >\n")
        told = subprocess.run([JOSTLE, "run", "two.yaml", "--set", "power_mode={file: nvpmodel.conf}"],
                              capture_output=True, text=True).stderr
        with self.assertWarns(jostle.ScenarioWarning) as caught:
            jostle.run("two.yaml", set={"power_mode": "{file: nvpmodel.conf}"})
        self.assertIn(str(caught.warning), told)

    def test_stubs_of_results_are_those_of_the_schema(self):
        stubs = SOURCE / "python/jostle/results.pyi"
        written = Path("results.pyi")
        written.write_text(stubs.read_text())
        subprocess.run([sys.executable, SOURCE / "python/result_stubs.py", written], input=json.dumps(jostle.schema("result")),
                       text=True, check=True)
        self.assertEqual(written.read_text(), stubs.read_text(), "scripts/update-docs writes them")
        ast.parse(stubs.read_text())

    def test_the_versions_are_one(self):
        text = (SOURCE / "pyproject.toml").read_text()
        self.assertIn(f'version = "{jostle.__version__}"', text)
        self.assertTrue(self.command("--version").startswith(f"jostle {jostle.__version__}\n"))


if __name__ == "__main__":
    unittest.main()
