#include "models/dla/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace jostle::dla {
namespace {

using dnn::Activation;
using dnn::FusedLayer;
using dnn::Op;

constexpr std::int64_t widest_convolution = 32 * 32, widest_pool = 8 * 8;  // areas
constexpr int widest_stride = 8, max_dilation = 32, max_channels = 8192, widest_pool_stride = 16;

bool whole_plane(const FusedLayer& layer) {
  return layer.out.positions() == 1 && layer.in.positions() > 1;
}

// SiLU runs as its parts, a sigmoid and a product.
bool supports_activation(Activation activation) {
  switch (activation) {
    case Activation::none:
    case Activation::relu:
    case Activation::relu6:
    case Activation::leaky_relu:
    case Activation::sigmoid:
    case Activation::tanh:
    case Activation::silu:
      return true;
    case Activation::gelu:
    case Activation::hard_swish:
    case Activation::hard_sigmoid:
    case Activation::other:
      return false;
  }
  return false;
}

bool supports_convolution(const FusedLayer& layer) {
  return !layer.volume && layer.window_area <= widest_convolution && layer.stride <= widest_stride &&
         layer.dilation <= max_dilation && layer.in.channels <= max_channels &&
         layer.out.channels <= max_channels;
}

std::int64_t operations(std::span<const FusedLayer> layers, const Subgraph& subgraph) {
  std::int64_t sum = 0;
  for (const FusedLayer& layer : layers.subspan(subgraph.first, subgraph.count)) sum += layer.macs;
  return sum;
}

std::vector<Subgraph> joined(const std::vector<Subgraph>& subgraphs) {
  std::vector<Subgraph> result;
  for (const Subgraph& subgraph : subgraphs) {
    if (!result.empty() && result.back().on_dla == subgraph.on_dla)
      result.back().count += subgraph.count;
    else
      result.push_back(subgraph);
  }
  return result;
}

}  // namespace

bool supports(dnn::Precision precision) {
  return precision == dnn::Precision::fp16 || precision == dnn::Precision::int8;
}

bool supports(const FusedLayer& layer) {
  if (!supports_activation(layer.activation)) return false;
  switch (layer.op) {
    case Op::conv:
    case Op::conv_transpose:
      return supports_convolution(layer);
    case Op::max_pool:
      return layer.window_area <= widest_pool && layer.stride <= widest_pool_stride;
    case Op::average_pool:
      return !whole_plane(layer) && layer.window_area <= widest_pool && layer.stride <= widest_pool_stride;
    case Op::batch_norm:
    case Op::activation:
    case Op::add:
    case Op::multiply:
    case Op::concat:
      return true;
    default:
      return false;
  }
}

std::vector<FusedLayer> by_engine(std::span<const FusedLayer> layers) {
  std::vector<FusedLayer> ordered;
  std::vector<std::optional<std::size_t>> place(layers.size());
  const auto is_ready = [&](std::size_t layer) {
    return !place[layer] && std::ranges::all_of(layers[layer].inputs,
                                                [&](std::size_t input) { return place[input].has_value(); });
  };
  // Layers come after their inputs, so one pass takes every layer of this engine that is ready or becomes
  // ready.
  const auto take = [&](bool on_dla) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (!is_ready(i) || supports(layers[i]) != on_dla) continue;
      place[i] = ordered.size();
      FusedLayer& layer = ordered.emplace_back(layers[i]);
      for (std::size_t& input : layer.inputs) input = *place[input];
      std::ranges::sort(layer.inputs);
    }
  };
  for (bool on_dla = true; ordered.size() < layers.size(); on_dla = !on_dla) take(on_dla);
  return ordered;
}

std::vector<Subgraph> partition(std::span<const FusedLayer> layers) {
  std::vector<Subgraph> subgraphs;
  for (std::size_t i = 0; i < layers.size(); ++i) subgraphs.push_back({supports(layers[i]), i, 1});
  subgraphs = joined(subgraphs);
  std::vector<std::int64_t> sizes;  // number of operations of each DLA run
  for (const Subgraph& subgraph : subgraphs) {
    if (subgraph.on_dla) sizes.push_back(operations(layers, subgraph));
  }
  std::ranges::sort(sizes, std::ranges::greater());
  const std::int64_t least = sizes.size() > max_subgraphs ? sizes[max_subgraphs - 1] : 1;
  std::size_t kept = 0;
  for (Subgraph& subgraph : subgraphs) {
    if (!subgraph.on_dla) continue;
    subgraph.on_dla =
        operations(layers, subgraph) >= std::max<std::int64_t>(least, 1) && kept < max_subgraphs;
    kept += subgraph.on_dla ? 1 : 0;
  }
  return joined(subgraphs);
}

}  // namespace jostle::dla
