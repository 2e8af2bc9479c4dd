// What a process that generates text does: how long prompts and answers are, how many sequences it holds at a
// time, and the kernels of its steps.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "sim/random.hpp"

namespace jostle::process {

// A number of tokens, drawn for each request.
enum class LengthKind : std::uint8_t { fixed, uniform, lognormal, listed };
struct Length {
  LengthKind kind = LengthKind::fixed;
  std::int64_t least = 1, most = 1;  // ends of a uniform; a lognormal is cut to them; fixed: both the same
  double mean = 1, variation = 0;    // lognormal: mean and coefficient of variation
  std::vector<std::int64_t> listed = {};  // one after another, again from the first

  [[nodiscard]] std::int64_t draw(sim::RandomStream& random, std::uint64_t request) const;
};

struct GenerationSpec {
  Length prompt, tokens;
  std::int64_t depth = 0;      // positions that are there already when a sequence begins
  double reuse = 0;            // share of a prompt whose keys and values are there already
  bool prefills = true;        // false: a sequence begins with its first token (llama-bench's tg)
  bool decodes = true;         // false: it ends with its prompt (llama-bench's pp)
  std::int64_t users = 1;      // without arrivals: each asks again when it has its answer
  std::int64_t max_batch = 1;  // sequences that are decoded together
  // Positions whose keys and values there is room for: a sequence is admitted if all of its own fit beside
  // those of the others, so that none is ever evicted. 0: as many as `max_batch` of the longest need.
  std::int64_t room = 0;
  std::int64_t chunk = 0;  // of a prompt, between which others go on; 0: whole

  [[nodiscard]] std::int64_t longest() const;  // positions of a sequence, at most
};

// Kernels of steps of several sizes (sequences of a decode step, tokens of a prefill) behind several
// contexts. Must outlive the GPU that runs them.
struct StepGrid {
  std::vector<std::int64_t> sizes, contexts;  // ascending
  std::vector<gpu::KernelSequence> kernels;   // [size][context]

  // Of the smallest step that holds these; of the largest, if none does.
  [[nodiscard]] const gpu::KernelSequence& at(std::int64_t size, std::int64_t context) const;
};

struct Generation {
  GenerationSpec spec;
  StepGrid decode, prefill;
};

}  // namespace jostle::process
