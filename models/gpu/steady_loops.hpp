// Closed loops of batches that share the GPU in space, and the test that they have become steady.
//
// Loops that keep the GPU busy soon reach a regime in which the GPU times of their batches have a fixed
// distribution: eight streams of one network within some 50 batches each. From then on a batch's time can be
// taken from the batches before it, instead of simulating each of its kernels again, which is hundreds of
// times cheaper. Equal loops (the same kernels, priority and share of the SMs) are one kind, and pool their
// records.
//
// The test: the records of a kind, without the first half (the transient), in successive parts of equal
// size: the means of the parts tell the standard error of the mean over all (the method of batch means; Law,
// "Simulation Modeling and Analysis", section 9.5.3), which must be at most `mean_error`, or what the run
// allows, in every kind.
#pragma once

#include <cstddef>
#include <vector>

#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// The times that one batch took.
struct BatchRecord {
  sim::Duration time;  // from when it could start, and the batch before it was done, to its end
  sim::Duration ran;   // time in which its kernels were executing
  Usage used;
};

// The properties by which two loops are equal.
struct LoopKind {
  const KernelSequence* kernels = nullptr;
  Priority priority = Priority::normal;
  int sms = 0;
  bool operator==(const LoopKind&) const = default;
};

class SteadyLoops {
 public:
  // Relative standard error of the mean time of a kind's batches.
  static constexpr double mean_error = 0.0006;
  // For one of many runs whose spread is known from the runs themselves: a third of the batches.
  static constexpr double one_of_many_error = 0.002;

  // `error`: the standard error with which loops are steady.
  explicit SteadyLoops(double error = mean_error) : error_(error) {}

  // A batch of `context` is done. `pause`: time for which the context had no batch before it.
  void add(std::size_t context, const LoopKind& kind, const BatchRecord& record, sim::Duration pause);
  // Records no longer hold, because the GPU's rates have changed.
  void forget();
  // A loop was not what it seemed: forgets, and needs twice as many records from now on.
  void distrust();

  // True if all loops are steady, as of the last record.
  [[nodiscard]] bool steady() const { return steady_; }
  // True if batches of this kind can be repeated for `context`.
  [[nodiscard]] bool repeats(std::size_t context, const LoopKind& kind) const;
  // True if the context has recorded no batch.
  [[nodiscard]] bool unknown(std::size_t context) const {
    return context >= members_.size() || members_[context].kind == none;
  }
  // The record that the context repeats next. It must have a loop that is steady.
  [[nodiscard]] const BatchRecord& next(std::size_t context);
  // The share of a batch's time in which its kernels execute. The context must have a loop that is steady.
  [[nodiscard]] double running_share(std::size_t context) const;
  // True if the context's loop may have no batch for so long. It must have a record.
  [[nodiscard]] bool may_pause(std::size_t context, sim::Duration pause) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Kind {
    LoopKind kind;
    std::vector<BatchRecord> records;
    std::size_t members = 0;
    sim::Duration longest_pause;
    double running = 1;   // share of the records' time in which kernels execute, once they are steady
    bool paused = false;  // a pause was too long for a loop that keeps the GPU busy
  };
  struct Member {
    std::size_t kind = none;
    std::size_t records = 0, next = 0;
  };
  [[nodiscard]] std::size_t find_kind(const LoopKind& kind);
  [[nodiscard]] bool test() const;
  void begin_repeats();

  double error_;
  std::vector<Kind> kinds_;
  std::vector<Member> members_;  // by context
  std::size_t fewest_ = 64;      // records of a kind that a test needs; more after distrust()
  std::size_t test_at_ = 64;     // records of the kind that has fewest, at which the next test is due
  bool steady_ = false;
};

}  // namespace jostle::gpu
