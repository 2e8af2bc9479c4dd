// Sequences of a language model in one process: who is admitted, which step comes next, and what users see of
// it.
//
// Continuous batching (Yu et al., OSDI 2022): between two steps, waiting requests are admitted while there is
// room, in the batch and for the keys and values of the whole sequence (TensorRT-LLM's GUARANTEED_NO_EVICT).
// The prompts of those admitted are computed first, whole or a chunk at a time with a decode step
// between two chunks; a decode step then gives each running sequence one more token. The first token comes
// with the prompt.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/process/arrivals.hpp"
#include "models/process/generation_spec.hpp"
#include "sim/observations.hpp"
#include "sim/random.hpp"
#include "sim/time.hpp"

namespace jostle::process {

// Since the warm-up. Seconds.
struct TokenFigures {
  std::int64_t decoded = 0;            // tokens that decode steps gave
  std::int64_t prefilled = 0;          // tokens of prompts that were computed
  sim::Duration decoding, prefilling;  // time in steps of each kind, from launch until the host saw them done
  std::int64_t decode_steps = 0;
  sim::Duration decode_kernels;  // of these steps, alone and without gaps
  gpu::Usage decode_used;        // by these kernels
  sim::Observations first;       // from the request to its first token
  sim::Observations between;     // from one token of a sequence to its next
};

class Generator {
 public:
  // `requests`: null in a closed loop. All must outlive it. `answer_time`: from a token to whoever asked.
  Generator(const Generation& generation, RequestQueue* requests, sim::RandomStream random,
            sim::Duration answer_time = sim::Duration::zero());

  // Whether a step can begin.
  [[nodiscard]] bool ready(sim::Time now) const;
  // Whether one more sequence would have no room.
  [[nodiscard]] bool full() const { return waiting_ || runs_most(); }
  // Admits who waits, and begins a step; null if nobody is left.
  [[nodiscard]] const gpu::KernelSequence* begin(sim::Time now);
  // The step is done. When the requests whose answers are complete were made; until the next call.
  [[nodiscard]] std::span<const sim::Time> finish(sim::Time now);

  void end_warmup() { figures_ = TokenFigures(); }
  [[nodiscard]] const TokenFigures& figures() const { return figures_; }

 private:
  struct Sequence {
    sim::Time made, last;          // when it was asked for; its last token
    std::int64_t context = 0;      // positions whose keys and values are there
    std::int64_t prompt_left = 0;  // tokens of its prompt that are not
    std::int64_t tokens_left = 0;
    std::int64_t positions = 0;  // that it has when it is complete
  };

  void admit(sim::Time now);
  [[nodiscard]] std::optional<Sequence> next(sim::Time now);  // who waits longest
  [[nodiscard]] Sequence sequence(sim::Time made);
  [[nodiscard]] bool runs_most() const;

  const Generation& generation_;
  RequestQueue* requests_;
  sim::RandomStream random_;
  sim::Duration answer_time_;
  std::uint64_t drawn_ = 0;       // requests
  std::deque<sim::Time> asking_;  // closed loop: users that wait, since when
  std::vector<Sequence> running_;
  std::optional<Sequence> waiting_;  // the next, for which there was no room
  std::int64_t positions_ = 0;       // of those that run
  std::vector<sim::Time> complete_;
  bool prefilling_ = false;  // the step under way
  const gpu::KernelSequence* step_ = nullptr;
  std::int64_t step_tokens_ = 0;  // of its prompt
  bool chunk_before_ = false;     // the step before was a chunk, and others have waited
  sim::Time begun_;
  TokenFigures figures_;
};

}  // namespace jostle::process
