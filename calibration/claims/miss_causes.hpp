// The causes that missed statements have in common, as their own reasons (`Statement::why`) tell them.
#pragma once

#include <span>
#include <string_view>

namespace jostle::calibration {

struct MissCause {
  std::string_view words;                 // "the model has one efficiency for all kernels of a kind, ..."
  std::span<const std::string_view> ids;  // the statements, sorted
};

// Every missed statement belongs to one row; the last row has those with a reason of their own.
[[nodiscard]] std::span<const MissCause> miss_causes();

// The row of a statement; null if its reason is in none.
[[nodiscard]] const MissCause* cause_of(std::string_view id);

}  // namespace jostle::calibration
