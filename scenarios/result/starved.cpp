#include "scenarios/result/starved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "input/quantity.hpp"

namespace jostle::scenarios {

namespace {

template <class Metrics>
bool got_nothing(const Metrics& metrics) {
  return metrics.images == 0.0 && metrics.asked > 0;
}

std::string cause(const ProcessResult& process) {
  if (!process.time_share) return {};
  const auto most = std::ranges::max_element(*process.time_share);
  const auto& row = process::share_rows.at(static_cast<std::size_t>(most - process.time_share->begin()));
  return fmt::format(": it {} for {:.0f} % of the time", row.past, 100 * *most);
}

}  // namespace

std::vector<std::string> starved(const Result& result) {
  std::vector<std::string> sentences;
  const std::string during = input::decimal(result.simulated_s, 4) + " s";
  for (const ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    if (got_nothing(process) && std::ranges::all_of(process.instances, got_nothing<InstanceResult>)) {
      sentences.push_back(
          fmt::format("process {} served nothing in {}{}", process.index, during, cause(process)));
      continue;
    }
    for (const InstanceResult& instance : process.instances)
      if (got_nothing(instance))
        sentences.push_back(fmt::format("stream {} of process {} served nothing in {}", instance.index,
                                        process.index, during));
  }
  return sentences;
}

void warn_of_starved(Result& result) {
  std::vector<std::string> sentences = starved(result);
  std::ranges::move(result.warnings, std::back_inserter(sentences));
  result.warnings = std::move(sentences);
}

}  // namespace jostle::scenarios
