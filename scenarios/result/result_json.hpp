// A result as a JSON value.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

[[nodiscard]] nlohmann::ordered_json json_of(const Result& result);
[[nodiscard]] nlohmann::ordered_json json_of(const ProcessResult& process);
// The text of json_of(result), as to_json() returns it.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& result);

}  // namespace jostle::scenarios
