// Metrics and intervals as JSON: an absent or non-finite value is null.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace jostle {

[[nodiscard]] inline nlohmann::ordered_json metric_json(const std::optional<double>& value) {
  using Json = nlohmann::ordered_json;
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

[[nodiscard]] inline nlohmann::ordered_json interval_json(
    const std::optional<std::pair<double, double>>& interval) {
  using Json = nlohmann::ordered_json;
  return interval ? Json{interval->first, interval->second} : Json(nullptr);
}

}  // namespace jostle
