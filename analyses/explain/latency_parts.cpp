#include "analyses/explain/latency_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "input/quantity.hpp"

namespace jostle::analyses {

std::string latency_parts(const scenarios::ProcessResult& process) {
  constexpr double least = 0.05;  // share of the latency from which a part is named
  const double latency = process.latency_ms.mean.value_or(0);
  if (process.stages.empty() || !process.offered || !(latency > 0)) return {};
  std::vector<std::pair<double, std::string>> parts{
      {process.ec_ms.mean.value_or(0) + process.sync_ms.value_or(0), "GPU and launches"}};
  double rest = latency - parts.front().first;
  for (const scenarios::StageResult& stage : process.stages) {
    parts.emplace_back(stage.ms.value_or(0), stage.name);
    rest -= parts.back().first;
  }
  if (rest < -least * latency) return {};
  parts.emplace_back(std::max(0.0, rest), "waiting for a full batch, a turn or a core");
  std::ranges::stable_sort(parts, std::greater{}, [](const auto& part) { return part.first; });
  std::vector<std::string> words;
  double small = 0;
  for (const auto& [ms, name] : parts) {
    if (ms < least * latency)
      small += ms;
    else
      words.push_back(fmt::format("{} {}", name, input::decimal(ms, 3)));
  }
  if (small > 0) words.push_back(fmt::format("the rest {}", input::decimal(small, 2)));
  return fmt::format("an image takes {} ms: {}", input::decimal(latency, 3), fmt::join(words, ", "));
}

}  // namespace jostle::analyses
