"""How pip builds jostle (PEP 517): CMake makes the module, and what it installs becomes the wheel. It needs Python alone.

The build folder is the one of `scripts/demo` (preset release): what that compiled is not compiled again. Nothing is
fetched but what the report's page is bundled of, by npm, where npm is installed and the page is not there yet; without,
pages hold their data and no charts. ccache is used in a new folder where it is installed. Name, version and dependencies
are those of pyproject.toml.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, "build", "release")


def project():
    """The figures of pyproject.toml's table `project` that metadata needs."""
    try:
        import tomllib  # Python 3.11
    except ImportError:
        from pip._vendor import tomli as tomllib

    with open(os.path.join(root, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def metadata(about):
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}",
             f"Summary: {about['description']}", f"Requires-Python: {about['requires-python']}"]
    lines += [f"Requires-Dist: {one}" for one in about["dependencies"]]
    for extra, wanted in about["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {one}; extra == '{extra}'" for one in wanted)]
    with open(os.path.join(root, about["readme"]), encoding="utf-8") as readme:
        return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme.read()])


def terminal():
    """The user's terminal, since pip keeps what a build prints (-v shows it); without one, nowhere."""
    try:
        return open("/dev/tty", "w", encoding="utf-8")
    except OSError:
        return open(os.devnull, "w", encoding="utf-8")


def shown(command, environment):
    """Runs a command; prints what it prints, and on the terminal, in one line, how far it is ("[12/340]" or "[ 4%]")."""
    with terminal() as line, subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                              errors="replace") as run:
        for text in run.stdout:
            print(text, end="", flush=True)
            step = re.match(r"\[ *(\d+)(?:/(\d+)|%)\]", text)
            if step:
                done = f"{step[1]} of {step[2]} steps" if step[2] else f"{step[1]} %"
                line.write(f"\r\033[Kjostle: compiling, {done}")
                line.flush()
        line.write("\r\033[K")
    if run.returncode:
        raise subprocess.CalledProcessError(run.returncode, command)


def module(stage):
    """Compiles the module and installs the package below `stage`. Python's options leave the folder again, so that its
    other users do not look for this Python."""
    environment = dict(os.environ)
    options = ["-DJOSTLE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}", "-DJOSTLE_PYTHON_DIR=."]
    if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
        pages = shutil.which("npm") and (shutil.which("node") or shutil.which("nodejs"))
        options += ["-DCMAKE_BUILD_TYPE=Release", f"-DJOSTLE_REPORT={'ON' if pages else 'OFF'}"]
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for name, value in (("BASEDIR", root), ("NOHASHDIR", "1"),
                        ("SLOPPINESS", "pch_defines,time_macros,include_file_mtime,include_file_ctime")):
        environment.setdefault(f"CCACHE_{name}", value)
    print("jostle: compiles the module, after scripts/demo a few minutes on two cores, else about 15", file=sys.stderr, flush=True)
    try:
        for command in (["-S", root, "-B", build, *options],
                        ["--build", build, "--parallel", str(os.cpu_count() or 1), "--target", "jostle_python"],
                        ["--install", build, "--prefix", stage, "--component", "python"]):
            shown(["cmake", *command], environment)
    finally:
        if os.path.exists(os.path.join(build, "CMakeCache.txt")):
            subprocess.run(["cmake", "-B", build, "-DJOSTLE_PYTHON=OFF", "-UPython3_EXECUTABLE", "-UJOSTLE_PYTHON_DIR"], env=environment,
                           stdout=subprocess.DEVNULL)


def tag():
    return "cp{0}{1}-cp{0}{1}-{2}".format(*sys.version_info[:2], sysconfig.get_platform().replace("-", "_").replace(".", "_"))


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks before it builds; nothing is compiled for it."""
    about = project()
    name = f"{about['name']}-{about['version']}.dist-info"
    inner = os.path.join(metadata_directory, name)
    os.makedirs(inner)
    scripts = "".join(f"{name} = {what}\n" for name, what in about["scripts"].items())
    for file, text in (("METADATA", metadata(about)), ("entry_points.txt", "[console_scripts]\n" + scripts),
                       ("WHEEL", f"Wheel-Version: 1.0\nGenerator: jostle\nRoot-Is-Purelib: false\nTag: {tag()}\n")):
        with open(os.path.join(inner, file), "w", encoding="utf-8") as out:
            out.write(text)
    return name


def pack(stage, inner, path):
    """Writes a wheel of all files below `stage`, with their hashes in RECORD."""
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for folder, folders, files in os.walk(stage):
            folders.sort()
            for file in sorted(files):
                at = os.path.join(folder, file)
                name = os.path.relpath(at, stage).replace(os.sep, "/")
                wheel.write(at, name)
                with open(at, "rb") as source:
                    content = source.read()
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                record.append(f"{name},sha256={digest},{len(content)}\n")
        wheel.writestr(f"{inner}/RECORD", "".join([*record, f"{inner}/RECORD,,\n"]))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = project()
    stage = os.path.join(build, "wheel")
    shutil.rmtree(stage, ignore_errors=True)
    module(stage)
    inner = prepare_metadata_for_build_wheel(stage)
    name = f"{about['name']}-{about['version']}-{tag()}.whl"
    pack(stage, inner, os.path.join(wheel_directory, name))
    return name
