// Constant folding of the arithmetic on shapes that exporters leave in a graph (Shape, Gather, Concat ...).
// Without it the target shape of a Reshape is not known.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <optional>
#include <vector>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// Larger tensors are data and not shapes; their elements are not tracked.
inline constexpr std::int64_t max_numbers = 4096;

// The elements of each output of a node whose output dimensions are known; none if they do not follow from
// the inputs or from the shapes of the inputs.
[[nodiscard]] std::optional<std::vector<Numbers>> fold(const Node& node, const std::vector<Value>& values);

}  // namespace jostle::profiles::onnx_reader
