// The arithmetic on shapes that exporters leave in a graph (Shape, Gather, Concat ...), done ahead of time:
// without it a Reshape does not know what to.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <optional>
#include <vector>

#include "calibration/onnx/graph.hpp"

namespace jostle::calibration::onnx_reader {

// Larger tensors are data, not shapes: their elements are not followed.
inline constexpr std::int64_t max_numbers = 4096;

// The elements of each output of a node whose output dimensions are known; nothing where they do not follow
// from the inputs, or from their shapes.
[[nodiscard]] std::optional<std::vector<Numbers>> fold(const Node& node, const std::vector<Value>& values);

}  // namespace jostle::calibration::onnx_reader
