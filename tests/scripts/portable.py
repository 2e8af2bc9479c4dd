"""The tarball of scripts/packages/portable: which C library its command runs with.

JOSTLE is the binary, SOURCE the repository.
"""

import os
import platform
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])
LOADERS = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}


class Portable(unittest.TestCase):
    def test_the_command_runs_with_the_newer_c_library(self):
        loader = LOADERS.get(platform.machine())
        if loader is None or not os.path.exists(loader):
            self.skipTest("no loader of the GNU C library")
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run([SOURCE / "scripts/packages/portable", JOSTLE], cwd=folder, capture_output=True,
                                     text=True, check=True).stdout.strip()
            subprocess.run(["tar", "xzf", archive], cwd=folder, check=True)
            command = Path(folder) / archive.removesuffix(".tar.gz") / "bin/jostle"

            def libc_with(system_loader):
                """The C library that the command itself has loaded, and what it printed."""
                done = subprocess.run([command, "--version"], capture_output=True, text=True,
                                      env={**os.environ, "JOSTLE_SYSTEM_LOADER": str(system_loader), "LD_DEBUG": "libs"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.startswith("jostle "))
                own = [line.split()[0] for line in done.stderr.splitlines() if "libstdc++" in line][-1].rstrip(":")  # process number
                return re.findall(rf"{own}:?\s+calling init: (\S*libc\.so\.6)", done.stderr)[-1]  # the shell has the same number

            def pretended(version):
                script = Path(folder) / "loader"
                script.write_text("#!/bin/sh\nif [ \"$1\" = --version ]; then\n"
                                  f"  echo 'ld.so (made up) stable release version {version}.'; exit\nfi\nexec {loader} \"$@\"\n")
                script.chmod(0o755)
                return script

            inside = "/lib/libc/libc.so.6"
            self.assertTrue(libc_with("none").endswith(inside))
            self.assertTrue(libc_with(pretended("2.31")).endswith(inside))
            self.assertTrue(libc_with(pretended("1.99")).endswith(inside))
            self.assertTrue(libc_with("/bin/false").endswith(inside))  # prints no version
            self.assertFalse(libc_with(pretended("2.99")).endswith(inside))
            self.assertFalse(libc_with(pretended("3.0")).endswith(inside))


if __name__ == "__main__":
    unittest.main()
