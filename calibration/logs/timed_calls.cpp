#include "calibration/logs/timed_calls.hpp"

#include <algorithm>
#include <utility>

namespace jostle::calibration {
namespace {

Measurement row_of(const std::string& metric, const Moments& moments, std::string of) {
  return {.metric = metric,
          .value = moments.mean,
          .unit = "us",
          .sd = moments.sd(),
          .count = moments.count,
          .of = std::move(of)};
}

}  // namespace

Moments& TimedCalls::of(std::string_view name) {
  name = name.substr(0, max_name);
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  if (by_name_.size() >= max_names || name_bytes_ + name.size() > max_name_bytes) return by_name_["(others)"];
  name_bytes_ += name.size();
  return by_name_[std::string(name)];
}

Moments TimedCalls::all() const {
  // The order must not depend on the hash table, because sums of doubles depend on the order.
  std::vector<std::pair<std::string_view, const Moments*>> sorted;
  sorted.reserve(by_name_.size());
  for (const auto& [name, moments] : by_name_) sorted.emplace_back(name, &moments);
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
  Moments all;
  for (const auto& [name, moments] : sorted) all.add(*moments);
  return all;
}

void TimedCalls::rows(const std::string& metric, bool with_total, std::vector<Measurement>& rows) const {
  if (by_name_.empty()) return;
  if (with_total) rows.push_back(row_of(metric, all(), ""));
  std::vector<std::pair<double, Measurement>> sorted;
  for (const auto& [name, moments] : by_name_)
    sorted.emplace_back(-moments.mean * static_cast<double>(moments.count), row_of(metric, moments, name));
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return std::pair(a.first, std::string_view(a.second.of)) <
           std::pair(b.first, std::string_view(b.second.of));
  });
  for (auto& [total, row] : sorted) rows.push_back(std::move(row));
}

std::string call_metric(std::string_view name) {
  const bool launches = name.starts_with("cudaLaunch") || name.starts_with("cuLaunch") ||
                        name.starts_with("cudaGraphLaunch") || name.starts_with("cuGraphLaunch");
  return launches ? "launch_call" : "api_call";
}

}  // namespace jostle::calibration
