// Is it true: questions of practitioners in public threads, as scenarios of our own, and the cause that each
// thread found. explain() must name it among the first three changes. docs/explain.md has the table.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyses/explain/explain.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

struct Thread {
  const char* source;
  const char* scenario;
  // Names of changes that take the cause away: one of them must lead, or show the critical resource, as for
  // stages, which nobody can do without.
  std::vector<std::string> causes;
};

// Where a thread omits a size, a mode or the time of a stage, the scenario assumes it. Threads without a
// cause, and those about several launching threads of one process, are not here.
const std::vector<Thread>& threads() {
  static const std::vector<Thread> all{
      {"tkDNN#248: MAXN is 1.37 times 30 W",
       "device: jetson-agx-xavier\npower_mode: 30W_ALL\njetson_clocks: true\n"
       "processes: [{model: yolov4_tiny, precision: fp16}]\n",
       {"next-power-mode", "faster-cores-mode"}},
      {"tensorrt_demos#403: OpenCV and Python around the engine",
       "device: jetson-nano\npower_mode: MAXN\njetson_clocks: true\n"
       "processes: [{model: yolov4_tiny, precision: fp16, stages: {before: [{name: opencv, time: 25 ms}], "
       "after: [{name: draw, time: 15 ms}]}}]\n",
       {"double-host-speed"}},
      {"tensorrt_demos#392: without 10W and locked clocks",
       "device: jetson-nano\npower_mode: 5W\n"
       "processes: [{model: yolov4_tiny, precision: fp16, stages: {before: [{name: opencv, time: 25 ms}], "
       "after: [{name: draw, time: 15 ms}]}}]\n",
       {"next-power-mode", "pinned-clocks"}},
      {"Deep-Learning-Accelerator-SW#29: one of two DLAs is used",
       "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\n"
       "processes: [{model: resnet50, precision: int8, batch: 2, placement: dla0}]\n",
       {"both-dlas"}},
      {"ultralytics#17690, DeepStream-Yolo#601, TensorRT#3148: layers fall back from the DLA",
       "device: jetson-orin-nx-16gb\npower_mode: MAXN\njetson_clocks: true\n"
       "processes: [{model: yolo11s, precision: fp16, placement: dla0}]\n",
       {"placement-gpu"}},
      {"inference#687: the container's quota of cores",
       "device: jetson-orin-nano\npower_mode: 15W\nprocesses:\n"
       "  - {model: yolov8n, precision: fp16, runtime: onnxruntime-tensorrt, count: 2, "
       "container: {name: docker, cpus: 1}, stages: {before: [{name: decode, time: 12 ms}, "
       "{name: preprocess, time: 8 ms}], after: [{name: nms, time: 6 ms}, {name: serialise, time: 8 ms}]}}\n",
       {"no-quota"}},
      {"ollama#17916: eight threads on a cpuset of four cores",
       "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\nprocesses: [{model: "
       "llama3.2_3b, "
       "precision: q4_k_m, runtime: ollama, gpu_layers: 0, threads: 8, bench: {tg: 64}, cpus: [0, 1, 2, "
       "3]}]\n"
       "run: {duration: 20 s}\n",
       {"threads"}},
      {"llmman#322: more threads than the quota of the container",
       "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\nprocesses: [{model: qwen3_0.6b, "
       "precision: q4_k_m, runtime: ollama, gpu_layers: 0, threads: 8, bench: {tg: 64}, "
       "container: {name: c, cpus: 2}}]\n",
       {"threads"}},
      {"two detectors of four threads each on four cores",
       "device: raspberry-pi-5\nprocesses: [{model: yolo11n, precision: fp16, runtime: ncnn, input: 480, "
       "threads: "
       "4, count: 2, arrivals: {periodic: 10 /s, queue: {limit: 1, drop: oldest}}}]\n",
       {"threads"}},
      {"llmman#485: many more threads than the quota of the container",
       "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\nprocesses: [{model: qwen3_0.6b, "
       "precision: q4_k_m, runtime: ollama, gpu_layers: 0, threads: default, bench: {tg: 64}, "
       "container: {name: c, cpus: 2}}]\nrun: {duration: 20 s}\n",
       {"threads"}},
      {"text-embeddings-inference#170: eight threads in a container of two CPUs",
       "device: intel-xeon-processor\nprocesses: [{model: bert_base, precision: fp32, placement: cpu, "
       "threads: "
       "8, container: {name: c, cpus: 2}}]\n",
       {"threads"}},
      {"Diffusion-Planner#426: default pools of sixteen sessions on one GPU",
       "device: nvidia-h200\nprocesses: [{model: {kernels: 200, duration: 4 us, blocks: 8, threads: 256}, "
       "runtime: onnxruntime, count: 16, threads: default, stages: [{name: simulation, time: 10 ms}, "
       "infer]}]\n",
       {"threads"}},
      {"inference#687: the stages around the engine",
       "device: jetson-orin-nano\npower_mode: 15W\nprocesses:\n"
       "  - {model: yolov8n, precision: fp16, runtime: onnxruntime-tensorrt, stages: "
       "{before: [{name: decode, time: 12 ms}, {name: preprocess, time: 8 ms}], "
       "after: [{name: nms, time: 6 ms}, {name: serialise, time: 8 ms}]}}\n",
       {"double-host-speed"}},
      {"TensorRT#2107, onnxruntime#17711, ultralytics#18856: slower after a pause",
       "device: jetson-orin-nano\npower_mode: 15W\n"
       "processes: [{model: yolov8n, precision: fp16, arrivals: {periodic: 1 /s}}]\nrun: {duration: 120 s}\n",
       {"pinned-clocks"}},
      {"NanoLLM#38: TinyLlama on an Orin NX below MAXN",
       "device: jetson-orin-nx-16gb\npower_mode: 15W\n"
       "processes: [{model: tinyllama_1.1b, precision: int4, runtime: mlc, generate: {prompt: 512, tokens: "
       "64}}]\nrun: {duration: 20 s}\n",
       {"next-power-mode", "faster-cores-mode"}},
      {"jetson-containers#412: a 7B model on an AGX Orin 32 GB in 30W",
       "device: jetson-agx-orin-32gb\npower_mode: 30W\n"
       "processes: [{model: qwen2.5_7b, precision: int4, runtime: mlc, generate: {prompt: 16, tokens: "
       "128}}]\n"
       "run: {duration: 30 s}\n",
       {"next-power-mode", "faster-cores-mode"}},
      {"jetson-containers#617: OpenVLA 0.9 to 2.7 /s from 30W to MAXN",
       "device: jetson-agx-orin-64gb\npower_mode: 30W\n"
       "processes: [{model: qwen2.5_7b, precision: int4, runtime: mlc, generate: {prompt: 280, tokens: 7}}]\n"
       "run: {duration: 30 s}\n",
       {"next-power-mode", "faster-cores-mode"}},
      {"ultralytics#23750: 10 to 12 ms where 5 were expected",
       "device: jetson-agx-orin-64gb\npower_mode: MAXN\n"
       "processes: [{model: yolo11s, precision: fp16, arrivals: {periodic: 10 /s}}]\nrun: {duration: 10 s}\n",
       {"pinned-clocks"}},
      {"DeepStream-Yolo#450: five streams of yolov8s 1080 in fp32",
       "device: jetson-orin-nano\npower_mode: 15W\n"
       "processes: [{model: yolov8s, precision: fp32, input: 1088, batch: 5}]\nrun: {duration: 20 s}\n",
       {"precision-fp16"}},
      {"yolo-tensorrt#164, FastMOT#172: 15W with 2 fast cores is better than with 6 slow ones",
       "device: jetson-xavier-nx\npower_mode: 15W_6CORE\n"
       "processes: [{model: yolov4_tiny, precision: fp16, stages: {before: [{name: resize, time: 10 ms}], "
       "after: [{name: tracker, time: 20 ms}]}}]\n",
       {"faster-cores-mode"}},
      {"darknet#8692: one core is online",
       "device: jetson-xavier-nx\npower_mode: 15W_6CORE\njetson_clocks: true\nclocks: {cores: 1}\n"
       "processes: [{model: yolov4_tiny, precision: fp32, runtime: libtorch, stages: "
       "{before: [{name: resize, time: 15 ms}]}}, {name: fetch, load: busy}]\n",
       {"one-core-more", "all-cores"}},
      {"two threads, frames fall after minutes: heat",
       "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\nambient: 45 degC\nfan: false\n"
       "processes: [{model: yolov8s, precision: fp16}]\nrun: {thermal: equilibrium, duration: 20 s}\n",
       {"no-limits", "fan", "cooler-air"}},
  };
  return all;
}

TEST(Threads, the_cause_that_was_found_is_among_the_first_three_in_85_percent) {
  std::size_t named = 0;
  for (const Thread& thread : threads()) {
    const Scenario scenario = scenario_of(thread.scenario, nullptr, {});
    const Explanation explanation = explain({.scenario = scenario, .directory = "", .what_ifs = {}}, {});
    std::vector<std::string> first;
    bool found = false;
    for (const std::size_t index : explanation.leading) {
      const Tried& tried = explanation.tried[index];
      first.push_back(fmt::format("{} {:+.0f} %", tried.what_if.label, 100 * tried.worth.relative_gain()));
      found = found || std::ranges::find(thread.causes, tried.what_if.name) != thread.causes.end();
    }
    if (explanation.critical && explanation.critical->what_if) {
      const WhatIf& shown = explanation.tried[*explanation.critical->what_if].what_if;
      found = found || std::ranges::find(thread.causes, shown.name) != thread.causes.end();
    }
    named += found ? 1 : 0;
    fmt::print("{} {}: {}\n", found ? "named " : "missed", thread.source, fmt::join(first, ", "));
  }
  EXPECT_GE(static_cast<double>(named), 0.85 * static_cast<double>(threads().size()))
      << named << " of " << threads().size();
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
