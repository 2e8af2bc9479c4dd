// Constant folding of the arithmetic on shapes that exporters leave in a graph (Shape, Gather, Concat ...).
// Without it the target shape of a Reshape is not known.
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using Index = std::vector<std::int64_t>;
using Folded = std::optional<Numbers>;

// A node and what is known about its inputs.
class Operands {
 public:
  Operands(const Node& node, const std::vector<Value>& values) : node_(node), values_(values) {}

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const Value* value(std::size_t index) const {
    const ValueId id = node_.input(index);
    return id == none ? nullptr : &values_[id];
  }
  [[nodiscard]] const Numbers* numbers(std::size_t index) const {
    const Value* const found = value(index);
    return found != nullptr && found->numbers ? &*found->numbers : nullptr;
  }
  [[nodiscard]] const Value& output(std::size_t index = 0) const { return values_[node_.outputs[index]]; }

 private:
  const Node& node_;
  const std::vector<Value>& values_;
};

std::int64_t flat(const Index& index, const Dims& dims) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) position = position * dims[axis] + index[axis];
  return position;
}

// Calls `visit` with every index of a tensor, in storage order.
template <class Visit>
void for_each_index(const Dims& dims, std::int64_t elements, Visit visit) {
  Index index(dims.size(), 0);
  for (std::int64_t i = 0; i < elements; ++i) {
    visit(index);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
}

// The element of `from` that is broadcast to an index of the output.
double broadcast_at(const Value& from, const Index& index) {
  Index own(from.dims.size());
  const std::size_t missing = index.size() - own.size();
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    own[axis] = from.dims[axis] == 1 ? 0 : index[missing + axis];
  }
  return (*from.numbers)[static_cast<std::size_t>(flat(own, from.dims))];
}

bool broadcasts_to(const Value& from, const Dims& dims) {
  if (!from.numbers || from.dims.size() > dims.size()) return false;
  return std::equal(from.dims.rbegin(), from.dims.rend(), dims.rbegin(),
                    [](std::int64_t own, std::int64_t out) { return own == out || own == 1; });
}

std::int64_t normalised(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const std::int64_t from_front = normalised(axis, rank);
  if (from_front < 0 || from_front >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(from_front);
}

// A tensor whose element at each index is the element of the first input at `source`(index).
Folded picked(const Operands& operands, const std::function<Index(const Index&)>& source) {
  const Value& from = *operands.value(0);
  const Value& out = operands.output();
  Numbers numbers;
  bool inside = true;
  for_each_index(out.dims, out.elements(), [&](const Index& index) {
    const Index at = source(index);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      inside = inside && at[axis] >= 0 && at[axis] < from.dims[axis];
    }
    if (inside) numbers.push_back((*from.numbers)[static_cast<std::size_t>(flat(at, from.dims))]);
  });
  return inside ? Folded(numbers) : std::nullopt;
}

Folded shape_of(const Operands& operands) {
  const Value* const from = operands.value(0);
  if (from == nullptr || !from->known) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(from->dims.size());
  const auto limit = [&](const char* name, std::int64_t otherwise) {
    return std::clamp<std::int64_t>(normalised(operands.node().integer(name, otherwise), from->dims.size()),
                                    0, rank);
  };
  const std::int64_t start = limit("start", 0), end = limit("end", rank);
  Numbers numbers;
  for (std::int64_t axis = start; axis < end; ++axis) {
    numbers.push_back(static_cast<double>(from->dims[static_cast<std::size_t>(axis)]));
  }
  return numbers;
}

Folded size_of(const Operands& operands) {
  const Value* const from = operands.value(0);
  if (from == nullptr || !from->known) return std::nullopt;
  return Numbers{static_cast<double>(from->elements())};
}

Folded filled(const Operands& operands) {
  const double fill = operands.node().real("value", 0);
  return Numbers(static_cast<std::size_t>(operands.output().elements()), fill);
}

Folded view(const Operands& operands) {
  if (operands.numbers(0) == nullptr) return std::nullopt;
  return *operands.numbers(0);
}

