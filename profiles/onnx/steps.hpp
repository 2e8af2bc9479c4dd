// Steps from the graph of an ONNX file to the layers of a network.
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/graph/network.hpp"
#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The layers of a node of Kind::chain, one after another, for one of `batch` images; empty if its inputs do
// not have the dimensions that it needs, so that it counts by its bytes. Throws OnnxError if a tensor is too
// large for a Shape.
[[nodiscard]] std::vector<dnn::Layer> chain_of(const Node& node, const std::vector<Value>& values,
                                               std::int64_t batch);

// Larger tensors are data and not shapes; their elements are not tracked.
inline constexpr std::int64_t max_numbers = 4096;

// The elements of each output of a node whose output dimensions are known; none if they do not follow from
// the inputs or from the shapes of the inputs.
[[nodiscard]] std::optional<std::vector<Numbers>> fold(const Node& node, const std::vector<Value>& values);

struct DeclaredDim {
  std::optional<std::int64_t> size;
  std::string name;  // name of an open dimension; may be empty
};
struct DeclaredInput {
  std::string name;
  std::vector<DeclaredDim> dims;
  std::optional<std::int64_t> channels;  // number that the convolutions reading it need
};

// The dimensions of all inputs. An open first dimension is the batch and becomes one image; so does a
// dimension of the same name elsewhere. Open channels become the number that the weights need. Every other
// open dimension has the length `input`. Throws OnnxError, which names the dimension, if there is no `input`,
// and if `input` is given but no dimension is open.
[[nodiscard]] std::vector<Dims> definite(const std::vector<DeclaredInput>& inputs,
                                         std::optional<std::int64_t> input);

struct Layers {
  dnn::Network network;
  std::int64_t batch = 1;  // number of images in the file's shapes
  // One sentence each; if a part is not understood, the first says so.
  std::vector<std::string> warnings;
  double missing = 0;  // share of nodes, or of bytes moved, that is not understood, whichever is more
};

// Makes a layer of every node that has a cost. Throws OnnxError.
[[nodiscard]] Layers layers_of(const Graph& graph);

// Replaces each recognised group by one node with the name of the group's last node. Of other nodes it notes
// what PyTorch's host is asked for: those that are part of another's operator, and the dropouts behind, which
// files do not have.
void recognise_patterns(Graph& graph);

// The message without the contents of larger tensors, including those in nested graphs, functions and
// attributes. Throws protozero::exception if the bytes are not a protobuf message.
[[nodiscard]] std::string without_weights(std::string_view model);

// The strides of a tensor with these dimensions and strides after a reshape; absent if PyTorch must copy it.
[[nodiscard]] std::optional<Dims> viewed(const Dims& dims, const Dims& strides, const Dims& wanted);

// Sets Node::copies, as in half precision with channels last. Several images are assumed, because a batch of
// one may lie in any order.
void note_copies(Graph& graph);

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
