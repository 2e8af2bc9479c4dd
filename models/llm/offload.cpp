#include "models/llm/offload.hpp"

#include <charconv>
#include <string>
#include <string_view>

namespace jostle::llm {
namespace {

constexpr std::int64_t rows_that_pay = 32;
constexpr std::string_view block_prefix = "block", output_name = "lm_head", choice_name = "choose",
                           expert_part = ".expert.";

// The number of the block that the name of a layer tells, such as "block3.query"; `before` for another name.
int block_named(std::string_view name, int before) {
  if (!name.starts_with(block_prefix)) return before;
  int number = before;
  name.remove_prefix(block_prefix.size());
  (void)std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

// The number of the first block of the GPU.
std::int64_t first_block_on_gpu(const Architecture& of, const Offload& by) {
  return of.layers - std::min<std::int64_t>(by.gpu_layers, of.layers);
}

}  // namespace

std::vector<Part> parts_of(const Architecture& of, std::span<const dnn::FusedLayer> layers,
                           std::int64_t batch, const Offload& by) {
  const bool all = by.gpu_layers >= most_layers(of);
  const std::int64_t first = first_block_on_gpu(of, by);
  std::vector<Part> parts;
  int block = 0;
  bool embedded = false;
  for (const dnn::FusedLayer& layer : layers) {
    embedded = embedded || layer.name.starts_with(block_prefix);
    block =
        layer.name == output_name || layer.name == choice_name ? of.layers : block_named(layer.name, block);
    const bool block_on_gpu = all || (embedded && block < of.layers && block >= first);
    const bool apart =
        block_on_gpu && block < by.cpu_moe_layers && layer.name.find(expert_part) != std::string::npos;
    const bool product = layer.op == dnn::Op::linear;
    const bool many = (product || apart) && layer.out.height * batch >= rows_that_pay;
    // A layer without weights is at home where it is computed.
    const bool at_home = block_on_gpu && (!apart || (many && !product));
    parts.push_back(
        {.at_home_on_gpu = at_home, .on_gpu = at_home || many, .block = block, .expert_apart = apart});
  }
  return parts;
}

double weights_on_card(const Architecture& of, WeightFormat format, const Serving& by,
                       const Offload& offload) {
  const std::int64_t apart =
      std::min<std::int64_t>(offload.cpu_moe_layers, of.layers) - first_block_on_gpu(of, offload);
  const double away = static_cast<double>(std::max<std::int64_t>(apart, 0)) * expert_bytes(of, format);
  if (offload.gpu_layers >= most_layers(of)) return weights_held(of, format, by) - away;
  constexpr double half = 2;  // bytes
  return block_bytes(of, format) * cache_on_card(of, offload.gpu_layers) - away +
         half * static_cast<double>(vision_parameters(of));
}

double cache_on_card(const Architecture& of, std::int64_t gpu_layers) {
  return static_cast<double>(std::min<std::int64_t>(gpu_layers, of.layers)) / of.layers;
}

double weights_held(const Architecture& of, WeightFormat format, const Serving& by) {
  constexpr double bits = 8;  // per byte
  const int own = of.tied ? 1 : 2;
  const int tables = by.mapped ? 1 - own : std::max(by.tables - own, 0);
  const double table = static_cast<double>(head_weights(of)) * bits_of(format, true, of.hidden) / bits;
  return weight_bytes(of, format) + tables * table;
}

double buffers_held(const Architecture& of, const Serving& by, const Load& load) {
  constexpr double half = 2, single = 4;  // bytes
  std::int64_t tokens = std::max(load.prompt, load.sequences);
  if (by.step > 0) tokens = std::min<std::int64_t>(tokens, by.step);
  const int ffn = of.experts.count > 0 ? of.experts.per_token * of.ffn + of.experts.shared_ffn : of.ffn;
  const double block = static_cast<double>(tokens) * half * (4.0 * of.hidden + 3.0 * ffn);
  const auto scored = static_cast<double>(std::max<std::int64_t>(by.scored, load.sequences));
  return std::max(block, scored * single * (static_cast<double>(of.vocabulary) + of.hidden));
}

}  // namespace jostle::llm
