// Reads the shapes of a language model from a config.json, as Hugging Face's transformers writes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"
#include "models/llm/architecture.hpp"

namespace jostle::profiles {

// The known values of `model_type`, such as "llama".
[[nodiscard]] std::vector<std::string> config_types();

// Reads the decoder, and the vision tower of a type that has one; keys that do not concern shapes are
// ignored. Absent if problems were added: no JSON, an unknown model_type, or a key that is missing, has an
// invalid value or requests something that is not modelled. `origin` names the text in messages.
[[nodiscard]] std::optional<llm::Architecture> parse_config(const std::string& text,
                                                            const std::string& origin,
                                                            input::Problems& problems);

}  // namespace jostle::profiles
