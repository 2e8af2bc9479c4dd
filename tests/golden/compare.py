#!/usr/bin/env python3
"""Compares what a command prints with a committed file, or writes that file anew.

A JSON file is about the keys that it has: each must be there with the same text. A key that the file lacks may come
and go, so a new figure of the result changes no golden. Any other file must be equal byte for byte.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys


class Number(str):
    """A number as it was printed: its digits are compared, not its value."""


def parsed(text):
    return json.loads(text, parse_float=Number, parse_int=Number)


def printed(value):
    """The value as the command prints it, without spaces."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + printed(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(printed, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def differences(golden, actual, path=""):
    if isinstance(golden, dict) and isinstance(actual, dict):
        for key, value in golden.items():
            at = f"{path}.{key}" if path else key
            if key in actual:
                yield from differences(value, actual[key], at)
            else:
                yield f"{at} is gone"
    elif isinstance(golden, list) and isinstance(actual, list) and len(golden) == len(actual):
        for i, (value, found) in enumerate(zip(golden, actual)):
            yield from differences(value, found, f"{path}.{i}")
    elif printed(golden) != printed(actual):
        yield f"{path}: {printed(golden)} is now {printed(actual)}"


def kept(golden, actual):
    """`actual` with the keys of `golden` alone, in its order."""
    if isinstance(golden, dict) and isinstance(actual, dict):
        return {key: kept(value, actual[key]) for key, value in golden.items() if key in actual}
    if isinstance(golden, list) and isinstance(actual, list) and len(golden) == len(actual):
        return [kept(value, found) for value, found in zip(golden, actual)]
    return actual


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the file; new keys are taken up if it is empty")
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    run = subprocess.run(options.command, env={**os.environ, "COLUMNS": "60"}, capture_output=True, check=False)
    if run.returncode != 0 or run.stderr:
        sys.exit(f"{' '.join(options.command)}: exit code {run.returncode}\n{run.stderr.decode()}")
    actual = run.stdout.decode()
    golden = options.golden.read_text() if options.golden.exists() else ""
    is_json = options.golden.suffix == ".json"
    if options.update:
        if is_json and golden:
            actual = printed(kept(parsed(golden), parsed(actual))) + "\n"
        options.golden.write_text(actual)
    elif is_json:
        found = list(differences(parsed(golden), parsed(actual)))
        if found:
            sys.exit("\n".join([f"{options.golden}: {len(found)} figures differ", *found[:20],
                                "If it is meant: cmake --build BUILD --target update-goldens"]))
    elif golden != actual:
        sys.exit(f"{options.golden} is not what the command prints any more; see what changed by\n"
                 f"  {' '.join(options.command)} | diff {options.golden} -\n"
                 "If it is meant: cmake --build BUILD --target update-goldens")


main()