Folded gather(const Operands& operands) {
  const Value* const from = operands.value(0);
  const Value* const indices = operands.value(1);
  if (from == nullptr || indices == nullptr || !from->numbers || !indices->numbers) return std::nullopt;
  const auto axis = axis_of(operands.node().integer("axis", 0), from->dims.size());
  const std::size_t index_rank = indices->dims.size();
  if (!axis || operands.output().dims.size() + 1 != from->dims.size() + index_rank) return std::nullopt;
  return picked(operands, [&](const Index& index) {
    const auto first = index.begin() + static_cast<std::ptrdiff_t>(*axis);
    const auto last = first + static_cast<std::ptrdiff_t>(index_rank);
    Index at(index.begin(), first);
    const double number =
        (*indices->numbers)[static_cast<std::size_t>(flat(Index(first, last), indices->dims))];
    const std::int64_t length = from->dims[*axis];
    const double inside = number < 0 ? number + static_cast<double>(length) : number;
    at.push_back(inside >= 0 && inside < static_cast<double>(length) ? static_cast<std::int64_t>(inside)
                                                                     : -1);
    at.insert(at.end(), last, index.end());
    return at;
  });
}

// Numbers that are an attribute before opset 10 and an input since.
std::optional<Numbers> either(const Operands& operands, std::size_t index, const char* attribute) {
  if (operands.numbers(index) != nullptr) return *operands.numbers(index);
  const std::vector<std::int64_t> given = operands.node().integers(attribute);
  if (operands.value(index) != nullptr || given.empty()) return std::nullopt;
  return Numbers(given.begin(), given.end());
}

Folded slice(const Operands& operands) {
  const Value* const from = operands.value(0);
  const auto starts = either(operands, 1, "starts"), axes = either(operands, 3, "axes");
  const Numbers* const steps = operands.numbers(4);
  if (from == nullptr || !from->numbers || !starts) return std::nullopt;
  if (operands.value(1) != nullptr && operands.value(1)->element != Element::integer) return std::nullopt;
  if ((operands.value(3) != nullptr && !axes) || (operands.value(4) != nullptr && steps == nullptr))
    return std::nullopt;
  const std::size_t rank = from->dims.size();
  if (operands.output().dims.size() != rank) return std::nullopt;
  Index first(rank, 0), step(rank, 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    if ((axes && i >= axes->size()) || (steps != nullptr && i >= steps->size())) return std::nullopt;
    const auto axis =
        axis_of(axes ? static_cast<std::int64_t>((*axes)[i]) : static_cast<std::int64_t>(i), rank);
    if (!axis) return std::nullopt;
    const auto length = static_cast<double>(from->dims[*axis]);
    const double wanted = steps != nullptr ? (*steps)[i] : 1;
    if (wanted == 0 || std::abs(wanted) > static_cast<double>(max_numbers)) return std::nullopt;
    const double start = (*starts)[i] < 0 ? (*starts)[i] + length : (*starts)[i];
    first[*axis] =
        static_cast<std::int64_t>(std::clamp(start, 0.0, std::max(0.0, wanted < 0 ? length - 1 : length)));
    step[*axis] = static_cast<std::int64_t>(wanted);
  }
  return picked(operands, [&](Index index) {
    for (std::size_t axis = 0; axis < rank; ++axis) index[axis] = first[axis] + index[axis] * step[axis];
    return index;
  });
}

// Numbers in another order, as exporters turn the pairs of a padding around.
Folded transpose(const Operands& operands) {
  const Value* const from = operands.value(0);
  if (from == nullptr || !from->numbers) return std::nullopt;
  const std::size_t rank = from->dims.size();
  Index order = operands.node().integers("perm");
  if (order.empty())
    for (std::size_t i = rank; i > 0; --i) order.push_back(static_cast<std::int64_t>(i - 1));
  const bool good = std::ranges::all_of(
      order, [&](std::int64_t axis) { return axis >= 0 && axis < static_cast<std::int64_t>(rank); });
  if (operands.output().dims.size() != rank || order.size() != rank || !good) return std::nullopt;
  return picked(operands, [&](const Index& index) {
    Index found(rank, 0);
    for (std::size_t i = 0; i < rank; ++i) found[static_cast<std::size_t>(order[i])] = index[i];
    return found;
  });
}

