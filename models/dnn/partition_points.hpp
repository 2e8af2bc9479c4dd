// Partition points: where a network may be divided in two, so that its head runs on one machine and its tail
// on another.
//
// A partition point lies between two fused layers where a single tensor crosses, which the head sends to the
// tail (Kang et al., Neurosurgeon, 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/dnn/fusion.hpp"

namespace jostle::dnn {

struct PartitionPoint {
  std::size_t layers = 0;     // number of layers of the head
  std::string after;          // name of the layer whose result crosses
  std::int64_t elements = 0;  // size of this result for one image
};

// All partition points: places between two layers where exactly one tensor crosses. The network's input must
// not be read after it, and no output of the network may lie before it.
[[nodiscard]] std::vector<PartitionPoint> partition_points(std::span<const FusedLayer> layers);

// The partition points, ascending, at which fewer elements cross than at every earlier one and than `input`.
// Any other point leaves more work to the machine of the head and sends at least as much as an earlier point
// (or as the input itself). So it is slower, provided that the machine of the head computes no layer faster
// than the other machine and neither machine is the bottleneck for the other part.
[[nodiscard]] std::vector<PartitionPoint> narrowing(std::vector<PartitionPoint> points, std::int64_t input);

// Layers [first, first + count) as a network of their own; its input is the tensors of other layers that they
// read. `last` is kept from the whole network: a result that other layers read stays in its format.
[[nodiscard]] std::vector<FusedLayer> part_of(std::span<const FusedLayer> layers, std::size_t first,
                                              std::size_t count);

// The tensors that such a part reads and writes, for one image: elements of tensors that other layers write
// or read, each tensor once; and its share of the network.
struct PartShares {
  std::int64_t read = 0, written = 0;
  bool reads_input = false;  // it reads the network's input, in addition
  double outputs = 0;        // share of the elements of the network's outputs that it writes, in addition
  double parameters = 0;     // share of the parameters; 1 if there are none
};
[[nodiscard]] PartShares shares_of(std::span<const FusedLayer> layers, std::size_t first, std::size_t count);

}  // namespace jostle::dnn
