// The processes whose work the board's total counts: images and sequences are never added.
#pragma once

#include <algorithm>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// True of every process that fits, except language models beside networks: then the total is of images alone.
[[nodiscard]] inline bool in_total(const Result& result, const ProcessResult& process) {
  const auto counts_images = [](const ProcessResult& one) {
    return one.status == "ok" && one.throughput.unit == "images/s";
  };
  if (process.status != "ok") return false;
  return counts_images(process) || std::ranges::none_of(result.processes, counts_images);
}

}  // namespace jostle::scenarios
