// What a runtime holds in memory for a language model: weights, keys and values, and the buffers of a step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"

namespace jostle::llm {

// How a runtime divides the memory.
struct Serving {
  // That keys and values are allocated for, whether they are needed or not: of each sequence, or of all
  // together. 0: as many as are needed.
  int positions = 0;
  bool each = false;
  // Of word vectors, in the bits of the last layer: where embeddings and last layer are one table in the
  // model, a runtime may hold two, or copies.
  int tables = 1;
  int step = 0;    // most tokens that are computed at once; 0: a prompt
  int scored = 0;  // tokens of a step whose scores have room, in fp32; 0: the last of each sequence
};

// What is asked for.
struct Load {
  std::int64_t sequences = 1;  // at once
  std::int64_t longest = 1;    // positions of a sequence
  std::int64_t prompt = 1;  // tokens of a prompt that are computed at once, unless the runtime computes fewer
  std::int64_t context = 0;  // positions that each sequence is given; 0: the runtime's, or the longest
};

// Positions that keys and values are allocated for, of all sequences together.
[[nodiscard]] constexpr std::int64_t positions_held(const Serving& by, const Load& of) {
  if (of.context > 0) return of.sequences * of.context;
  if (by.each) return of.sequences * std::max<std::int64_t>(by.positions, of.longest);
  return std::max<std::int64_t>(by.positions, of.sequences * of.longest);
}

// In bytes.
[[nodiscard]] double weights_held(const Architecture& of, WeightFormat format, const Serving& by);
// Of a step: what the widest part of a block reads and writes, and later, in the same bytes, the scores and
// what they are computed from.
[[nodiscard]] double buffers_held(const Architecture& of, const Serving& by, const Load& load);

}  // namespace jostle::llm
