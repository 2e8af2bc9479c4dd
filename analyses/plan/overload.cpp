#include "analyses/plan/overload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/verdict/slower.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "models/process/share.hpp"
#include "sim/time.hpp"

namespace jostle::analyses {
namespace {

using process::Resource;

// The time of the overloaded processes by the resource that it is taken for; without waiting for requests.
std::array<double, process::resource_count> overloaded_time(const scenarios::Result& result) {
  std::array<double, process::resource_count> time{};
  for (const scenarios::ProcessResult& process : result.processes) {
    if (process.stable != false || !process.time_share) continue;
    for (const process::ShareRow& row : process::share_rows)
      if (row.resource != Resource::requests)
        time.at(index_of(row.resource)) += process.time_share->at(index_of(row.share));
  }
  return time;
}

// Threads that work on a core for all of their time are short of cores if they wait for them, else of speed.
Shortage shortage_of_cores(double working, double waiting) {
  constexpr double noticeable = 0.1;
  return waiting >= noticeable * (working + waiting) ? Shortage{"cpu_cores", "overload the CPU cores"}
                                                     : Shortage{"host_thread", "overload its host thread"};
}

Shortage busiest_engine(const scenarios::Result& result) {
  const auto busiest =
      std::ranges::max_element(result.system.engines, {},
                               [](const scenarios::EngineResult& engine) { return engine.busy.value_or(0); });
  if (busiest == result.system.engines.end()) return {"engines", "overload a video or picture engine"};
  return {busiest->name, "overload the engine " + busiest->name};
}

// "at 15 frames/s", "at 15 requests/s each"; empty if the rates differ.
std::string rate_text(const Load& load) {
  if (!load.rate_per_s) return {};
  const std::string rate = input::decimal(*load.rate_per_s, 4);
  if (load.unit == LoadUnit::cameras) return " at " + rate + " frames/s";
  return load.unit == LoadUnit::processes ? " at " + rate + " requests/s each" : std::string();
}

// A count of the load in words: "24", "144 requests/s", "120 % of the requests".
std::string count_text(const Load& load, std::int64_t count) {
  if (load.unit != LoadUnit::percent) return fmt::format("{}", count);
  const double share = static_cast<double>(count) / 100;
  return load.rate_per_s ? input::decimal(share * *load.rate_per_s, 4) + " requests/s"
                         : fmt::format("{} % of the requests", count);
}

}  // namespace

std::optional<Shortage> shortage_in(const scenarios::Result& result) {
  if (result.status == "thermal_shutdown") return Shortage{"heat", "overheat the board"};
  if (result.status != "ok") return Shortage{"memory", "not fit into memory"};
  if (std::ranges::none_of(result.processes, [](const auto& process) { return process.stable == false; }))
    return std::nullopt;
  if (result.system.link && result.system.link->load.value_or(0) > 1)
    return Shortage{"link", "overload the network link"};
  const auto time = overloaded_time(result);
  const auto of = [&](Resource resource) { return time.at(index_of(resource)); };
  const double cores = of(Resource::cpu_cores) + of(Resource::host_speed);
  const auto top = static_cast<std::size_t>(std::ranges::max_element(time) - time.begin());
  if (cores >= time.at(top)) return shortage_of_cores(of(Resource::host_speed), of(Resource::cpu_cores));
  const process::ResourceRow& row = process::resource_rows.at(top);
  if (row.resource == Resource::engines) return busiest_engine(result);
  return Shortage{std::string(row.name), fmt::format("overload {}", row.words)};
}

double OverloadDistance::free_share() const {
  return std::max(
      0.0, 1 - static_cast<double>(load.asked) / static_cast<double>(std::max<std::int64_t>(carries, 1)));
}

OverloadDistance distance_to_overload(const Load& load,
                                      const std::function<scenarios::Result(std::int64_t)>& run_at) {
  constexpr std::int64_t most_times = 64;
  OverloadDistance found;
  found.load = load;
  const std::int64_t most = most_times * load.asked;
  for (std::int64_t tried = load.asked; tried > found.carries && tried <= most;) {
    if (const auto shortage = shortage_in(run_at(tried))) {
      found.overloads_at = tried;
      found.shortage = *shortage;
    } else {
      found.carries = tried;
    }
    tried = found.overloads_at ? (found.carries + *found.overloads_at) / 2 : 2 * found.carries;
  }
  return found;
}

std::string sentence_of(const OverloadDistance& distance) {
  const Load& load = distance.load;
  std::string text = load.unit == LoadUnit::cameras     ? input::counted(load.asked, "camera")
                     : load.unit == LoadUnit::processes ? input::counted(load.asked, "process", "processes")
                                                        : count_text(load, load.asked);
  if (!distance.overloads_at)
    return fmt::format("{}{}; up to {} keep up", text, rate_text(load), count_text(load, distance.carries));
  if (*distance.overloads_at <= load.asked && load.asked > 1)
    return distance.carries == 0
               ? fmt::format("{}{} would {}, and so would {}", text, rate_text(load),
                             distance.shortage.effect, count_text(load, *distance.overloads_at))
               : fmt::format("{}{} are too many: up to {} keep up, {} would {}", text, rate_text(load),
                             count_text(load, distance.carries), count_text(load, *distance.overloads_at),
                             distance.shortage.effect);
  text += "; ";
  if (distance.within)
    text +=
        fmt::format("up to {} keep the limit of {}, ", count_text(load, *distance.within), distance.limits);
  if (distance.carries > distance.within.value_or(load.asked))
    text +=
        fmt::format("{}{} keep up, ", distance.within ? "" : "up to ", count_text(load, distance.carries));
  return text + fmt::format("{} would {}{}", count_text(load, *distance.overloads_at),
                            distance.shortage.effect, rate_text(load));
}

Headroom headroom_of(const scenarios::Scenario& scenario, const profiles::Profile& profile, double wanted,
                     const scenarios::RunControl& control) {
  scenarios::RunControl strict = control;
  strict.all_must_fit = true;
  const auto result = run(at_rate(scenario, 1 / (1 - wanted)), profile, strict);
  if (!result) throw scenarios::Interrupted();
  Headroom found{0, result->simulated_s};
  if (result->status != "ok") return found;
  const ResultMetrics metrics(*result);
  const scenarios::Metric share = metrics.stable_share();
  if (!metrics.overloaded())
    found.share = wanted;
  else if (share && *share > 0)
    found.share = std::clamp(1 - (1 - wanted) / *share, 0.0, wanted);
  return found;
}

namespace {

using process::ArrivalKind;
using scenarios::ProcessEntry;
using scenarios::Scenario;

void remove_queue_limits(Scenario& scenario) {
  for (ProcessEntry& entry : scenario.processes) {
    entry.arrivals.queue_limit.reset();
    for (ProcessEntry& instance : entry.instances) instance.arrivals.queue_limit.reset();
  }
}

}  // namespace

std::optional<Load> load_of(const Scenario& scenario) {
  std::size_t sources = 0, cascades = 0;
  Load load;
  for (std::size_t i = 0; i < scenario.processes.size(); ++i) {
    for (const ProcessEntry& part : scenarios::parts_of(scenario.processes[i])) {
      if (part.arrivals.waits_for_answers()) continue;
      const bool is_cascade = part.arrivals.kind == ArrivalKind::cascade;
      ++(is_cascade ? cascades : sources);
      if (!is_cascade) load.entry = i;
    }
  }
  if (sources == 0) return std::nullopt;
  const ProcessEntry& entry = scenario.processes[load.entry];
  const process::Arrivals& arrivals = entry.arrivals;
  if (sources + cascades > 1 || !entry.instances.empty() || arrivals.kind == ArrivalKind::trace) return load;
  load.rate_per_s = arrivals.rate_per_s * static_cast<double>(arrivals.burst);
  if (arrivals.kind == ArrivalKind::periodic && arrivals.streams > 1) {
    load.unit = LoadUnit::cameras;
    load.asked = arrivals.streams * entry.count;
  } else if (entry.count > 1) {
    load.unit = LoadUnit::processes;
    load.asked = entry.count;
  }
  return load;
}

Scenario at_load(const Scenario& scenario, const Load& load, std::int64_t count) {
  if (load.unit == LoadUnit::percent) return at_rate(scenario, static_cast<double>(count) / 100);
  Scenario changed = scenario;
  const auto at = changed.processes.begin() + static_cast<std::ptrdiff_t>(load.entry);
  if (load.unit == LoadUnit::processes) {
    at->count = count;
  } else {
    const std::vector<ProcessEntry> spread = spread_cameras(*at, count);
    // Loads keep their places among the entries with a model.
    for (scenarios::LoadEntry& one : changed.loads)
      if (one.behind > load.entry) one.behind += spread.size() - 1;
    changed.processes.insert(changed.processes.erase(at), spread.begin(), spread.end());
  }
  remove_queue_limits(changed);
  return changed;
}

Scenario at_rate(const Scenario& scenario, double factor) {
  Scenario changed = scenario;
  remove_queue_limits(changed);
  bool has_trace = false;
  for (ProcessEntry& entry : changed.processes) {
    for (ProcessEntry& part : scenarios::parts_of(entry)) {
      raise_rate(part.arrivals, factor);
      has_trace |= part.arrivals.kind == ArrivalKind::trace;
    }
  }
  if (has_trace && factor > 1) {
    const auto shorter = [factor](sim::Duration time) {
      return sim::seconds(sim::to_seconds(time) / factor);
    };
    changed.run.duration = shorter(changed.run.duration);
    changed.run.warmup = shorter(changed.run.warmup);
  }
  return changed;
}

std::vector<ProcessEntry> spread_cameras(const ProcessEntry& entry, std::int64_t cameras) {
  std::vector<ProcessEntry> entries;
  const std::int64_t processes = std::min(entry.count, cameras);
  const auto add = [&](std::int64_t count, std::int64_t streams) {
    if (count == 0 || streams == 0) return;
    ProcessEntry& added = entries.emplace_back(entry);
    added.count = count;
    added.arrivals.streams = streams;
  };
  add(cameras % processes, cameras / processes + 1);
  add(processes - cameras % processes, cameras / processes);
  return entries;
}

}  // namespace jostle::analyses
