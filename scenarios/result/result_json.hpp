// A result as a JSON value, to look into; its text is to_json() of result_text.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

[[nodiscard]] nlohmann::ordered_json json_of(const Result& result);
[[nodiscard]] nlohmann::ordered_json json_of(const ProcessResult& process);

}  // namespace jostle::scenarios
