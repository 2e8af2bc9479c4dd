// What a wrong scenario is answered with: the file, the line, the key and the nearest right spelling.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/board/spec.hpp"
#include "scenarios/language/arrival_trace.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

// One problem, in these words.
void expect_refused(const std::string& text, const std::string& error,
                    const std::vector<std::string>& set = {}) {
  const Loaded loaded = load_text(text, set);
  EXPECT_FALSE(loaded.scenario);
  EXPECT_EQ(loaded.errors, error + "\n") << text;
}

TEST(BadScenario, unknown_key_is_answered_with_the_nearest) {
  expect_refused(around(plain_process + ", bach: 4"),
                 "gate.yaml:3: processes.0.bach: unknown key (did you mean 'batch'?)");
  expect_refused(around(plain_process, "runn: {}\n"), "gate.yaml:4: runn: unknown key (did you mean 'run'?)");
  expect_refused(around(plain_process, "run: {warm_up: 1 s}\n"),
                 "gate.yaml:4: run.warm_up: unknown key (did you mean 'warmup'?)");
}

TEST(BadScenario, unknown_key_with_nothing_near_lists_what_there_is) {
  expect_refused(around(plain_process, "run: {xyzzy: 1}\n"),
                 "gate.yaml:4: run.xyzzy: unknown key (one of duration, warmup, seed, replications, until, "
                 "setup, every_kernel, "
                 "batches, start, thermal)");
}

TEST(BadScenario, wrong_type_says_what_was_expected) {
  expect_refused(around(plain_process + ", batch: many"),
                 "gate.yaml:3: processes.0.batch: expected a whole number, found 'many'");
  expect_refused(around(plain_process + ", batch: 2.5"),
                 "gate.yaml:3: processes.0.batch: expected a whole number, found '2.5'");
  expect_refused(around(plain_process + ", batch: [1]"),
                 "gate.yaml:3: processes.0.batch: expected a whole number, found a list");
  expect_refused(
      around(plain_process + ", batch: \"2\""),
      "gate.yaml:3: processes.0.batch: expected a whole number, found the text \"2\" (remove the quotes)");
  expect_refused(around(plain_process, "mps: maybe\n"),
                 "gate.yaml:4: mps: expected true or false, found 'maybe'");
  expect_refused(around(plain_process, "sharing: msp\n"),
                 "gate.yaml:4: sharing: 'msp' is not a way of sharing the GPU (did you mean 'mps'?)");
  expect_refused(around(plain_process, "run: 4 s\n"),
                 "gate.yaml:4: run: expected a mapping: duration, warmup, seed, replications, until, setup, "
                 "every_kernel, "
                 "batches, start, thermal, found '4 s'");
  expect_refused("device: nvidia-h200\nprocesses: resnet50\n",
                 "gate.yaml:2: processes: expected a list of processes, found 'resnet50'");
  expect_refused("- device\n", "gate.yaml:1: expected a mapping with device and processes, found a list");
}

TEST(BadScenario, missing_or_wrong_unit_says_which_are_right) {
  expect_refused(around(plain_process, "run: {duration: 4}\n"),
                 "gate.yaml:4: run.duration: '4' has no unit (expected a time in s, ms, us, ns, ps: for "
                 "example '5 ms')");
  expect_refused(around(plain_process, "run: {duration: 4 MHz}\n"),
                 "gate.yaml:4: run.duration: '4 MHz' has the unknown unit 'MHz' (expected a time in s, ms, "
                 "us, ns, ps: for "
                 "example '5 ms')");
  expect_refused(
      around(plain_process, "clocks: {gpu: 900 Mhz}\n"),
      "gate.yaml:4: clocks.gpu: '900 Mhz' has the unknown unit 'Mhz' (did you mean 'MHz'? expected a "
      "frequency in "
      "GHz, MHz, kHz, Hz: for example '1344 MHz')");
}