Folded concat(const Operands& operands) {
  const Value& out = operands.output();
  const auto axis = axis_of(operands.node().integer("axis", 0), out.dims.size());
  if (!axis) return std::nullopt;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < operands.node().inputs.size(); ++i) {
    const Value* const part = operands.value(i);
    if (part == nullptr || !part->numbers || part->dims.size() != out.dims.size()) return std::nullopt;
    for (std::size_t other = 0; other < out.dims.size(); ++other) {
      if (other != *axis && part->dims[other] != out.dims[other]) return std::nullopt;
    }
    total += part->dims[*axis];
  }
  if (total != out.dims[*axis]) return std::nullopt;
  Numbers numbers;
  for_each_index(out.dims, out.elements(), [&](Index index) {
    std::size_t i = 0;
    while (index[*axis] >= operands.value(i)->dims[*axis]) index[*axis] -= operands.value(i++)->dims[*axis];
    const Value& part = *operands.value(i);
    numbers.push_back((*part.numbers)[static_cast<std::size_t>(flat(index, part.dims))]);
  });
  return numbers;
}

Folded range(const Operands& operands) {
  const Numbers* const start = operands.numbers(0);
  const Numbers* const step = operands.numbers(2);
  if (start == nullptr || step == nullptr || start->size() != 1 || step->size() != 1) return std::nullopt;
  Numbers numbers;
  for (std::int64_t i = 0; i < operands.output().elements(); ++i) {
    numbers.push_back(start->front() + static_cast<double>(i) * step->front());
  }
  return numbers;
}

Folded where(const Operands& operands) {
  const Value& out = operands.output();
  for (std::size_t i = 0; i < 3; ++i) {
    if (operands.value(i) == nullptr || !broadcasts_to(*operands.value(i), out.dims)) return std::nullopt;
  }
  Numbers numbers;
  for_each_index(out.dims, out.elements(), [&](const Index& index) {
    const bool chosen = broadcast_at(*operands.value(0), index) != 0;
    numbers.push_back(broadcast_at(*operands.value(chosen ? 1 : 2), index));
  });
  return numbers;
}

Folded expand(const Operands& operands) {
  const Value& out = operands.output();
  if (operands.value(0) == nullptr || !broadcasts_to(*operands.value(0), out.dims)) return std::nullopt;
  Numbers numbers;
  for_each_index(out.dims, out.elements(),
                 [&](const Index& index) { numbers.push_back(broadcast_at(*operands.value(0), index)); });
  return numbers;
}

struct Unary {
  std::string_view type;
  double (*apply)(double);
};
constexpr Unary unaries[]{{"Neg", [](double x) { return -x; }},
                          {"Abs", [](double x) { return std::abs(x); }},
                          {"Floor", [](double x) { return std::floor(x); }},
                          {"Ceil", [](double x) { return std::ceil(x); }},
                          {"Round", [](double x) { return std::nearbyint(x); }},
                          {"Sqrt", [](double x) { return std::sqrt(x); }},
                          {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }}};

