// The distance of a scenario from overload: the most that it still keeps up with, and the resource that a
// greater load is short of, both from runs at these loads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

// The load that a scenario is asked for: requests that arrive whether or not they are served, and how they
// grow.
enum class LoadUnit : std::uint8_t { cameras, processes, percent };

// The load in whole units. Cameras: periodic sources of the only entry that has requests, if it has several
// a process. Processes: those of that entry. Percent: of the rates of all requests, 100 as the scenario has
// them.
struct Load {
  LoadUnit unit = LoadUnit::percent;
  std::int64_t asked = 100;
  std::size_t entry = 0;             // index of cameras and processes, in Scenario::processes
  std::optional<double> rate_per_s;  // requests/s of one camera, one process, or the only process; else none
};

// None: nothing arrives by itself, as with closed loops and clients.
[[nodiscard]] std::optional<Load> load_of(const scenarios::Scenario& scenario);

// The scenario with the load at this count, and queues without limits: whether it keeps up is then a matter
// of its capacity alone. Traces are compressed, and the run with them.
[[nodiscard]] scenarios::Scenario at_load(const scenarios::Scenario& scenario, const Load& load,
                                          std::int64_t count);
// The same with the rates of all requests times this factor.
[[nodiscard]] scenarios::Scenario at_rate(const scenarios::Scenario& scenario, double factor);

// The entry with this number of cameras, spread evenly over at most its `count` processes: one entry, or two
// that differ by a camera a process.
[[nodiscard]] std::vector<scenarios::ProcessEntry> spread_cameras(const scenarios::ProcessEntry& entry,
                                                                  std::int64_t cameras);

// The resource that a load is short of.
struct Shortage {
  std::string name;    // "gpu", "cpu_cores", "host_thread", "dla", "nvdec", "link", "memory", "heat", …
  std::string effect;  // verb of the load: "overload the GPU", "not fit into memory"
};

// The shortage in a run that does not keep up; none if it keeps up. In an overload, it is the resource for
// which the overloaded processes take most of their time, waiting included; a link whose load exceeds its
// capacity goes first.
[[nodiscard]] std::optional<Shortage> shortage_in(const scenarios::Result& result);

struct OverloadDistance {
  Load load;
  std::int64_t carries = 0;                  // greatest load that keeps up; 0: none does
  std::optional<std::int64_t> overloads_at;  // carries + 1; none: up to 64 times the load keeps up
  Shortage shortage;                         // at that load
  // The greatest load that meets the limits besides headroom, and which these are: "p99 latency"; none: there
  // are no such limits, or the load asked for misses one.
  std::optional<std::int64_t> within = {};
  std::string limits = {};
  // The share of what it carries that the load leaves free.
  [[nodiscard]] double free_share() const;
};

// Doubles the load while it keeps up, then bisects. `run_at`: the result at a load in the unit of `load`.
[[nodiscard]] OverloadDistance distance_to_overload(
    const Load& load, const std::function<scenarios::Result(std::int64_t)>& run_at);

// "20 cameras; up to 23 keep up, 24 would overload the GPU at 15 frames/s"; with limits "20 cameras; up to 21
// keep the limit of p99 latency, 23 keep up, 24 would …"
[[nodiscard]] std::string sentence_of(const OverloadDistance& distance);

// The share of the stable rate that the scenario leaves free, as far as `wanted`: from one run with all rates
// times 1/(1 - wanted). It is `wanted` if that run keeps up, else less by what it could serve, and 0 if that
// is unknown. Throws Interrupted, RunError.
struct Headroom {
  double share = 0;
  double simulated_s = 0;  // length of the run
};
[[nodiscard]] Headroom headroom_of(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                                   double wanted, const scenarios::RunControl& control);

}  // namespace jostle::analyses
