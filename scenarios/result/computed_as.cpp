#include "scenarios/result/computed_as.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/process/runtimes.hpp"

namespace jostle::scenarios {

std::vector<std::string> computed_as(const Result& result) {
  std::vector<std::string> sentences;
  for (const process::RuntimeTraits& row : process::runtimes) {
    const bool used =
        row.computed_as != nullptr &&
        std::ranges::find(result.processes, row.name, &ProcessResult::runtime) != result.processes.end();
    if (used)
      sentences.push_back(
          fmt::format("{} is computed as {}: what its server adds is not known", row.name, row.computed_as));
  }
  return sentences;
}

}  // namespace jostle::scenarios