TEST(BadScenario, negative_or_absurd_number_tells_the_limit) {
  expect_refused(around(plain_process + ", batch: -4"),
                 "gate.yaml:3: processes.0.batch: '-4' is below the minimum, 1");
  expect_refused(around(plain_process + ", batch: 1000000"),
                 "gate.yaml:3: processes.0.batch: '1000000' is above the maximum, 4096");
  expect_refused(around(plain_process + ", batch: 99999999999999999999"),
                 "gate.yaml:3: processes.0.batch: '99999999999999999999' is out of range (at most 4096)");
  expect_refused(around(plain_process, "run: {duration: -1 s}\n"),
                 "gate.yaml:4: run.duration: '-1 s' is below the minimum, 0 s");
  expect_refused(around(plain_process, "run: {duration: 0 s}\n"),
                 "gate.yaml:4: run.duration: '0 s' is not above 0 s");
  expect_refused(around(plain_process, "run: {duration: 1e200 s}\n"),
                 "gate.yaml:4: run.duration: '1e200 s' is above the maximum, 1000000 s");
  expect_refused(around(plain_process, "run: {duration: 1e999 s}\n"),
                 "gate.yaml:4: run.duration: '1e999 s' is too large for this program");
  for (const char* word : {"nan s", "inf s", ".nan", "-inf s", "-nan s"}) {
    const Loaded loaded = load_text(around(plain_process, std::string("run: {duration: ") + word + "}\n"));
    EXPECT_FALSE(loaded.scenario) << word;
    EXPECT_THAT(loaded.errors,
                HasSubstr("gate.yaml:4: run.duration: '" + std::string(word) + "' is not a time"))
        << word;
  }
}

TEST(BadScenario, unknown_device_is_answered_with_the_nearest) {
  expect_refused("device: jetson-orin-nan0\nprocesses: [{model: resnet50, precision: fp16}]\n",
                 "gate.yaml:1: device: unknown device 'jetson-orin-nan0' (did you mean 'jetson-orin-nano'?)");
  expect_refused("device: h200\nprocesses: [{model: resnet50, precision: fp16}]\n",
                 "gate.yaml:1: device: unknown device 'h200' (did you mean 'nvidia-h200'?)");
}

TEST(BadScenario, unknown_model_is_answered_with_the_nearest) {
  const auto says = [](const std::string& model, const std::string& hint) {
    expect_refused(around("model: " + model + ", precision: fp16"),
                   "gate.yaml:3: processes.0.model: unknown model '" + model + "' (" + hint);
  };
  says("resnet5O", "did you mean 'resnet50'?)");
  says("yolo26n-seg.pt", "did you mean 'yolo26n'? others are read from an .onnx file or a config.json)");
  says("Qwen/Qwen3-8B-AWQ", "did you mean 'qwen3_8b'? others are read from an .onnx file or a config.json)");
  says("mine.gguf", "jostle list models names all; others are read from an .onnx file or a config.json)");
  says("/tmp", "a language model is read from its config.json: /tmp/config.json)");
  says("xyzzy", "jostle list models names all; others are read from an .onnx file or a config.json)");
}

TEST(BadScenario, input_that_a_network_cannot_take_is_refused) {
  expect_refused(around("model: yolov8n, precision: fp16, input: 100"),
                 "gate.yaml:3: processes.0.input: an input of 100: yolov8n takes multiples of 32, such as 96 "
                 "or 128");
  expect_refused(around("model: ssd300, precision: fp16, input: 200"),
                 "gate.yaml:3: processes.0.input: the input is too small for layer 'conv11_2'");
  expect_refused(around("model: bert_tiny, precision: fp16, input: 640"),
                 "gate.yaml:3: processes.0.input: an input of 640 tokens: bert_tiny takes 1 to 512");
}

TEST(BadScenario, unknown_word_is_answered_with_the_nearest) {
  expect_refused(around("model: resnet50, precision: fp61"),
                 "gate.yaml:3: processes.0.precision: 'fp61' is not a precision (did you mean 'fp16'?)");
  expect_refused(
      around(plain_process + ", runtime: cuda_graph"),
      "gate.yaml:3: processes.0.runtime: 'cuda_graph' is not a runtime (did you mean 'cuda-graph'?)");
}

TEST(BadScenario, missing_file_of_a_network_is_named) {
  expect_refused(around("model: none.onnx, precision: fp16"),
                 "gate.yaml:3: processes.0.model: no such file 'none.onnx'");
}

TEST(BadScenario, empty_file_is_said_to_be_empty) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~\n"}) {
    expect_refused(text, "gate.yaml: the file is empty");
  }
}

