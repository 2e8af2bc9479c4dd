#include "analyses/study/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>

#include "analyses/study/intervals.hpp"
#include "input/hash.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

// Combines a metric of all processes; absent if any process lacks it.
template <class Of, class Join>
scenarios::Metric joined(const scenarios::Result& result, Of of, Join join) {
  scenarios::Metric all;
  for (std::size_t i = 0; i < result.processes.size(); ++i) {
    const scenarios::Metric one = of(result.processes[i]);
    if (!one) return std::nullopt;
    all = i == 0 ? *one : join(*all, *one);
  }
  return all;
}

template <class Of>
scenarios::Metric greatest(const scenarios::Result& result, Of of) {
  return joined(result, of, [](double a, double b) { return std::max(a, b); });
}

scenarios::Metric throughput_of(const scenarios::ProcessResult& process) {
  return process.throughput.mean;
}

scenarios::Metric least_throughput(const scenarios::Result& result) {
  return joined(result, throughput_of, [](double a, double b) { return std::min(a, b); });
}

scenarios::Metric mean_throughput(const scenarios::Result& result) {
  const scenarios::Metric sum = joined(result, throughput_of, [](double a, double b) { return a + b; });
  return sum ? scenarios::Metric(*sum / static_cast<double>(result.processes.size())) : std::nullopt;
}

scenarios::Metric low(const scenarios::Interval& interval) {
  return interval ? scenarios::Metric(interval->first) : std::nullopt;
}
scenarios::Metric high(const scenarios::Interval& interval) {
  return interval ? scenarios::Metric(interval->second) : std::nullopt;
}

scenarios::Metric used_memory(const scenarios::Result& result) {
  return result.system.memory.used_mb;
}

// The problem of the first process that does not fit. (If it makes the board reboot, the others fail as
// well.)
std::string why_it_does_not_fit(const scenarios::Result& result) {
  const auto lacks = [](const scenarios::ProcessResult& process) {
    return process.problem.starts_with("does not fit");
  };
  const auto first = std::ranges::find_if(result.processes, lacks);
  if (result.status == "thermal_shutdown") return result.warnings.front();
  if (first == result.processes.end()) return result.status;
  return fmt::format("process {} {}", first->index, first->problem);
}

}  // namespace

const char* to_string(PointStatus status) {
  static constexpr std::array<const char*, 4> words{"ok", "infeasible", "not_supported", "failed"};
  return words.at(static_cast<std::size_t>(status));
}

PointStatus status_named(std::string_view name) {
  for (const PointStatus status : {PointStatus::ok, PointStatus::infeasible, PointStatus::not_supported})
    if (name == to_string(status)) return status;
  return PointStatus::failed;
}

const std::array<MainMetric, main_metric_count>& main_metrics() {
  using R = const scenarios::Result&;
  using P = const scenarios::ProcessResult&;
  static constexpr std::array<MainMetric, main_metric_count> all{{
      {"throughput", [](R r) { return r.system.throughput; }},
      {"process_throughput_min", least_throughput},
      {"process_throughput_mean", mean_throughput},
      {"latency_mean_ms", [](R r) { return greatest(r, [](P p) { return p.latency_ms.mean; }); }},
      {"latency_p50_ms", [](R r) { return greatest(r, [](P p) { return p.latency_ms.p50; }); }},
      {"latency_p99_ms", [](R r) { return greatest(r, [](P p) { return p.latency_ms.p99; }); }},
      {"power_w", [](R r) { return r.system.power_w.mean; }},
      {"power_peak_w", [](R r) { return r.system.power_w.peak; }},
      {"energy_per_image_mj", [](R r) { return r.system.energy_per_image_mj; }},
      {"memory_mb", used_memory},
      {"gpu_busy", [](R r) { return r.system.gpu.busy; }},
      {"temperature_c", [](R r) { return r.system.temperature_c; }},
      {"throughput_low", [](R r) { return low(r.system.throughput_pi90); }},
      {"throughput_high", [](R r) { return high(r.system.throughput_pi90); }},
      {"power_low_w", [](R r) { return low(r.system.power_w.pi90); }},
      {"power_high_w", [](R r) { return high(r.system.power_w.pi90); }},
      {"simulated_s", [](R r) { return scenarios::Metric(r.simulated_s); }},
  }};
  return all;
}

Outcome not_supported(std::string problem) {
  Outcome outcome;
  outcome.status = PointStatus::not_supported;
  outcome.problem = std::move(problem);
  return outcome;
}

std::optional<Outcome> run_point(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                                 const std::atomic<bool>* interrupt, const StudyIntervals* intervals,
                                 scenarios::SharedWork* work) {
  Outcome outcome;
  try {
    scenarios::RunControl control;
    control.interrupt = interrupt;
    control.all_must_fit = true;
    control.shared = work;
    control.among = scenarios::Among::changes;
    std::optional<scenarios::Result> result = run(scenario, profile, control);
    if (!result) return std::nullopt;
    if (intervals != nullptr && result->status == "ok") intervals->add_to(*result, scenario);
    outcome.result = to_json(*result);
    if (result->status != "ok") {
      outcome.status = PointStatus::infeasible;
      outcome.problem = why_it_does_not_fit(*result);
      return outcome;
    }
    for (std::size_t i = 0; i < main_metric_count; ++i) outcome.metrics[i] = main_metrics()[i].of(*result);
    outcome.limited_by = result->system.limited_by;
    outcome.stop = result->system.stop;
  } catch (const std::bad_alloc&) {
    throw;  // it concerns the host, not the point
  } catch (const scenarios::Interrupted&) {
    return std::nullopt;
  } catch (const std::exception& error) {
    outcome.status = PointStatus::failed;
    outcome.problem = error.what();
  }
  return outcome;
}

std::uint64_t point_key(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                        bool interval) {
  return input::fnv1a(scenarios::scenario_hash(scenario) + " " + profile.hash + " " + JOSTLE_VERSION +
                      (interval ? " with intervals" : ""));
}

std::uint64_t unsupported_key(const std::string& document_json) {
  return input::fnv1a(document_json + " not supported " JOSTLE_VERSION);
}

}  // namespace jostle::analyses
