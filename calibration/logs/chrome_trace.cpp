// Reads Chrome trace JSON, as the PyTorch profiler writes it: an array of events, alone or under
// "traceEvents". Times are in µs. Kernels and the calls that launched them share a correlation id.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/json_stream.hpp"
#include "calibration/logs/launch_pairs.hpp"
#include "calibration/logs/moments.hpp"
#include "calibration/logs/timed_calls.hpp"
#include "calibration/logs/traced_kernels.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

enum class Category { none, kernel, copy, memset, call, operation, other };

// Handles the names of PyTorch 1.8 and later, and older ones.
Category category_of(std::string_view text) {
  if (text == "kernel" || text == "Kernel") return Category::kernel;
  if (text == "gpu_memcpy" || text == "Memcpy") return Category::copy;
  if (text == "gpu_memset" || text == "Memset") return Category::memset;
  if (text == "cuda_runtime" || text == "cuda_driver" || text == "Runtime") return Category::call;
  if (text == "cpu_op" || text == "Operator") return Category::operation;
  return Category::other;
}

constexpr double largest_count = 4e9;
constexpr std::size_t longest_sides = 40;
constexpr int most_gpus = 1024;
constexpr double latest_us =
    4e15;  // since 1970, as older PyTorch writes: the year 2096; in ns it fits 64 bits

// A GPU in the words of `deviceProperties`; absent: none.
struct TracedGpu {
  std::string name;
  std::optional<double> id, major, minor, sms, memory;
};

// Copies between host and GPU are the program's own, not part of the network.
bool within_gpu(std::string_view copy) {
  return copy.find("DtoD") != std::string_view::npos;
}

class Trace : public json::Handler<Trace> {
 public:
  using Handler::Handler;

  bool begin_array() {
    if (depth == 1) event_depth_ = 2;
    if (depth == 2 && event_depth_ == 0 && top_key_ == TopKey::events) event_depth_ = 3;
    if (event_depth_ != 0 && depth == event_depth_ - 1) in_events_ = found_events = true;
    if (field_ != Field::grid && field_ != Field::block) field_ = Field::none;
    return true;
  }
  bool end_array() {
    if (event_depth_ != 0 && depth == event_depth_ - 1) {
      in_events_ = false;
      if (event_depth_ == 3) event_depth_ = 0;
    }
    field_ = Field::none;
    return true;
  }
  bool begin_object() {
    if (depth == 3 && top_key_ == TopKey::device && !in_events_ && gpus.size() < most_gpus)
      gpus.emplace_back();
    if (in_events_ && depth == event_depth_) begin_event();
    in_arguments_ = in_events_ && depth == event_depth_ + 1 && field_ == Field::arguments;
    field_ = Field::none;
    return true;
  }
  bool end_object() {
    in_arguments_ = false;
    field_ = Field::none;
    return !(in_events_ && depth == event_depth_) || finish_event();
  }
  bool key(std::string_view name) {
    field_ = Field::none;
    if (in_events_) {
      if (depth == event_depth_) field_ = field_of(name);
      if (in_arguments_ && depth == event_depth_ + 1) field_ = argument_of(name);
    } else if (depth == 1) {
      top_key_ = name == "traceEvents"        ? TopKey::events
                 : name == "deviceProperties" ? TopKey::device
                                              : TopKey::other;
    } else if (depth == 3 && top_key_ == TopKey::device) {
      device_key_ = name.substr(0, 30);
    }
    return true;
  }
  bool text(std::string_view value) {
    switch (field_) {
      case Field::phase:
        phase_ = value.size() == 1 ? value[0] : '\0';
        break;
      case Field::category:
        category_ = category_of(value);
        break;
      case Field::name:
        name_.assign(value.substr(0, TimedCalls::max_name));
        break;
      case Field::duration:
      case Field::start:
        return refuse("a time is not a number");
      default:
        if (depth == 3 && top_key_ == TopKey::device && !in_events_ && device_key_ == "name" && !gpus.empty())
          gpus.back().name = std::string(value.substr(0, 100));
    }
    return true;
  }
  bool number(double value) {
    switch (field_) {
      case Field::start:
        start_ = value;
        break;
      case Field::duration:
        duration_ = value;
        break;
      case Field::device:
        if (value >= 0 && value < most_gpus) device_ = static_cast<int>(value);
        break;
      case Field::correlation:
        if (value >= 0 && value < 1.8e19) correlation_ = static_cast<std::uint64_t>(value);
        break;
      case Field::grid:
        add_side(launch_.grid, value);
        break;
      case Field::block:
        add_side(launch_.block, value);
        break;
      case Field::registers:
        launch_.registers = count_of(value);
        break;
      case Field::shared:
        launch_.shared_bytes = count_of(value);
        break;
      default:
        if (depth == 3 && top_key_ == TopKey::device && !in_events_) device_number(value);
    }
    return true;
  }

