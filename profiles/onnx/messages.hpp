// Work on the messages of protobuf that an ONNX file consists of. Includes protobuf's headers.
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// The branch of an If that its condition chooses; null if the node has none.
[[nodiscard]] const onnx::GraphProto* branch_of(const onnx::NodeProto& node, bool condition);

// The nodes in a graph and in the graphs inside of it.
[[nodiscard]] int nodes_in(const onnx::GraphProto& graph);

// The graph with `mark` behind each name that it defines itself, so that none is that of a tensor around it.
// Names of the enclosing graph that it reads stay.
[[nodiscard]] onnx::GraphProto with_names_marked(onnx::GraphProto graph, const std::string& mark);

// The largest dimension of a tensor.
inline constexpr std::int64_t largest_dim = INT32_MAX;
// The most elements of a tensor. With this limit and the one above, counts stay within 64 bits.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40U;

using Integers = std::vector<std::int64_t>;
// The elements of a tensor of integers, if they are known. `value`: null for an omitted input.
[[nodiscard]] std::optional<Integers> integers_of(const Value* value);

// Throws std::invalid_argument with a description of the error. `inputs` has a null pointer for an omitted
// input.
void check_node(const onnx::NodeProto& node, const std::vector<const Value*>& inputs);

// The newest opset that the library has schemas of.
inline constexpr int newest_schemas = 17;
// Writes a node of ONNX's own operators as an opset does that the library knows, if `opset` is newer, and
// returns that opset. Throws OnnxError if what the node does cannot be told before the network runs. `inputs`
// as above.
[[nodiscard]] int in_known_form(onnx::NodeProto& node, int opset, const std::vector<const Value*>& inputs);

[[nodiscard]] bool own_domain(const std::string& domain);
[[nodiscard]] std::string type_of(const onnx::NodeProto& node);  // as in Node::type
[[nodiscard]] std::string name_of(const onnx::NodeProto& node);
[[nodiscard]] std::string shown(const onnx::NodeProto& node);  // "node 'conv1' (Conv)"

[[nodiscard]] bool holds_graph(const onnx::NodeProto& node);
// Adds the names that subgraphs of a node read; some refer to the enclosing graph.
void collect_captures(const onnx::NodeProto& node, std::set<std::string>& names);

// Indices of nodes, in the order of the file if they can run in that order. `ids` has the tensors that no
// node makes. Throws OnnxError if there is no such order, or a tensor is missing or made twice.
[[nodiscard]] std::vector<int> order_of_live_nodes(const onnx::GraphProto& graph,
                                                   const std::unordered_map<std::string, ValueId>& ids);

// The error in the TensorProto in these bytes; "" if there is none, or if a large tensor has no numbers at
// all. Throws protozero::exception if the bytes are malformed.
[[nodiscard]] std::string wrong_data(std::string_view tensor);

// The location of a tensor's numbers, if they are in another file. Throws OnnxError if that file is outside
// of the model's folder, or if there are not as many numbers as the dimensions require.
[[nodiscard]] std::optional<ExternalData> external_data(const onnx::TensorProto& tensor);

// The elements of a tensor of integers, booleans, floats or doubles. None if there are more than `most`, if
// they are not stored in the file, or if their number does not match the dimensions.
[[nodiscard]] std::optional<Numbers> numbers_of(const onnx::TensorProto& tensor, std::int64_t most);

// The tensor of these numbers, with int64, int32, bool, float or double elements; other types become float.
[[nodiscard]] onnx::TensorProto tensor_of(const Numbers& numbers, const Dims& dims, int data_type);

// The value of a Constant, from its one attribute; absent for strings.
[[nodiscard]] std::optional<onnx::TensorProto> constant_tensor(const onnx::AttributeProto& attribute);

[[nodiscard]] Attribute attribute_of(const onnx::AttributeProto& attribute);

}  // namespace jostle::profiles::onnx_reader
