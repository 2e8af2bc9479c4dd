"""How pip builds jostle (PEP 517): CMake makes the module, and what it installs becomes the wheel.

Nothing is fetched. ccache is used where it is installed. Name, version and dependencies are those of pyproject.toml.
"""
import os
import shutil
import subprocess
import sys
import sysconfig

from wheel.wheelfile import WheelFile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, "build", "python")


def project():
    """The figures of pyproject.toml's table `project` that metadata needs."""
    import tomllib  # Python 3.11

    with open(os.path.join(root, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def metadata(about):
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}",
             f"Summary: {about['description']}", f"Requires-Python: {about['requires-python']}"]
    lines += [f"Requires-Dist: {one}" for one in about["dependencies"]]
    with open(os.path.join(root, about["readme"]), encoding="utf-8") as readme:
        return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme.read()])


def module(stage):
    """Compiles the module and installs the package below `stage`."""
    environment = dict(os.environ)
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DJOSTLE_PYTHON=ON", "-DJOSTLE_REPORT=OFF",
               f"-DPython3_EXECUTABLE={sys.executable}", "-DJOSTLE_PYTHON_DIR=."]
    if shutil.which("ninja"):
        options += ["-G", "Ninja"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        environment.setdefault("CCACHE_BASEDIR", root)
        environment.setdefault("CCACHE_NOHASHDIR", "1")
        environment.setdefault("CCACHE_SLOPPINESS",
                               "pch_defines,time_macros,include_file_mtime,include_file_ctime")
    for command in (["-S", root, "-B", build, *options],
                    ["--build", build, "--parallel", str(os.cpu_count() or 1), "--target", "jostle_python"],
                    ["--install", build, "--prefix", stage, "--component", "python"]):
        subprocess.run(["cmake", *command], check=True, env=environment)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = project()
    stage = os.path.join(build, "stage")
    shutil.rmtree(stage, ignore_errors=True)
    module(stage)
    tag = "cp{0}{1}-cp{0}{1}-{2}".format(*sys.version_info[:2], sysconfig.get_platform().replace("-", "_"))
    inner = os.path.join(stage, f"{about['name']}-{about['version']}.dist-info")
    os.makedirs(inner)
    with open(os.path.join(inner, "METADATA"), "w", encoding="utf-8") as file:
        file.write(metadata(about))
    with open(os.path.join(inner, "WHEEL"), "w", encoding="utf-8") as file:
        file.write(f"Wheel-Version: 1.0\nGenerator: jostle\nRoot-Is-Purelib: false\nTag: {tag}\n")
    name = f"{about['name']}-{about['version']}-{tag}.whl"
    with WheelFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.write_files(stage)
    return name
