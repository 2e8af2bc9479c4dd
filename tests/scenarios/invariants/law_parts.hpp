// What laws are written with, and those that stand in files of their own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/invariants/laws.hpp"

namespace jostle::scenarios::testing {

using Breaches = std::vector<std::string>;

inline constexpr double identity = 0.005;  // to which identities hold between figures
inline constexpr double rounding = 1e-9;

[[nodiscard]] inline bool near(double a, double b, double relative = rounding) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)) + rounding;
}

template <typename... Parts>
void expect(bool holds, Breaches& breaches, fmt::format_string<Parts...> what, Parts&&... parts) {
  if (!holds) breaches.push_back(fmt::format(what, std::forward<Parts>(parts)...));
}

inline void fail(Breaches& breaches, std::string what) {
  breaches.push_back(std::move(what));
}

[[nodiscard]] inline bool ran(const ProcessResult& process) {
  return process.status == "ok";
}

// Calls `check(process, entry, breaches)` for each process that ran.
template <typename Check>
void each_process(const Run& run, Breaches& breaches, Check check) {
  for (const ProcessResult& process : run.result.processes) {
    if (!ran(process)) continue;
    Breaches own;
    check(process, run.scenario.processes.at(static_cast<std::size_t>(process.entry)), own);
    for (const std::string& breach : own)
      breaches.push_back(fmt::format("process {}: {}", process.index, breach));
  }
}

// Calls `check(instance, part, breaches)` for each stream of a process that has several.
template <typename Check>
void each_instance(const ProcessResult& process, const ProcessEntry& entry, Breaches& breaches, Check check) {
  std::size_t index = 0;
  for (const ProcessEntry& part : parts_of(entry)) {
    for (std::int64_t i = 0; i < streams_of(entry, part) && index < process.instances.size(); ++i) {
      Breaches own;
      check(process.instances[index], part, own);
      for (const std::string& breach : own) breaches.push_back(fmt::format("stream {}: {}", index, breach));
      ++index;
    }
  }
}

// service.cpp: what is served, of what came.
void an_interval_holds_its_mean(const Run& run, Breaches& breaches);
void no_more_is_served_than_came(const Run& run, Breaches& breaches);
void only_a_full_queue_drops(const Run& run, Breaches& breaches);
void a_load_is_stable_or_grows(const Run& run, Breaches& breaches);
void nobody_is_served_nothing_in_silence(const Run& run, Breaches& breaches);
void nobody_with_work_is_idle(const Run& run, Breaches& breaches);
// pooling.cpp
void replications_pool_like_means(const Run& run, Breaches& breaches);

}  // namespace jostle::scenarios::testing
