// Reads Chrome trace JSON, as the PyTorch profiler writes it. Kernels and the calls that launched them share
// a correlation id.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "calibration/logs/chrome_events.hpp"
#include "calibration/logs/formats.hpp"
#include "calibration/logs/timed_calls.hpp"
#include "calibration/logs/traced.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

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
