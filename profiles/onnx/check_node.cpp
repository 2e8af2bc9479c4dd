// Checks a node's attributes and inputs before ONNX's library infers shapes with them: the library adds,
// multiplies and divides them unchecked, and accepts indices, axes and orders that no runtime would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiles/onnx/messages.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

// Limit on the sizes of windows: kernels, strides, dilations, blocks.
constexpr std::int64_t largest_window = 1 << 20;
constexpr double largest_scale = 1 << 20;

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> form, Parts&&... parts) {
  throw std::invalid_argument(fmt::format(form, std::forward<Parts>(parts)...));
}

// A node with the values of its inputs.
class Checked {
 public:
  Checked(const onnx::NodeProto& node, const std::vector<const Value*>& inputs)
      : node_(node), inputs_(inputs) {}

  [[nodiscard]] const std::string& type() const { return node_.op_type(); }
  [[nodiscard]] int outputs() const { return node_.output_size(); }
  [[nodiscard]] const Value* input(std::size_t index) const {
    return index < inputs_.size() ? inputs_[index] : nullptr;
  }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] std::int64_t rank(std::size_t index = 0) const {
    return input(index) == nullptr ? 0 : std::ssize(input(index)->dims);
  }
  [[nodiscard]] std::optional<Integers> attribute(std::string_view name) const {
    for (const onnx::AttributeProto& one : node_.attribute())
      if (one.name() == name) return attribute_of(one).integers;
    return std::nullopt;
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    for (const onnx::AttributeProto& one : node_.attribute())
      if (one.name() == name) return one.s();
    return {};
  }
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const auto found = attribute(name);
    return found && !found->empty() ? found->front() : otherwise;
  }
  // The whole numbers of an input, if they are known.
  [[nodiscard]] std::optional<Integers> integers(std::size_t index) const {
    return integers_of(input(index));
  }
  // The integers of an attribute or, in newer opsets, of an input.
  [[nodiscard]] std::optional<Integers> either(std::string_view name, std::size_t index) const {
    auto found = attribute(name);
    return found ? found : integers(index);
  }

 private:
  const onnx::NodeProto& node_;
  const std::vector<const Value*>& inputs_;
};

void check_each(const Integers& numbers, std::string_view name, std::int64_t least, std::int64_t most) {
  for (const std::int64_t number : numbers)
    if (number < least || number > most) refuse("{} of {} is not from {} to {}", name, number, least, most);
}

void check_axis(std::int64_t axis, std::int64_t rank, std::int64_t beyond = 0) {
  if (axis < -rank - beyond || axis >= rank + beyond)
    refuse("axis {} of a tensor of {} dimensions", axis, rank);
}

void check_axes(Integers axes, std::int64_t rank) {
  for (std::int64_t& axis : axes) {
    check_axis(axis, rank);
    if (axis < 0) axis += rank;
  }
  std::ranges::sort(axes);
  if (const auto twice = std::ranges::adjacent_find(axes); twice != axes.end())
    refuse("axis {} is given twice", *twice);
}

// Windows

// Checks that a window with its dilation fits into the padded input that it slides over.
void check_reach(const Checked& node, const Integers& kernel, const Integers& pads) {
  const std::size_t plane = kernel.size();
  const Integers dilations = node.attribute("dilations").value_or(Integers(plane, 1));
  if (dilations.size() != plane || pads.size() != 2 * plane) return;  // reported elsewhere
  for (std::size_t i = 0; i < plane; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    const std::int64_t there = node.input(0)->dims[i + 2] + pads[i] + pads[plane + i];
    if (reach > there) refuse("a window of {} does not fit into an input of {}", reach, there);
  }
}

void check_window(const Checked& node, bool convolution) {
  const std::int64_t plane = node.rank() - 2;
  if (plane < 1) refuse("the input has fewer than three dimensions");
  for (const char* const name : {"strides", "dilations", "kernel_shape", "pads", "output_padding"}) {
    const auto given = node.attribute(name);
    const bool pads = std::string_view(name) == "pads";
    if (!given) continue;
    if (std::ssize(*given) != (pads ? 2 : 1) * plane)
      refuse("{} does not match the number of dimensions of the input", name);
    const bool may_be_zero = pads || std::string_view(name) == "output_padding";
    if (std::ranges::any_of(*given, [&](std::int64_t size) { return size < (may_be_zero ? 0 : 1); }))
      refuse("{} is not positive", name);
    check_each(*given, name, 0, largest_window);
  }
  auto kernel = node.attribute("kernel_shape");
  const std::size_t at = node.type() == "QLinearConv" ? 3 : 1;
  if (convolution) {
    const Value* const weights = node.input(at);
    if (weights == nullptr || std::ssize(weights->dims) != node.rank())
      refuse("weights and input differ in the number of dimensions");
    const Integers size(weights->dims.begin() + 2, weights->dims.end());
    if (kernel && *kernel != size) refuse("kernel_shape {} is not that of the weights, {}", *kernel, size);
    kernel = size;
    check_each({node.integer("group", 1)}, "group", 1, largest_window);
    check_each(size, "a side of the kernel", 1, largest_window);
  }
  const bool padded_to_fit = node.text("auto_pad").starts_with("SAME");
  if (kernel && !padded_to_fit && node.type() != "ConvTranspose" && node.type() != "MaxUnpool")
    check_reach(node, *kernel,
                node.attribute("pads").value_or(Integers(2 * static_cast<std::size_t>(plane), 0)));
}

