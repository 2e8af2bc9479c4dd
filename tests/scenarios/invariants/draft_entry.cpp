#include "tests/scenarios/invariants/draft_entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "models/board/spec.hpp"
#include "models/gpu/partitions.hpp"
#include "models/process/co_runner.hpp"
#include "models/process/weight_formats.hpp"

namespace jostle::scenarios::testing {
namespace {

using process::Runtime;

std::string model(Dice& dice) {
  return "model: " +
         dice.of<std::string>({"resnet50", "resnet50", "mobilenet_v2", "resnet18", "alexnet", "yolov8n",
                               "bert_tiny", "ssd300", "yolov4_tiny", "fcn_resnet50", "vgg16"});
}

std::string equal_kernels(Dice& dice) {
  const int kernels = dice.number(1, 200), us = dice.number(2, 500), blocks = dice.number(1, 500);
  const std::string pace = dice.one_in(3) ? fmt::format(", pace: {} us", dice.number(5, 200)) : "";
  const std::string bytes = dice.one_in(4) ? fmt::format(", bytes: {} kB", dice.number(1, 4000)) : "";
  Dice own = dice;  // a copy, as in partition()
  const std::string pipes = own.one_in(4) ? fmt::format(", pipes: {} %", 10 * own.number(1, 10)) : "";
  return fmt::format("model: {{kernels: {}, duration: {} us, blocks: {}, threads: 128{}{}{}}}", kernels, us,
                     blocks, pace, bytes, pipes);
}

// Layers of products, as benchmarks of a peak have.
Words dense_products(Dice& dice) {
  const int size = dice.of<int>({1024, 4096, 8192});
  return {fmt::format("model: {{products: {}, layers: {}}}", size, dice.number(1, 8)),
          "precision: " + dice.of<std::string>({"fp16", "fp32", "tf32"})};
}

std::string queue(Dice& dice) {
  const int limit = dice.number(1, 5);
  return dice.one_in(3) ? fmt::format("queue: {{limit: {}, drop: oldest}}", limit)
                        : fmt::format("queue: {}", limit);
}

std::string arrivals(Dice& dice, bool gathers) {
  std::string rate = fmt::format("{}", dice.of<int>({1, 5, 15, 30, 60, 100, 300, 1000}));
  Dice own = dice;  // a copy, so that the other keys stay as they are
  if (own.one_in(8)) rate = own.of<std::string>({"0.1", "0.5", "1"});
  Words parts;
  if (dice.one_in(2)) {
    parts.push_back(fmt::format("poisson: {} /s", rate));
  } else {
    parts.push_back(fmt::format("periodic: {} /s", rate));
    if (dice.one_in(4))
      parts.push_back(fmt::format("streams: {}", dice.number(2, 6)));
    else if (dice.one_in(4))
      parts.emplace_back("phase: 1 ms, drift: 0 ppm");
  }
  if (dice.one_in(4)) parts.push_back(queue(dice));
  if (gathers && dice.one_in(2)) parts.emplace_back("dynamic_batching: true");
  return fmt::format("arrivals: {{{}}}", fmt::join(parts, ", "));
}

// The same arrivals as queries of several requests, where these can be.
void make_burst(Dice& dice, std::string& arrivals) {
  if (arrivals.find("queue") != std::string::npos || arrivals.find("batching") != std::string::npos) return;
  arrivals.insert(arrivals.rfind('}'), fmt::format(", burst: {}", dice.number(2, 12)));
}

// Makes the source of a process that serves one request after the other poll now and then.
void make_poll(Dice& dice, Words& keys) {
  const auto starts = [&](const char* key) {
    return std::ranges::find_if(keys, [&](const std::string& it) { return it.starts_with(key); });
  };
  for (const char* key : {"streams", "overlap", "max_queue_delay"})
    if (starts(key) != keys.end()) return;
  const auto come = starts("arrivals");
  if (come == keys.end() || !dice.one_in(6)) return;
  come->insert(come->rfind('}'), fmt::format(", wait: {{poll: {}}}",
                                             dice.of<std::string>({"100 us", "1 ms", "100 us, work: 8 us"})));
}

// Requests that wait for answers.
std::string clients(Dice& dice) {
  const int count = dice.number(1, 6), ms = dice.of<int>({0, 1, 5, 30});
  const std::string think =
      dice.one_in(2) ? fmt::format("{} ms", ms) : fmt::format("{{exponential: {} ms}}", ms);
  return fmt::format("arrivals: {{clients: {}, think: {}}}", count, think);
}

// Batches of requests that wait.
std::string queue_delay(Dice& dice) {
  return fmt::format("max_queue_delay: {} ms", dice.of<int>({0, 0, 1, 2, 5}));
}

// Both or neither: only requests can wait.
std::string gathered(Dice& dice) {
  const std::string come = arrivals(dice, false);
  return come + ", " + queue_delay(dice);
}

std::string stages(Dice& dice, const board::DeviceSpec& device, bool cores) {
  if (device.engines.pixels_per_s[media::index_of(media::Kind::nvdec)] > 0 && dice.one_in(3))
    return "stages: {before: [{name: decode, on: nvdec, size: 1920x1080}]}";
  Dice own = dice;  // a copy, so that the other keys stay as they are
  const int slow = own.one_in(4) ? 100 : 1;
  if (cores || dice.one_in(2))
    return fmt::format("stages: {{before: [{{name: decode, time: {} ms}}]}}", slow * dice.number(1, 20));
  return fmt::format(
      "stages: {{before: [{{name: scale, on: gpu, time: 1 ms}}], "
      "after: [{{name: boxes, time: {} ms}}]}}",
      dice.number(1, 20));
}

// How its threads are scheduled: as the kernel does by default, or in a container, or before all others.
Words threads(Dice& dice, std::size_t index) {
  if (dice.one_in(16)) return {fmt::format("policy: {{fifo: {}}}", dice.number(1, 99))};
  Words keys;
  if (dice.one_in(8)) keys.push_back(fmt::format("nice: {}", dice.of<int>({-5, 5, 10})));
  if (dice.one_in(6)) {
    const std::string limits = dice.one_in(2)
                                   ? fmt::format(", cpus: {}", dice.of<double>({0.05, 0.3, 0.7, 1.5}))
                                   : fmt::format(", shares: {}", dice.of<int>({128, 512, 4096}));
    keys.push_back(fmt::format("container: {{name: c{}{}}}", index, limits));
  } else if (index > 0 && dice.one_in(12)) {
    keys.push_back(fmt::format("container: {{name: c{}}}", index - 1));  // the one before, where it is in one
  }
  return keys;
}

std::string synchronised(Dice& dice) {
  return "sync: " + dice.of<std::string>({"spin", "yield", "blocking", "auto"});
}

// Images that are no squares, where the network takes them. `dice` is a copy, so that the other keys of a
// scenario stay as they are.
void make_rectangle(Dice dice, Words& keys) {
  constexpr std::array takes{"resnet50", "mobilenet_v2", "resnet18",
                             "yolov8n",  "yolov4_tiny",  "fcn_resnet50"};
  const bool can =
      std::ranges::any_of(takes, [&](const std::string& name) { return keys.front() == "model: " + name; });
  if (can && dice.one_in(8))
    keys.push_back("input: " + dice.of<std::string>({"640x384", "256x512", "320x192"}));
}

// Its share of the GPU beside others.
Words turns(Dice& dice, const Place& place) {
  Words keys;
  if (place.mps) {
    if (dice.one_in(2)) keys.push_back(fmt::format("mps_threads: {} %", 10 * dice.number(1, 10)));
    Dice own = dice;  // a copy, as in partition()
    if (own.one_in(4)) keys.push_back("mps_memory: " + own.of<std::string>({"100 MB", "4 GB"}));
    return keys;
  }
  if (dice.one_in(10)) keys.push_back(fmt::format("gpu_timeslice: {} ms", dice.number(1, 8)));
  if (dice.one_in(10)) keys.push_back("gpu_interleave: " + dice.of<std::string>({"low", "medium", "high"}));
  return keys;
}

// SMs of its own: so few that a GPU whose mode powers half of its SMs has them too. `dice` is a copy, so that
// the other keys of a scenario stay as they are.
Words partition(Dice dice, const Place& place) {
  const bool can = place.device.has_gpu() && !place.mps && gpu::partition_sizes(place.device.gpu);
  if (!can || !dice.one_in(8)) return {};
  return {"sm_partition: " + dice.of<std::string>({"1", "4", "rest"})};
}

std::string priority(Dice& dice) {
  return "priority: " + dice.of<std::string>({"high", "normal", "low"});
}

void take_over(Words& keys, Words more) {
  std::ranges::move(more, std::back_inserter(keys));
}

// Where and by what a network runs, and whether it may have several streams there.
struct Network {
  Words keys = {};
  bool streams = false;
  bool cores = false;
  Words precisions = {"fp16", "fp16", "int8", "fp32", "tf32"};
};

// As many threads as the library opens, or more than some boards have cores.
std::string any_threads(Dice& dice) {
  return dice.one_in(2) ? "threads: default" : fmt::format("threads: {}", dice.number(3, 8));
}

Network on_cores(Dice& dice, const board::DeviceSpec& device) {
  Network network{.cores = true, .precisions = {"fp16", "int8", "fp32"}};
  std::vector<std::string> names{"placement: cpu"};
  for (const Runtime runtime : {Runtime::tflite, Runtime::ncnn, Runtime::executorch, Runtime::torch})
    if (device.runtimes[runtime]) names.push_back(fmt::format("runtime: {}", to_string(runtime)));
  network.keys.push_back(dice.of(names));
  Dice own = dice;  // a copy, so that other keys stay as they are
  const int few = dice.one_in(2) ? dice.number(1, 2) : 0;
  if (own.one_in(3))
    network.keys.push_back(any_threads(own));
  else if (few > 0)
    network.keys.push_back(fmt::format("threads: {}", few));
  return network;
}

Network placed(Dice& dice, const board::DeviceSpec& device) {
  const bool on_cpu = !device.has_gpu() || dice.one_in(12);
  if (on_cpu && device.runtimes[Runtime::cpu]) return on_cores(dice, device);
  if (device.dla.count > 0 && dice.one_in(5))
    return {.keys = {fmt::format("placement: dla{}", dice.number(0, device.dla.count - 1))},
            .precisions = {"fp16", "int8"}};
  Network network{.streams = true};
  if (dice.one_in(12)) network.keys.emplace_back("placement: cuda-only");
  const auto runtime = dice.of<std::string>(
      {"tensorrt", "tensorrt", "cuda-graph", "eager", "libtorch", "onnxruntime", "onnxruntime-tensorrt"});
  network.keys.push_back("runtime: " + runtime);
  if (network.keys.size() == 1 && runtime.ends_with("tensorrt")) {  // on tensor cores too
    if (device.gpu.tensor_cores.fp8 > 0) network.precisions.emplace_back("fp8");
    if (device.gpu.tensor_cores.nvfp4 > 0) network.precisions.emplace_back("nvfp4");
  }
  if (runtime == "tensorrt" && dice.one_in(4)) network.keys.emplace_back("cuda_graph: true");
  if ((runtime == "tensorrt" || runtime.starts_with("onnxruntime")) && dice.one_in(4))
    network.keys.emplace_back("transfers: none");
  if (runtime.starts_with("onnxruntime")) {
    network.streams = false;
    Dice own = dice;  // a copy, so that other keys stay as they are
    if (own.one_in(3)) network.keys.push_back(any_threads(own));
  }
  if (runtime != "eager") return network;
  if (dice.one_in(3)) {
    network.keys.emplace_back("training: true");
    network.precisions = {"fp16", "fp32", "tf32"};
    network.streams = false;
  }
  if (dice.one_in(4)) network.keys.emplace_back("graph: static");
  return network;
}

DraftEntry one_network(Dice& dice, const Place& place) {
  const board::DeviceSpec& device = place.device;
  DraftEntry entry;
  Words& keys = entry.keys;
  Network network{.streams = true};
  if (device.has_gpu() && dice.one_in(5)) {
    keys.push_back(equal_kernels(dice));
    Dice own = dice;  // a copy, as in partition()
    if (own.one_in(4)) keys = dense_products(own);
    keys.push_back("runtime: " + dice.of<std::string>({"tensorrt", "cuda-graph", "eager"}));
  } else {
    keys.push_back(model(dice));
    network = placed(dice, device);
    keys.push_back("precision: " + dice.of(network.precisions));
    take_over(keys, network.keys);
  }
  int batch = dice.of<int>({1, 1, 1, 2, 4, 8, 16});
  if (batch > 1 && keys.front().starts_with("model: {products")) batch *= 256;
  if (batch > 1) keys.push_back(fmt::format("batch: {}", batch));
  const bool several = network.streams && !place.linked && dice.one_in(3);
  if (several) keys.push_back(fmt::format("streams: {}", dice.number(2, 4)));
  Dice own = dice;  // a copy, so that other keys stay as they are
  if (several && own.one_in(3)) keys.emplace_back("host_threads: 2");
  if (dice.one_in(3)) keys.push_back(fmt::format("count: {}", dice.number(2, several ? 2 : 4)));
  if (dice.one_in(3)) keys.push_back(synchronised(dice));
  if (several && dice.one_in(3)) keys.push_back(priority(dice));
  if (dice.one_in(2)) {
    const bool forms = network.streams && !place.linked && batch > 1 && dice.one_in(2);
    keys.push_back(arrivals(dice, batch > 1 && !forms));
    if (!place.linked && own.one_in(6)) keys.back() = clients(own);
    if (own.one_in(8)) make_burst(own, keys.back());
    if (forms) keys.push_back(queue_delay(dice));
  }
  if (dice.one_in(8)) {
    keys.push_back(stages(dice, device, network.cores || !network.streams));
    if (network.streams && !place.linked && dice.one_in(2))
      keys.push_back(fmt::format("overlap: {}", dice.number(1, 4)));
  }
  if (!place.linked) make_poll(own, keys);
  if (!network.cores) take_over(keys, turns(dice, place));
  if (network.streams) take_over(keys, partition(dice, place));
  make_rectangle(dice, keys);
  take_over(keys, threads(dice, place.index));
  return entry;
}

// A detector, and mostly a classifier of what it finds, or another network beside it.
DraftEntry several_networks(Dice& dice, const Place& place) {
  const std::string detector = fmt::format("d{}", place.index);
  DraftEntry entry;
  entry.keys.push_back("runtime: " + dice.of<std::string>({"tensorrt", "cuda-graph"}));
  const bool engine = entry.keys[0] == "runtime: tensorrt";
  if (dice.one_in(2)) entry.keys.push_back(synchronised(dice));
  const auto instance = [&] {
    Words keys{model(dice), "precision: " + dice.of<std::string>({"fp16", "fp16", "int8"})};
    if (dice.one_in(3)) keys.push_back(fmt::format("count: {}", dice.number(2, 3)));
    if (dice.one_in(3)) keys.push_back(priority(dice));
    return keys;
  };
  Words first = instance();
  first.push_back("name: " + detector);
  take_over(first, partition(dice, place));
  if (!dice.one_in(3)) first.push_back(arrivals(dice, false));
  entry.instances.push_back(first);
  if (!dice.one_in(3)) {
    Words second = instance();
    second.push_back(fmt::format("batch: {}", dice.of<int>({1, 4, 8})));
    second.push_back("after: " + detector);
    if (dice.one_in(2))
      second.push_back(dice.one_in(2) ? "fan_out: {mean: 2, distribution: fixed}" : "fan_out: {mean: 2.5}");
    if (dice.one_in(3)) second.push_back(queue(dice));
    if (dice.one_in(2)) second.push_back(queue_delay(dice));
    entry.instances.push_back(second);
  }
  if (dice.one_in(2)) {
    Words third = instance();
    if (engine && place.device.dla.count > 0 && dice.one_in(2))
      third.emplace_back("placement: dla0");
    else if (dice.one_in(2))
      third.push_back("batch: 4, " + gathered(dice));
    entry.instances.push_back(third);
  }
  take_over(entry.keys, turns(dice, place));
  take_over(entry.keys, threads(dice, place.index));
  return entry;
}

// Makes conversations of its requests, which are behind the keys of `generate`.
void converse(Dice& dice, Words& keys) {
  const bool comes = keys.back().starts_with("arrivals");
  const auto generate =
      std::ranges::find_if(keys, [](const std::string& it) { return it.starts_with("generate"); });
  const std::string more = comes ? fmt::format("count: {}", dice.number(1, 5))
                                 : fmt::format("think: {} ms", dice.of<int>({0, 20, 500}));
  generate->insert(generate->rfind('}'), fmt::format(", sessions: {{turns: {}, {}}}{}", dice.number(2, 4),
                                                     more, dice.one_in(3) ? "" : ", reuse: session"));
}

// Makes it a model with experts, of some of whose blocks the cores compute them. A draft of it is left out,
// since it has another vocabulary.
void with_experts(Dice& dice, Words& keys) {
  keys.front() = "model: olmoe_1b_7b";
  keys[1] = "precision: q4_k_m";
  std::erase_if(keys, [](const std::string& it) { return it.starts_with("draft"); });
  for (std::string& key : keys)
    if (key.starts_with("gpu_layers")) key = fmt::format("gpu_layers: {}", dice.number(0, 17));
  keys.push_back(dice.one_in(3) ? "cpu_moe: all" : fmt::format("cpu_moe: {}", dice.number(0, 16)));
}

DraftEntry language_model(Dice& dice, const Place& place) {
  DraftEntry entry;
  Words& keys = entry.keys;
  const auto model = dice.of<std::string>({"smollm2_135m", "smollm2_360m", "qwen2.5_0.5b"});
  keys.push_back("model: " + model);
  keys.push_back("precision: " + dice.of<std::string>({"fp16", "q4_k_m", "q8_0"}));
  const auto drawn = dice.of<std::string>({"llama.cpp", "llama.cpp", "cuda-graph", "tensorrt-llm", "mlc"});
  const std::string runtime = place.device.has_gpu() ? drawn : "llama.cpp";
  keys.push_back("runtime: " + runtime);
  // The draws of two keys that are gone, so that other keys stay as they are.
  if (runtime != "cuda-graph") (void)dice.one_in(4);
  if (runtime == "llama.cpp") (void)dice.one_in(4);
  Dice own = dice;  // a copy, for the same reason
  if (runtime != "llama.cpp") {
    const auto row = std::ranges::find(process::runtimes, runtime, &process::RuntimeTraits::name);
    const auto formats = process::formats_read(row->runtime, place.device.gpu);
    Dice drawing = own;
    const int choice = drawing.number(0, static_cast<int>(formats.size()) - 1);
    keys[1] = fmt::format("precision: {}", formats[static_cast<std::size_t>(choice)]);
  }
  Dice cores = own;
  const bool on_cores =
      runtime == "llama.cpp" && place.device.language && (!place.device.has_gpu() || cores.one_in(5));
  if (on_cores) {
    keys.emplace_back("placement: cpu");
    if (cores.one_in(2)) keys.push_back(any_threads(cores));
  } else if (runtime == "llama.cpp" && place.device.runtimes[Runtime::cpu] && own.one_in(3)) {
    keys.push_back(fmt::format("gpu_layers: {}", own.number(0, 25)));
    if (own.one_in(2)) keys.push_back(fmt::format("threads: {}", own.number(1, 3)));
  }
  if (dice.one_in(6)) {
    keys.push_back(fmt::format("bench: {{{}, sequences: {}}}",
                               dice.one_in(2) ? "tg: 16, depth: 128" : "pp: 128", dice.number(1, 4)));
  } else {
    const int prompt = dice.of<int>({8, 64, 256});
    const auto tokens = dice.of<std::string>({"4", "{uniform: [2, 16]}"});
    keys.push_back(fmt::format("generate: {{prompt: {}, tokens: {}{}}}", prompt, tokens,
                               dice.one_in(3) ? ", chunk: 32" : ""));
    if (dice.one_in(2))
      keys.push_back(fmt::format("arrivals: {{poisson: {} /s}}", dice.of<int>({1, 3, 10})));
    else if (dice.one_in(2))
      keys.push_back(fmt::format("users: {}", dice.number(2, 4)));
    if (own.one_in(3) && !place.linked) converse(own, keys);
    if (dice.one_in(3)) keys.push_back(fmt::format("max_batch: {}", dice.number(1, 4)));
    if (model == "smollm2_360m" && dice.one_in(2) && !on_cores)
      keys.push_back(
          fmt::format("draft: {{model: smollm2_135m, tokens: {}, accept: 60 %}}", dice.number(1, 6)));
  }
  if (runtime == "llama.cpp" && place.device.runtimes[Runtime::cpu] && !on_cores && own.one_in(2))
    with_experts(own, keys);
  if (!on_cores) take_over(keys, turns(dice, place));
  take_over(keys, threads(dice, place.index));
  return entry;
}

}  // namespace

DraftEntry drawn_entry(Dice& dice, const Place& place) {
  if (place.device.has_gpu()) {
    if (!place.linked && dice.one_in(6)) return several_networks(dice, place);
    if (place.device.runtimes[Runtime::llama_cpp] && dice.one_in(8)) return language_model(dice, place);
  } else if (Dice own = dice; place.device.language && own.one_in(6)) {
    return language_model(own, place);
  }
  return one_network(dice, place);
}

DraftEntry drawn_loops(Dice& dice, const Place& place) {
  DraftEntry entry;
  const int kernels = dice.number(2, 8), us = dice.number(40, 200), blocks = dice.number(1, 300);
  const std::string bytes = dice.one_in(2) ? fmt::format(", bytes: {} kB", dice.number(1, 4000)) : "";
  entry.keys = {fmt::format("model: {{kernels: {}, duration: {} us, blocks: {}, threads: 128{}}}", kernels,
                            us, blocks, bytes),
                "runtime: cuda-graph", fmt::format("streams: {}", dice.number(place.index == 0 ? 2 : 1, 4)),
                synchronised(dice)};
  if (dice.one_in(4)) entry.keys.emplace_back("count: 2");
  take_over(entry.keys, turns(dice, place));
  take_over(entry.keys, partition(dice, place));
  return entry;
}

DraftEntry drawn_load(Dice& dice, const board::DeviceSpec& device) {
  const bool streams = (device.memory.unified || !device.has_gpu()) && device.memory.cores;
  DraftEntry load;
  std::vector<std::string> kinds;
  for (const process::LoadRow& row : process::load_rows)
    if (streams || !row.moves_memory()) kinds.emplace_back(row.name);
  load.keys.push_back("load: " + dice.of(kinds));
  if (dice.one_in(2)) load.keys.push_back(fmt::format("threads: {}", dice.number(2, 4)));
  if (dice.one_in(2)) load.keys.push_back(fmt::format("duty: {} %", 10 * dice.number(1, 9)));
  if (dice.one_in(4)) load.keys.push_back(fmt::format("nice: {}", dice.of<int>({-5, 5, 19})));
  return load;
}

}  // namespace jostle::scenarios::testing
