"""The notebooks of python/notebooks run from the first cell to the last, in an empty folder, and end without an error.

SOURCE is the repository; the package is on PYTHONPATH, and the command is not on PATH.
"""

import os
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SOURCE = Path(os.environ["SOURCE"])
FOLDER = SOURCE / "python/notebooks"


class Notebooks(unittest.TestCase):
    def execute(self, name):
        os.environ["PATH"] = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if not Path(one, "jostle").exists())
        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                self.assertEqual((cell.outputs, cell.execution_count), ([], None), "commit notebooks without outputs")
        with tempfile.TemporaryDirectory() as directory:
            NotebookClient(notebook, timeout=240, kernel_name="python3",
                           resources={"metadata": {"path": directory}}).execute()
        return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]

    def shown(self, outputs, kind):
        return sum(kind in output.get("data", {}) for output in outputs)

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
    unittest.main()