TEST(BadScenario, required_key_that_is_absent_is_named) {
  expect_refused("device: nvidia-h200\n", "gate.yaml:1: processes: missing required key");
  expect_refused(around("precision: fp16"), "gate.yaml:3: processes.0.model: missing required key");
  expect_refused(around("model: resnet50"), "gate.yaml:3: processes.0.precision: missing required key");
}

TEST(BadScenario, value_that_is_absent_is_not_a_default) {
  expect_refused(around(plain_process + ", batch: "),
                 "gate.yaml:3: processes.0.batch: expected a whole number, found nothing");
  expect_refused(around(plain_process + ", batch: ~"),
                 "gate.yaml:3: processes.0.batch: expected a whole number, found nothing");
}

TEST(BadScenario, duplicate_key_names_both_lines) {
  expect_refused("device: nvidia-h200\ndevice: jetson-nano\nprocesses: []\n",
                 "gate.yaml:2: device: duplicate key in this mapping, first in line 1 (keep one of them)");
  expect_refused(around(plain_process + ", batch: 1, batch: 2"),
                 "gate.yaml:3: processes.0.batch: duplicate key in this mapping, first in line 3 "
                 "(keep one of them)");
}

TEST(BadScenario, a_million_processes_are_too_many) {
  expect_refused(around(plain_process + ", count: 1000000"),
                 "gate.yaml:3: processes.0.count: '1000000' is above the maximum, 1024");
  expect_refused(
      "device: nvidia-h200\nprocesses:\n  - &p {model: resnet50, precision: fp16, count: 1024}\n  - *p\n",
      "gate.yaml:3: processes: 2048 processes on one board, at most 1024 are allowed");
  std::string many = "device: nvidia-h200\nprocesses:\n";
  for (int i = 0; i < 1025; ++i) many += "  - {model: resnet50, precision: fp16}\n";
  expect_refused(many, "gate.yaml:3: processes: 1025 entries, but at most 1024 are allowed");
}

TEST(BadScenario, more_requests_than_one_in_a_microsecond_are_too_many) {
  expect_refused(around(plain_process + ", arrivals: {periodic: 1000000 /s, streams: 1024}"),
                 "gate.yaml:3: processes: the requests add up to 1.024e+09 /s (at most 1e+06 /s for all "
                 "processes together)");
  expect_refused(around(plain_process + ", count: 3, arrivals: {poisson: 500000 /s}"),
                 "gate.yaml:3: processes: the requests add up to 1.5e+06 /s (at most 1e+06 /s for all "
                 "processes together)");
}

TEST(BadScenario, cascades_that_multiply_without_end_are_refused) {
  const auto chain = [](int first, int second) {
    return "device: nvidia-h200\nprocesses:\n  - {model: yolov8n, precision: fp16, name: a}\n"
           "  - {model: resnet50, precision: fp16, name: b, after: a, fan_out: {mean: " +
           std::to_string(first) +
           "}}\n  - {model: mobilenet_v2, precision: fp16, after: b, fan_out: {mean: " +
           std::to_string(second) + "}}\n";
  };
  expect_refused(chain(1000, 1000),
                 "gate.yaml:5: processes.2.fan_out: each image at the start of the cascade causes 1e+06 "
                 "requests (at most 1000)");
  EXPECT_EQ(load_text(chain(40, 25)).errors, "");
}

TEST(BadScenario, a_yaml_bomb_is_refused_before_it_expands) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    bomb += name + ": &" + name + " [" + last;
    for (int j = 1; j < 10; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  const Loaded loaded = load_text(bomb);
  EXPECT_FALSE(loaded.scenario);
  EXPECT_THAT(loaded.errors,
              HasSubstr("gate.yaml:5: a4.9: more than 100000 values after expansion of aliases"));
}

TEST(BadScenario, an_alias_of_itself_is_refused) {
  expect_refused("device: &a [*a]\n", "gate.yaml:1: device.0: an alias refers to a value that contains it");
}

TEST(BadScenario, deep_nesting_is_refused) {
  const Loaded loaded = load_text("device: " + std::string(200, '[') + std::string(200, ']') + "\n");
  EXPECT_FALSE(loaded.scenario);
  EXPECT_THAT(loaded.errors, HasSubstr("nested more than 64 levels deep"));
}

