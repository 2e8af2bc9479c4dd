// Checks a node's attributes and inputs before ONNX's library infers shapes with them: the library adds,
// multiplies and divides them unchecked, and accepts indices, axes and orders that no runtime would.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The largest dimension of a tensor.
inline constexpr std::int64_t largest_dim = INT32_MAX;
// The most elements of a tensor. With this limit and the one above, counts stay within 64 bits.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40U;

// Throws std::invalid_argument with a description of the error. `inputs` has a null pointer for an omitted
// input.
void check_node(const onnx::NodeProto& node, const std::vector<const Value*>& inputs);

}  // namespace jostle::profiles::onnx_reader
