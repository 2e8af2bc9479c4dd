// Nodes of opsets that are newer than the library, in the form of an opset that it knows.

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>

#include "profiles/onnx/messages.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

void set(onnx::NodeProto& node, const char* name, const Integers& numbers) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t number : numbers) attribute.add_ints(number);
}

const onnx::AttributeProto* found(const onnx::NodeProto& node, std::string_view name) {
  const auto at = std::ranges::find(node.attribute(), name, [](const auto& one) { return one.name(); });
  return at == node.attribute().end() ? nullptr : &*at;
}

void cut(onnx::NodeProto& node, int inputs) {
  if (node.input_size() > inputs) node.mutable_input()->DeleteSubrange(inputs, node.input_size() - inputs);
}

// Reductions take their axes as an input since opset 18, as ReduceSum does since 13.
int reduction(onnx::NodeProto& node, int opset, const std::vector<const Value*>& inputs) {
  const bool given = node.input_size() > 1 && !node.input(1).empty();
  const auto axes = given ? integers_of(inputs[1]) : Integers{};
  if (!axes) throw OnnxError(fmt::format("{}: its axes are known only when the network runs", shown(node)));
  const onnx::AttributeProto* const nothing = found(node, "noop_with_empty_axes");
  if (axes->empty() && nothing != nullptr && nothing->i() != 0) node.set_op_type("Identity");
  cut(node, 1);
  if (!axes->empty()) set(node, "axes", *axes);
  return opset;
}

// Pads of some axes, since opset 18; before 11 those of all axes were an attribute.
int pad(onnx::NodeProto& node, int opset, const std::vector<const Value*>& inputs) {
  if (node.input_size() < 4 || node.input(3).empty()) return opset;
  const auto pads = integers_of(inputs[1]), axes = integers_of(inputs[3]);
  const std::int64_t rank = inputs[0] == nullptr ? 0 : std::ssize(inputs[0]->dims);
  if (!pads || !axes || pads->size() != 2 * axes->size())
    throw OnnxError(fmt::format("{}: its pads are not two for each of its axes", shown(node)));
  Integers all(static_cast<std::size_t>(2 * rank));
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i];
    if (axis < 0 || axis >= rank)
      throw OnnxError(fmt::format("{}: axis {} of {} dimensions", shown(node), (*axes)[i], rank));
    all[static_cast<std::size_t>(axis)] = (*pads)[i];
    all[static_cast<std::size_t>(axis + rank)] = (*pads)[i + axes->size()];
  }
  cut(node, 1);
  set(node, "pads", all);
  return 10;
}

// A number of parts, since opset 18: the last one is smaller if they are not equal. Before 13 the sizes were
// an attribute.
int split(onnx::NodeProto& node, int opset, const std::vector<const Value*>& inputs) {
  if (found(node, "num_outputs") == nullptr || inputs.empty() || inputs[0] == nullptr) return opset;
  const onnx::AttributeProto* const at = found(node, "axis");
  const std::int64_t rank = std::ssize(inputs[0]->dims), axis = at == nullptr ? 0 : at->i();
  if (axis < -rank || axis >= rank) return opset;
  const std::int64_t length = inputs[0]->dims[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
  const std::int64_t parts = std::max(node.output_size(), 1), most = (length + parts - 1) / parts;
  Integers sizes;
  for (std::int64_t rest = length, i = 0; i < parts; ++i) {
    sizes.push_back(std::min(rest, most));
    rest -= sizes.back();
  }
  set(node, "split", sizes);
  return 11;
}

int resize(const onnx::NodeProto& node, int opset, const std::vector<const Value*>& inputs) {
  const onnx::AttributeProto* const policy = found(node, "keep_aspect_ratio_policy");
  const onnx::AttributeProto* const axes = found(node, "axes");
  const bool some = axes != nullptr && inputs[0] != nullptr &&
                    std::ssize(inputs[0]->dims) != static_cast<std::ptrdiff_t>(axes->ints_size());
  if (some || (policy != nullptr && policy->s() != "stretch"))
    throw OnnxError(
        fmt::format("{}: sizes of some axes, or that keep the aspect ratio, are not read", shown(node)),
        "give the sizes of all axes");
  return opset;
}

}  // namespace

int in_known_form(onnx::NodeProto& node, int opset, const std::vector<const Value*>& inputs) {
  if (opset <= newest_schemas) return opset;
  int known = opset;
  if (node.op_type().starts_with("Reduce") && node.op_type() != "ReduceSum")
    known = reduction(node, opset, inputs);
  if (node.op_type() == "Pad") known = pad(node, opset, inputs);
  if (node.op_type() == "Split") known = split(node, opset, inputs);
  if (node.op_type() == "Resize") known = resize(node, opset, inputs);
  const auto* const schema = onnx::OpSchemaRegistry::Schema(node.op_type(), known, "");
  if (schema == nullptr) return known;
  // Other new attributes change numbers, but neither shapes nor the work: antialias, saturate, block_size,
  // ...
  auto& all = *node.mutable_attribute();
  for (int i = all.size() - 1; i >= 0; --i)
    if (!schema->attributes().contains(all[i].name())) all.DeleteSubrange(i, 1);
  return known;
}

}  // namespace jostle::profiles::onnx_reader
