#include "calibration/probe/between_machines.hpp"

#include <cmath>
#include <string_view>

namespace jostle::calibration::probe {
namespace {

// Relative standard deviations, from the differences of two probes of two H100 machines (evidence/h100-probe:
// parameters.csv and second_machine.csv), divided by the square root of two. The first row whose words a
// parameter begins with counts.
struct Difference {
  std::string_view words;
  double relative_sd;
};
constexpr Difference differences[] = {
    {"gpu.time_slicing.slice", 0.0002},   // 2090.5 and 2090.8 us
    {"gpu.bandwidth_efficiency", 0.009},  // 89.5 and 88.4 %
    {"gpu.copy_bandwidth", 0.006},        // 55.4 and 54.9 GB/s
    {"gpu.idle_wake.after", 0.4},         // 8.9 and 19.4 ms, by two kinds of work
    {"gpu.idle_wake.cost", 0.08},         // 44.8 and 50 us, as above
    {"runtimes.paced.per_launch", 0.08},  // 4.86 and 4.35 us
    {"runtimes.cpu.", 0.06},              // 7.6 and 8.3 GB/s of a core
    {"memory.cores.", 0.08},              // 20.2 and 23.6 GB/s written
    {"cpu.costs.context_switch", 0.02},   // 1.01 and 0.98 us
    {"cpu.costs.", 0.08},                 // 107 and 95 us after a move
    {"cpu.reference_clock", 0.02},        // 2.69 and 2.75 GHz
};

}  // namespace

void widen_by_machine(Outcome& outcome) {
  for (Measured& one : outcome.parameters)
    for (const Difference& difference : differences)
      if (one.parameter.starts_with(difference.words)) {
        one.relative_sd = std::hypot(one.relative_sd, difference.relative_sd);
        break;
      }
}

}  // namespace jostle::calibration::probe
