#include "cli/show/network_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/graphviz.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/csv.hpp"
#include "input/printable.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/boost_graph.hpp"
#include "models/dnn/partition_points.hpp"
#include "models/memory/footprint.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

using dnn::Layer;
using dnn::Op;

// Zero is shown as an empty cell.
std::string count(std::int64_t number) {
  return number == 0 ? "" : fmt::format("{}", number);
}
std::string scaled(std::int64_t number, double unit, const char* format) {
  return number == 0 ? "" : fmt::format(fmt::runtime(format), static_cast<double>(number) / unit);
}

Table layers_of(const dnn::Network& network, std::int64_t batch) {
  Table table({right("#", 1), shrinking("layer"), left("op"), left("in", 3), left("out", 5),
               left("window", 2), right("groups", 1), right("MMAC"), right("parameters", 6),
               right("k elements", 4)});
  for (dnn::Network::Node node = 0; node < network.size(); ++node) {
    const Layer& layer = network.layer(node);
    table.add({fmt::format("{}", node), input::printable(layer.name), operator_text(layer),
               shape_text(layer.in), shape_text(layer.out), window_text(layer),
               layer.groups > 1 ? fmt::format("{}", layer.groups) : "",
               scaled(layer.macs() * batch, 1e6, "{:.2f}"), count(layer.parameters()),
               scaled(layer.out.elements() * batch, 1e3, "{:.1f}")});
  }
  return table;
}

Table totals_table(const NetworkTotals& totals) {
  const auto macs = static_cast<double>(totals.macs);
  Table table({left("total"), right(""), left("", 1)});
  table.add({"parameters", fmt::format("{:.3f}", static_cast<double>(totals.parameters) / 1e6), "M"});
  table.add({"multiply-adds", fmt::format("{:.3f}", macs / 1e9), "GMAC"});
  table.add({"operations", fmt::format("{:.3f}", 2 * macs / 1e9), "GFLOP"});
  table.add({"activations moved", fmt::format("{:.3f}", static_cast<double>(totals.traffic) / 1e6),
             "M elements, fused"});
  return table;
}

bool slides(Op op) {
  return op == Op::conv || op == Op::conv_transpose || op == Op::max_pool || op == Op::average_pool;
}

// The partition points of the network; empty if there are none.
std::string partition_points_of(const dnn::Network& network, int width, bool colour) {
  const std::vector<dnn::FusedLayer> fused = dnn::fuse(network, dnn::Lowering::optimised);
  Table table({right("partition point"), shrinking("after"), right("k elements")});
  for (const dnn::PartitionPoint& point :
       dnn::narrowing(dnn::partition_points(fused), memory::bindings(network).inputs))
    table.add({fmt::format("{}", point.layers), input::printable(point.after),
               fmt::format("{:.1f}", static_cast<double>(point.elements) / 1e3)});
  if (table.rows() == 0) return {};
  const std::string title =
      fmt::format("TensorRT fuses them to {}. Partition points with ever smaller tensors (docs/offload.md):",
                  input::counted(fused.size(), "layer"));
  return "\n" + paragraph(title, width, 0) + table.text(width, colour);
}

using Json = nlohmann::ordered_json;

Json shape_json(const dnn::Shape& shape) {
  return Json::array({shape.channels, shape.height, shape.width});
}

int window_width(const Layer& layer) {
  return layer.window_width > 0 ? layer.window_width : layer.window;
}

Json layer_json(const dnn::Network& network, dnn::Network::Node node, std::int64_t batch) {
  const Layer& layer = network.layer(node);
  return {{"index", node},
          {"name", layer.name},
          {"op", dnn::to_string(layer.op)},
          {"activation", dnn::to_string(layer.activation)},
          {"inputs", network.inputs(node)},
          {"in", shape_json(layer.in)},
          {"out", shape_json(layer.out)},
          {"window", Json::array({layer.window, window_width(layer)})},
          {"stride", layer.stride},
          {"dilation", layer.dilation},
          {"groups", layer.groups},
          {"macs", layer.macs() * batch},
          {"parameters", layer.parameters()},
          {"activation_elements", layer.out.elements() * batch}};
}

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

