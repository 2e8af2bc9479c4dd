// Work of a process that generates text: the lengths of prompts and answers, the number of sequences that it
// holds at a time, and the kernels of its steps.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "sim/random.hpp"
#include "sim/time.hpp"

namespace jostle::process {

// A number of tokens, drawn for each request.
enum class LengthKind : std::uint8_t { fixed, uniform, lognormal, listed };
struct Length {
  LengthKind kind = LengthKind::fixed;
  std::int64_t least = 1, most = 1;       // uniform: its ends; lognormal: clamped to them; fixed: both equal
  double mean = 1, variation = 0;         // lognormal: mean and coefficient of variation
  std::vector<std::int64_t> listed = {};  // taken one after another, then again from the first

  [[nodiscard]] std::int64_t draw(sim::RandomStream& random, std::uint64_t request) const;
};

// Conversations: the prompt of each request but the first begins with all that was asked and answered before.
struct Sessions {
  std::int64_t turns = 1;  // requests of a conversation; the next one begins with nothing
  // Conversations at a time. In a closed loop each user has one; a request that arrives goes on with one of
  // those that wait for none, drawn evenly.
  std::int64_t count = 0;
  // True if keys and values of a conversation stay in the memory after an answer until others need the room;
  // those unused for longest go first.
  bool kept = false;
  sim::Duration think = {};      // closed loop: from an answer to the user's next request
  bool think_at_random = false;  // the time is drawn from an exponential distribution with mean `think`
};

struct GenerationSpec {
  Length prompt, tokens;
  std::int64_t depth = 0;      // cached positions when a sequence begins
  double reuse = 0;            // share of a prompt whose keys and values are cached already
  bool prefills = true;        // false: a sequence begins with its first token (llama-bench's tg)
  bool decodes = true;         // false: it ends with its prompt (llama-bench's pp)
  std::int64_t users = 1;      // without arrivals: each makes its next request when it has its answer
  std::int64_t max_batch = 1;  // sequences that are decoded together
  // Positions whose keys and values fit into the memory: a sequence is admitted if all of its own fit beside
  // those of the others, so that none is ever evicted. 0: as many as `max_batch` of the longest need.
  std::int64_t room = 0;
  std::int64_t prompts = 1;  // prompts of equal length that a prefill computes side by side
  // Speculative decoding (Leviathan et al., 2023): tokens that a draft model proposes in each decode step,
  // and the probability that one is accepted if all before it were. 0: there is no draft.
  std::int64_t drafted = 0;
  double accept = 0;
  Sessions sessions = {};
  std::int64_t chunk = 0;  // tokens of a prompt computed at a time, while others go on in between; 0: all

  [[nodiscard]] std::int64_t longest() const;         // maximum number of positions of a sequence
  [[nodiscard]] std::int64_t longest_prompt() const;  // of which maximum number are its prompt
};

// Blocks that threads on the cores compute between kernels of a step, and the kernels that follow them.
struct CoreVisit {
  std::vector<sim::Duration> blocks;  // work of each of the threads, in reference time
  gpu::KernelSequence kernels;
  double input_bytes = 0, output_bytes = 0;  // copied to the GPU before these kernels, and back after them
};

// The part of a step that threads on the cores compute, beside the kernels of the rest.
struct HostPart {
  // Work of each of the threads, block by block, in reference time: before the kernels, and after them.
  std::vector<sim::Duration> before, after;
  // Memory traffic of each thread while it computes, and the share of that time which is bound by it.
  double bytes_per_s = 0, bound = 0;
  double input_bytes = 0, output_bytes = 0;  // copied to the GPU before the kernels, and back after them
  // Then threads and GPU take visits in turn; `after` comes behind the last one's kernels.
  std::vector<CoreVisit> visits = {};
};

// Kernels of steps of several sizes (sequences of a decode step, tokens of a prefill) after several context
// lengths. It must outlive the GPU that runs them.
struct StepGrid {
  std::vector<std::int64_t> sizes, contexts;  // ascending
  std::vector<gpu::KernelSequence> kernels;   // [size][context]
  std::vector<HostPart> host = {};            // the same; empty: the GPU computes everything

  // The index of the smallest step that holds these; of the largest step if none does.
  [[nodiscard]] std::size_t at(std::int64_t size, std::int64_t context) const;
};

struct Generation {
  GenerationSpec spec;
  StepGrid decode, prefill;
};

}  // namespace jostle::process
