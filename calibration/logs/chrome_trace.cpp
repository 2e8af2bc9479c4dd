// Reads Chrome trace JSON, as the PyTorch profiler writes it. Kernels and the calls that launched them share
// a correlation id.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/json_stream.hpp"
#include "calibration/logs/measurement.hpp"
#include "calibration/logs/timed_calls.hpp"
#include "calibration/logs/traced.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

struct ChromeEvent {
  enum class Category { none, kernel, copy, memset, call, operation, other };

  char phase = '\0';
  Category category = Category::none;
  std::string name;
  std::optional<double> start, duration;
  double thread = 0;                         // its id; 0 if that is no number
  std::optional<std::uint64_t> correlation;  // joins a kernel to the call that launched it
  std::optional<int> device;
  Launch launch;
};
using Category = ChromeEvent::Category;

// A GPU in the words of `deviceProperties`; absent: none.
struct TracedGpu {
  std::string name;
  std::optional<double> id, major, minor, sms, memory;
};

constexpr double largest_count = 4e9;
constexpr std::size_t longest_sides = 40;
constexpr int most_gpus = 1024;
constexpr double latest_us =
    4e15;  // since 1970, as older PyTorch writes: the year 2096; in ns it fits 64 bits

// Handles the names of PyTorch 1.8 and later, and older ones.
Category category_of(std::string_view text) {
  if (text == "kernel" || text == "Kernel") return Category::kernel;
  if (text == "gpu_memcpy" || text == "Memcpy") return Category::copy;
  if (text == "gpu_memset" || text == "Memset") return Category::memset;
  if (text == "cuda_runtime" || text == "cuda_driver" || text == "Runtime") return Category::call;
  if (text == "cpu_op" || text == "Operator") return Category::operation;
  return Category::other;
}