TEST(BadScenario, what_yaml_allows_and_we_do_not_is_refused) {
  expect_refused("? [a, b]\n: c\n", "gate.yaml:1: a key must be a single value, not a list or a mapping");
  expect_refused("device: !!str nvidia-h200\n",
                 "gate.yaml:1: device: tags are not supported: tag:yaml.org,2002:str (remove it)");
  expect_refused("x: &x {a: 1}\n<<: *x\n",
                 "gate.yaml:2: merge keys (<<) are not supported (write the keys out)");
  expect_refused(around(plain_process) + "---\ndevice: jetson-nano\n",
                 "gate.yaml: more than one YAML document (a file must contain one document: remove "
                 "everything from --- on)");
}

TEST(BadScenario, broken_yaml_tells_the_line) {
  EXPECT_THAT(load_text("device: nvidia-h200\nprocesses: [\n").errors,
              HasSubstr("gate.yaml:3: not well-formed YAML"));
  EXPECT_THAT(load_text("device: nvidia-h200\nprocesses:\n\t- {model: resnet50}\n").errors,
              HasSubstr("(the line begins with a tab: YAML wants spaces)"));
  EXPECT_THAT(load_text(std::string("a\0b", 3)).errors,
              HasSubstr("gate.yaml: not a text file: byte 1 is zero"));
  EXPECT_THAT(load_text("device: \"\xff\xfe\"\n").errors, HasSubstr("gate.yaml:1: device: unknown device"));
}

TEST(BadScenario, files_that_are_none_are_named) {
  const auto directory = std::filesystem::path(::testing::TempDir()) / "jostle_bad_scenario";
  std::filesystem::create_directories(directory);
  const auto refused = [&](const std::string& path) {
    input::Problems problems;
    EXPECT_FALSE(load_scenario(path, small_catalogue(), {}, problems));
    return problems.text();
  };
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(directory / name, std::ios::binary) << text;
    return (directory / name).string();
  };
  EXPECT_EQ(refused(directory.string()), directory.string() + ": is a directory, not a file\n");
  const std::string none = (directory / "none.yaml").string();
  EXPECT_EQ(refused(none), none + ": no such file\n");
  const std::string empty = write("empty.yaml", "");
  EXPECT_EQ(refused(empty), empty + ": the file is empty\n");
  const std::string large = write("large.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_EQ(refused(large), large + ": larger than 1048576 bytes\n");
  EXPECT_EQ(refused(""), "'': not a valid file name\n");
}

TEST(BadScenario, every_problem_is_reported_at_once) {
  const Loaded loaded = load_text(around("model: resnet5, precision: fp61, batch: 0", "mps: 3\n"));
  EXPECT_EQ(loaded.errors,
            "gate.yaml:3: processes.0.model: unknown model 'resnet5' (did you mean 'resnet50'?)\n"
            "gate.yaml:3: processes.0.precision: 'fp61' is not a precision (did you mean 'fp16'?)\n"
            "gate.yaml:3: processes.0.batch: '0' is below the minimum, 1\n"
            "gate.yaml:4: mps: expected true or false, found '3'\n");
}

// The problems of a process, whose model may be any that ships.
std::string errors_of(const std::string& process) {
  input::Problems problems;
  (void)parse_scenario({around(process), "gate.yaml", ""}, shipped_catalogue(), {}, problems);
  return problems.text();
}

TEST(BadScenario, a_precision_of_two_meanings_is_answered_with_both) {
  EXPECT_THAT(errors_of("model: resnet50, precision: bf16"),
              HasSubstr("'bf16' is not a precision (did you mean 'fp16' or 'fp32'?)"));
  EXPECT_THAT(errors_of("model: qwen3_8b, precision: w4a16, runtime: vllm"),
              HasSubstr("'w4a16' is not a precision of weights (did you mean 'awq' or 'gptq'?)"));
  EXPECT_THAT(errors_of("model: qwen3_8b, precision: FP4, runtime: vllm"),
              HasSubstr("'FP4' is not a precision of weights (did you mean 'nvfp4' or 'mxfp4'?)"));
}

