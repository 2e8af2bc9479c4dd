// A result as a JSON value.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

[[nodiscard]] nlohmann::ordered_json json_of(const Result& result);
[[nodiscard]] nlohmann::ordered_json json_of(const ProcessResult& process);

}  // namespace jostle::scenarios
