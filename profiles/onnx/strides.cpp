// Where PyTorch copies a tensor that lies in another order, and where it only notes one: a transposition is a
// view, and what reads it copies, if it must.
#include <algorithm>
#include <numeric>
#include <utility>

#include "profiles/onnx/layout.hpp"
#include "profiles/onnx/operators.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

// A tensor of two images for each of the file's.
struct Laid {
  Dims dims, strides;
  std::size_t batch = none;  // the axis of the images; none: not known
};

// Strides of a dense tensor whose axes lie in this order, the slowest first.
Dims dense(const Dims& dims, const std::vector<std::size_t>& order) {
  Dims strides(dims.size(), 1);
  std::int64_t stride = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[*axis] = stride;
    stride *= std::max<std::int64_t>(dims[*axis], 1);
  }
  return strides;
}

std::vector<std::size_t> in_order(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::size_t> channels_last(std::size_t rank) {
  std::vector<std::size_t> order = in_order(rank);
  if (rank >= 4) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

bool lies(const Laid& tensor, const std::vector<std::size_t>& order) {
  const Dims wanted = dense(tensor.dims, order);
  for (std::size_t i = 0; i < tensor.dims.size(); ++i)
    if (tensor.dims[i] != 1 && tensor.strides[i] != wanted[i]) return false;
  return true;
}

std::int64_t product(const Dims& dims, std::size_t count) {
  return std::accumulate(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(count), std::int64_t{1},
                         std::multiplies<>{});
}

class Strides {
 public:
  explicit Strides(Graph& graph) : graph_(graph), laid_(graph.values.size()) {
    for (const ValueId id : graph.inputs) laid_[id] = placed(id, 0, channels_last(rank(id)));
  }

  void run() {
    for (Node& node : graph_.nodes) {
      const Laid* const from = of(node.input(0));
      for (const ValueId out : node.outputs)
        if (out != none) laid_[out] = of_rank(out, of_output(node, from, out));
      if (node.copies < 0) node.copies = copies_of(node, from);
    }
  }

 private:
  [[nodiscard]] std::size_t rank(ValueId id) const { return graph_.values[id].dims.size(); }
  [[nodiscard]] const Laid* of(ValueId id) const {
    return id != none && !laid_[id].dims.empty() ? &laid_[id] : nullptr;
  }
  [[nodiscard]] Dims dims_of(ValueId id, std::size_t batch) const {
    Dims dims = graph_.values[id].dims;
    if (batch < dims.size()) dims[batch] *= 2;
    return dims;
  }
  [[nodiscard]] Laid placed(ValueId id, std::size_t batch, const std::vector<std::size_t>& order) const {
    Laid tensor{dims_of(id, batch), {}, batch};
    tensor.strides = dense(tensor.dims, order);
    return tensor;
  }

  // A file may say of an operator what its tensors do not bear out: then it lies in the order of its axes.
  [[nodiscard]] Laid of_rank(ValueId id, Laid tensor) const {
    return tensor.dims.size() == rank(id) ? std::move(tensor) : placed(id, 0, in_order(rank(id)));
  }
  [[nodiscard]] Laid of_output(const Node& node, const Laid* from, ValueId out) const {
    if (from == nullptr) return placed(out, 0, in_order(rank(out)));
    const Kind kind = operator_of(node.type).kind;
    if (kind == Kind::alias) return *from;
    if (kind == Kind::view) return reshaped(*from, out);
    if (node.type == "Transpose") return transposed(node, *from);
    if (kind == Kind::slice || kind == Kind::split || kind == Kind::gather || node.type == "Expand")
      return part(node, *from, out);
    const std::size_t batch = rank(out) == from->dims.size() ? from->batch : 0;
    const std::vector<std::size_t> rows = in_order(rank(out)), planes = channels_last(rank(out));
    if (node.attends && node.inside && rows.size() == 4) return placed(out, batch, {0, 2, 1, 3});
    if (kind == Kind::convolution || kind == Kind::pool || kind == Kind::global_pool || kind == Kind::resize)
      return placed(out, batch, planes);
    if (kind == Kind::concat) return placed(out, batch, lies(*from, rows) ? rows : planes);
    if (kind == Kind::norm || kind == Kind::elementwise) return alike(node, out);
    return placed(out, batch, rows);
  }

  [[nodiscard]] Laid reshaped(const Laid& from, ValueId out) const {
    Laid tensor;
    const Dims& wanted = graph_.values[out].dims;
    if (from.batch != none) {
      const std::int64_t before = product(from.dims, from.batch);
      for (std::size_t axis = 0; axis < wanted.size() && tensor.batch == none; ++axis)
        if (product(wanted, axis) == before) tensor.batch = axis;
    }
    tensor.dims = dims_of(out, tensor.batch);
    if (auto strides = viewed(from.dims, from.strides, tensor.dims))
      tensor.strides = *std::move(strides);
    else
      tensor.strides = dense(tensor.dims, in_order(tensor.dims.size()));
    return tensor;
  }

  [[nodiscard]] static Laid transposed(const Node& node, const Laid& from) {
    const std::size_t rank = from.dims.size();
    const std::vector<std::int64_t> order = node.integers("perm");
    Laid tensor;
    for (std::size_t i = 0; i < rank; ++i) {
      const auto axis = order.size() == rank ? static_cast<std::size_t>(order[i]) : rank - 1 - i;
      if (axis >= rank) return {};
      tensor.dims.push_back(from.dims[axis]);
      tensor.strides.push_back(from.strides[axis]);
      if (axis == from.batch) tensor.batch = i;
    }
    return tensor;
  }

  // Some of the elements, in the same places, or the same ones several times.
  [[nodiscard]] Laid part(const Node& node, const Laid& from, ValueId out) const {
    Laid tensor = from;
    if (rank(out) + 1 == from.dims.size()) {
      std::int64_t axis = node.integer("axis", 0);
      axis += axis < 0 ? static_cast<std::int64_t>(from.dims.size()) : 0;
      if (axis < 0 || axis >= static_cast<std::int64_t>(from.dims.size())) return {};
      tensor.strides.erase(tensor.strides.begin() + axis);
      if (tensor.batch != none && tensor.batch > static_cast<std::size_t>(axis)) --tensor.batch;
    }
    if (rank(out) != tensor.strides.size()) return placed(out, 0, in_order(rank(out)));
    tensor.dims = dims_of(out, tensor.batch);
    for (std::size_t i = 0; i < tensor.dims.size() && node.type == "Expand"; ++i)
      if (from.dims[i] == 1 && tensor.dims[i] > 1) tensor.strides[i] = 0;
    return tensor;
  }

  // Elementwise results lie as the first operand of their shape does.
  [[nodiscard]] Laid alike(const Node& node, ValueId out) const {
    for (const ValueId id : node.inputs) {
      const Laid* const operand = of(id);
      if (operand == nullptr || graph_.values[id].dims != graph_.values[out].dims) continue;
      std::vector<std::size_t> order = in_order(rank(out));
      std::ranges::stable_sort(order, std::greater<>{},
                               [&](std::size_t axis) { return operand->strides[axis]; });
      return placed(out, operand->batch, order);
    }
    return placed(out, 0, in_order(rank(out)));
  }

  // See dnn::Layer::copies.
  [[nodiscard]] int copies_of(const Node& node, const Laid* from) const {
    const Kind kind = operator_of(node.type).kind;
    if (from == nullptr || node.attends) return -1;
    const bool rows = lies(*from, in_order(from->dims.size()));
    if (node.type == "Transpose" || node.type == "Expand") return 0;
    if (kind == Kind::view) {
      if (node.outputs.empty() || node.outputs.front() == none) return -1;
      const Dims& wanted = laid_[node.outputs.front()].dims;
      return viewed(from->dims, from->strides, wanted) ? 0 : 1;
    }
    if (kind == Kind::layer_norm) return rows ? 0 : 1;
    if (node.type == "Conv" && from->dims.size() == 4)
      return lies(*from, channels_last(from->dims.size())) ? 0 : 1;
    if (node.type != "MatMul") return -1;
    if (is_linear(graph_, node)) return rows ? 0 : has_rows(*from) ? 1 : 2;
    const Laid* const other = of(node.input(1));
    return (is_stack(*from) ? 0 : 1) + (other != nullptr && !is_stack(*other) ? 1 : 0);
  }

  // Positions that may be counted through, and matrices that may be.
  [[nodiscard]] static bool has_rows(const Laid& tensor) { return merges(tensor, 1); }
  [[nodiscard]] static bool is_stack(const Laid& tensor) { return merges(tensor, 2); }
  [[nodiscard]] static bool merges(const Laid& tensor, std::size_t kept) {
    if (tensor.dims.size() <= kept) return true;
    const std::size_t merged = tensor.dims.size() - kept;
    Dims wanted{product(tensor.dims, merged)};
    wanted.insert(wanted.end(), tensor.dims.begin() + static_cast<std::ptrdiff_t>(merged), tensor.dims.end());
    return viewed(tensor.dims, tensor.strides, wanted).has_value();
  }

  Graph& graph_;
  std::vector<Laid> laid_;  // by value; without dimensions: known before the network runs
};

}  // namespace

std::optional<Dims> viewed(const Dims& dims, const Dims& strides, const Dims& wanted) {
  Dims found(wanted.size(), 1);
  if (dims.empty()) return found;
  // Axes that lie one after another are a chunk, which any axes of the same number of elements may divide.
  std::size_t left = wanted.size();
  std::int64_t base = strides.back(), elements = 1, taken = 1;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    elements *= dims[axis];
    if (axis > 0 && (dims[axis - 1] == 1 || strides[axis - 1] == elements * base)) continue;
    while (left > 0 && (taken < elements || wanted[left - 1] == 1)) {
      --left;
      found[left] = taken * base;
      taken *= wanted[left];
    }
    if (taken != elements) return std::nullopt;
    if (axis == 0) break;
    base = strides[axis - 1];
    elements = taken = 1;
  }
  return left == 0 ? std::optional(std::move(found)) : std::nullopt;
}

void note_copies(Graph& graph) {
  Strides(graph).run();
}

}  // namespace jostle::profiles::onnx_reader