TEST(Scenario, reads_models_and_precisions_as_their_makers_write_them) {
  const auto read = [](const std::string& process) {
    input::Problems problems;
    const auto scenario =
        parse_scenario({around(process), "gate.yaml", ""}, shipped_catalogue(), {}, problems);
    if (!scenario) return problems.text();
    const ProcessEntry& entry = scenario->processes.front();
    return model_name(entry.work.model) + " " + precision_name(entry).value_or("");
  };
  EXPECT_EQ(read("model: YOLO26n, precision: FP16"), "yolo26n fp16");
  EXPECT_EQ(read("model: sam2.1_t.pt, precision: half"), "sam2_hiera_tiny fp16");
  const std::string asked = ", generate: {prompt: 64, tokens: 8}";
  EXPECT_EQ(read("model: Qwen/Qwen3-8B, precision: Q4_K_M, runtime: llama.cpp" + asked), "qwen3_8b q4_k_m");
  EXPECT_EQ(read("model: 'llama3.2:3b', precision: bf16, runtime: llama.cpp" + asked), "llama3.2_3b fp16");
  EXPECT_EQ(read("model: google/gemma-3-4b-it, precision: int4_awq, runtime: vllm" + asked), "gemma3_4b awq");
}

TEST(BadScenario, key_of_another_kind_is_answered_with_the_kinds_that_have_it) {
  const std::string language = "model: qwen2.5_1.5b, precision: q4_k_m, bench: {tg: 8}",
                    kernels = "model: {kernels: 1, duration: 1 us, blocks: 1, threads: 1}";
  const auto refused = [](const std::string& inner, const std::string& problem) {
    EXPECT_EQ(errors_of(inner), "gate.yaml:3: processes.0." + problem + "\n");
  };
  refused(language + ", training: true", "training: a language model has no key 'training' (network has it)");
  refused(language + ", stages: []",
          "stages: a language model has no key 'stages' (network, equal kernels have it)");
  refused(plain_process + ", users: 2", "users: a network has no key 'users' (language model has it)");
  refused(kernels + ", input: 224", "input: a model of equal kernels has no key 'input' (network has it)");
  refused(plain_process + ", duty: 5 %", "duty: a network has no key 'duty' (load has it)");
  refused("instances: [{" + plain_process + "}], batch: 2",
          "batch: a process with instances has no key 'batch' (each instance has it)");
  refused("instances: [{" + plain_process + "}], layers: [0, 2]",
          "layers: a process with instances has no key 'layers' (a process with a model has it)");
  refused("instances: [{" + plain_process + ", nice: 2}]",
          "instances.0.nice: an instance has no key 'nice' (its process has it, for all instances)");
  refused("load: busy, batch: 2",
          "batch: a load has no key 'batch' (network, language model, equal kernels have it)\n"
          "gate.yaml:3: processes: only loads (at least one process with a model is needed)");
}

TEST(BadScenario, typo_beside_a_key_of_another_kind_is_answered_with_the_nearest) {
  EXPECT_EQ(errors_of("model: qwen2.5_1.5b, precision: q4_k_m, bench: {tg: 8}, training: true, usrs: 2"),
            "gate.yaml:3: processes.0.training: a language model has no key 'training' (network has it)\n"
            "gate.yaml:3: processes.0.usrs: unknown key (did you mean 'users'?)\n");
}

TEST(BadScenario, keys_that_contradict_each_other_are_refused) {
  expect_refused(around(plain_process, "run: {duration: 4 s, until: {relative_error: 1 %}}\n"),
                 "gate.yaml:4: run.until: cannot be combined with duration (keep one of the two)");
  expect_refused(around(plain_process, "host_cores: 3\ncpus: [1, 2]\n"),
                 "gate.yaml:5: cpus: cannot be combined with host_cores (keep one of the two)");
  expect_refused(around(plain_process, "mps: true\nsharing: time-slicing\n"),
                 "gate.yaml:5: sharing: contradicts mps: true (keep one of the two)");
  expect_refused(around(plain_process, "sharing: mps\nmps: false\n"),
                 "gate.yaml:4: sharing: contradicts mps: false (keep one of the two)");
  expect_refused(around(plain_process + ", cpus: [1, 1]"),
                 "gate.yaml:3: processes.0.cpus.1: '1' is listed twice");
  expect_refused(
      around(plain_process + ", arrivals: {poisson: 3 /s, periodic: 3 /s}"),
      "gate.yaml:3: processes.0.arrivals: exactly one of periodic, poisson, trace and clients is needed");
  expect_refused(around(plain_process + ", arrivals: {poisson: 3 /s, phase: 1 ms}"),
                 "gate.yaml:3: processes.0.arrivals.phase: `phase` needs `periodic`");
  expect_refused(around(plain_process + ", placement: cpu, runtime: tensorrt"),
                 "gate.yaml:3: processes.0.runtime: runtime tensorrt cannot run with placement: cpu (cpu, "
                 "tflite, ncnn, executorch, onnxruntime-cpu or torch)");
}

