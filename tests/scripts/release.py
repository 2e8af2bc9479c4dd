"""The folder that scripts/packages/release makes of parts that are built already.

JOSTLE is the binary, SOURCE the repository.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])
VERSION = subprocess.run([JOSTLE, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0].removeprefix("jostle ")


def release(*arguments, **environment):
    return subprocess.run([SOURCE / "scripts/packages/release", *arguments], capture_output=True, text=True,
                          env={**os.environ, "JOSTLE_DRAFT": "1", **environment})


def parts(folder, version=VERSION, page=b"<!doctype html>"):
    """Stubs of everything but the command, as options."""
    control = folder / "package/DEBIAN/control"
    control.parent.mkdir(parents=True)
    control.write_text(f"Package: jostle\nVersion: {version}-1\nArchitecture: all\nMaintainer: nobody <nobody@jostle.invalid>\nDescription: stub\n")
    (folder / "debs").mkdir()
    subprocess.run(["dpkg-deb", "--build", folder / "package", folder / "debs"], check=True, capture_output=True)
    wheel, playground = folder / f"jostle-{VERSION}-cp311-cp311-linux_x86_64.whl", folder / "playground.html"
    wheel.write_bytes(b"wheel")
    playground.write_bytes(page)
    return ["--command", JOSTLE, "--debs", folder / "debs", "--wheel", wheel, "--playground", playground, "--to", folder / "out"]


@unittest.skipUnless(shutil.which("dpkg-deb") and (SOURCE / ".git").exists(), "needs dpkg-deb and a checkout")
class Release(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def test_the_page_in_the_documentation_is_of_this_version(self):
        page = (SOURCE / "docs/playground.html").read_text()
        self.assertIn(f"<footer class=\"soft\">jostle {VERSION}</footer>", page)
        self.assertLessEqual(len(page.encode()), 4_000_000)

    def test_the_page_is_linked_in_the_first_lines_of_the_readme(self):
        self.assertIn("docs/playground.html", "".join((SOURCE / "README.md").read_text().splitlines(True)[:10]))

    def test_parts_stand_in_one_folder_with_their_checksums(self):
        done = release(*parts(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.folder / "out"
        names = sorted(of.name for of in out.iterdir())
        self.assertEqual([of for of in names if "linux-" not in of or of.endswith(".whl")],
                         sorted(["SHA256SUMS", "jostle-playground.html", f"jostle-{VERSION}-cp311-cp311-linux_x86_64.whl", f"jostle_{VERSION}-1_all.deb"]))
        self.assertEqual(len([of for of in names if of.endswith(".tar.gz")]), 1)
        sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(sorted(sums), [of for of in names if of != "SHA256SUMS"])
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((out / name).read_bytes()).hexdigest(), digest)
        again = release(*[of for of in parts(self.folder / "again")[:-1]], out)
        self.assertIn("is not empty", again.stderr)

    def test_a_part_of_another_version_or_a_page_that_is_too_large_ends_it(self):
        old, large = self.folder / "old", self.folder / "large"
        for where, options, said in [(old, {"version": "0.0.9"}, f"jostle_0.0.9-1_all.deb is not of version {VERSION}"),
                                     (large, {"page": b" " * 4_000_001}, "the playground has more than 4 MB")]:
            done = release(*parts(where, **options))
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertFalse((where / "out").exists())

    def test_options_are_refused_before_anything_is_built(self):
        for arguments, said in [(["--whel", "x"], "--whel is no option"), (["--command"], "--command needs a value"),
                                (["--wheel", "/nowhere.whl"], "/nowhere.whl does not exist"), (["--aarch64", JOSTLE], "needs JOSTLE_SYSROOT")]:
            done = release(*arguments, JOSTLE_SYSROOT="")
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
