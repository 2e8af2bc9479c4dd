#include "models/llm/offload.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace jostle::llm {
namespace {

constexpr std::int64_t rows_that_pay = 32;
constexpr std::string_view block_prefix = "block", output_name = "lm_head", choice_name = "choose";

// The number of the block that the name of a layer tells, such as "block3.query"; `before` for another name.
int block_named(std::string_view name, int before) {
  if (!name.starts_with(block_prefix)) return before;
  int number = before;
  name.remove_prefix(block_prefix.size());
  (void)std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

}  // namespace

std::vector<Part> parts_of(const Architecture& of, std::span<const dnn::FusedLayer> layers,
                           std::int64_t batch, std::int64_t gpu_layers) {
  const bool all = gpu_layers >= most_layers(of);
  const std::int64_t first = of.layers - std::min<std::int64_t>(gpu_layers, of.layers);
  std::vector<Part> parts;
  int block = 0;
  bool embedded = false;
  for (const dnn::FusedLayer& layer : layers) {
    embedded = embedded || layer.name.starts_with(block_prefix);
    block =
        layer.name == output_name || layer.name == choice_name ? of.layers : block_named(layer.name, block);
    const bool at_home = all || (embedded && block < of.layers && block >= first);
    const bool many = layer.op == dnn::Op::linear && layer.out.height * batch >= rows_that_pay;
    parts.push_back({.at_home_on_gpu = at_home, .on_gpu = at_home || many, .block = block});
  }
  return parts;
}

double weights_on_card(const Architecture& of, WeightFormat format, const Serving& by,
                       std::int64_t gpu_layers) {
  if (gpu_layers >= most_layers(of)) return weights_held(of, format, by);
  constexpr double half = 2;  // bytes
  return block_bytes(of, format) * cache_on_card(of, gpu_layers) +
         half * static_cast<double>(vision_parameters(of));
}

double cache_on_card(const Architecture& of, std::int64_t gpu_layers) {
  return static_cast<double>(std::min<std::int64_t>(gpu_layers, of.layers)) / of.layers;
}

}  // namespace jostle::llm
