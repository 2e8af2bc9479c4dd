// Closed loops of batches that share the GPU in space, and the test that they have become steady.
//
// Loops that keep the GPU busy soon reach a regime in which the GPU times of their batches have a fixed
// distribution: eight streams of one network within some 50 batches each. From then on a batch's time can be
// taken from the batches before it, instead of simulating each of its kernels again, which is hundreds of
// times cheaper. Equal loops (the same kernels, priority and share of the SMs) are one kind, and pool their
// records, unless the times of one differ from another's: of two in step, one always follows the other.
//
// Where processes take turns, times are those in which the loop's process runs, without refills. Each loop
// repeats its own batches of whole turns, so that loops which begin a turn together stay together.
//
// Where hosts launch kernel by kernel they go on doing so, and a batch ends later as its launches do: by a
// share of that, which is the slope of a regression over the kind's records: nothing where the host is well
// ahead, all of it where kernels wait for their launches. What repeats is the rest of its time. Loops of late
// hosts that pause between batches are not steady: when they pause depends on what the others do (copies and
// kernels of two onnxruntime processes that fall into step are 2 % slower than without).
//
// The test: the records of a kind, without the first half (the transient), in eight successive parts: their
// means tell the standard error of the mean over all (the method of batch means; Law, "Simulation Modeling
// and Analysis", section 9.5.3), of the part that is repeated. Its root mean square over the kinds must be at
// most `LoopPrecision::error`, and that of none more than chance makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// The times that one batch took.
struct BatchRecord {
  sim::Duration time;           // from when it could start, and the batch before it was done, to its end
  sim::Duration launched = {};  // from then until all its kernels were launched; zero: they were before
  sim::Duration ran;            // time in which its kernels were executing, or caches were refilled for them
  sim::Duration pause = {};     // time for which the context had no batch before it
  Usage used;
};

// The properties by which two loops are equal.
struct LoopKind {
  const KernelSequence* kernels = nullptr;
  Priority priority = Priority::normal;
  int sms = 0;
  bool kernel_by_kernel = false;  // launched so
  bool operator==(const LoopKind&) const = default;
};

// The demands on records before they are repeated.
struct LoopPrecision {
  // Relative standard error of the mean time of a kind's batches, at most; and among kinds, which never come
  // into step, or of one that has `enough` records: streams that drift against each other for so long drift
  // for seconds.
  double error = 0.0004, of_mix = 0.0015;
  std::size_t enough = 2048;
  std::size_t fewest = 64;  // records of a kind; of one that has no other beside it, never fewer than 64
  // Records of each loop: loops influence each other over some batches. Fewer, but not below four, if many
  // loops give `of_all` records.
  std::size_t of_each = 24, of_all = 768;
  // Turns of each process whose slices expire: a latency depends on where in a batch they do.
  std::int64_t turns = 64;
};

class SteadyLoops {
 public:
  static constexpr LoopPrecision alone = {};
  // One of many runs whose spread is known from the runs themselves: a third of the batches.
  static constexpr LoopPrecision one_of_many = {.error = 0.002, .of_mix = 0.003, .turns = 32};
  // One of many runs on drawn profiles, which differ by some per cent: a tenth of the batches.
  static constexpr LoopPrecision drawn = {
      .error = 0.004, .of_mix = 0.006, .fewest = 16, .of_each = 8, .of_all = 256, .turns = 12};

  explicit SteadyLoops(const LoopPrecision& precision = alone)
      : precision_(precision), fewest_(precision.fewest), test_at_(precision.fewest) {}

  // A batch of `context` is done.
  void add(std::size_t context, const LoopKind& kind, const BatchRecord& record);
  // A turn of the context's process is over.
  void end_turn(std::size_t context);
  // Records no longer hold, because the GPU's rates have changed.
  void forget();
  // A loop was not what it seemed: forgets, and needs twice as many records from now on.
  void distrust();

  // The loops are steady, and their batches are repeated from now on, where processes take turns from the
  // beginning of a turn of each. The records of the transient are dropped. False, and distrusts, if a loop
  // has no batch that is over in the rest.
  [[nodiscard]] bool begin_repeats();

  [[nodiscard]] const LoopPrecision& precision() const { return precision_; }
  // False if a loop paused for too long: nothing more is recorded until forget().
  [[nodiscard]] bool records() const { return !paused_; }
  // True if all loops are steady, as of the last record.
  [[nodiscard]] bool steady() const { return steady_; }
  // True if batches of this kind can be repeated for `context`.
  [[nodiscard]] bool repeats(std::size_t context, const LoopKind& kind) const;
  // True if the context has recorded no batch.
  [[nodiscard]] bool unknown(std::size_t context) const {
    return context >= members_.size() || members_[context].kind == none;
  }
  // The record that it repeats next after this pause, with its time then. Its loop must be steady.
  [[nodiscard]] BatchRecord next(std::size_t context, sim::Duration pause);
  // The time by which a batch of the context ends later for each second by which its launches do.
  [[nodiscard]] double following(std::size_t context) const {
    return kinds_[members_[context].kind].following;
  }
  // True if the context's loop may have no batch for so long. It must have a record.
  [[nodiscard]] bool may_pause(std::size_t context, sim::Duration pause) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Kind {
    LoopKind kind;
    std::vector<BatchRecord> records;
    std::vector<std::size_t> contexts;  // by record
    sim::Duration longest_pause;
    sim::Duration late, before_late;  // batches that waited for launches at their end; pauses before them
    double following = 0;             // as of begin_repeats()
  };
  struct Member {
    std::size_t kind = none;
    std::size_t records = 0, next = 0;
    std::vector<std::size_t> turns;  // `records` at the end of each turn
    sim::Duration cycle, early;  // mean time from end to end in the records; that by which repeats are ahead
    std::vector<BatchRecord> own;  // its records to repeat, where members differ or processes take turns
  };
  [[nodiscard]] std::size_t find_kind(const LoopKind& kind);
  [[nodiscard]] bool test() const;
  [[nodiscard]] bool differ(const Kind& kind) const;
  void take_shares(std::size_t kind);
  [[nodiscard]] bool take_turns(Member& member);
  [[nodiscard]] const std::vector<BatchRecord>& records_of(const Member& member) const {
    return member.own.empty() ? kinds_[member.kind].records : member.own;
  }

  LoopPrecision precision_;
  std::vector<Kind> kinds_;
  std::vector<Member> members_;  // by context
  std::size_t fewest_;           // records of a kind that a test needs; more after distrust()
  std::size_t test_at_;          // records of the kind that has fewest, at which the next test is due
  bool steady_ = false;
  bool full_ = false;    // kernels of the loops that are repeated fill the GPU's time; not in turns
  bool paused_ = false;  // a pause was too long for a loop that keeps the GPU busy
};

}  // namespace jostle::gpu
