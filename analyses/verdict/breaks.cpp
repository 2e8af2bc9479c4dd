// The smallest change that breaks a limit, found by runs of the changed scenario.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "analyses/verdict/slower.hpp"
#include "analyses/verdict/verdict.hpp"
#include "input/counted.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/figures.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/starved.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::analyses {
namespace {

using scenarios::ProcessEntry;
using scenarios::Scenario;

// The changes in percent that are tried. With "none of them breaks it" 32 outcomes: five runs.
constexpr std::array<int, 31> worse_steps{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 14, 16, 18, 20, 22,
                                          24, 26, 28, 30, 35, 40, 45, 50, 55, 60, 70, 75, 80, 90, 100};

// Makes `times` as many requests come, or work take so many times as long; false if nothing changes.
using Slow = bool (*)(Scenario&, const board::DeviceSpec&, double times);

bool more_requests(Scenario& scenario, const board::DeviceSpec& /*device*/, double times) {
  bool any = false;
  for (ProcessEntry& process : scenario.processes)
    for (ProcessEntry& part : parts_of(process)) {
      any = any || part.arrivals.rate_per_s > 0 || !part.arrivals.times.empty();
      raise_rate(part.arrivals, times);
    }
  return any;
}

void slow_gpu(Scenario& scenario, const char* of, double now, double times) {
  put(scenario, std::string("gpu.what_if.") + of, fmt::format("{}", now / times));
}

bool slower_networks(Scenario& scenario, const board::DeviceSpec& device, double times) {
  const bool any = device.has_gpu() && std::ranges::any_of(scenario.processes, [](const ProcessEntry& of) {
                     return of.host.placement != scenarios::Placement::cpu;
                   });
  if (!any) return false;
  slow_gpu(scenario, "arithmetic", device.what_if.arithmetic, times);
  slow_gpu(scenario, "memory", device.what_if.memory, times);
  return true;
}

bool slower_stages(Scenario& scenario, const board::DeviceSpec& /*device*/, double times) {
  bool any = false;
  for (ProcessEntry& process : scenario.processes)
    for (auto* const stages : {&process.around.before, &process.around.after})
      for (scenarios::Stage& stage : *stages) {
        stage.time = sim::picoseconds(static_cast<double>(stage.time.ps()) * times);
        stage.cycles *= times;
        stage.bytes *= times;
        stage.rate /= times;
        any = true;
      }
  return any;
}

// The bandwidth of memory stays.
bool lower_clocks(Scenario& scenario, const board::DeviceSpec& device, double times) {
  put(scenario, "cpu.what_if", fmt::format("{}", device.cpu->what_if / times));
  if (device.has_gpu()) slow_gpu(scenario, "arithmetic", device.what_if.arithmetic, times);
  return true;
}

struct Worsening {
  const char *who, *how;  // "requests come", "more often"; the amount stands between them
  const char* twice;      // "twice the requests"
  Slow slow;
  bool of_clocks = false;  // a clock that is lower by x makes work longer by x / (1 - x)
};
constexpr std::array<Worsening, 4> worsenings{
    {{"requests come", "more often", "twice the requests", more_requests},
     {"the networks take", "longer", "networks twice as slow", slower_networks},
     {"the stages around them take", "longer", "stages twice as slow", slower_stages},
     {"the clocks of cores and GPU are", "lower", "half the clocks", lower_clocks, true}}};

// The first step that breaks a limit, and the changes that do so there: all if none does.
struct FirstBroken {
  std::size_t step = worse_steps.size();
  std::vector<const Worsening*> by;
};

// More of a change breaks what less of it breaks. So one that does not break at the last step, or where
// another does, is not the smallest.
FirstBroken first_broken(std::vector<const Worsening*> changes,
                         const std::function<bool(const Worsening&, std::size_t step)>& breaks) {
  FirstBroken found{worse_steps.size(), std::move(changes)};
  std::size_t low = 0, step = worse_steps.size() - 1;
  while (low < found.step) {
    std::vector<char> broken(found.by.size());
    scenarios::parallel_for(broken.size(), [&](std::size_t i) { broken[i] = breaks(*found.by[i], step); });
    if (std::ranges::count(broken, 1) > 0) {
      std::size_t i = 0;
      std::erase_if(found.by, [&](const Worsening*) { return broken[i++] == 0; });
      found.step = step;
    } else {
      low = step + 1;
    }
    step = (low + found.step) / 2;
  }
  return found;
}

constexpr std::size_t none = static_cast<std::size_t>(-1);

// The first process that does not keep up on a board whose times are so many percent longer; `none`: all do.
std::size_t overloaded_if(const Scenario& scenario, int percent, const scenarios::RunControl& control) {
  scenarios::RunControl quiet;
  quiet.interrupt = control.interrupt;
  quiet.among = scenarios::Among::changes;
  const auto result = scenarios::run(on_slower_board(scenario, 1 + percent / 100.0), quiet);
  if (!result) throw scenarios::Interrupted();
  const auto grows = std::ranges::find(result->processes, false, &scenarios::ProcessResult::stable);
  return grows == result->processes.end() ? none
                                          : static_cast<std::size_t>(grows - result->processes.begin());
}

}  // namespace

