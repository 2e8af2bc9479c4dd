"""Completion as bash, zsh and fish do it with the scripts that the command prints, the manual pages and the version.

JOSTLE is the binary.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
BASH = """source <(jostle completion bash)
COMP_LINE=$1; COMP_POINT=${#1}; _jostle 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
"""
# What zsh would show: compadd is its own.
ZSH = """compdef() { : }
compadd() { local last=$argv[-1]; print -rl -- ${(P)last} }
_files() { local found=(${words[CURRENT]}*(N)); (( $#found )) && print -rl -- $found }
source <(jostle completion zsh)
words=("${(@s: :)1}"); CURRENT=$#words
_jostle
"""
FISH = 'jostle completion fish | source; complete -C "$argv[1]" | string replace -r "\\t.*" ""; true'


class Completion(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        (self.directory / "gate.yaml").write_text("device: jetson-nano\n")
        self.environment = {**os.environ, "PATH": f"{Path(JOSTLE).parent}{os.pathsep}{os.environ['PATH']}",
                            "HOME": directory.name, "XDG_CONFIG_HOME": directory.name}

    def run_in(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=self.directory,
                              env=self.environment).stdout.splitlines()

    def asked(self, *words):
        return [line.split("\t")[0] for line in self.run_in("jostle", "__complete", *words)]

    def shells(self, line):
        return {"bash": self.run_in("bash", "-c", BASH, "bash", line),
                "zsh": self.run_in("zsh", "-f", "-c", ZSH, "zsh", line),
                "fish": self.run_in("fish", "-c", FISH, line)}

    def test_shells_complete_subcommands(self):
        for shell, words in self.shells("jostle sch").items():
            self.assertEqual(words, ["schema"], shell)

    def test_shells_complete_options_and_their_words(self):
        for shell, words in self.shells("jostle run --for").items():
            self.assertEqual(words, ["--format"], shell)
        for shell, words in self.shells("jostle run --format ").items():
            self.assertEqual(sorted(words), ["csv", "json", "table"], shell)

    def test_shells_complete_devices_networks_and_files(self):
        for shell, words in self.shells("jostle list modes jetson-orin-nano-s").items():
            self.assertEqual(words, ["jetson-orin-nano-super"], shell)
        for shell, words in self.shells("jostle show model resnet5").items():
            self.assertEqual(words, ["resnet50"], shell)
        for shell, words in self.shells("jostle run ga").items():
            self.assertIn("gate.yaml", words, shell)

    def test_shells_complete_keys_and_their_values(self):
        for shell, words in self.shells("jostle run gate.yaml --set processes.0.preci").items():
            self.assertEqual(words, ["processes.0.precision="], shell)
        for shell, words in self.shells("jostle run gate.yaml --set processes.0.precision=t").items():
            self.assertEqual(words, ["tf32" if shell == "bash" else "processes.0.precision=tf32"], shell)

    def test_keys_go_as_deep_as_scenarios_do(self):
        self.assertIn("processes.", self.asked("run", "--set", "p"))
        self.assertIn("processes.*.", self.asked("run", "--set", "processes."))
        self.assertIn("processes.0.arrivals.", self.asked("run", "--set", "processes.0.a"))
        self.assertEqual(self.asked("compare", "--set-b=run.th"), ["--set-b=run.thermal="])
        self.assertIn("run.thermal=idle", self.asked("compare", "--set-b", "run.thermal="))

    def test_sql_completes_columns_of_the_file(self):
        (self.directory / "study.yaml").write_text(
            "scenario: {device: nvidia-h200, processes: [{model: resnet50, precision: fp16, runtime: cuda-graph}],"
            " run: {duration: 10 ms, warmup: 1 ms}}\nsweep: {processes.0.batch: [1, 2]}\n")
        self.run_in("jostle", "sweep", "study.yaml", "-o", "study.sqlite")
        self.assertEqual(self.asked("query", "study.sqlite", "SELECT bat"), ["SELECT batch"])
        self.assertIn("SELECT throughput", self.asked("query", "none.sqlite", "SELECT th"))

    def test_modes_are_those_of_the_device_on_the_line(self):
        self.assertEqual(self.asked("roofline", "jetson-nano", "--mode", ""), ["MAXN", "5W"])

    def test_every_subcommand_has_a_manual_page(self):
        commands = [word for word in self.asked("") if not word.startswith(":")]
        self.assertIn("run", commands)
        for command in commands:
            page = self.run_in("jostle", "help", command, "--manual")
            self.assertTrue(page[0].startswith(f".TH JOSTLE-{command.upper()} 1"), command)
            options = [line for line in self.run_in("jostle", "help", command) if line.startswith("  --")]
            for line in options:
                name = line.split()[0].split(",")[0].replace("-", "\\-")
                self.assertIn(name, "\n".join(page), command)
            problems = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], input="\n".join(page),
                                      capture_output=True, text=True, env={**self.environment, "MANROFFSEQ": ""}).stderr
            self.assertEqual(problems, "", command)

    def test_the_version_says_commit_and_data(self):
        lines = self.run_in("jostle", "--version")
        self.assertRegex(lines[0], r"^jostle \d+\.\d+\.\d+$")
        self.assertRegex(lines[-1], r"^data   devices [0-9a-f]{16}, kernels [0-9a-f]{16}, tables [0-9a-f]{16}$")
        if len(lines) == 3:
            self.assertRegex(lines[1], r"^commit [0-9a-f]{12}(, modified)?$")


if __name__ == "__main__":
    unittest.main()
