// Layers that a DLA supports, and the partition of a network into subgraphs for GPU and DLA.
//
// The limits are those of NVIDIA's TensorRT Developer Guide, "DLA Supported Layers and Restrictions", for
// convolution, deconvolution, pooling, activation, elementwise, scale and concatenation. A global average
// pool and a fully connected layer are never supported, whatever their size: importers turn them into a mean
// over axes and a matrix product, which the DLA does not have (claim D07: "layers that the DLA cannot run
// (global average pool) fall back to the GPU").
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dla {

// True for fp16 and int8.
[[nodiscard]] bool supports(dnn::Precision precision);
// True if the DLA supports the layer in one of these precisions: convolutions with the layers folded into
// them, pools, additions ...
[[nodiscard]] bool supports(const dnn::FusedLayer& layer);

// Reorders the layers so that execution changes seldom between DLA and GPU: first all layers that the DLA can
// run before the GPU must, then all that the GPU can run, and so on, as TensorRT grows its subgraphs. Each
// layer's `inputs` refer to the new order.
[[nodiscard]] std::vector<dnn::FusedLayer> by_engine(std::span<const dnn::FusedLayer> layers);

// Layers [first, first + count) of the list, which run one after another on one engine.
struct Subgraph {
  bool on_dla = false;
  std::size_t first = 0, count = 0;
};

// Maximum number of DLA subgraphs in a network (TensorRT: DLA loadables per core).
inline constexpr std::size_t max_subgraphs = 16;

// Each run of consecutive supported layers becomes a subgraph for the DLA; the layers between them become
// subgraphs for the GPU. If there are more than `max_subgraphs` runs, the runs with the fewest multiply-adds
// go to the GPU. Runs without multiply-adds go to the GPU too. Empty for an empty list.
[[nodiscard]] std::vector<Subgraph> partition(std::span<const dnn::FusedLayer> layers);

}  // namespace jostle::dla
