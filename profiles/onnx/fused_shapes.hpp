// Shapes of results that the ONNX library has no rule for: operators that ONNX Runtime fuses others into
// (com.microsoft, contrib_ops/ContribOperators.md), and those whose result depends on what is found.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <optional>
#include <vector>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

struct FusedShape {
  Dims dims;
  std::size_t type_of = 0;   // the input that has its element type
  bool is_position = false;  // whole numbers instead
};

// The shapes of a node's outputs; none if the operator is not one of these, or its inputs do not have the
// dimensions that it needs.
[[nodiscard]] std::optional<std::vector<FusedShape>> fused_shapes(const Node& node,
                                                                  const std::vector<Value>& values);

// Attention as ONNX Runtime's operators describe it, for the file's batch.
struct AttentionShape {
  std::int64_t batch = 1, queries = 1, keys = 1;  // tokens
  std::int64_t heads = 1, key_heads = 1, head = 1, value_head = 1;
  std::int64_t hidden = 0;     // channels of the input that it projects itself; 0: it does not
  std::int64_t projected = 0;  // channels of queries, keys and values together
};
[[nodiscard]] std::optional<AttentionShape> attention_shape(const Node& node,
                                                            const std::vector<Value>& values);

}  // namespace jostle::profiles::onnx_reader