void check_weights(const Checked& node) {
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    const Value* const value = node.input(i);
    if (value != nullptr && value->constant && value->element == Element::real && value->elements() == 0)
      refuse("weights '{}' of no elements: {}", value->name, fmt::join(value->dims, " x "));
  }
}

// Indices, axes and orders

void check_gather(const Checked& node) {
  const std::int64_t axis = node.integer("axis", 0);
  check_axis(axis, node.rank());
  const auto indices = node.integers(1);
  if (!indices || node.input(0) == nullptr) return;
  const std::int64_t length =
      node.input(0)->dims[static_cast<std::size_t>(axis < 0 ? axis + node.rank() : axis)];
  for (const std::int64_t index : *indices)
    if (index < -length || index >= length) refuse("index {} into a dimension of {}", index, length);
}

void check_slice(const Checked& node) {
  const bool by_attribute = node.attribute("starts").has_value();
  const auto starts = node.either("starts", 1), ends = node.either("ends", 2), axes = node.either("axes", 3);
  const auto steps = by_attribute ? std::nullopt : node.integers(4);
  const auto differs = [&](const auto& other) { return starts && other && other->size() != starts->size(); };
  if (differs(ends) || differs(axes) || differs(steps))
    refuse("starts, ends, axes and steps differ in number");
  if (starts && std::ssize(*starts) > node.rank())
    refuse("{} starts for {} dimensions", starts->size(), node.rank());
  if (axes) check_axes(*axes, node.rank());
  if (steps && std::ranges::count(*steps, 0) > 0) refuse("a step of zero");
}

void check_transpose(const Checked& node) {
  auto order = node.attribute("perm");
  if (!order) return;
  if (std::ssize(*order) != node.rank()) refuse("perm names {} of {} dimensions", order->size(), node.rank());
  std::ranges::sort(*order);
  for (std::size_t i = 0; i < order->size(); ++i)
    if ((*order)[i] != static_cast<std::int64_t>(i))
      refuse("perm is not an order of the {} dimensions", node.rank());
}

void check_split(const Checked& node) {
  const std::int64_t axis = node.integer("axis", 0);
  check_axis(axis, node.rank());
  const auto sizes = node.either("split", 1);
  if (!sizes || node.input(0) == nullptr) return;
  if (std::ssize(*sizes) != node.outputs()) refuse("{} sizes for {} outputs", sizes->size(), node.outputs());
  check_each(*sizes, "a part", 0, largest_dim);
  const std::int64_t length =
      node.input(0)->dims[static_cast<std::size_t>(axis < 0 ? axis + node.rank() : axis)];
  std::int64_t sum = 0;
  for (const std::int64_t size : *sizes) sum += size;
  if (sum != length) refuse("parts of {} in all of a dimension of {}", sum, length);
}

// Shapes

void check_shape(const Integers& shape, std::int64_t least) {
  check_each(shape, "a dimension", least, largest_dim);
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape) {
    if (dim > 0 && elements > max_elements / dim)
      refuse("a shape of too many elements: {}", fmt::join(shape, " x "));
    elements *= std::max<std::int64_t>(dim, 1);
  }
}

void check_reshape(const Checked& node) {
  const auto shape = node.either("shape", 1);
  if (!shape || node.input(0) == nullptr) return;
  check_shape(*shape, -1);
  if (std::ranges::count(*shape, -1) > 1)
    refuse("more than one open dimension: {}", fmt::join(*shape, " x "));
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    std::int64_t dim = (*shape)[i];
    if (dim == 0 && node.integer("allowzero", 0) == 0) {
      if (static_cast<std::int64_t>(i) >= node.rank())
        refuse("dimension {} is that of the input, which has none", i);
      dim = node.input(0)->dims[i];
    }
    if (dim > 0 && elements > max_elements / dim)
      refuse("a shape of too many elements: {}", fmt::join(*shape, " x "));
    if (dim >= 0) elements *= dim;
  }
  const std::int64_t given = node.input(0)->elements();
  const bool open = std::ranges::count(*shape, -1) == 1;
  if (open ? (elements == 0 || given % elements != 0) : given != elements)
    refuse("{} elements do not make a shape of {}", given, fmt::join(*shape, " x "));
}

