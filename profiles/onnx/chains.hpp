// Operators that are several layers: attention and what ONNX Runtime fuses, recurrent layers, Einsum.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dnn/graph/network.hpp"
#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The layers of a node of Kind::chain, one after another, for one of `batch` images; empty if its inputs do
// not have the dimensions that it needs, so that it counts by its bytes. Throws OnnxError if a tensor is too
// large for a Shape.
[[nodiscard]] std::vector<dnn::Layer> chain_of(const Node& node, const std::vector<Value>& values,
                                               std::int64_t batch);

}  // namespace jostle::profiles::onnx_reader
