#include "calibration/fit/trace_priors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "input/units.hpp"

namespace jostle::calibration {
namespace {

constexpr std::string_view switches = "100 to 370 us in published traces of Tegra";
constexpr std::string_view bare_launch = "4 to 6 us a bare launch in published traces";
constexpr std::string_view assumed = "assumed: of this order";

// Reasons for differences between a shipped device and another one of its architecture.
constexpr std::string_view microcode =
    "set by driver and microcode: Tegra's generations from 200 to 370 us, half of that within one";
constexpr std::string_view memories =
    "memories of one architecture differ by 1.4 times: 3.35 and 4.8 TB/s of two cards of Hopper";
constexpr std::string_view hosts =
    "sessions on one host differ by 1.28 times, clocks of servers by 1.5 times";
constexpr std::string_view readings = "readings of one file differ by a quarter to a half";
constexpr std::string_view order = "order of magnitude only";

constexpr std::array trace_table{
    TracePrior{"gpu.kernel_fixed", "us", 4, 0.7, 10, "3 to 6 us on Tegra", 0.3, readings},
    TracePrior{"gpu.time_slicing.slice", "us", 1024, 0.7, 10, "nvgpu's default, 0.5 to 50 ms settable", 0.3,
               microcode},
    TracePrior{"gpu.time_slicing.slice_jitter", "us", 1, 1, 100, assumed, 0.7, order},
    TracePrior{"gpu.time_slicing.switch_when_idle", "us", 200, 0.5, 6, switches, 0.3, microcode},
    TracePrior{"gpu.time_slicing.switch_at_expiry", "us", 200, 0.5, 6, switches, 0.3, microcode},
    TracePrior{"gpu.time_slicing.state_bandwidth", "GB/s", 1000, 1, 30,
               "registers and shared memory pass through the memory: of the order of its bandwidth", 0.35,
               memories},
    TracePrior{"gpu.time_slicing.restart_after_expiry", "us", 35, 1, 10, "2 MB of cache refilled at 60 GB/s",
               0.35, memories},
    TracePrior{"gpu.space_sharing.kernel_start", "us", 1, 0.7, 10,
               "an empty kernel takes 1 to 2 us in a profiler's trace", 0.3, readings},
    TracePrior{"gpu.space_sharing.block_turnover", "us", 0.5, 1, 10, "of the order of a thousand cycles", 0.3,
               readings},
    TracePrior{"gpu.space_sharing.fetch", "us", 0.5, 1, 10,
               "some 4 KB of instructions a kernel, at some 10 GB/s for an SM", 0.5, order},
    TracePrior{"gpu.space_sharing.mps_kernel", "us", 0.5, 1, 30, assumed, 0.7, order},
    TracePrior{"gpu.space_sharing.compute_load", "%", 100, 0.4, 2, "shares as computed from layers", 0.3,
               readings},
    TracePrior{"gpu.space_sharing.warp_bandwidth", "GB/s", 1, 1, 10,
               "some 512 bytes on their way for a latency of DRAM of half a microsecond", 0.35, memories},
    TracePrior{"gpu.idle_wake.after", "us", 5000, 1, 100, assumed, 0.7, order},
    TracePrior{"gpu.idle_wake.cost", "us", 50, 1, 100, assumed, 0.7, order},
    TracePrior{"runtimes.cuda-graph.per_launch", "us", 10, 0.7, 10, "of the order of two bare launches", 0.4,
               hosts},
    TracePrior{"runtimes.cuda-graph.per_batch", "us", 5, 1, 100, assumed, 0.4, hosts},
    TracePrior{"runtimes.eager.per_launch", "us", 10, 0.7, 10,
               "some 5 us a launch, up to 19 us under a profiler, and the framework's own work", 0.4, hosts},
    TracePrior{"runtimes.eager.per_batch", "us", 1000, 1, 30, "of the order of a hundred launches", 0.4,
               hosts},
    TracePrior{"runtimes.eager.host_time", "%", 100, 0.4, 10, "the profile's", 0.2, hosts},
    TracePrior{"runtimes.eager.gpu_per_launch", "us", 2, 1, 10, assumed, 0.3, readings},
    TracePrior{"runtimes.paced.per_launch", "us", 5, 0.7, 10, bare_launch, 0.4, hosts},
    TracePrior{"runtimes.paced.gpu_per_launch", "us", 2, 1, 10, assumed, 0.3, readings},
};

// The quantity in `unit`; absent if the text is not a quantity of that dimension.
std::optional<double> in_unit(std::string_view text, std::string_view unit) {
  const input::Dimension& dimension = unit == "GB/s" ? input::bandwidth_dimension()
                                      : unit == "%"  ? input::share_dimension()
                                                     : input::time_dimension();
  const auto value = input::parse_quantity(text, dimension).value;
  const auto one = input::parse_quantity("1 " + std::string(unit), dimension).value;
  return value && one ? std::optional(*value / *one) : std::nullopt;
}

constexpr double enough = 0.02;     // share of a latency: a larger increase counts as longer
constexpr double repeated_us = 2;   // largest difference between the medians of two equal runs
constexpr std::size_t fewest = 20;  // minimum number of kernels

struct Alone {
  double idle_us = 0, latency_us = 0;
};

}  // namespace

TracePrior TracePrior::around(std::string_view value) const {
  const auto number = in_unit(value, unit);
  TracePrior moved = *this;
  if (!number || *number <= 0) return moved;
  moved.centre = *number;
  moved.sd = between_devices;
  moved.source = between_source;
  moved.near = true;
  return moved;
}

std::span<const TracePrior> trace_priors() {
  return trace_table;
}

Posterior with_prior(const Estimate& found, const TracePrior& prior) {
  const double relative = found.sd / found.value;
  const double by_prior = relative * relative / (relative * relative + prior.sd * prior.sd);
  const double ratio = std::exp(by_prior * std::log(prior.centre / found.value));
  Posterior both{found, by_prior};
  both.estimate.value = found.value * ratio;
  both.estimate.sd = prior.sd * std::sqrt(by_prior) * both.estimate.value;
  return both;
}

std::optional<Estimate> kernel_fixed(const input::CsvTable& kernels, double start_us) {
  std::vector<double> each;
  for (const input::CsvTable::Row row : kernels) {
    if (row.text("kind") == "kernel" && row.integer("blocks") == 1)
      each.push_back(row.number("duration_us") - start_us);
  }
  if (each.size() < fewest) return std::nullopt;
  // The uncertainty includes the spread of single kernels, which differ in the work they do besides starting.
  const auto found = middle(each, spread(each));
  return found->value > 0 ? found : std::nullopt;
}

IdleEstimates idle_wake(const input::CsvTable& open_loop) {
  std::map<std::string, std::vector<Alone>> by_network;
  for (const input::CsvTable::Row row : open_loop) {
    if (row.integer("processes") != 1) continue;
    const double latency = 1e3 * row.number("latency_p50_ms");
    const double rate = row.number("rate_per_s");
    if (!(rate > 0)) row.fail("the rate must be positive");
    by_network[row.text("model") + ' ' + row.text("precision") + ' ' + row.text("batch") + ' ' +
               row.text("mode")]
        .push_back({1e6 / rate - latency, latency});
  }
  IdleEstimates found;
  std::vector<double> costs;
  double longest_without = 0, shortest_with = 1e300;
  for (auto& [network, runs] : by_network) {
    const double least = std::ranges::min_element(runs, {}, &Alone::latency_us)->latency_us;
    std::vector<double> quick;
    for (const Alone& run : runs)
      if (run.latency_us < (1 + enough) * least) quick.push_back(run.latency_us);
    for (const Alone& run : runs) {
      if (run.latency_us < (1 + enough) * least) {
        longest_without = std::max(longest_without, run.idle_us);
      } else {
        shortest_with = std::min(shortest_with, run.idle_us);
        costs.push_back(run.latency_us - median(quick));
      }
    }
  }
  if (costs.empty() || longest_without <= 0 || longest_without >= shortest_with) return found;
  found.cost = middle(costs, repeated_us);
  found.after = Estimate{(longest_without + shortest_with) / 2,
                         (shortest_with - longest_without) / std::sqrt(12.0), costs.size()};
  return found;
}

}  // namespace jostle::calibration
