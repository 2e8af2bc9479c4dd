#include "analyses/explain/unit_totals.hpp"

#include "analyses/explain/parts.hpp"

namespace jostle::analyses {

std::vector<UnitTotal> totals_of(const std::vector<scenarios::Result>& results) {
  UnitTotal images{"images", 0.0}, tokens{"tokens", 0.0};
  bool any_images = false, any_tokens = false;
  const auto plus = [](UnitTotal& total, const scenarios::Metric& value) {
    total.per_s = total.per_s && value ? scenarios::Metric(*total.per_s + *value) : std::nullopt;
  };
  for (const scenarios::Result& result : results) {
    for (const Part& part : parts_in(result)) {
      if (part.process->status != "ok") continue;
      const bool speaks = part.tokens().has_value();
      (speaks ? any_tokens : any_images) = true;
      plus(speaks ? tokens : images, speaks ? part.tokens()->per_s : part.throughput().mean);
    }
  }
  std::vector<UnitTotal> totals;
  if (any_images) totals.push_back(images);
  if (any_tokens) totals.push_back(tokens);
  return totals;
}

}  // namespace jostle::analyses
