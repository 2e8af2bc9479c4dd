#include "analyses/explain/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

std::string label_of(const scenarios::ProcessEntry& process, std::size_t count) {
  std::string label = count > 1 ? fmt::format("{} x ", count) : "";
  if (!process.name.empty()) label += process.name + ": ";
  label += scenarios::model_name(process);
  if (process.work.training) label += " training";
  if (process.instances.empty()) {
    if (const auto precision = scenarios::precision_name(process)) label += " " + *precision;
    label += fmt::format(" b{}", process.work.batch);
  }
  if (process.gpu.streams > 1) label += fmt::format(" on {} streams", process.gpu.streams);
  if (process.host.placement != scenarios::Placement::cpu)
    label += fmt::format(" {}", to_string(process.host.runtime));
  if (process.host.placement != scenarios::Placement::gpu)
    label += fmt::format(" on {}", to_string(process.host.placement));
  return label;
}

}  // namespace

Permille rounded(const scenarios::TimeShare& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  Permille result{};
  std::array<double, std::tuple_size_v<Permille>> rest{};
  int missing = 1000;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = 1000 * shares[i] / sum;
    result[i] = static_cast<int>(std::floor(exact));
    rest[i] = exact - result[i];
    missing -= result[i];
  }
  for (; missing > 0; --missing) {
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(rest) - rest.begin());
    ++result[largest];
    rest[largest] = -1;
  }
  return result;
}

std::vector<ProcessGroup> groups_of(const scenarios::Scenario& scenario) {
  std::vector<ProcessGroup> groups;
  std::vector<std::string> keys;
  std::vector<std::size_t> entries;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(scenario)) {
    scenarios::Scenario alone;
    alone.processes.push_back(scenario.processes[instance.entry]);
    alone.processes.front().count = 1;
    const std::string key = to_json(alone);
    const auto known = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (known == keys.size()) {
      keys.push_back(key);
      entries.push_back(instance.entry);
      groups.emplace_back();
    }
    groups[known].processes.push_back(instance.index);
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].label = label_of(scenario.processes[entries[i]], groups[i].processes.size());
  return groups;
}

std::optional<scenarios::TimeShare> mean_share(const scenarios::Result& result,
                                               const std::vector<std::size_t>& processes) {
  scenarios::TimeShare mean{};
  double count = 0;
  for (const std::size_t index : processes) {
    if (index >= result.processes.size() || !result.processes[index].time_share) continue;
    ++count;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += (*result.processes[index].time_share)[i];
  }
  if (count == 0) return std::nullopt;
  for (double& share : mean) share /= count;
  return mean;
}

}  // namespace jostle::analyses
