// The nodes of a graph that its outputs depend on, in an order in which they can run; and how nodes are named
// in messages. Includes protobuf's headers.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

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

}  // namespace jostle::profiles::onnx_reader
