"""The wheel that pip makes of the module, installed into a virtual environment and used there.

BUILD is a folder with the compiled package, SOURCE the repository.
"""

import contextlib
import importlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
BUILD = Path(os.environ["BUILD"])
sys.path.insert(0, str(SOURCE / "python"))


class Package(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.backend = importlib.import_module("build_wheel")
        self.backend.build = str(self.directory / "build")
        # What pip compiles takes minutes; here it is what was compiled before.
        self.backend.module = lambda stage: shutil.copytree(BUILD / "jostle", Path(stage) / "jostle")
        self.wheel = self.directory / self.backend.build_wheel(str(self.directory))

    def test_the_wheel_holds_the_package_and_its_types(self):
        names = set(zipfile.ZipFile(self.wheel).namelist())
        inner = f"jostle-{self.backend.project()['version']}.dist-info"
        told = zipfile.ZipFile(self.wheel).read(f"{inner}/METADATA").decode()
        self.assertIn("Provides-Extra: pandas\n", told)
        self.assertIn("Requires-Dist: matplotlib; extra == 'notebook'\n", told)
        for name in ("jostle/__init__.py", "jostle/__init__.pyi", "jostle/py.typed", f"jostle-{self.backend.project()['version']}.dist-info/METADATA"):
            self.assertIn(name, names)
        self.assertTrue(any(name.startswith("jostle/_jostle.") and name.endswith(".so") for name in names))
        self.assertEqual(sorted(path.name for path in (SOURCE / "python/jostle").iterdir() if path.is_file()),
                         sorted(Path(name).name for name in names if name.startswith("jostle/") and "_jostle.c" not in name))

    def test_metadata_is_there_before_anything_is_compiled_and_the_same_as_in_the_wheel(self):
        self.backend.module = None  # would fail
        inner = self.backend.prepare_metadata_for_build_wheel(str(self.directory / "metadata"))
        wheel = zipfile.ZipFile(self.wheel)
        for name in ("METADATA", "WHEEL", "entry_points.txt"):
            self.assertEqual((self.directory / "metadata" / inner / name).read_bytes(), wheel.read(f"{inner}/{name}"))

    def test_a_build_prints_all_and_tells_on_the_terminal_how_far_it_is(self):
        told = self.directory / "terminal"
        self.backend.terminal = lambda: open(told, "w", encoding="utf-8")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.backend.shown([sys.executable, "-c", "print('[ 3/12] Building a.o\\n[ 50%] Building b.o\\nword')"], None)
        self.assertEqual(out.getvalue().splitlines()[2], "word")
        self.assertIn("compiling, 3 of 12 steps", told.read_text())
        self.assertIn("compiling, 50 %", told.read_text())
        with self.assertRaises(subprocess.CalledProcessError):
            self.backend.shown([sys.executable, "-c", "raise SystemExit(3)"], None)

    def test_the_backend_needs_nothing_but_python(self):
        code = "import sys; sys.path.insert(0, sys.argv[1]); sys.modules['wheel'] = None; import build_wheel; build_wheel.project()"
        subprocess.run([sys.executable, "-c", code, str(SOURCE / "python")], check=True)
        self.assertIn("requires = []\n", (SOURCE / "pyproject.toml").read_text())

    def test_it_installs_without_a_network_and_runs(self):
        venv.create(self.directory / "venv", with_pip=True, system_site_packages=True)
        python = str(self.directory / "venv/bin/python")
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", str(self.wheel)], check=True,
                       env=clean)
        code = ("import jostle; print(jostle.run({'device': 'nvidia-h200', 'processes': [{'model': 'resnet50', 'precision':"
                " 'fp16', 'runtime': 'cuda-graph'}], 'run': {'duration': '10 ms', 'warmup': '1 ms'}}).status)")
        self.assertEqual(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True, env=clean,
                                        cwd=self.directory).stdout, "ok\n")
        command = subprocess.run([self.directory / "venv/bin/jostle", "list", "devices"], check=True, capture_output=True, text=True,
                                 env=clean, cwd=self.directory)
        self.assertIn("nvidia-h200", command.stdout)


if __name__ == "__main__":
    unittest.main()
