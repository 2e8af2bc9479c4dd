// Which layers of a network a DLA takes, and so how the network falls into pieces for GPU and DLA.
//
// The limits are those of NVIDIA's TensorRT Developer Guide, "DLA Supported Layers and Restrictions", for
// convolution, deconvolution, pooling, activation, elementwise, scale and concatenation. A global average
// pool and a fully connected layer are not taken whatever their size: importers make a mean over axes and a
// matrix product of them, which the DLA does not have (claim D07: "layers that the DLA cannot run (global
// average pool) fall back to the GPU").
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dla {

// fp16 and int8.
[[nodiscard]] bool supports(dnn::Precision precision);
// Convolutions and what was folded into them, pools, additions ...; in one of the precisions above.
[[nodiscard]] bool supports(const dnn::FusedLayer& layer);

// Layers [first, first + count) of the list, which run one after another on one engine.
struct Subgraph {
  bool on_dla = false;
  std::size_t first = 0, count = 0;
};

// Subgraphs that one engine holds at once (TensorRT: DLA loadables per core).
inline constexpr std::size_t max_subgraphs = 16;

// Runs of consecutive supported layers, each a subgraph for the DLA, and what lies between for the GPU. Of
// more than `max_subgraphs` runs those with the fewest operations go to the GPU, as do runs without any
// operations. Empty for an empty list.
[[nodiscard]] std::vector<Subgraph> partition(std::span<const dnn::FusedLayer> layers);

}  // namespace jostle::dla
