#!/usr/bin/env python3
"""Writes the classes of a result into jostle/results.pyi, from the schema of results.

    jostle schema result | python/result_stubs.py python/jostle/results.pyi

They stand between two comments; what is outside them is written by hand.
"""
import json
import sys
from pathlib import Path

BEGIN, END = "# Of a result, by python/result_stubs.py: begin\n", "# end\n"
# Names of classes that differ from their key.
NAMES = {"pi90_parts": "IntervalParts", "times": "TokenTimes", "ec_ms": "EnqueueCall", "sync_ms": "Mean", "ci95": "LatencyIntervals", "pi90": "LatencyPredictions",
         "stages": "Stage", "engines": "Engine", "power_w": "Power", "found_s": "FoundWarmup", "decode_per_s": "Mean", "prefill_per_s": "Mean"}
# Names by place, for keys that stand for several classes.
PLACES = {"Process.gpu": "GpuArray", "Process.memory": "ProcessMemory", "System.gpu": "SystemGpu", "System.throughput": "SystemThroughput",
          "System.tokens": "SystemTokens"}

# What a result has beside the keys of the schema.
METHODS = ['    def __init__(self, text: str, folder: str = "") -> None: ...',
           "    def page(self, *, height: int = 720, progress: Union[None, bool, Callable[[float], Any]] = None) -> Page: ...",
           "    def plot(self, axes: Any = None) -> Any: ...",
           "    def _repr_html_(self) -> str: ..."]


class Stubs:
    def __init__(self, schema):
        self.definitions = schema["definitions"]
        self.classes = {}  # lines by name; inner classes first
        self.of_object("Result", schema, "Answer")

    def of_object(self, name, schema, base="Record"):
        """The class of an object with known keys."""
        lines = [f"    {key}: {self.of(value, key, name)}" for key, value in schema["properties"].items()]
        known = self.classes.setdefault(name, (base, lines))
        if known[1] != lines:
            raise SystemExit(f"two classes are called {name}: give one of them a name in PLACES")
        return name

    def of(self, schema, key, outer):
        """The type of a value."""
        for alternatives in ("allOf", "anyOf"):
            if alternatives in schema:
                inner = self.of(schema[alternatives][-1], key, outer)
                return f"Optional[{inner}]" if {"type": "null"} in schema[alternatives] else inner
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            if name in ("figure", "interval"):
                return name.capitalize()
            return self.of(self.definitions[name], name, name)
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        kind, words = types[0], {"number": "float", "integer": "int", "string": "str", "boolean": "bool"}
        if kind in words:
            return f"Optional[{words[kind]}]" if "null" in types else words[kind]
        if kind == "array":
            inner = self.of(schema["items"], key, outer)
            return f"Records[{inner}]" if inner in self.classes else f"List[{inner}]"
        if schema.get("additionalProperties") is not False:
            return "Record"
        camel = "".join(word.capitalize() for word in key.split("_"))
        name = self.of_object(PLACES.get(f"{outer}.{key}") or NAMES.get(key, camel), schema)
        return f"Optional[{name}]" if "null" in types else name

    def text(self):
        blocks = []
        for name, (base, lines) in self.classes.items():
            if name == "Result":
                lines = [*lines, *METHODS]
            blocks.append("\n".join([f"class {name}({base}):", *lines]))
        return "\n\n".join(blocks) + "\n"


def main():
    path = Path(sys.argv[1])
    before, rest = path.read_text().split(BEGIN)
    after = rest.split(END, 1)[1]
    path.write_text(before + BEGIN + Stubs(json.load(sys.stdin)).text() + END + after)


if __name__ == "__main__":
    main()
