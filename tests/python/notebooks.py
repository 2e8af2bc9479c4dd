"""The notebooks of python/notebooks run from the first cell to the last, in an empty folder, end without an error, and keep
the outputs of such a run.

SOURCE is the repository; the package is on PYTHONPATH, and the command is not on PATH. With --write the notebooks get the
outputs of a new run (scripts/update-docs does so).
"""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SOURCE = Path(os.environ["SOURCE"])
FOLDER = SOURCE / "python/notebooks"
MOST = 100_000  # characters of an output that is kept: a report's page, the simulator's charts within, is more
PAGE = "the report's page, which the cell shows when it is run"


def stable(text):
    """The text without what differs from run to run: paths of temporary folders and of the kernel's cells."""
    return re.sub(r"/tmp/tmp\w+/", "", re.sub(r"/tmp/ipykernel_\d+/\d+\.py", "cell", text))


def kept(output):
    """An output as a notebook keeps it."""
    if "text" in output:
        output["text"] = stable(output["text"])
    data = output.get("data", {})
    for kind in [kind for kind in data if kind.startswith("text/")]:
        data[kind] = stable(data[kind]) if len(data[kind]) <= MOST else ""
    if data.get("text/html") == "":
        del data["text/html"]
        data["text/plain"] = PAGE
    return output


def executed(name):
    """The notebook with the outputs of a run."""
    os.environ["PATH"] = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if not Path(one, "jostle").exists())
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    with tempfile.TemporaryDirectory() as directory:
        NotebookClient(notebook, timeout=240, kernel_name="python3", record_timing=False,
                       resources={"metadata": {"path": directory}}).execute()
    return notebook


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


class Notebooks(unittest.TestCase):
    def execute(self, name):
        before = [cell.outputs for cell in code(nbformat.read(FOLDER / f"{name}.ipynb", as_version=4))]
        outputs = [cell.outputs for cell in code(executed(name))]
        shown = [output for cell in outputs for output in cell]
        kinds = [sorted(output.get("data", {})) for output in shown]
        now = [[kept(output) for output in cell] for cell in outputs]
        for i, (old, new) in enumerate(zip(before, now)):
            told = [[(sorted(output.get("data", {})), output.get("text")) for output in cell] for cell in (old, new)]
            self.assertEqual(*told, f"cell {i} of {name} keeps other outputs than a run has; scripts/update-docs renews them")
        self.assertTrue(any(before), "notebooks keep their outputs")
        return kinds

    def shown(self, kinds, kind):
        return sum(kind in each for each in kinds)

    def test_a_first_look(self):
        self.assertGreaterEqual(self.shown(self.execute("first_look"), "text/html"), 3)

    def test_a_paper_figure_with_error_bars(self):
        self.assertGreaterEqual(self.shown(self.execute("paper_figure"), "image/png"), 1)

    def test_own_logs_to_a_profile(self):
        self.assertGreaterEqual(self.shown(self.execute("own_board"), "text/html"), 1)

    def test_an_optimiser_around_run(self):
        self.assertGreaterEqual(self.shown(self.execute("optimise"), "image/png"), 1)

    def test_every_notebook_is_run_by_a_test(self):
        self.assertEqual({path.stem for path in FOLDER.glob("*.ipynb")},
                         {"first_look", "paper_figure", "own_board", "optimise"})


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for path in sorted(FOLDER.glob("*.ipynb")):
            notebook = executed(path.stem)
            for cell in code(notebook):
                cell.outputs = [kept(output) for output in cell.outputs]
            nbformat.write(notebook, path)
    else:
        unittest.main()
