// A network in the DOT language of Graphviz.
#include <boost/graph/graphviz.hpp>
#include <ostream>
#include <sstream>

#include "cli/show/network_text.hpp"
#include "input/printable.hpp"
#include "models/dnn/graph/boost_graph.hpp"

namespace jostle::cli {
namespace {

using dnn::Op;

// Colours by kind: matrix operations, element-wise operations, pooling, and layers that only move data.
const char* colour_of(Op op) {
  switch (op) {
    case Op::conv:
    case Op::conv_transpose:
    case Op::linear:
    case Op::matmul:
      return "lightblue";
    case Op::batch_norm:
    case Op::layer_norm:
    case Op::softmax:
    case Op::activation:
    case Op::add:
    case Op::multiply:
      return "honeydew";
    case Op::max_pool:
    case Op::average_pool:
    case Op::resize:
      return "wheat";
    default:
      return "gray95";
  }
}

// `text` escaped for a quoted DOT string.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : input::printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string label_of(const dnn::Layer& layer) {
  const std::string window = window_text(layer);
  return escaped(layer.name) + "\\n" + operator_text(layer) + (window.empty() ? "" : " " + window) + "\\n" +
         shape_text(layer.out);
}

}  // namespace

std::string network_graphviz(const NamedNetwork& shown) {
  const dnn::BoostGraph graph = dnn::boost_graph(shown.network);
  std::ostringstream text;
  boost::write_graphviz(
      text, graph,
      [&graph](std::ostream& out, dnn::Network::Node node) {
        out << "[label=\"" << label_of(graph[node]) << "\", fillcolor=" << colour_of(graph[node].op) << "]";
      },
      boost::default_writer(),
      [&shown](std::ostream& out) {
        out << "label=\"" << escaped(shown.name) << "\";\n"
            << "node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=10];\n";
      });
  return text.str();
}

}  // namespace jostle::cli
