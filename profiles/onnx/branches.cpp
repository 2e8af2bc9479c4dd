// The branches of If, made part of the graph around them. Includes protobuf's headers.
#include <set>
#include <string_view>

#include "profiles/onnx/messages.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using Names = std::set<std::string>;

void mark_name(std::string& name, const Names& own, const std::string& mark) {
  if (own.contains(name)) name += mark;
}

// Marks the values of the enclosing graph that a nested graph reads. Values that it defines itself hide those
// of the same name outside.
void mark_captures(onnx::GraphProto& graph, Names own, const std::string& mark);

void mark_node(onnx::NodeProto& node, const Names& own, const std::string& mark) {
  for (std::string& name : *node.mutable_input()) mark_name(name, own, mark);
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) mark_captures(*attribute.mutable_g(), own, mark);
    for (onnx::GraphProto& graph : *attribute.mutable_graphs()) mark_captures(graph, own, mark);
  }
}

void mark_captures(onnx::GraphProto& graph, Names own, const std::string& mark) {
  for (const onnx::TensorProto& tensor : graph.initializer()) own.erase(tensor.name());
  for (const onnx::ValueInfoProto& input : graph.input()) own.erase(input.name());
  for (const onnx::NodeProto& node : graph.node())
    for (const std::string& output : node.output()) own.erase(output);
  if (own.empty()) return;
  for (onnx::NodeProto& node : *graph.mutable_node()) mark_node(node, own, mark);
  for (onnx::ValueInfoProto& output : *graph.mutable_output()) mark_name(*output.mutable_name(), own, mark);
}

}  // namespace

const onnx::GraphProto* branch_of(const onnx::NodeProto& node, bool condition) {
  const std::string_view wanted = condition ? "then_branch" : "else_branch";
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.name() == wanted && attribute.has_g()) return &attribute.g();
  return nullptr;
}

int nodes_in(const onnx::GraphProto& graph) {
  int count = 0;
  for (const onnx::NodeProto& node : graph.node()) {
    ++count;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) count += nodes_in(attribute.g());
      for (const onnx::GraphProto& inner : attribute.graphs()) count += nodes_in(inner);
    }
  }
  return count;
}

onnx::GraphProto with_names_marked(onnx::GraphProto graph, const std::string& mark) {
  Names own;
  for (const onnx::TensorProto& tensor : graph.initializer()) own.insert(tensor.name());
  for (const onnx::SparseTensorProto& sparse : graph.sparse_initializer()) own.insert(sparse.values().name());
  for (const onnx::NodeProto& node : graph.node()) own.insert(node.output().begin(), node.output().end());
  own.erase("");
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) *tensor.mutable_name() += mark;
  for (onnx::SparseTensorProto& sparse : *graph.mutable_sparse_initializer())
    *sparse.mutable_values()->mutable_name() += mark;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    mark_node(node, own, mark);
    for (std::string& output : *node.mutable_output()) mark_name(output, own, mark);
  }
  for (onnx::ValueInfoProto& info : *graph.mutable_value_info()) mark_name(*info.mutable_name(), own, mark);
  for (onnx::ValueInfoProto& output : *graph.mutable_output()) mark_name(*output.mutable_name(), own, mark);
  return graph;
}

}  // namespace jostle::profiles::onnx_reader
