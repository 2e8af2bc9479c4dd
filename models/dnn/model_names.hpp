// The networks jostle knows by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jostle::dnn {

// Sorted.
[[nodiscard]] const std::vector<std::string>& model_names();
[[nodiscard]] bool is_model(std::string_view name);
// The known name with the fewest edits to `name`, for error messages.
[[nodiscard]] std::string nearest_model(std::string_view name);

}  // namespace jostle::dnn
