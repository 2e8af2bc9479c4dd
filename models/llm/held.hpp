// Memory that a runtime holds for a language model: weights, keys and values, and the buffers of a step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"

namespace jostle::llm {

// The way in which a runtime divides the memory.
struct Serving {
  // KV-cache positions allocated up front, per sequence if `each`, else in total. 0: as many as are needed.
  int positions = 0;
  bool each = false;
  // Number of tables of word vectors, in the bits of the last layer. If embeddings and last layer are one
  // table in the model, a runtime may hold two, or copies.
  int tables = 1;
  int step = 0;    // maximum number of tokens computed at once; 0: a prompt
  int scored = 0;  // tokens of a step with space for their scores, in fp32; 0: the last of each sequence
};

// The requested load.
struct Load {
  std::int64_t sequences = 1;  // number of sequences at once
  std::int64_t longest = 1;    // maximum number of positions of a sequence
  std::int64_t prompt = 1;  // tokens of a prompt that are computed at once, unless the runtime computes fewer
  std::int64_t context = 0;  // positions allocated per sequence; 0: the runtime's, or the longest
};

// KV-cache positions that are allocated, for all sequences together.
[[nodiscard]] constexpr std::int64_t positions_held(const Serving& by, const Load& of) {
  if (of.context > 0) return of.sequences * of.context;
  if (by.each) return of.sequences * std::max<std::int64_t>(by.positions, of.longest);
  return std::max<std::int64_t>(by.positions, of.sequences * of.longest);
}

// Bytes of all weights, and of further tables of word vectors.
[[nodiscard]] double weights_held(const Architecture& of, WeightFormat format, const Serving& by);
// Bytes of the buffers of a step. They hold the inputs and outputs of the widest part of a block and later,
// in the same place, the scores and their inputs.
[[nodiscard]] double buffers_held(const Architecture& of, const Serving& by, const Load& load);

}  // namespace jostle::llm
