// A language model that jostle knows by name: the shapes of its decoder and the size of its weights.
#pragma once

#include <string>

#include "models/llm/architecture.hpp"

namespace jostle::cli {

// A table of shapes, parameters, bytes of keys and values per token, and bytes of the weights in each format,
// with lines of at most `width` columns.
[[nodiscard]] std::string language_model_table(const llm::Architecture& shown, int width);
// One line of JSON: an object with schema jostle.language_model/1 (docs/networks.md).
[[nodiscard]] std::string language_model_json(const llm::Architecture& shown);

}  // namespace jostle::cli
