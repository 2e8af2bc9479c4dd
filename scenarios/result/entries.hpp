// Visits processes and loads together, in the order of the scenario.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The position of an entry: among all that run, and among the entries of `processes` in the scenario.
struct Place {
  std::int64_t index = 0, entry = 0;
};

// Calls on_process(process, place) or on_load(load, place) for each of them.
template <class OnProcess, class OnLoad>
void in_order(const Result& result, OnProcess on_process, OnLoad on_load) {
  std::size_t loads = 0;  // number of loads visited so far
  const auto up_to = [&](std::size_t processes) {
    for (; loads < result.loads.size() && result.loads[loads].behind_processes <= processes; ++loads) {
      const LoadResult& load = result.loads[loads];
      on_load(load, Place{.index = static_cast<std::int64_t>(load.behind_processes + loads),
                          .entry = static_cast<std::int64_t>(load.behind_entries + loads)});
    }
  };
  for (std::size_t i = 0; i < result.processes.size(); ++i) {
    up_to(i);
    const ProcessResult& process = result.processes[i];
    on_process(process,
               Place{.index = process.index, .entry = process.entry + static_cast<std::int64_t>(loads)});
  }
  up_to(result.processes.size());
}

}  // namespace jostle::scenarios
