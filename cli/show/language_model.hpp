// A language model that jostle knows by name: the shapes of its decoder and what its weights take.
#pragma once

#include <string>

#include "models/llm/architecture.hpp"

namespace jostle::cli {

// Shapes, parameters, bytes of keys and values of a token and of the weights in each format; lines of at
// most `width` columns.
[[nodiscard]] std::string language_model_table(const llm::Architecture& shown, int width);
// One line: an object with schema jostle.language_model/1 (docs/networks.md).
[[nodiscard]] std::string language_model_json(const llm::Architecture& shown);

}  // namespace jostle::cli
