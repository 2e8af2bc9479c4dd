// The shapes of a language model out of a config.json, as Hugging Face's transformers writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/problems.hpp"
#include "models/llm/architecture.hpp"

namespace jostle::calibration {

// The `model_type` that are known: "llama", ...
[[nodiscard]] std::vector<std::string> config_types();

// The decoder; a vision tower beside it is passed over, and so are keys that say nothing of shapes. None if
// problems were added: no JSON, an unknown model_type, a key that is missing, has no sensible value or asks
// for what is not modelled. `origin` names the text in messages.
[[nodiscard]] std::optional<llm::Architecture> parse_config(const std::string& text,
                                                            const std::string& origin,
                                                            input::Problems& problems);

}  // namespace jostle::calibration
