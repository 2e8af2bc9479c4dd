// The smallest change that breaks a limit, found by runs of the changed scenario.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "analyses/verdict/slower.hpp"
#include "analyses/verdict/verdict.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/figures.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
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
  const char* words;
  Slow slow;
  bool of_clocks = false;  // a clock that is lower by x makes work longer by x / (1 - x)
};
constexpr std::array<Worsening, 4> worsenings{
    {{"requests come more often", more_requests},
     {"the networks take longer", slower_networks},
     {"the stages around them take longer", slower_stages},
     {"the clocks of cores and GPU are lower", lower_clocks, true}}};

// Index of the first step that breaks a limit, or their number; none: the change does not apply.
std::optional<std::size_t> first_broken(const Worsening& change, const Scenario& scenario,
                                        const board::DeviceSpec& device,
                                        const std::function<bool(const Scenario&)>& breaks) {
  std::size_t low = 0, high = worse_steps.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    Scenario changed = scenario;
    if (!change.slow(changed, device, 1 + worse_steps[middle] / 100.0)) return std::nullopt;
    if (breaks(changed))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

scenarios::Breaks breaks_of(const Scenario& scenario, const AskedLimits& limits,
                            const scenarios::RunControl& control) {
  input::Problems problems;
  const auto profile = scenarios::device_profile(scenario, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  const auto breaks = [&](const Scenario& changed) {
    scenarios::RunControl quiet;
    quiet.interrupt = control.interrupt;
    try {
      const auto result = scenarios::run(changed, quiet);
      if (!result) throw scenarios::Interrupted();
      return std::ranges::any_of(judged(limits, *result), [](const auto& one) { return one.met == false; });
    } catch (const scenarios::RunError&) {  // the board cannot run it so
      return false;
    }
  };
  std::array<std::optional<std::size_t>, worsenings.size()> first;
  scenarios::parallel_for(worsenings.size(), [&](std::size_t i) {
    first.at(i) = first_broken(worsenings.at(i), scenario, *profile->spec, breaks);
  });
  std::size_t smallest = worse_steps.size();
  scenarios::Breaks found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Worsening& change = worsenings.at(i);
    if (!first.at(i)) continue;
    if (smallest == worse_steps.size() && *first.at(i) == smallest)
      found.change += (found.change.empty() ? "" : ", ") + std::string(change.words);
    if (*first.at(i) >= smallest) continue;
    smallest = *first.at(i);
    const double by = worse_steps.at(smallest) / 100.0;
    found = {change.words, change.of_clocks ? by / (1 + by) : by};
  }
  return found;
}

}  // namespace jostle::analyses
