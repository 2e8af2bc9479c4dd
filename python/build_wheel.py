"""How pip builds jostle (PEP 517): CMake makes the module, and what it installs becomes the wheel.

The build folder is the one of `scripts/demo` (preset release): what that compiled is not compiled again. Nothing is
fetched but what the report's page is bundled of, by npm, where npm is installed and the page is not there yet; without,
pages hold their data and no charts. ccache is used in a new folder where it is installed. Name, version and dependencies
are those of pyproject.toml.
"""
import os
import shutil
import subprocess
import sys
import sysconfig

from wheel.wheelfile import WheelFile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, "build", "release")


def project():
    """The figures of pyproject.toml's table `project` that metadata needs."""
    import tomllib  # Python 3.11

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
            subprocess.run(["cmake", *command], check=True, env=environment)
    finally:
        if os.path.exists(os.path.join(build, "CMakeCache.txt")):
            subprocess.run(["cmake", "-B", build, "-DJOSTLE_PYTHON=OFF", "-UPython3_EXECUTABLE", "-UJOSTLE_PYTHON_DIR"], env=environment,
                           stdout=subprocess.DEVNULL)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = project()
    stage = os.path.join(build, "wheel")
    shutil.rmtree(stage, ignore_errors=True)
    module(stage)
    tag = "cp{0}{1}-cp{0}{1}-{2}".format(*sys.version_info[:2], sysconfig.get_platform().replace("-", "_"))
    inner = os.path.join(stage, f"{about['name']}-{about['version']}.dist-info")
    os.makedirs(inner)
    with open(os.path.join(inner, "METADATA"), "w", encoding="utf-8") as file:
        file.write(metadata(about))
    with open(os.path.join(inner, "WHEEL"), "w", encoding="utf-8") as file:
        file.write(f"Wheel-Version: 1.0\nGenerator: jostle\nRoot-Is-Purelib: false\nTag: {tag}\n")
    with open(os.path.join(inner, "entry_points.txt"), "w", encoding="utf-8") as file:
        file.write("[console_scripts]\n" + "".join(f"{name} = {what}\n" for name, what in about["scripts"].items()))
    name = f"{about['name']}-{about['version']}-{tag}.whl"
    with WheelFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.write_files(stage)
    return name
