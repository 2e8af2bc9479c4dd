// Batches of steady loops are repeated without their kernels (steady_loops.hpp).
//
// Each repeated batch takes the time of an earlier one. Where processes take turns, that is the time in which
// the process runs: a batch stands still between its process's turns. As soon as something happens that was
// not recorded, kernels have to be simulated again, from where the batches are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/gpu/activity.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/steady_loops.hpp"
#include "models/gpu/stream.hpp"
#include "sim/engine.hpp"

namespace jostle::gpu {

class Repeats {
 public:
  // The engine, the streams and the activities must outlive this object. `loops`: the precision with which
  // loops are steady; none: nothing is repeated. `in_turns`: also where processes take turns.
  Repeats(const sim::Engine& engine, std::vector<Stream>& streams, Activities& activities,
          std::optional<LoopPrecision> loops, bool in_turns)
      : engine_(engine),
        streams_(streams),
        activities_(activities),
        may_(loops.has_value()),
        may_in_turns_(in_turns),
        loops_(loops.value_or(SteadyLoops::alone)) {}

  // One more stream, of this group of contexts that share the GPU at one time.
  void add(std::size_t group) {
    members_.emplace_back();
    groups_.resize(std::max(groups_.size(), group + 1));
  }
  // Nothing is recorded any more, because somebody looks at kernels.
  void forbid() { may_ = false; }

  // Batches are repeated now, and for so long in all.
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] sim::Duration repeating() const {
    return repeated_ + (on_ ? engine_.now() - since_ : sim::Duration::zero());
  }

  // Kernels of this group run from now on; none: they stand still.
  void run(std::optional<std::size_t> group);
  // The cost of an expiry, which is `cost` by the kernels that run. While batches are repeated, one that was
  // recorded.
  [[nodiscard]] sim::Duration expiry(std::size_t group, sim::Duration cost);
  // The group's turn ends because its slice is over, or for want of work.
  void end_turn(std::size_t group, bool without_work);
  // Streams that compete for the GPU keep each other from pausing together. Repeated batches know nothing of
  // that, so a process whose turns never ended for want of work, in the later half of the records, does not
  // end them so.
  [[nodiscard]] bool never_without_work(std::size_t group) const {
    return on_ && groups_[group].last_without_work <= groups_[group].turns / 2;
  }

  // The oldest batch of the context could start now.
  void begin_batch(std::size_t context);
  // It is done; it is still the oldest one.
  void end_batch(std::size_t context);
  [[nodiscard]] bool in_batch(std::size_t context) const { return members_[context].in_batch; }

  // Records no longer hold.
  void forget();
  void distrust() { loops_.distrust(); }  // stop() follows

  // Loops are steady, and call for begin(). `turn_began`: just now; `may`: nothing else stands against it.
  [[nodiscard]] bool steady(bool turn_began, bool may);
  // Batches are repeated from now on. `done`: the fraction of each context's oldest batch that is done.
  void begin(const std::vector<double>& done);
  // The context's oldest batch, if it could start, takes the time of one that was recorded. False: it is not
  // like them; stop() follows.
  [[nodiscard]] bool repeat(std::size_t context, double done = 0);
  // When the repeated batch ends; never: there is none, or it stands still.
  [[nodiscard]] sim::Time ends(std::size_t context) const { return members_[context].repeat.to; }
  // All its kernels are launched now. It ends later, or sooner, as far as batches follow their launches.
  void note_launched(std::size_t context);
  void leave(std::size_t context);  // it has ended
  // True if all loops still are like those that were recorded. False: stop() follows.
  [[nodiscard]] bool hold();
  // Ends the repetition. Returns the fraction of each context's oldest batch that is done.
  [[nodiscard]] std::vector<double> stop();
  // The usage since the account was booked.
  [[nodiscard]] Running pending(std::size_t context) const;

 private:
  // The oldest batch of a context while batches are repeated.
  struct Repeat {
    bool on = false;
    sim::Time from, to = sim::Time::never();  // never: its process does not run
    double done_before = 0;                   // fraction of the batch that was done at `from`
    double counted = 0;                       // fraction of from .. to that is booked
    BatchRecord record;                       // all of it
  };
  struct Member {
    // When the oldest batch could start, on the group's axis, as the end of the last batch; never: there is
    // none, or not all of it is to be recorded.
    sim::Time batch_since = sim::Time::never();
    sim::Duration paused;      // time without a batch before it
    Running before;            // booked by the stream at `batch_since`
    sim::Time last_batch;      // end of the last batch
    bool ended_batch = false;  // since recording began
    bool in_batch = false;     // its oldest batch could start
    bool present = false;      // the same, and its process runs
    Repeat repeat;
  };
  struct Group {
    sim::Duration ran;  // time for which it has run, without refills, up to the end of its last turn
    sim::Time runs_since;
    // Since recording began: the costs of expiries, which are repeated one after another, and the number of
    // the last turn that ended for want of work.
    std::vector<sim::Duration> expiries;
    std::size_t next_expiry = 0;
    std::int64_t turns = 0, last_without_work = 0;
  };

  [[nodiscard]] bool in_turns() const { return groups_.size() > 1; }
  [[nodiscard]] bool may_record() const { return may_ && (!in_turns() || may_in_turns_); }
  [[nodiscard]] LoopKind kind_of(std::size_t context) const;
  [[nodiscard]] sim::Time axis(std::size_t context) const;
  [[nodiscard]] double part_of(const Repeat& repeat) const;
  void note_presence(std::size_t context);
  void begin_recording();
  void note_recorded();
  void record(std::size_t context);
  [[nodiscard]] bool is_in_loop(std::size_t context) const;
  [[nodiscard]] bool all_in_loops() const;
  void proceed(Repeat& repeat) const;
  void halt(std::size_t context);
  void set_rest(std::size_t context, sim::Duration rest);
  void book(std::size_t context);

  const sim::Engine& engine_;
  std::vector<Stream>& streams_;
  Activities& activities_;
  bool may_, may_in_turns_;
  SteadyLoops loops_;
  std::vector<Member> members_;  // by context
  std::vector<Group> groups_;
  std::optional<std::size_t> running_;  // group
  std::uint64_t recorded_ = 0;          // batches or, where processes take turns, turns
  bool on_ = false;
  sim::Duration repeated_;  // up to the last time that kernels were simulated again
  sim::Time since_;
};

}  // namespace jostle::gpu
