// The distance of a scenario from overload: the most that it still keeps up with, and the resource that a
// greater load is short of, both from runs at these loads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyses/plan/load.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

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
  // The share of what it carries that the load leaves free.
  [[nodiscard]] double free_share() const;
};

// Doubles the load while it keeps up, then bisects. `run_at`: the result at a load in the unit of `load`.
[[nodiscard]] OverloadDistance distance_to_overload(
    const Load& load, const std::function<scenarios::Result(std::int64_t)>& run_at);

// "20 cameras; up to 23 keep up (13 % stay free), 24 would overload the GPU at 15 frames/s"
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