  // True if only the closing bracket of the array form is missing, as in the file of a writer that was
  // killed. False if the value is complete.
  [[nodiscard]] bool only_lacks_bracket() const {
    return in_events_ && depth == 1 && event_depth_ == 2 && events > 0;
  }

  // The GPU that the kernels ran on; null if the trace does not say which it is.
  [[nodiscard]] const TracedGpu* busy_gpu() const {
    if (gpus.size() == 1 && busy.size() <= 1) return &gpus.front();
    const auto found = std::ranges::find_if(
        gpus, [&](const TracedGpu& gpu) { return busy.size() == 1 && gpu.id == *busy.begin(); });
    return found == gpus.end() ? nullptr : &*found;
  }
  // The GPUs that kernels ran on, in words: "0 (NVIDIA L4), 1 (NVIDIA L4)".
  [[nodiscard]] std::string busy_in_words() const {
    std::vector<std::string> words;
    for (const int id : busy) {
      const auto known = std::ranges::find_if(gpus, [id](const TracedGpu& gpu) { return gpu.id == id; });
      words.push_back(known == gpus.end() ? fmt::format("{}", id)
                                          : fmt::format("{} ({})", id, input::printable(known->name)));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  TimedCalls kernels, copies, memsets, launches, calls, operations, others;
  TracedKernels in_order;
  LaunchPairs pairs;
  std::int64_t events = 0, begins = 0;
  bool found_events = false, launches_graphs = false;
  std::vector<TracedGpu> gpus;
  std::set<int> busy;  // the ids of the GPUs that kernels ran on

 private:
  enum class TopKey { other, events, device };
  enum class Field {
    none,
    phase,
    category,
    name,
    start,
    duration,
    arguments,
    device,
    correlation,
    grid,
    block,
    registers,
    shared
  };

  static Field field_of(std::string_view name) {
    if (name == "ph") return Field::phase;
    if (name == "cat") return Field::category;
    if (name == "name") return Field::name;
    if (name == "ts") return Field::start;
    if (name == "dur") return Field::duration;
    if (name == "args") return Field::arguments;
    return Field::none;
  }

  static Field argument_of(std::string_view name) {
    if (name == "device") return Field::device;
    if (name == "correlation") return Field::correlation;
    if (name == "grid") return Field::grid;
    if (name == "block") return Field::block;
    if (name == "registers per thread") return Field::registers;
    if (name == "shared memory") return Field::shared;
    return Field::none;
  }

  // A count of a launch; none if it is not one.
  static std::optional<std::int64_t> count_of(double value) {
    if (!(value >= 0 && value <= largest_count)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  // Adds a side to a grid or block, written as 24x7x1.
  static void add_side(std::string& sides, double value) {
    const auto side = count_of(value);
    if (!side || sides.size() > longest_sides) return;
    sides += fmt::format("{}{}", sides.empty() ? "" : "x", *side);
  }

  void device_number(double value) {
    if (gpus.empty()) return;
    TracedGpu& gpu = gpus.back();
    if (device_key_ == "id") gpu.id = value;
    if (device_key_ == "computeMajor") gpu.major = value;
    if (device_key_ == "computeMinor") gpu.minor = value;
    if (device_key_ == "numSms") gpu.sms = value;
    if (device_key_ == "totalGlobalMem") gpu.memory = value;
  }

  void begin_event() {
    phase_ = '\0';
    category_ = Category::none;
    name_.clear();
    start_.reset();
    duration_.reset();
    correlation_.reset();
    device_.reset();
    launch_ = {};
  }

  bool finish_event() {
    ++events;
    if (phase_ == 'B') ++begins;
    if (phase_ != 'X' || !duration_) return true;
    if (!(*duration_ >= 0 && *duration_ <= max_number)) return refuse("an event has an impossible duration");
    if (start_ && !(std::abs(*start_) <= latest_us)) return refuse("an event has an impossible time stamp");
    switch (category_) {
      case Category::kernel:
        if (*duration_ == 0)
          return refuse("a kernel of 0 us: its times were lost, or their clock is too coarse");
        if (device_) busy.insert(*device_);
        kernels.add(name_, *duration_);
        if (correlation_ && start_) pairs.kernel(*correlation_, *start_);
        if (start_) in_order.add(name_, *start_, *duration_, launch_);
        break;
      case Category::copy:
        copies.add(name_, *duration_);
        if (start_ && within_gpu(name_)) in_order.add(name_, *start_, *duration_, launch_);
        break;
      case Category::memset:
        memsets.add(name_, *duration_);
        if (start_) in_order.add(name_, *start_, *duration_, launch_);
        break;
      case Category::call: {
        const bool launch = call_metric(name_) == "launch_call";
        (launch ? launches : calls).add(name_, *duration_);
        if (name_.find("GraphLaunch") != std::string::npos) launches_graphs = true;
        if (launch && correlation_ && start_) pairs.call(*correlation_, *start_);
        break;
      }
      case Category::operation:
        operations.add(name_, *duration_);
        break;
      default:
        others.add(name_, *duration_);
    }
    return true;
  }

  int event_depth_ = 0;  // depth of an event's object; 0 until events are found
  bool in_events_ = false, in_arguments_ = false;
  TopKey top_key_ = TopKey::other;
  Field field_ = Field::none;
  std::string device_key_, name_;
  char phase_ = '\0';
  Category category_ = Category::none;
  std::optional<double> start_, duration_;
  std::optional<std::uint64_t> correlation_;
  std::optional<int> device_;
  Launch launch_;
};

Import import(const Trace& trace, const Source& source) {
  Import result{.format = "chrome-trace", .origin = source.origin(), .setting = {}, .rows = {}, .notes = {}};
  Setting& setting = result.setting;
  const bool profiler = !trace.kernels.empty() || !trace.launches.empty() || !trace.calls.empty();
  setting.tool = profiler ? "PyTorch profiler" : "Chrome trace";
  setting.observer = profiler ? "pytorch-profiler" : "";
  if (!trace.operations.empty() && !trace.kernels.empty())
    setting.runtime = trace.launches_graphs ? "cuda-graph" : "eager";
  if (const TracedGpu* const gpu = trace.busy_gpu()) {
    setting.gpu = gpu->name;
    if (gpu->major && gpu->minor && *gpu->major < 100 && *gpu->minor < 100)
      setting.compute_capability = fmt::format("{:g}.{:g}", *gpu->major, *gpu->minor);
    if (gpu->sms && *gpu->sms >= 1 && *gpu->sms < 1e6) setting.sms = static_cast<std::int64_t>(*gpu->sms);
    setting.memory_bytes = gpu->memory;
  }
  trace.kernels.rows("kernel_time", true, result.rows);
  trace.in_order.rows(result);
  trace.copies.rows("copy_time", false, result.rows);
  trace.memsets.rows("memset_time", false, result.rows);
  trace.launches.rows("launch_call", true, result.rows);
  trace.calls.rows("api_call", false, result.rows);
  trace.operations.rows("operator_time", false, result.rows);
  if (!profiler) trace.others.rows("event_time", false, result.rows);
  trace.pairs.rows(result);
  if (!trace.launches.empty() || !trace.calls.empty()) result.notes.emplace_back(profiled_calls);
  if (trace.begins > 0)
    result.notes.push_back(fmt::format("ignored {} events with separate begin and end", trace.begins));
  return result;
}

}  // namespace

std::vector<Import> read_chrome_trace(Source& source, input::Problems& problems) {
  Trace trace(source);
  input::Problems own;
  bool lacks_bracket = false;
  if (!json::parse(source, trace, own)) {
    lacks_bracket =
        trace.only_lacks_bracket() && trace.wrong.empty() && source.failure().empty() && source.at_end();
    if (!lacks_bracket) {
      problems.append(own);
      return {};
    }
  }
  if (!trace.found_events) {
    source.fail(problems, 0, "JSON without traceEvents: not a trace");
    return {};
  }
  if (trace.busy.size() > 1) {
    source.fail(problems, 0, "kernels of several GPUs in one trace: " + trace.busy_in_words(),
                "profile one of them: CUDA_VISIBLE_DEVICES, or the trace of one rank");
    return {};
  }
  Import result = import(trace, source);
  if (result.rows.empty()) {
    source.fail(problems, 0, fmt::format("none of the trace's {} events has a duration", trace.events));
    return {};
  }
  if (lacks_bracket)
    result.notes.emplace_back("the trace has no closing bracket: the last events may be missing");
  return {std::move(result)};
}

}  // namespace jostle::calibration
