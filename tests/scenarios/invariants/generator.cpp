#include "tests/scenarios/invariants/generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>

#include "calibration/profile/profile.hpp"
#include "models/board/spec.hpp"

namespace jostle::scenarios::testing {
namespace {

using Words = std::vector<std::string>;

// The distributions of the standard library differ between platforms; its engine does not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // From `low` to `high`, both included.
  int number(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return number(1, n) == 1; }
  template <typename T>
  const T& of(const std::vector<T>& values) {
    return values[engine_() % values.size()];
  }

 private:
  std::mt19937_64 engine_;
};

const std::map<std::string, board::DeviceSpec>& devices() {
  static const std::map<std::string, board::DeviceSpec> specs = [] {
    std::map<std::string, board::DeviceSpec> found;
    for (const std::string& name : calibration::device_names()) {
      input::Problems problems;
      found.emplace(name, *calibration::shipped_profile(name, problems).value().spec);
    }
    return found;
  }();
  return specs;
}

std::string mhz(double hz) {
  return fmt::format("{} MHz", hz / 1e6);
}

std::string arrivals(Dice& dice, std::int64_t batch) {
  const int rate = dice.of<int>({1, 5, 15, 30, 60, 100, 300, 1000});
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
  if (dice.one_in(5)) parts.push_back(fmt::format("queue: {}", dice.number(1, 5)));
  if (batch > 1 && dice.one_in(2)) parts.emplace_back("dynamic_batching: true");
  return fmt::format("arrivals: {{{}}}", fmt::join(parts, ", "));
}

std::string stages(Dice& dice) {
  return dice.one_in(2)
             ? fmt::format("stages: {{before: [{{name: decode, time: {} ms}}]}}", dice.number(1, 20))
             : fmt::format(
                   "stages: {{before: [{{name: scale, on: gpu, time: 1 ms}}], after: [{{name: boxes, time: "
                   "{} "
                   "ms}}]}}",
                   dice.number(1, 20));
}

void place_network(Dice& dice, const board::DeviceSpec& device, Words& process) {
  const bool on_cpu = !device.has_gpu() || dice.one_in(12);
  if (on_cpu && device.runtimes[process::Runtime::cpu]) {
    process.emplace_back("placement: cpu");
    if (dice.one_in(2)) process.push_back(fmt::format("threads: {}", dice.number(1, 2)));
    return;
  }
  if (device.dla.count > 0 && dice.one_in(4)) {
    process.push_back(fmt::format("placement: dla{}", dice.number(0, device.dla.count - 1)));
    return;
  }
  if (dice.one_in(12)) process.emplace_back("placement: cuda-only");
  const std::string runtime =
      dice.of<std::string>({"tensorrt", "tensorrt", "cuda-graph", "eager", "libtorch"});
  process.push_back("runtime: " + runtime);
  if (runtime == "eager" && dice.one_in(3)) process.emplace_back("training: true");
  if (runtime == "eager" && dice.one_in(4)) process.emplace_back("graph: static");
}

Words process(Dice& dice, const board::DeviceSpec& device) {
  Words process;
  const int batch = dice.of<int>({1, 1, 1, 2, 4, 8, 16});
  if (device.has_gpu() && dice.one_in(5)) {
    const std::string pace = dice.one_in(3) ? fmt::format(", pace: {} us", dice.number(5, 200)) : "";
    process.push_back(fmt::format("model: {{kernels: {}, duration: {} us, blocks: {}, threads: 128{}}}",
                                  dice.number(1, 200), dice.number(2, 500), dice.number(1, 500), pace));
    process.push_back("runtime: " + dice.of<std::string>({"tensorrt", "cuda-graph", "eager"}));
  } else {
    process.push_back("model: " + dice.of<std::string>({"resnet50", "resnet50", "mobilenet_v2", "resnet18",
                                                        "alexnet", "yolov8n", "bert_tiny", "ssd300",
                                                        "yolov4_tiny", "fcn_resnet50", "vgg16"}));
    process.push_back("precision: " + dice.of<std::string>({"fp16", "fp16", "int8", "fp32", "tf32"}));
    place_network(dice, device, process);
  }
  if (batch > 1) process.push_back(fmt::format("batch: {}", batch));
  if (dice.one_in(3)) process.push_back(fmt::format("count: {}", dice.number(2, 4)));
  if (dice.one_in(3))
    process.push_back("sync: " + dice.of<std::string>({"spin", "yield", "blocking", "auto"}));
  if (dice.one_in(2)) process.push_back(arrivals(dice, batch));
  if (dice.one_in(8)) process.push_back(stages(dice));
  if (dice.one_in(8)) process.push_back(fmt::format("nice: {}", dice.of<int>({-5, 5, 10})));
  return process;
}

Words clocks(Dice& dice, const board::DeviceSpec& device) {
  Words lines;
  if (!device.power_modes.empty() && dice.one_in(2))
    lines.push_back("power_mode: " + dice.of(device.power_modes).name);
  if (!device.power) return lines;
  if (dice.one_in(4)) lines.emplace_back("jetson_clocks: true");
  if (!device.gpu.clock_table_hz.empty() && dice.one_in(5))
    lines.push_back("clocks: {gpu: " + mhz(dice.of(device.gpu.clock_table_hz)) + "}");
  if (dice.one_in(8))
    lines.push_back("governors: {cpu: " +
                    dice.of<std::string>({"schedutil", "performance", "powersave", "ondemand"}) + "}");
  if (dice.one_in(8))
    lines.push_back(fmt::format("power_cap: {{budget: {} W, window: 100 ms}}", dice.number(4, 20)));
  if (dice.one_in(8)) lines.push_back(fmt::format("ambient: {} degC", dice.number(0, 60)));
  if (dice.one_in(8)) lines.emplace_back("fan: false");
  return lines;
}

std::string link(Dice& dice) {
  return fmt::format("link: {{bandwidth: {} Mbit/s, rtt: {} ms, jitter: {} ms, loss: {} %, payload: {}}}",
                     dice.of<int>({2, 20, 100, 1000}), dice.number(0, 40), dice.of<int>({0, 0, 3}),
                     dice.of<int>({0, 0, 1, 5}), dice.of<std::string>({"jpeg", "tensor", "10 kB"}));
}

Words kind_of_run(Dice& dice) {
  const std::string seed = fmt::format("seed: {}", dice.number(1, 1000));
  switch (dice.number(1, 8)) {
    case 1:
      return {seed, "duration: 3 s", "setup: true"};
    case 2:
      return {seed, "duration: 1 s", fmt::format("batches: {}", dice.number(1, 20))};
    case 3:
      return {seed, "until: {relative_error: 20 %, max: 2 s}", "warmup: 100 ms"};
    case 4:
      return {seed, "duration: 100 ms", "warmup: 0 s"};
    default:
      return {seed, fmt::format("duration: {} ms", dice.number(200, 1000)), "warmup: 100 ms"};
  }
}

template <typename T>
bool leave_out(std::vector<T>& parts, std::size_t first, const std::function<bool()>& still_fails) {
  bool any = false;
  for (std::size_t i = first; i < parts.size();) {
    const T part = std::move(parts[i]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    if (still_fails()) {
      any = true;
      continue;
    }
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i), part);
    ++i;
  }
  return any;
}

}  // namespace