// A count of a launch; none if it is not one.
std::optional<std::int64_t> count_of(double value) {
  if (!(value >= 0 && value <= largest_count)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// Adds a side to a grid or block, written as 24x7x1.
void add_side(std::string& sides, double value) {
  const auto side = count_of(value);
  if (!side || sides.size() > longest_sides) return;
  sides += fmt::format("{}{}", sides.empty() ? "" : "x", *side);
}

enum class EventField {
  none,
  phase,
  category,
  name,
  start,
  duration,
  thread,
  arguments,
  device,
  correlation,
  grid,
  block,
  registers,
  shared
};
// The keys of an event, and those of its `args`.
struct EventKey {
  std::string_view name;
  EventField field;
  bool argument = false;
};
constexpr std::array<EventKey, 13> event_keys{{{"ph", EventField::phase},
                                               {"cat", EventField::category},
                                               {"name", EventField::name},
                                               {"ts", EventField::start},
                                               {"dur", EventField::duration},
                                               {"tid", EventField::thread},
                                               {"args", EventField::arguments},
                                               {"device", EventField::device, true},
                                               {"correlation", EventField::correlation, true},
                                               {"grid", EventField::grid, true},
                                               {"block", EventField::block, true},
                                               {"registers per thread", EventField::registers, true},
                                               {"shared memory", EventField::shared, true}}};

// The events of a trace in Chrome's JSON, as the PyTorch profiler writes it: an array of events, alone or
// under "traceEvents". Times are in us.
class ChromeEvents : public json::Handler<ChromeEvents> {
 public:
  // Takes an event with a duration; returns why it is impossible, or nothing.
  using Taker = std::function<std::string_view(const ChromeEvent&)>;
  ChromeEvents(Source& source, Taker take) : Handler(source), take_(std::move(take)) {}

  bool begin_array() {
    if (depth == 1) event_depth_ = 2;
    if (depth == 2 && event_depth_ == 0 && top_key_ == "traceEvents") event_depth_ = 3;
    if (event_depth_ != 0 && depth == event_depth_ - 1) in_events_ = found_events = true;
    if (field_ != EventField::grid && field_ != EventField::block) field_ = EventField::none;
    return true;
  }
  bool end_array() {
    if (event_depth_ != 0 && depth == event_depth_ - 1) {
      in_events_ = false;
      if (event_depth_ == 3) event_depth_ = 0;
    }
    field_ = EventField::none;
    return true;
  }
  bool begin_object() {
    if (in_device() && gpus.size() < most_gpus) gpus.emplace_back();
    if (in_events_ && depth == event_depth_) event_ = {};
    in_arguments_ = in_events_ && depth == event_depth_ + 1 && field_ == EventField::arguments;
    field_ = EventField::none;
    return true;
  }
  bool end_object() {
    in_arguments_ = false;
    field_ = EventField::none;
    return !(in_events_ && depth == event_depth_) || finish_event();
  }
  bool key(std::string_view name) {
    field_ = EventField::none;
    if (in_events_) {
      const bool argument = in_arguments_ && depth == event_depth_ + 1;
      if (!argument && depth != event_depth_) return true;
      const auto found = std::ranges::find(event_keys, name, &EventKey::name);
      if (found != event_keys.end() && found->argument == argument) field_ = found->field;
    } else if (depth == 1) {
      top_key_ = name.substr(0, longest_key);
    } else if (in_device()) {
      device_key_ = name.substr(0, longest_key);
    }
    return true;
  }
  bool text(std::string_view value) {
    if (field_ == EventField::start || field_ == EventField::duration)
      return refuse("a time is not a number");
    if (field_ == EventField::phase) event_.phase = value.size() == 1 ? value[0] : '\0';
    if (field_ == EventField::category) event_.category = category_of(value);
    if (field_ == EventField::name) event_.name.assign(value.substr(0, TimedCalls::max_name));
    if (in_device() && device_key_ == "name" && !gpus.empty())
      gpus.back().name = std::string(value.substr(0, 100));
    return true;
  }
  bool number(double value) {
    switch (field_) {
      case EventField::start:
        event_.start = value;
        break;
      case EventField::duration:
        event_.duration = value;
        break;
      case EventField::thread:
        event_.thread = value;
        break;
      case EventField::device:
        if (value >= 0 && value < most_gpus) event_.device = static_cast<int>(value);
        break;
      case EventField::correlation:
        if (value >= 0 && value < 1.8e19) event_.correlation = static_cast<std::uint64_t>(value);
        break;
      case EventField::grid:
        add_side(event_.launch.grid, value);
        break;
      case EventField::block:
        add_side(event_.launch.block, value);
        break;
      case EventField::registers:
        event_.launch.registers = count_of(value);
        break;
      case EventField::shared:
        event_.launch.shared_bytes = count_of(value);
        break;
      default:
        if (in_device()) device_number(value);
    }
    return true;
  }

  // True if only the closing bracket of the array form is missing, as in the file of a writer that was
  // killed. False if the value is complete.
  [[nodiscard]] bool only_lacks_bracket() const {
    return in_events_ && depth == 1 && event_depth_ == 2 && events > 0;
  }

  std::int64_t events = 0, begins = 0;  // begins: events with separate begin and end
  bool found_events = false;
  std::vector<TracedGpu> gpus;

 private:
  static constexpr std::size_t longest_key = 30;

  [[nodiscard]] bool in_device() const { return depth == 3 && top_key_ == "deviceProperties" && !in_events_; }
  void device_number(double value) {
    if (gpus.empty()) return;
    TracedGpu& gpu = gpus.back();
    if (device_key_ == "id") gpu.id = value;
    if (device_key_ == "computeMajor") gpu.major = value;
    if (device_key_ == "computeMinor") gpu.minor = value;
    if (device_key_ == "numSms") gpu.sms = value;
    if (device_key_ == "totalGlobalMem") gpu.memory = value;
  }
  bool finish_event() {
    ++events;
    if (event_.phase == 'B') ++begins;
    if (event_.phase != 'X' || !event_.duration) return true;
    if (!(*event_.duration >= 0 && *event_.duration <= max_number))
      return refuse("an event has an impossible duration");
    if (event_.start && !(std::abs(*event_.start) <= latest_us))
      return refuse("an event has an impossible time stamp");
    const std::string_view why = take_(event_);
    return why.empty() || refuse(std::string(why));
  }

  Taker take_;
  int event_depth_ = 0;  // depth of an event's object; 0 until events are found
  bool in_events_ = false, in_arguments_ = false;
  EventField field_ = EventField::none;
  std::string top_key_, device_key_;
  ChromeEvent event_;
};

// Copies between host and GPU are the program's own, not part of the network.
bool within_gpu(std::string_view copy) {
  return copy.find("DtoD") != std::string_view::npos;
}

// The sums over the events of a trace.
struct Trace {
  TimedCalls kernels, copies, memsets, launches, calls, operations, others;
  TracedKernels in_order;
  TracedHost host;
  LaunchPairs pairs;
  bool launches_graphs = false;
  std::set<int> busy;  // the ids of the GPUs that kernels ran on

  std::string_view take(const ChromeEvent& event);

 private:
  void take_call(const ChromeEvent& event);
};

std::string_view Trace::take(const ChromeEvent& event) {
  const double duration = *event.duration;
  switch (event.category) {
    case ChromeEvent::Category::kernel:
      if (duration == 0) return "a kernel of 0 us: its times were lost, or their clock is too coarse";
      if (event.device) busy.insert(*event.device);
      kernels.add(event.name, duration);
      if (event.correlation && event.start) pairs.kernel(*event.correlation, *event.start);
      if (event.start) in_order.add(event.name, *event.start, duration, event.launch);
      break;
    case ChromeEvent::Category::copy:
      copies.add(event.name, duration);
      if (event.start && within_gpu(event.name))
        in_order.add(event.name, *event.start, duration, event.launch);
      break;
    case ChromeEvent::Category::memset:
      memsets.add(event.name, duration);
      if (event.start) in_order.add(event.name, *event.start, duration, event.launch);
      break;
    case ChromeEvent::Category::call:
      take_call(event);
      break;
    case ChromeEvent::Category::operation:
      operations.add(event.name, duration);
      if (event.start) host.add_operator(event.name, event.thread, {*event.start, duration});
      break;
    default:
      others.add(event.name, duration);
  }
  return {};
}

void Trace::take_call(const ChromeEvent& event) {
  const bool launch = call_metric(event.name) == "launch_call";
  (launch ? launches : calls).add(event.name, *event.duration);
  if (event.name.find("GraphLaunch") != std::string::npos) launches_graphs = true;
  if (launch && event.correlation && event.start) pairs.call(*event.correlation, *event.start);
  if (event.start) host.add_call(event.name, {*event.start, *event.duration});
}

// The GPU that the kernels ran on; null if the trace does not say which it is.
const TracedGpu* busy_gpu(const std::vector<TracedGpu>& gpus, const std::set<int>& busy) {
  if (gpus.size() == 1 && busy.size() <= 1) return &gpus.front();
  const auto found = std::ranges::find_if(
      gpus, [&](const TracedGpu& gpu) { return busy.size() == 1 && gpu.id == *busy.begin(); });
  return found == gpus.end() ? nullptr : &*found;
}

// The GPUs that kernels ran on, in words: "0 (NVIDIA L4), 1 (NVIDIA L4)".
std::string busy_in_words(const std::vector<TracedGpu>& gpus, const std::set<int>& busy) {
  std::vector<std::string> words;
  for (const int id : busy) {
    const auto known = std::ranges::find_if(gpus, [id](const TracedGpu& gpu) { return gpu.id == id; });
    words.push_back(known == gpus.end() ? fmt::format("{}", id)
                                        : fmt::format("{} ({})", id, input::printable(known->name)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Import import(const Trace& trace, const ChromeEvents& events, const Source& source) {
  Import result{.format = "chrome-trace", .origin = source.origin(), .setting = {}, .rows = {}, .notes = {}};
  Setting& setting = result.setting;
  const bool profiler = !trace.kernels.empty() || !trace.launches.empty() || !trace.calls.empty();
  setting.tool = profiler ? "PyTorch profiler" : "Chrome trace";
  setting.observer = profiler ? "pytorch-profiler" : "";
  if (!trace.operations.empty() && !trace.kernels.empty())
    setting.runtime = trace.launches_graphs ? "cuda-graph" : "eager";
  if (const TracedGpu* const gpu = busy_gpu(events.gpus, trace.busy)) {
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
  const bool knows_host = setting.runtime == "eager" && trace.host.rows(result);
  if (!knows_host && (!trace.launches.empty() || !trace.calls.empty()))
    result.notes.emplace_back(profiled_calls);
  if (events.begins > 0)
    result.notes.push_back(fmt::format("ignored {} events with separate begin and end", events.begins));
  return result;
}

}  // namespace

std::vector<Import> read_chrome_trace(Source& source, input::Problems& problems) {
  Trace trace;
  ChromeEvents events(source, [&trace](const ChromeEvent& event) { return trace.take(event); });
  input::Problems own;
  bool lacks_bracket = false;
  if (!json::parse(source, events, own)) {
    lacks_bracket =
        events.only_lacks_bracket() && events.wrong.empty() && source.failure().empty() && source.at_end();
    if (!lacks_bracket) {
      problems.append(own);
      return {};
    }
  }
  if (!events.found_events) {
    source.fail(problems, 0, "JSON without traceEvents: not a trace");
    return {};
  }
  if (trace.busy.size() > 1) {
    source.fail(problems, 0,
                "kernels of several GPUs in one trace: " + busy_in_words(events.gpus, trace.busy),
                "profile one of them: CUDA_VISIBLE_DEVICES, or the trace of one rank");
    return {};
  }
  Import result = import(trace, events, source);
  if (result.rows.empty()) {
    source.fail(problems, 0, fmt::format("none of the trace's {} events has a duration", events.events));
    return {};
  }
  if (lacks_bracket)
    result.notes.emplace_back("the trace has no closing bracket: the last events may be missing");
  return {std::move(result)};
}

}  // namespace jostle::calibration
