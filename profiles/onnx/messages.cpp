// The branches of If, made part of the graph around them. Includes protobuf's headers.
#include "profiles/onnx/messages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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

static_assert(std::endian::native == std::endian::little, "raw data is little-endian");

template <class T>
std::optional<Numbers> raw_numbers(const std::string& raw, std::size_t count) {
  if (raw.size() != count * sizeof(T)) return std::nullopt;
  Numbers numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, raw.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<double>(element);
  }
  return numbers;
}

template <class T, class Field>
std::optional<Numbers> numbers_in(const onnx::TensorProto& tensor, const Field& field, std::size_t count) {
  if (tensor.has_raw_data()) return raw_numbers<T>(tensor.raw_data(), count);
  if (static_cast<std::size_t>(field.size()) != count) return std::nullopt;
  return Numbers(field.begin(), field.end());
}

// The number of elements; absent if it is above `most`.
std::optional<std::size_t> element_count(const onnx::TensorProto& tensor, std::int64_t most) {
  std::int64_t count = 1;
  for (const std::int64_t dim : tensor.dims()) {
    if (dim < 0 || (dim > 0 && count > most / dim)) return std::nullopt;
    count *= dim;
  }
  return static_cast<std::size_t>(count);
}

std::int64_t whole(double number) {
  constexpr double limit = 9.2e18;  // fits 64 bits
  if (number >= limit) return INT64_MAX;
  if (number <= -limit) return INT64_MIN;
  return static_cast<std::int64_t>(number);
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

// Converts small tensors and attributes of an ONNX file from and to plain numbers. Includes protobuf's
// headers.

std::optional<Numbers> numbers_of(const onnx::TensorProto& tensor, std::int64_t most) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return std::nullopt;
  const auto count = element_count(tensor, most);
  if (!count) return std::nullopt;
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return numbers_in<float>(tensor, tensor.float_data(), *count);
    case onnx::TensorProto::DOUBLE:
      return numbers_in<double>(tensor, tensor.double_data(), *count);
    case onnx::TensorProto::INT64:
      return numbers_in<std::int64_t>(tensor, tensor.int64_data(), *count);
    case onnx::TensorProto::INT32:
      return numbers_in<std::int32_t>(tensor, tensor.int32_data(), *count);
    case onnx::TensorProto::BOOL:
      return numbers_in<std::uint8_t>(tensor, tensor.int32_data(), *count);
    default:
      return std::nullopt;
  }
}

onnx::TensorProto tensor_of(const Numbers& numbers, const Dims& dims, int data_type) {
  onnx::TensorProto tensor;
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_data_type(data_type);
  for (const double number : numbers) {
    switch (data_type) {
      case onnx::TensorProto::INT64:
        tensor.add_int64_data(whole(number));
        break;
      case onnx::TensorProto::INT32:
      case onnx::TensorProto::BOOL:
        tensor.add_int32_data(static_cast<std::int32_t>(std::clamp(number, -2147483648.0, 2147483647.0)));
        break;
      case onnx::TensorProto::DOUBLE:
        tensor.add_double_data(number);
        break;
      default:
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        tensor.add_float_data(static_cast<float>(number));
    }
  }
  return tensor;
}

std::optional<onnx::TensorProto> constant_tensor(const onnx::AttributeProto& attribute) {
  if (attribute.name() == "value" && attribute.has_t()) return attribute.t();
  onnx::TensorProto tensor;
  if (attribute.name() == "sparse_value" && attribute.has_sparse_tensor()) {
    *tensor.mutable_dims() = attribute.sparse_tensor().dims();
    tensor.set_data_type(attribute.sparse_tensor().values().data_type());
  } else if (attribute.name() == "value_int") {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_int64_data(attribute.i());
  } else if (attribute.name() == "value_float") {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(attribute.f());
  } else if (attribute.name() == "value_ints") {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(attribute.ints_size());
    *tensor.mutable_int64_data() = attribute.ints();
  } else if (attribute.name() == "value_floats") {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(attribute.floats_size());
    *tensor.mutable_float_data() = attribute.floats();
  } else {
    return std::nullopt;
  }
  return tensor;
}

Attribute attribute_of(const onnx::AttributeProto& attribute) {
  Attribute result;
  result.integers.assign(attribute.ints().begin(), attribute.ints().end());
  result.reals.assign(attribute.floats().begin(), attribute.floats().end());
  result.text = attribute.s();
  if (attribute.type() == onnx::AttributeProto::INT) result.integers = {attribute.i()};
  if (attribute.type() == onnx::AttributeProto::FLOAT) result.reals = {attribute.f()};
  if (attribute.has_t()) {
    if (auto numbers = numbers_of(attribute.t(), 16)) result.reals = std::move(*numbers);
  }
  return result;
}

}  // namespace jostle::profiles::onnx_reader
