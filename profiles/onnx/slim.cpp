// Strips the weights from an ONNX file: only shapes are needed, and weights are nearly all of its bytes.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

#include "input/printable.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/messages.hpp"
#include "profiles/onnx/steps.hpp"

namespace jostle::profiles::onnx_reader {
namespace {

using protozero::pbf_reader;
using protozero::pbf_tag_type;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

// Longer contents are weights; shapes, axes and sizes are much shorter.
constexpr std::size_t max_bytes_kept = std::size_t{1} << 16U;
constexpr int deepest = 64;
constexpr pbf_tag_type highest_tag = 1000;  // ONNX's tags end at 25; higher ones are ignored

enum class Message { model, function, graph, node, attribute, tensor, leaf };

struct Child {
  Message parent;
  pbf_tag_type tag;
  Message type;
};
// The fields that contain tensors (onnx.proto).
constexpr Child children[]{
    {Message::model, 7, Message::graph},      {Message::model, 25, Message::function},
    {Message::function, 7, Message::node},    {Message::graph, 1, Message::node},
    {Message::graph, 5, Message::tensor},     {Message::node, 5, Message::attribute},
    {Message::attribute, 5, Message::tensor}, {Message::attribute, 10, Message::tensor},
    {Message::attribute, 6, Message::graph},  {Message::attribute, 11, Message::graph}};

Message child(Message parent, pbf_tag_type tag) {
  for (const Child& known : children) {
    if (known.parent == parent && known.tag == tag) return known.type;
  }
  return Message::leaf;
}

// True for the tags of float_data, int32_data, int64_data, raw_data, double_data and uint64_data.
bool is_contents(pbf_tag_type tag) {
  return tag == 4 || tag == 5 || tag == 7 || tag == 9 || tag == 10 || tag == 11;
}

// The name of a node, or else its type.
std::string name_of(protozero::data_view node) {
  std::string name, type;
  for (pbf_reader field(node); field.next();) {
    const bool bytes = field.has_wire_type(pbf_wire_type::length_delimited);
    if (bytes && field.tag() == onnx::NodeProto::kNameFieldNumber)
      name = field.get_string();
    else if (bytes && field.tag() == onnx::NodeProto::kOpTypeFieldNumber)
      type = field.get_string();
    else
      field.skip();
  }
  return name.empty() ? type : name;
}

void copy(pbf_reader from, Message type, int depth, pbf_writer& to);

void copy_bytes(pbf_reader& from, Message type, int depth, pbf_writer& to) {
  const pbf_tag_type tag = from.tag();
  const protozero::data_view view = from.get_view();
  if (type == Message::tensor && is_contents(tag) && view.size() > max_bytes_kept) return;
  const Message inner = child(type, tag);
  if (inner == Message::leaf) {
    to.add_bytes(tag, view);
    return;
  }
  if (inner == Message::tensor) {
    const std::string wrong = wrong_data({view.data(), view.size()});
    if (!wrong.empty()) throw OnnxError(wrong);
  }
  pbf_writer nested(to, tag);
  try {
    copy(pbf_reader(view), inner, depth + 1, nested);
  } catch (const OnnxError& error) {
    nested.rollback();
    if (inner != Message::node) throw;
    throw OnnxError(fmt::format("node '{}': {}", input::printable(name_of(view)), error.what()));
  }
}

void copy(pbf_reader from, Message type, int depth, pbf_writer& to) {
  if (depth > deepest) throw std::length_error("graphs are nested too deeply");
  while (from.next()) {
    const pbf_tag_type tag = from.tag();  // before the value, because reading the value discards the tag
    if (tag > highest_tag) {
      from.skip();
      continue;
    }
    switch (from.wire_type()) {
      case pbf_wire_type::varint:
        to.add_uint64(tag, from.get_uint64());
        break;
      case pbf_wire_type::fixed64:
        to.add_fixed64(tag, from.get_fixed64());
        break;
      case pbf_wire_type::fixed32:
        to.add_fixed32(tag, from.get_fixed32());
        break;
      case pbf_wire_type::length_delimited:
        copy_bytes(from, type, depth, to);
        break;
      default:
        throw protozero::unknown_pbf_wire_type_exception();
    }
  }
}

}  // namespace

std::string without_weights(std::string_view model) {
  std::string slim;
  pbf_writer to(slim);
  copy(pbf_reader(protozero::data_view(model.data(), model.size())), Message::model, 0, to);
  return slim;
}

}  // namespace jostle::profiles::onnx_reader