struct Binary {
  std::string_view type;
  double (*apply)(double, double);
};
constexpr Binary binaries[]{{"Add", [](double a, double b) { return a + b; }},
                            {"Sub", [](double a, double b) { return a - b; }},
                            {"Mul", [](double a, double b) { return a * b; }},
                            {"Div", [](double a, double b) { return a / b; }},
                            {"Mod", [](double a, double b) { return a - b * std::floor(a / b); }},
                            {"Min", [](double a, double b) { return std::min(a, b); }},
                            {"Max", [](double a, double b) { return std::max(a, b); }},
                            {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
                            {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
                            {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
                            {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
                            {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
                            {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
                            {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }}};

Folded elementwise(const Operands& operands) {
  const Value& out = operands.output();
  const std::size_t count = operands.node().inputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (operands.value(i) == nullptr || !broadcasts_to(*operands.value(i), out.dims)) return std::nullopt;
  }
  Numbers numbers;
  for (const Unary& unary : unaries) {
    if (unary.type != operands.node().type || count != 1) continue;
    for (const double number : *operands.numbers(0)) numbers.push_back(unary.apply(number));
    return numbers;
  }
  for (const Binary& binary : binaries) {
    if (binary.type != operands.node().type || count != 2) continue;
    for_each_index(out.dims, out.elements(), [&](const Index& index) {
      numbers.push_back(
          binary.apply(broadcast_at(*operands.value(0), index), broadcast_at(*operands.value(1), index)));
    });
    return numbers;
  }
  return std::nullopt;
}

Folded reduced(const Operands& operands) {
  const Numbers* const from = operands.numbers(0);
  if (from == nullptr || from->empty() || operands.output().elements() != 1) return std::nullopt;
  double result = from->front();
  for (const double number : std::span(*from).subspan(1)) {
    if (operands.node().type == "ReduceProd") result *= number;
    if (operands.node().type == "ReduceSum") result += number;
    if (operands.node().type == "ReduceMax") result = std::max(result, number);
    if (operands.node().type == "ReduceMin") result = std::min(result, number);
  }
  return Numbers{result};
}

struct Rule {
  std::string_view type;
  Folded (*apply)(const Operands&);
};
constexpr Rule rules[]{
    {"Shape", shape_of},    {"Size", size_of},      {"ConstantOfShape", filled}, {"Gather", gather},
    {"Slice", slice},       {"Concat", concat},     {"Unsqueeze", view},         {"Squeeze", view},
    {"Reshape", view},      {"Flatten", view},      {"Identity", view},          {"Cast", view},
    {"Range", range},       {"Where", where},       {"Expand", expand},          {"ReduceProd", reduced},
    {"ReduceSum", reduced}, {"ReduceMax", reduced}, {"ReduceMin", reduced},      {"Transpose", transpose}};

// Converts to the element type of the output. A result that is not a number (division by zero) is not known.
bool settle(Numbers& numbers, Element element) {
  for (double& number : numbers) {
    if (std::isnan(number)) return false;
    if (element == Element::integer && std::isinf(number)) return false;
    if (element == Element::integer) number = std::trunc(number);
    if (element == Element::boolean) number = number != 0 ? 1 : 0;
  }
  return true;
}

Folded fold_one(const Operands& operands) {
  for (const Rule& rule : rules) {
    if (rule.type == operands.node().type) return rule.apply(operands);
  }
  return elementwise(operands);
}

// The outputs of a Split of a one-dimensional tensor.
std::optional<std::vector<Numbers>> split(const Operands& operands, const std::vector<Value>& values) {
  const Value* const from = operands.value(0);
  if (from == nullptr || !from->numbers || from->dims.size() != 1) return std::nullopt;
  std::vector<Numbers> parts;
  std::size_t at = 0;
  for (const ValueId id : operands.node().outputs) {
    if (id == none) return std::nullopt;
    const auto length = static_cast<std::size_t>(values[id].elements());
    if (at + length > from->numbers->size()) return std::nullopt;
    const auto first = from->numbers->begin() + static_cast<std::ptrdiff_t>(at);
    parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(length));
    at += length;
  }
  return parts;
}

}  // namespace

std::optional<std::vector<Numbers>> fold(const Node& node, const std::vector<Value>& values) {
  for (const ValueId id : node.outputs) {
    if (id != none && (!values[id].known || values[id].elements() > max_numbers)) return std::nullopt;
  }
  if (node.outputs.empty() || node.outputs.front() == none) return std::nullopt;
  const Operands operands(node, values);
  if (node.type == "Split") return split(operands, values);
  Folded numbers = fold_one(operands);
  if (!numbers || static_cast<std::int64_t>(numbers->size()) != operands.output().elements())
    return std::nullopt;
  if (!settle(*numbers, operands.output().element)) return std::nullopt;
  return std::vector<Numbers>{std::move(*numbers)};
}

}  // namespace jostle::profiles::onnx_reader
