#include "profiles/onnx/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/printable.hpp"

namespace jostle::profiles::onnx_reader {

using input::printable;

void Notes::add(const Node& node, std::string what) {
  const auto found = std::ranges::find_if(
      all_, [&](const Note& note) { return note.type == node.type && note.what == what; });
  if (found != all_.end()) {
    ++found->count;
  } else {
    all_.push_back({node.type, std::move(what), printable(node.name), 1});
  }
}

std::vector<std::string> Notes::sentences() const {
  std::vector<std::string> result;
  for (const Note& note : all_) {
    result.push_back(fmt::format("operator {}: {} ({})", printable(note.type), note.what,
                                 note.count == 1
                                     ? fmt::format("node '{}'", note.first)
                                     : fmt::format("{} nodes, the first is '{}'", note.count, note.first)));
  }
  return result;
}

void Understanding::begin(bool understood) {
  understood_ = understood;
  ++nodes_;
  if (!understood) ++unknown_nodes_;
}

void Understanding::count(const dnn::Layer& layer) {
  if (layer.op == dnn::Op::input) return;
  const double moved = static_cast<double>(layer.in.elements()) + static_cast<double>(layer.out.elements()) +
                       static_cast<double>(layer.weights());
  moved_ += moved;
  if (!understood_) unknown_moved_ += moved;
}

double Understanding::missing() const {
  if (unknown_nodes_ == 0) return 0;
  return std::max(static_cast<double>(unknown_nodes_) / static_cast<double>(nodes_),
                  moved_ > 0 ? unknown_moved_ / moved_ : 0);
}

std::string Understanding::sentence() const {
  if (unknown_nodes_ == 0) return {};
  return fmt::format(
      "{} of {} nodes ({:.3g} %), with {:.3g} % of the bytes moved, are not understood and count by their "
      "bytes: the prediction is assumed, not from the data sheet",
      unknown_nodes_, nodes_, 100.0 * static_cast<double>(unknown_nodes_) / static_cast<double>(nodes_),
      moved_ > 0 ? 100 * unknown_moved_ / moved_ : 0.0);
}

}  // namespace jostle::profiles::onnx_reader
