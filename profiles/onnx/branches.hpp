// The branches of If, made part of the graph around them. Includes protobuf's headers.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace jostle::profiles::onnx_reader {

// The branch of an If that its condition chooses; null if the node has none.
[[nodiscard]] const onnx::GraphProto* branch_of(const onnx::NodeProto& node, bool condition);

// The nodes in a graph and in the graphs inside of it.
[[nodiscard]] int nodes_in(const onnx::GraphProto& graph);

// The graph with `mark` behind each name that it defines itself, so that none is that of a tensor around it.
// Names of the enclosing graph that it reads stay.
[[nodiscard]] onnx::GraphProto with_names_marked(onnx::GraphProto graph, const std::string& mark);

}  // namespace jostle::profiles::onnx_reader