TEST(BadOverride, names_the_option_and_not_the_file) {
  const std::string text = around(plain_process);
  expect_refused(text, "--set processes.0.batch=-4: processes.0.batch: '-4' is below the minimum, 1",
                 {"processes.0.batch=-4"});
  expect_refused(text, "--set processes.0.bach=4: processes.0.bach: unknown key (did you mean 'batch'?)",
                 {"processes.0.bach=4"});
  expect_refused(text,
                 "--set processes.7.batch=4: processes: '7' is not an index of its 1 entries (the last is 0)",
                 {"processes.7.batch=4"});
  expect_refused(text, "--set device.name=x: device: 'nvidia-h200' has no sub-keys", {"device.name=x"});
  expect_refused(text, "--set batch: expected KEY=VALUE (for example --set processes.0.batch=4)", {"batch"});
  expect_refused(text, "--set run.seed=: run.seed: the value is empty", {"run.seed="});
  EXPECT_THAT(load_text(text, {"run={seed"}).errors, HasSubstr("--set run={seed"));
}

TEST(ArrivalTrace, reads_plain_lines_and_csv) {
  input::Problems problems;
  const std::vector<sim::Time> expected{sim::Time(0), sim::Time(500'000'000'000),
                                        sim::Time(1'500'000'000'000)};
  EXPECT_EQ(parse_arrival_trace("0\n0.5\n1.5\n", "t", problems), expected);
  EXPECT_EQ(parse_arrival_trace("camera,time_s\r\na,0\r\nb,0.5\r\nc,1.5\r\n", "t.csv", problems), expected);
  EXPECT_TRUE(problems.empty()) << problems.text();
}

TEST(ArrivalTrace, refuses_what_is_truncated_garbled_or_unsorted_with_its_line) {
  const auto refused = [](const std::string& text) {
    input::Problems problems;
    EXPECT_FALSE(parse_arrival_trace(text, "t.csv", problems));
    return problems.text();
  };
  EXPECT_EQ(refused("0.1\n0.2\n0."), "t.csv:3: the last line has no newline: the file is truncated\n");
  EXPECT_EQ(refused("0.1\n0.x\n"),
            "t.csv:2: '0.x' is not a time in seconds (one decimal number a line, for example 0.025)\n");
  EXPECT_EQ(refused("0.1\nnan\n"),
            "t.csv:2: 'nan' is not a time in seconds (one decimal number a line, for example 0.025)\n");
  EXPECT_EQ(refused("0.2\n0.1\n"),
            "t.csv:2: '0.1' is before the arrival above it (sort the trace by time)\n");
  EXPECT_EQ(refused("a,time_s\nx,1\ny\n"), "t.csv:3: 1 fields where the header has 2\n");
  EXPECT_EQ(refused("times\n1\n"),
            "t.csv:1: neither a time in seconds nor a header with a column 'time_s'\n");
  EXPECT_EQ(refused("time_s\n"), "t.csv:1: the trace holds no arrival\n");
  EXPECT_EQ(refused("-1\n"), "t.csv:1: '-1' is not between 0 and 1000000 s\n");
  EXPECT_EQ(refused(""), "t.csv:1: the file is empty\n");
}

TEST(ArrivalTrace, is_sought_beside_the_scenario) {
  const auto directory = std::filesystem::path(::testing::TempDir()) / "jostle_arrivals";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "times.txt") << "0.25\n0.5\n";
  const std::string text = around(plain_process + ", arrivals: {trace: times.txt}");
  const Loaded loaded = load_text(text, {}, directory.string());
  ASSERT_EQ(loaded.errors, "");
  EXPECT_EQ(loaded.scenario->processes[0].arrivals.times.size(), 2U);
  const std::string before = scenario_hash(*loaded.scenario);
  std::ofstream(directory / "times.txt") << "0.25\n0.75\n";
  EXPECT_NE(scenario_hash(*load_text(text, {}, directory.string()).scenario), before);
  EXPECT_THAT(
      load_text(around(plain_process + ", arrivals: {trace: none.txt}"), {}, directory.string()).errors,
      HasSubstr("none.txt: no such file"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
