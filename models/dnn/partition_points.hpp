// Where a network may be cut in two, so that its head runs on one machine and its tail on another.
//
// PartitionPoints are between fused layers, at places where one tensor crosses: what the head sends (Kang et
// al., Neurosurgeon, 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/dnn/fusion.hpp"

namespace jostle::dnn {

struct PartitionPoint {
  std::size_t layers = 0;     // of the head
  std::string after;          // name of the layer whose result crosses
  std::int64_t elements = 0;  // of it, of one image
};

// Every place between two layers where one tensor crosses and nothing else: the input is not read behind it,
// and no output of the network lies before it.
[[nodiscard]] std::vector<PartitionPoint> cuts(std::span<const FusedLayer> layers);

// Of these, ascending, those at which fewer elements cross than at every earlier one, and than `input`. Any
// other leaves more to the machine of the head and sends no less than an earlier one (or than the input
// itself would be): it is slower wherever that machine computes no layer faster than the other does, and
// neither machine of the other part is short.
[[nodiscard]] std::vector<PartitionPoint> narrowing(std::vector<PartitionPoint> cuts, std::int64_t input);

// Layers [first, first + count) as a network of their own: what they read of others is its input. Their
// `last` is the whole network's: what others read of them is as it is, in no other format.
[[nodiscard]] std::vector<FusedLayer> part_of(std::span<const FusedLayer> layers, std::size_t first,
                                              std::size_t count);

// What such a part is given and gives, for one image: elements of tensors that other layers write or read,
// each tensor once; and how much of the network it is.
struct PartShares {
  std::int64_t read = 0, written = 0;
  bool reads_input = false;  // of the network, besides
  double outputs = 0;        // share of the elements of the network's outputs that it gives, besides
  double parameters = 0;     // share of the parameters; 1 where there are none
};
[[nodiscard]] PartShares shares_of(std::span<const FusedLayer> layers, std::size_t first, std::size_t count);

}  // namespace jostle::dnn
