// A network as JSON and CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/show/network_text.hpp"
#include "input/csv.hpp"
#include "input/printable.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;
using dnn::Layer;

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

}  // namespace

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

}  // namespace jostle::cli
