// Sequences of a language model in one process: which are admitted, which step comes next, and the times that
// users see.
//
// Continuous batching (Yu et al., OSDI 2022): between two steps, waiting requests are admitted while there is
// room in the batch, and room for the keys and values of the whole sequence (TensorRT-LLM's
// GUARANTEED_NO_EVICT). The prompts of admitted requests are computed first, whole, or in chunks with a
// decode step between two chunks. A decode step then gives each running sequence one more token, or several
// with a draft. The first token comes with the prompt.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
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

// Metrics of tokens since the warm-up. Observations are in seconds.
struct TokenMetrics {
  std::int64_t decoded = 0;    // tokens that decode steps produced
  std::int64_t prefilled = 0;  // tokens of prompts that were computed
  // Tokens of the prompts that had their first token, and those of them whose keys and values were there.
  std::int64_t prompted = 0, reused = 0;
  sim::Duration decoding, prefilling;  // time in steps of each kind, from launch until the host saw them done
  std::int64_t decode_steps = 0;
  sim::Duration decode_kernels;  // kernel time of the decode steps, alone and without gaps
  gpu::Usage decode_used;        // resources that these kernels used
  sim::Observations first;       // time from the request to its first token
  sim::Observations between;     // time from one token of a sequence to its next; those of one step share it
};

class Generator {
 public:
  // `requests`: null in a closed loop. `answer_time`: time from a token until the client has it. All
  // references and pointers must outlive the generator.
  Generator(const Generation& generation, RequestQueue* requests, sim::RandomStream random,
            sim::Duration answer_time = sim::Duration::zero());

  // True if a step can begin.
  [[nodiscard]] bool ready(sim::Time now) const;
  // True if there is no room for one more sequence.
  [[nodiscard]] bool full() const { return waiting_ || runs_most(); }
  // Closed loop: when the next of the waiting users asks; never if none waits.
  [[nodiscard]] sim::Time next_ask() const {
    return asking_.empty() ? sim::Time::never() : asking_.front().at;
  }
  // Admits waiting requests, begins a step and returns its kernels; null if there is no sequence left.
  [[nodiscard]] const gpu::KernelSequence* begin(sim::Time now);
  // The first kernels of the step under way, and the part of it that the cores compute, with what follows;
  // null: they compute nothing.
  [[nodiscard]] const gpu::KernelSequence& step() const { return *step_; }
  [[nodiscard]] const HostPart* host() const { return host_; }
  // Ends the step. Returns when the requests were made whose answers are now complete; valid until the next
  // call.
  [[nodiscard]] std::span<const sim::Time> finish(sim::Time now);

  void end_warmup() { metrics_ = TokenMetrics(); }
  [[nodiscard]] const TokenMetrics& metrics() const { return metrics_; }

 private:
  static constexpr std::size_t no_session = std::numeric_limits<std::size_t>::max();
  struct Sequence {
    sim::Time made, last;          // time of the request; time of its last token
    std::int64_t context = 0;      // positions whose keys and values are cached
    std::int64_t prompt_left = 0;  // tokens of its prompt still to compute
    std::int64_t tokens_left = 0;
    std::int64_t positions = 0;           // positions that it has when it is complete
    std::int64_t prompt = 0, reused = 0;  // tokens of its prompt, and those that need not be computed
    std::size_t session = no_session;
  };
  // A conversation.
  struct Session {
    std::int64_t turn = 0, said = 0;  // answers, and tokens of all requests and answers so far
    std::int64_t kept = 0;            // positions whose keys and values are there, while it has no sequence
    std::uint64_t used = 0;           // number of its last answer among all
    bool busy = false;                // it has a sequence
  };
  // A user of a closed loop who asks, with the conversation; in the order of time.
  struct Ask {
    sim::Time at;
    std::size_t session = no_session;
  };

  void admit(sim::Time now);
  [[nodiscard]] std::optional<Sequence> next(sim::Time now);  // the request that waits longest
  [[nodiscard]] Sequence sequence(const Ask& ask);
  [[nodiscard]] std::size_t waiting_session();
  [[nodiscard]] bool make_room(const Sequence& next);
  void answer(const Sequence& sequence, sim::Time now);
  void ask_again(std::size_t session, sim::Time now);
  [[nodiscard]] bool runs_most() const;
  [[nodiscard]] std::int64_t tokens_of_step();
  void note_decoded(const gpu::KernelSequence& kernels);
  const gpu::KernelSequence* choose(const StepGrid& grid, std::int64_t size, std::int64_t context);

  const Generation& generation_;
  RequestQueue* requests_;
  sim::RandomStream random_;
  sim::Duration answer_time_;
  std::uint64_t drawn_ = 0;  // number of requests drawn
  std::deque<Ask> asking_;   // closed loop: the waiting users
  std::vector<Session> sessions_;
  std::int64_t kept_ = 0;       // sum over the sessions
  std::uint64_t answered_ = 0;  // number of answers of sessions
  std::vector<Sequence> running_;
  std::optional<Sequence> waiting_;  // the next sequence, for which there was no room
  std::int64_t positions_ = 0;       // reserved by the running sequences
  std::vector<sim::Time> complete_;
  bool prefilling_ = false;  // the step under way is a prefill
  const gpu::KernelSequence* step_ = nullptr;
  const HostPart* host_ = nullptr;
  std::int64_t step_tokens_ = 0;  // tokens of the prompt that the step computes
  bool chunk_before_ = false;     // the last step was a chunk, so sequences that decode come next
  sim::Time begun_;
  TokenMetrics metrics_;
};

}  // namespace jostle::process