void find_room(scenarios::Result& result, const Scenario& scenario, const scenarios::RunControl& control) {
  const auto error = scenarios::usual_error_share(lowest(result));
  bool near = error.has_value();
  double most = 0;
  for (const scenarios::ProcessResult& one : result.processes) {
    near = near && one.stable != false;
    most = std::max(most, scenarios::busy_share(result, one).value_or(0));
  }
  if (!near || most * (1 + *error) < 1) return;
  const auto after = std::ranges::upper_bound(worse_steps, 100 * *error);
  std::size_t low = 0, high = static_cast<std::size_t>(after - worse_steps.begin());
  while (low < high) {  // the end first: mostly nothing is overloaded there
    const std::size_t tried = result.room || low > 0 ? (low + high) / 2 : high - 1;
    const std::size_t process = overloaded_if(scenario, worse_steps.at(tried), control);
    if (process == none) {
      low = tried + 1;
      continue;
    }
    result.room = scenarios::Room{worse_steps.at(tried) / 100.0, process};
    high = tried;
  }
}

scenarios::Breaks breaks_of(const Scenario& scenario, const AskedLimits& limits,
                            const scenarios::RunControl& control) {
  input::Problems problems;
  const auto profile = scenarios::device_profile(scenario, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  std::vector<const Worsening*> changes;
  for (const Worsening& change : worsenings) {
    Scenario changed = scenario;
    if (change.slow(changed, *profile->spec, 2)) changes.push_back(&change);
  }
  // The limits that a change breaks, in words.
  const auto broken = [&](const Worsening& change, std::size_t step) {
    std::vector<std::string> words;
    Scenario changed = scenario;
    change.slow(changed, *profile->spec, 1 + worse_steps.at(step) / 100.0);
    scenarios::RunControl quiet;
    quiet.interrupt = control.interrupt;
    quiet.among = scenarios::Among::changes;
    try {
      const auto result = scenarios::run(changed, quiet);
      if (!result) throw scenarios::Interrupted();
      for (const scenarios::Judged& one : judged(limits, *result))
        if (one.met == false) words.push_back(one.words);
    } catch (const scenarios::RunError&) {  // the board cannot run it so
    }
    return words;
  };
  const FirstBroken first = first_broken(std::move(changes), [&](const Worsening& change, std::size_t step) {
    return !broken(change, step).empty();
  });
  scenarios::Breaks found;
  if (first.step < worse_steps.size()) {
    const auto& [who, how, twice, slow, of_clocks] = *first.by.front();
    const double more = worse_steps.at(first.step) / 100.0, by = of_clocks ? more / (1 + more) : more;
    const std::string which =
        limits.constraints.size() > 1 ? input::listed(broken(*first.by.front(), first.step)) + " " : "";
    const auto& run = scenario.run;
    const std::string judged_on = run.replications > 1 ? fmt::format("over {} seeds", run.replications)
                                                       : fmt::format("seed {} alone", run.seed);
    return {fmt::format("{} {}", who, how), by,
            fmt::format("{}breaks if {} {:.0f} % {} ({})", which, who, 100 * by, how, judged_on)};
  }
  for (const Worsening* const change : first.by) {
    found.change += fmt::format("{}{} {}", found.change.empty() ? "" : ", ", change->who, change->how);
    found.text += (found.text.empty() ? "it also holds with " : " or ") + std::string(change->twice);
  }
  return found;
}

}  // namespace jostle::analyses
