#include "analyses/explain/engine_pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "models/dla/partition.hpp"
#include "scenarios/run/process_work.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t max_kinds = 4;  // kinds of layers that are named

// The kind of a layer; of one that falls back for the activation that is folded into it, that.
std::string kind_of(const dnn::FusedLayer& layer) {
  dnn::FusedLayer plain = layer;
  plain.activation = dnn::Activation::none;
  const bool by_activation = layer.activation != dnn::Activation::none && dla::supports(plain);
  return by_activation ? to_string(layer.activation) : to_string(layer.op);
}

std::string pieces_in_words(std::size_t count) {
  return fmt::format("{} piece{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string engine_pieces(const scenarios::ProcessEntry& process) {
  const std::vector<dnn::FusedLayer> layers =
      dla::by_engine(scenarios::layers_of(process, dnn::Lowering::optimised));
  std::size_t on_gpu = 0, gpu_pieces = 0, dla_pieces = 0, with_neighbours = 0;
  std::map<std::string, std::size_t> kinds;
  for (const dla::Subgraph& piece : dla::partition(layers)) {
    ++(piece.on_dla ? dla_pieces : gpu_pieces);
    if (piece.on_dla) continue;
    on_gpu += piece.count;
    for (std::size_t i = piece.first; i < piece.first + piece.count; ++i) {
      if (dla::supports(layers[i]))
        ++with_neighbours;
      else
        ++kinds[kind_of(layers[i])];
    }
  }
  if (on_gpu == 0) return fmt::format("all {} layers run on the DLA, in one piece", layers.size());
  std::vector<std::pair<std::string, std::size_t>> most(kinds.begin(), kinds.end());
  std::ranges::stable_sort(most, std::ranges::greater(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> names;
  for (const auto& [kind, count] : most) names.push_back(fmt::format("{} {}", count, kind));
  if (names.size() > max_kinds) {
    names.resize(max_kinds);
    names.emplace_back("others");
  }
  if (with_neighbours > 0) names.push_back(fmt::format("{} small ones between them", with_neighbours));
  return fmt::format("{} of {} layers run on the GPU, in {}: {}; {} on the DLA", on_gpu, layers.size(),
                     pieces_in_words(gpu_pieces), fmt::join(names, ", "), pieces_in_words(dla_pieces));
}

}  // namespace jostle::analyses
