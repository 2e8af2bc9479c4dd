#include "profiles/onnx/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "input/printable.hpp"
#include "profiles/onnx/operators.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

// The layout that an operator reads and writes, if it requires a certain one.
std::optional<Layout> own_layout(const Graph& graph, const Node& node) {
  switch (operator_of(node.type).kind) {
    case Kind::convolution:
    case Kind::norm:
    case Kind::pool:
    case Kind::global_pool:
    case Kind::resize:
      return Layout::first;
    case Kind::layer_norm:
      return Layout::last;
    case Kind::chain:
      return node.type == "Einsum" ? std::nullopt : std::optional(Layout::last);
    case Kind::gather:
      return picks_rows(node, graph.values) ? std::optional(Layout::last) : std::nullopt;
    case Kind::product:
      return is_linear(graph, node) ? Layout::last : Layout::grouped;
    default:
      return std::nullopt;
  }
}

// The first input that is not stored in the file.
ValueId data_input(const Graph& graph, const Node& node) {
  for (const ValueId id : node.inputs) {
    if (id != none && !graph.values[id].constant) return id;
  }
  return none;
}

// True if the output has the same layout as the input.
bool keeps_layout(const Graph& graph, const Node& node) {
  const Kind kind = operator_of(node.type).kind;
  if (kind == Kind::view || kind == Kind::transpose) return false;
  const ValueId from = data_input(graph, node);
  return from != none && !node.outputs.empty() && node.outputs.front() != none &&
         graph.values[from].dims.size() == graph.values[node.outputs.front()].dims.size();
}

Layout usual(const Value& value) {
  return value.dims.size() >= 4 ? Layout::first : Layout::last;
}

// The layout that the readers of each value prefer.
std::vector<std::optional<Layout>> wanted(const Graph& graph) {
  std::vector<std::optional<Layout>> wants(graph.values.size());
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    std::optional<Layout> want = own_layout(graph, *node);
    if (!want && keeps_layout(graph, *node)) want = wants[node->outputs.front()];
    if (operator_of(node->type).kind == Kind::gather) want.reset();  // tokens have no layout
    if (!want) continue;
    for (const ValueId id : node->inputs) {
      if (id != none && !graph.values[id].constant) wants[id] = want;
    }
  }
  return wants;
}

int narrowed(std::int64_t size, const Value& value) {
  if (size > std::numeric_limits<int>::max()) {
    throw OnnxError(fmt::format("tensor '{}' is too large", input::printable(value.name)));
  }
  return static_cast<int>(size);
}

// The dimension of the batch: the first if it is a multiple of `batch`, else the first of that length.
std::optional<std::size_t> batch_axis(const Dims& dims, std::int64_t batch) {
  if (dims.front() % batch == 0) return 0;
  const auto found = std::ranges::find(dims, batch);
  if (found == dims.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dims.begin());
}

}  // namespace

bool is_linear(const Graph& graph, const Node& node) {
  const ValueId weights = node.input(static_cast<std::size_t>(operator_of(node.type).weights));
  return weights != none && graph.values[weights].constant && graph.values[weights].dims.size() == 2;
}

std::vector<Layout> layouts(const Graph& graph) {
  const auto wants = wanted(graph);
  std::vector<Layout> all;
  for (std::size_t id = 0; id < graph.values.size(); ++id)
    all.push_back(wants[id].value_or(usual(graph.values[id])));
  for (const Node& node : graph.nodes) {
    std::optional<Layout> written = own_layout(graph, node);
    if (!written && keeps_layout(graph, node)) written = all[data_input(graph, node)];
    if (!written) continue;
    for (const ValueId id : node.outputs) {
      if (id != none) all[id] = *written;
    }
  }
  return all;
}

dnn::Shape shape_of(const Value& value, Layout layout, std::int64_t batch) {
  Dims dims = value.dims;
  const std::size_t rank = dims.size();
  if (rank == 0) return {1, 1, 1};
  if (const auto axis = batch_axis(dims, batch)) dims[*axis] /= batch;
  const auto product = [&dims](std::size_t from, std::size_t to) {
    std::int64_t all = 1;
    for (std::size_t axis = from; axis < to; ++axis) all *= dims[axis];
    return all;
  };
  std::int64_t channels = dims.back(), height = dims.front(), width = 1;
  if (rank == 1) {
    height = 1;
  } else if (rank > 2 && layout == Layout::grouped) {
    channels = product(0, rank - 2) * dims.back();
    height = dims[rank - 2];
  } else if (rank > 2 && layout == Layout::first) {
    channels = dims[1];
    height = dims.front() * product(2, std::max<std::size_t>(rank - 1, 3));
    width = rank > 3 ? dims.back() : 1;
  } else if (rank > 2) {
    height = product(0, std::max<std::size_t>(rank - 2, 2));
    width = rank > 3 ? dims[rank - 2] : 1;
  }
  return {narrowed(channels, value), narrowed(height, value), narrowed(width, value)};
}

}  // namespace jostle::profiles::onnx_reader
