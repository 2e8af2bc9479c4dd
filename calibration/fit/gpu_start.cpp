#include "calibration/fit/gpu_start.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace jostle::calibration {
namespace {

constexpr double enough = 0.02;     // share of a latency: a larger increase counts as longer
constexpr double repeated_us = 2;   // largest difference between the medians of two equal runs
constexpr std::size_t fewest = 20;  // minimum number of kernels

struct Alone {
  double idle_us = 0, latency_us = 0;
};

}  // namespace

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
