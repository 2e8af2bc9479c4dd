"""The JSON Schemas, as an editor or another tool uses them: what jostle takes and prints is valid, what it refuses is not.

That scenarios and studies have the keys of the loader, and no others, is held in tests/analyses/schema.cpp.
"""

import copy
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import jostle
import jsonschema
import yaml

JOSTLE = os.environ["JOSTLE"]
SOURCE = Path(os.environ["SOURCE"])
STUDY_KEYS = {"scenario"}
SHORT = {"run": {"duration": "100 ms", "warmup": "20 ms"}}


class Yaml(yaml.SafeLoader):
    """YAML 1.2, as editors and jostle read it: `on` and `yes` are words."""


Yaml.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


def documents():
    for path in sorted([*SOURCE.glob("scenarios/*/*.yaml"), *SOURCE.glob("tests/golden/*.yaml")]):
        yield path, yaml.load(path.read_text(), Yaml)


def validator(name):
    schema = jostle.schema(name)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def properties(schema, root, path=""):
    """The path of every property that the schema lists, by its object."""
    if "$ref" in schema:
        yield from properties(root["definitions"][schema["$ref"].rsplit("/", 1)[1]], root, path)
        return
    for word in ("anyOf", "allOf", "oneOf"):
        for one in schema.get(word, []):
            yield from properties(one, root, path)
    if isinstance(schema.get("items"), dict):
        yield from properties(schema["items"], root, path + "[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from properties(schema["additionalProperties"], root, path + ".*")
    for key, value in schema.get("properties", {}).items():
        yield f"{path}.{key}"
        yield from properties(value, root, f"{path}.{key}")


def seen(value, known, path=""):
    """The paths in `value`, those of free keys with a star."""
    if isinstance(value, list):
        for one in value:
            yield from seen(one, known, path + "[]")
    elif isinstance(value, dict):
        for key, one in value.items():
            here = f"{path}.{key}" if f"{path}.{key}" in known else f"{path}.*"
            yield here
            yield from seen(one, known, here)


class Schemas(unittest.TestCase):
    def test_every_shipped_scenario_and_study_is_valid(self):
        scenario, study = validator("scenario"), validator("study")
        count = 0
        for path, document in documents():
            errors = list((study if STUDY_KEYS & document.keys() else scenario).iter_errors(document))
            self.assertEqual(errors, [], path)
            count += 1
        self.assertGreater(count, 40)

    def test_what_the_loader_refuses_is_invalid(self):
        good = {"device": "jetson-nano", "processes": [{"model": "resnet50", "precision": "fp16"}]}
        check = validator("scenario")
        self.assertTrue(check.is_valid(good))
        for change in ({"devise": "jetson-nano"}, {"device": "jetson-nan"}, {"ambient": "25"}, {"ambient": "25 W"},
                       {"fan": "yes"}, {"run": {"duration": 4}}, {"run": {"durations": "4 s"}}, {"processes": []},
                       {"processes": [{"model": "resnet50", "precision": "fp17"}]},
                       {"processes": [{"model": "resnet50", "precision": "fp16", "batch": 0}]},
                       {"processes": [{"load": "memory_write", "model": "resnet50"}]},
                       {"processes": [{"model": "resnet50", "precision": "fp16", "arrivals": {}}]}):
            wrong = {**copy.deepcopy(good), **change}
            self.assertFalse(check.is_valid(wrong), change)
            with self.assertRaises(jostle.ScenarioError, msg=str(change)):
                jostle.run(wrong)

    def test_quantities_are_valid_as_the_loader_reads_them(self):
        check = validator("scenario")
        for text, valid in (("5 ms", True), ("5ms", True), (".5 s", True), ("1e3 us", True), ("5 \u00b5s", True), ("5", False),
                            ("ms", False), ("5 mss", False), ("1e us", False), ("0x5 ms", False)):
            scenario = {"device": "jetson-nano", "processes": [{"model": "resnet50", "precision": "fp16"}],
                        "run": {"duration": text, "warmup": "0 s"}}
            self.assertEqual(check.is_valid(scenario), valid, text)
            if not valid:
                with self.assertRaises(jostle.ScenarioError, msg=text):
                    jostle.run(scenario)

    def test_results_are_valid_and_have_every_key_of_the_schema(self):
        check = validator("result")
        known = set(properties(check.schema, check.schema))
        found = set()

        def look(result):
            data = result.to_dict()
            errors = [f"{'/'.join(map(str, error.path))}: {error.message}" for error in check.iter_errors(data)]
            self.assertEqual(errors, [], data["scenario"])
            self.assertTrue(validator("scenario").is_valid(data["resolved"]), data["scenario"])
            found.update(seen(data, known))

        for path, document in documents():
            if not STUDY_KEYS & document.keys():
                look(jostle.run(path, set={} if "setup" in str(document.get("run")) else SHORT))
        orin = {"device": "jetson-orin-nano-super", "run": {"duration": "200 ms", "warmup": "50 ms"}}
        resnet = {"model": "resnet50", "precision": "fp16"}
        look(jostle.run({**orin, "gpu_metrics": "1 ms", "compositor": True, "interrupts": {"load": "5 %"},
                         "processes": [resnet, {"load": "memory_write", "threads": 2, "name": "hog"}]}, interval=True))
        look(jostle.run({**orin, "link": {"bandwidth": "50 Mbit/s", "rtt": "5 ms"},
                         "processes": [{**resnet, "arrivals": {"poisson": "30 /s"}}]}))
        look(jostle.run({**orin, "run": {"duration": "200 ms", "replications": 3}, "processes": [resnet]}))
        look(jostle.run({**orin, "processes": [
            {**resnet, "count": 1, "container": {"name": "a", "cpus": 0.5}, "training": True, "runtime": "eager"},
            {"name": "s", "runtime": "cuda-graph", "sync": "spin", "instances": [
                {**resnet, "name": "a"}, {**resnet, "arrivals": {"poisson": "30 /s"}}]},
            {**resnet, "arrivals": {"poisson": "30 /s", "queue": {"limit": 1, "drop": "oldest"}},
             "stages": {"before": [{"resize": 640, "size": "1080p"}, {"name": "decode", "time": "2 ms"}, {"name": "d", "on": "nvdec", "size": "1920x1080"}]}}]}))
        look(jostle.run({**orin, "processes": [{"runtime": "cuda-graph", "instances": [
            {**resnet, "arrivals": {"poisson": "100 /s"}}, {**resnet, "batch": 2}]}]}, interval=True))
        look(jostle.run({"device": "jetson-agx-orin-64gb", "run": {"until": {"relative_error": "10 %", "max": "1 s"}},
                         "processes": [{**resnet, "precision": "int8", "placement": "dla0"}]}))
        talk = {"model": "smollm2_135m", "precision": "fp16", "generate": {"prompt": 32, "tokens": 8, "reuse": "50 %"}}
        look(jostle.run({**orin, "run": {"duration": "2 s"}, "processes": [
            {**talk, "runtime": "mlc", "arrivals": {"poisson": "4 /s"}}, {"runtime": "cuda-graph", "instances": [talk, resnet]}]}))
        look(jostle.run({**orin, "run": {"duration": "4 s"}, "processes": [{**talk, "runtime": "llama.cpp"}]}, interval=True))
        look(jostle.run({"device": "jetson-nano", "run": {"duration": "1 s"}, "processes": [
            {**resnet, "batch": 64, "count": 8}]}))
        look(jostle.run(str(SOURCE / "scenarios/pipelines/robot.yaml"), interval=True))  # may not keep up
        look(jostle.run({**orin, "constraints": {"system.throughput": {"min": 10}}, "processes": [resnet]}))  # is met
        missing = {path for path in known - found if not path.startswith(".resolved")}
        self.assertEqual(missing, set())

    def test_the_documentation_names_every_key_of_a_result(self):
        page = (SOURCE / "docs/result.md").read_text()
        named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", page))))
        schema = jostle.schema("result")
        keys = {path.rsplit(".", 1)[1].removesuffix("[]") for path in properties(schema, schema)}
        self.assertEqual(keys - named - {"*"}, set())

    def test_the_copies_in_docs_are_those_of_the_command(self):
        for name in ("scenario", "study", "result"):
            printed = subprocess.run([JOSTLE, "schema", name], capture_output=True, text=True, check=True).stdout
            self.assertEqual((SOURCE / f"docs/schemas/{name}.schema.json").read_text(), printed,
                             "scripts/update-docs writes them")
            self.assertEqual(json.loads(printed), jostle.schema(name))


if __name__ == "__main__":
    unittest.main()