NetworkTotals totals_of(const dnn::Network& network, std::int64_t batch) {
  std::int64_t traffic = 0;
  for (const dnn::FusedLayer& layer : dnn::fuse(network, dnn::Lowering::optimised))
    traffic += layer.in.elements() + layer.out.elements() + layer.other_elements;
  const std::int64_t macs = network.macs();
  if (std::max(macs, traffic) > std::numeric_limits<std::int64_t>::max() / batch)
    throw std::invalid_argument(fmt::format("a batch of {} is too large to count", batch));
  return {.parameters = network.parameters(), .macs = macs * batch, .traffic = traffic * batch};
}

std::string shape_text(const dnn::Shape& shape) {
  if (shape.width > 1) return fmt::format("{}×{}×{}", shape.channels, shape.height, shape.width);
  if (shape.height > 1) return fmt::format("{}×{}", shape.channels, shape.height);
  return fmt::format("{}", shape.channels);
}

std::string operator_text(const Layer& layer) {
  if (layer.op == Op::activation) return dnn::to_string(layer.activation);
  return layer.depthwise() ? "depthwise" : dnn::to_string(layer.op);
}

std::string window_text(const Layer& layer) {
  if (!slides(layer.op)) return "";
  const int width = layer.window_width > 0 ? layer.window_width : layer.window;
  std::string text = fmt::format("{}×{}", layer.window, width);
  if (layer.stride > 1) text += fmt::format(" /{}", layer.stride);
  if (layer.dilation > 1) text += fmt::format(" ·{}", layer.dilation);
  return text;
}

std::string network_table(const NamedNetwork& shown, std::int64_t batch, int width, bool colour) {
  const NetworkTotals totals = totals_of(shown.network, batch);
  std::string title = fmt::format("{}: input {}, batch {}", input::printable(shown.name),
                                  shape_text(shown.network.layer(0).out), batch);
  const auto columns = static_cast<std::size_t>(width);
  if (!shown.description.empty()) title += "\n" + shortened(shown.description, columns);
  return fmt::format("{}\n\n{}\n{}{}", title, layers_of(shown.network, batch).text(width, colour),
                     totals_table(totals).text(width, colour),
                     partition_points_of(shown.network, width, colour));
}

// A network as JSON and CSV.

std::string network_json(const NamedNetwork& shown, std::int64_t batch) {
  const NetworkTotals totals = totals_of(shown.network, batch);
  Json layers = Json::array();
  for (dnn::Network::Node node = 0; node < shown.network.size(); ++node)
    layers.push_back(layer_json(shown.network, node, batch));
  const Json json{{"schema", "jostle.network/1"},
                  {"model", shown.name},
                  {"description", shown.description},
                  {"batch", batch},
                  {"parameters", totals.parameters},
                  {"macs", totals.macs},
                  {"activation_traffic_elements", totals.traffic},
                  {"layers", std::move(layers)}};
  return output::json_text(json) + "\n";
}

std::string network_csv(const NamedNetwork& shown, std::int64_t batch) {
  (void)totals_of(shown.network, batch);  // throws if the counts overflow
  std::string text =
      "index,name,op,activation,inputs,in_channels,in_height,in_width,out_channels,out_height,out_width,"
      "window_height,window_width,stride,dilation,groups,macs,parameters,activation_elements\n";
  for (dnn::Network::Node node = 0; node < shown.network.size(); ++node) {
    const Layer& layer = shown.network.layer(node);
    const auto& [in, out] = std::tie(layer.in, layer.out);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", node,
                        input::csv_field(input::printable(layer.name)), dnn::to_string(layer.op),
                        dnn::to_string(layer.activation), fmt::join(shown.network.inputs(node), " "),
                        in.channels, in.height, in.width, out.channels, out.height, out.width, layer.window,
                        window_width(layer), layer.stride, layer.dilation, layer.groups, layer.macs() * batch,
                        layer.parameters(), layer.out.elements() * batch);
  }
  return text;
}

// A network in the DOT language of Graphviz.

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