std::string Draft::text() const {
  std::string text = fmt::format("{}\nprocesses:\n", fmt::join(board, "\n"));
  for (const Words& process : processes) text += fmt::format("  - {{{}}}\n", fmt::join(process, ", "));
  return text + fmt::format("run: {{{}}}\n", fmt::join(run, ", "));
}

Draft draft(std::uint64_t number) {
  Dice dice(number);
  auto device = devices().begin();
  std::advance(device, dice.number(0, static_cast<int>(devices().size()) - 1));
  Draft draft;
  draft.board.push_back("device: " + device->first);
  for (std::string& line : clocks(dice, device->second)) draft.board.push_back(std::move(line));
  if (dice.one_in(4)) draft.board.push_back(fmt::format("host_cores: {}", dice.number(1, 4)));
  if (dice.one_in(8)) draft.board.emplace_back("sharing: mps");
  if (dice.one_in(4)) draft.board.push_back(link(dice));
  if (dice.one_in(12)) draft.board.emplace_back("gpu_metrics: 1 ms");
  if (dice.one_in(16)) draft.board.emplace_back("observer: nsys");
  for (int i = dice.number(1, 3); i > 0; --i) draft.processes.push_back(process(dice, device->second));
  if (dice.one_in(20)) {
    draft.processes.resize(1);
    std::erase_if(draft.processes[0], [](const std::string& part) { return part.starts_with("count"); });
    draft.processes[0].push_back(fmt::format("count: {}", dice.number(5, 64)));
  }
  draft.run = kind_of_run(dice);
  return draft;
}

Draft smallest(Draft draft, const std::function<bool(const Draft&)>& fails) {
  const auto still = [&] { return fails(draft); };
  for (bool any = true; any;) {
    any = leave_out(draft.processes, draft.processes.size() > 1 ? 0 : 1, still);
    any = leave_out(draft.board, 1, still) || any;
    for (Words& process : draft.processes) any = leave_out(process, 1, still) || any;
  }
  return draft;
}

}  // namespace jostle::scenarios::testing