void check_scales(const Checked& node) {
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    const Value* const value = node.input(i);
    if (value == nullptr || !value->numbers) continue;
    if (value->element == Element::integer) {
      check_shape(*node.integers(i), 0);
    } else if (i != 1 || node.type() == "Upsample" || node.inputs() == 2) {  // else the region of interest
      for (const double scale : *value->numbers)
        if (!(scale > 0 && scale <= largest_scale)) refuse("a scale of {}", scale);
    }
  }
}

void check_range(const Checked& node) {
  double bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Value* const value = node.input(i);
    if (value == nullptr || !value->numbers || value->numbers->size() != 1) return;
    bounds[i] = value->numbers->front();
  }
  const double count = (bounds[1] - bounds[0]) / bounds[2];
  if (!(std::abs(count) <= static_cast<double>(largest_dim)))
    refuse("a range from {} to {} in steps of {}", bounds[0], bounds[1], bounds[2]);
}

// Checks by operator

void check_axes_of(const Checked& node) {
  const bool adds = node.type() == "Unsqueeze";
  const auto axes = node.either("axes", 1);
  if (!axes) return;
  if (axes->size() > 64) refuse("{} axes", axes->size());
  check_axes(*axes, node.rank() + (adds ? std::ssize(*axes) : 0));
}

struct Shaped {
  std::string_view type;
  std::size_t input;
  std::int64_t least;
};
// Operators with an input that is a shape, or counts of elements.
constexpr Shaped shaped[]{
    {"ConstantOfShape", 0, 0}, {"Expand", 1, 0}, {"Tile", 1, 0}, {"TopK", 1, 0}, {"OneHot", 1, 0}};

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

void check_by_type(const Checked& node) {
  const std::string_view type = node.type();
  if (is_one_of(type, {"Conv", "ConvInteger", "QLinearConv", "ConvTranspose"})) check_window(node, true);
  if (is_one_of(type, {"MaxPool", "AveragePool", "LpPool", "MaxUnpool"})) check_window(node, false);
  if (is_one_of(type, {"Conv", "ConvInteger", "QLinearConv", "ConvTranspose", "Gemm", "MatMul"}))
    check_weights(node);
  if (is_one_of(type, {"Gather", "GatherElements"})) check_gather(node);
  if (type == "Slice") check_slice(node);
  if (type == "Transpose") check_transpose(node);
  if (type == "Split") check_split(node);
  if (type == "Reshape") check_reshape(node);
  if (is_one_of(type, {"Resize", "Upsample"})) check_scales(node);
  if (type == "Range") check_range(node);
  if (is_one_of(type, {"Squeeze", "Unsqueeze"}) || type.starts_with("Reduce")) check_axes_of(node);
  if (type == "Pad") {
    if (const auto pads = node.either("pads", 1)) check_each(*pads, "a pad", -largest_dim, largest_dim);
  }
  if (is_one_of(type, {"DepthToSpace", "SpaceToDepth"}))
    check_each({node.integer("blocksize", 1)}, "blocksize", 1, 1 << 10);
  for (const Shaped& row : shaped) {
    if (row.type != type) continue;
    if (const auto shape = node.integers(row.input)) check_shape(*shape, row.least);
  }
  if (is_one_of(type, {"Concat", "Softmax", "LogSoftmax", "Hardmax", "ArgMax", "ArgMin", "LayerNormalization",
                       "ScatterElements", "Scatter", "TopK", "LpNormalization"})) {
    if (const auto axis = node.attribute("axis"); axis && !axis->empty())
      check_axis(axis->front(), node.rank());
  }
  if (is_one_of(type, {"Flatten", "OneHot"})) {
    if (const auto axis = node.attribute("axis"); axis && !axis->empty())
      check_axis(axis->front(), node.rank(), 1);
  }
}

}  // namespace

std::optional<Integers> integers_of(const Value* value) {
  if (value == nullptr || !value->numbers || value->element != Element::integer) return std::nullopt;
  Integers result;
  for (const double number : *value->numbers)
    result.push_back(static_cast<std::int64_t>(std::clamp(number, -9.2e18, 9.2e18)));
  return result;
}

void check_node(const onnx::NodeProto& node, const std::vector<const Value*>& inputs) {
  static const std::set<std::string> sizes{"strides", "dilations",  "kernel_shape",
                                           "group",   "block_size", "blocksize"};
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (!sizes.contains(attribute.name())) continue;
    const bool positive = (attribute.type() != onnx::AttributeProto::INT || attribute.i() > 0) &&
                          std::ranges::all_of(attribute.ints(), [](std::int64_t size) { return size > 0; });
    if (!positive) refuse("{} is not positive", attribute.name());
  }
  check_by_type(Checked(node, inputs));
}

}  // namespace jostle::profiles::onnx_reader
