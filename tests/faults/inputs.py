"""Small inputs for every command that writes a file, and what the tests on files share.

JOSTLE is the binary, SOURCE the repository.
"""

import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])

SCENARIO = """device: jetson-nano
processes:
  - {model: resnet18, precision: fp16}
run: {duration: 300 ms, warmup: 50 ms}
"""
STUDY = """scenario: {device: jetson-nano, processes: [{model: resnet18, precision: fp16}],
           run: {duration: 200 ms, warmup: 50 ms}}
sweep: {processes.0.batch: [1, 2, 4], processes.0.precision: [fp16, fp32]}
objectives: [max system.throughput]
"""
OTHER_STUDY = STUDY.replace("resnet18", "resnet50").replace("[1, 2, 4]", "[1, 3]")
OFFLOAD = """scenario: {device: jetson-orin-nano-super, run: {duration: 200 ms, warmup: 50 ms},
           processes: [{model: yolov8n, precision: int8, arrivals: {periodic: 10 /s}}]}
offload:
  cloud: {device: nvidia-a40, processes: [{model: yolov8n, precision: fp16}]}
  payload: 120 kB
  link: {bandwidth: [5 Mbit/s], rtt: [10 ms]}
"""
EVIDENCE = """run,device,power_mode,pinned,model,precision,batch,metric,value,unit
a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,throughput,450,images/s
a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,power,17,W
"""
TEGRASTATS = (
    "RAM 2048/7620MB (lfb 9x4MB) SWAP 10/3810MB (cached 0MB) CPU [10%@1000,30%@2000,off,off,off,off] EMC_FREQ 5%@2133 "
    "GR3D_FREQ 40%@[612] VDD_IN 6000mW/6000mW\n"
)
PROBE = {
    "manifest.csv": "part,file,quick,start,end,note\ncpu,parameters.csv,0,10,20,\n",
    "identity.csv": "key,value\narchitecture,aarch64\nboard,Raspberry Pi 5 Model B Rev 1.0\n",
    "settings.txt": "online=0-3\n",
    "parameters.csv": "parameter,value,unit,relative_sd_pct,samples,part,how\ncpu.costs.context_switch,1.5,us,0.4,200,cpu,a pipe\n",
}
ENDLESS = "run={duration: 900000 s}"


class Folder(unittest.TestCase):
    """A test in a folder of its own, `self.out`; the inputs are beside it, in `self.folder`."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(os.path.realpath(directory.name))
        self.out = self.folder / "out"
        self.out.mkdir()
        for name, text in (("scenario.yaml", SCENARIO), ("study.yaml", STUDY), ("other.yaml", OTHER_STUDY),
                           ("offload.yaml", OFFLOAD), ("evidence.csv", EVIDENCE), ("board.log", TEGRASTATS)):
            (self.folder / name).write_text(text)
        (self.folder / "probe").mkdir()
        for name, text in PROBE.items():
            (self.folder / "probe" / name).write_text(text)

    def jostle(self, *arguments, **environment):
        return subprocess.run([JOSTLE, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=60)

    def device(self, name):
        """/dev/null or /dev/full. For root one of its own: a program that errs could replace that of the machine."""
        if os.geteuid() != 0:
            return f"/dev/{name}"
        path = self.folder / name
        if not path.exists():
            try:
                os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, {"null": 3, "full": 7}[name]))
                path.open("wb").close()
            except OSError:
                self.skipTest("no devices can be made here")
        return str(path)

    def done(self, *arguments, code=0):
        result = self.jostle(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        return result


# Every command that writes whole files: its arguments, with OUT for the folder, and the files.
WRITERS = {
    "chrome": (["run", "scenario.yaml", "--trace", "OUT/t.json"], ["t.json"]),
    "run": (["run", "scenario.yaml", "--html", "OUT/run.html"], ["run.html"]),
    "explain": (["explain", "scenario.yaml", "--html", "OUT/why.html"], ["why.html"]),
    "compare": (["compare", "scenario.yaml", "--set-b", "processes.0.batch=2", "--replications", "2", "--html", "OUT/d.html"],
                ["d.html"]),
    "sweep": (["sweep", "study.yaml", "--html", "OUT/sweep.html"], ["sweep.html"]),
    "plan": (["plan", "study.yaml", "--no-interval", "--html", "OUT/plan.html"], ["plan.html"]),
    "offload": (["offload", "offload.yaml", "--html", "OUT/o.html"], ["o.html"]),
    "roofline": (["roofline", "jetson-nano", "--out", "OUT/r.csv"], ["r.csv"]),
    "validate": (["validate", "jetson-orin-nano-super", "evidence.csv", "--html", "OUT/v.html"], ["v.html"]),
    "calibrate": (["calibrate", "jetson-orin-nano-super", "evidence.csv", "--quick", "-o", "OUT/c.yaml"],
                  ["c.yaml", "c.uncertainty.csv"]),
    "automatic": (["calibrate", "auto", "probe", "-o", "OUT/a.yaml"], ["a.yaml", "a.uncertainty.csv"]),
    "reproduce": (["reproduce", "C01", "--html", "OUT/rep.html"], ["rep.html"]),
    "import": (["import", "auto", "board.log", "-o", "OUT/e.csv"], ["e.csv"]),
}
