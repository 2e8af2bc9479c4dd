// Where PyTorch copies a tensor that lies in another order, and where it only notes one: a transposition is a
// view, and what reads it copies, if it must.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <optional>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The strides of a tensor with these dimensions and strides after a reshape; absent if PyTorch must copy it.
[[nodiscard]] std::optional<Dims> viewed(const Dims& dims, const Dims& strides, const Dims& wanted);

// Sets Node::copies, as in half precision with channels last. Several images are assumed, because a batch of
// one may lie in any order.
void note_copies(Graph& graph);

}  // namespace jostle::profiles::onnx_reader
