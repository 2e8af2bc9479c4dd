// A step of a language model as a graph of layers: one token of each sequence (decode), or a stretch of a
// prompt (prefill). It reads keys and values of the positions before it, and gives the scores of one next
// token.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/lowering.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"

namespace jostle::llm {

// A step of each of its sequences, which are the batch of its kernels.
struct Step {
  int tokens = 1;              // tokens that it computes for each sequence
  int context = 0;             // positions before them, whose keys and values it reads
  std::int64_t sequences = 1;  // sequences whose tokens read experts together, in a model with experts
  int scored = 1;              // tokens of each sequence, from the last, whose next token gets scores
  bool operator==(const Step&) const = default;
};

// The layers of a block.
enum class Operators : std::uint8_t {
  apart,   // separate, by the model's definition
  joined,  // queries, keys and values are one linear layer, and so are gate and up, as compilers store them
  // The linear layers are joined; all else is one operator of a framework after another: rotary positions are
  // five for queries and five for keys (evidence/h100-users/kernels.csv: 24 kernels a block).
  operators
};

// Throws std::invalid_argument for a step without tokens, or one too long for the graph's dimensions.
[[nodiscard]] dnn::Network network_of(const Architecture& of, const Step& step, Operators operators);

// SM cycles of a runtime's kernels. `unpack`: to unpack a weight, by format. `row`: to begin and end the dot
// products of an output channel, for one token.
using UnpackCycles = std::array<double, weight_format_count>;
// `attention`: of a block of attention, one for each head of queries and sequence, in a step of one token of
// several sequences. `cache`: of a number of the keys and values that attention reads, in a step of one
// token.
struct ProductCycles {
  UnpackCycles unpack = {};
  double row = 0;
  double attention = 0;
  double cache = 0;
};

// The way in which a runtime computes a step.
struct Computation {
  dnn::Lowering lowering = dnn::Lowering::framework;
  WeightFormat weights = WeightFormat::fp16;
  ProductCycles cycles = {};
};

// The layers of a step as a runtime fuses them.
[[nodiscard]] std::vector<dnn::FusedLayer> layers_of(const Architecture& of, const Step& step,
                                                     const Computation& by);
// The layers of the vision tower for one image.
[[nodiscard]] std::vector<dnn::FusedLayer> vision_layers(const Architecture& of, dnn::Lowering lowering);

}  // namespace jostle::llm
