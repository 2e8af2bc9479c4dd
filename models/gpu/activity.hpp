// The time in which kernels of a process execute, or of all that share the GPU at one time, and the SMs that
// they have in it.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/contract.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

struct ActiveTimes {
  sim::Duration kernels;  // in which any kernel executes
  sim::Duration could;    // in which one could: there is a batch, or, in turns, the process has the GPU
  double sm_s = 0;        // seconds of `kernels`, each times the share of the SMs with a resident warp
};

// The share of kernels in the time in which they could execute, and of SMs in that in which kernels do.
struct RepeatedShares {
  double kernels = 0, sms = 0;
};

// Blocks go to the SMs with most room (dispatcher.hpp), so kernels that run together share SMs only when all
// are taken: the shares that they have alone add up, to one at most. A kernel that the others slow down keeps
// its SMs for as long as it runs.
//
// While batches are repeated, kernels are a share of the time in which they could execute, and their SMs are
// a share of that of kernels. Both were recorded over one stretch of time, so neither is above the other.
class Activity {
 public:
  // Readings book nothing, so the sums do not depend on them.
  [[nodiscard]] ActiveTimes until(sim::Time now) const {
    ActiveTimes times = times_;
    const sim::Duration passed = now - since_;
    if (could_ > 0) times.could += passed;
    if (repeated_)
      add(times, could_ > 0 ? sim::work_in(passed, repeated_->kernels) : sim::Duration::zero(),
          repeated_->sms);
    else if (executing_ > 0)
      add(times, passed, std::min(sms_, 1.0));
    return times;
  }
  // `by` more kernels execute from `now` on, and the shares of the SMs that kernels have add up to `sms`
  // more.
  void change_kernels(int by, double sms, sim::Time now) {
    book(now);
    executing_ += by;
    sms_ += sms;
    sim::contract(executing_ >= 0, "the number of running kernels is never negative");
  }
  // `by` more of what lets kernels execute is there from `now` on.
  void change_could(int by, sim::Time now) {
    book(now);
    could_ += by;
  }
  // A kernel has come and gone since the last change, alone.
  void pass_over(sim::Duration takes, double sm_s) {
    times_.kernels += takes;
    times_.sm_s += sm_s;
  }

  void begin_recording(sim::Time now) { older_ = newer_ = until(now); }
  // Called whenever twice as much has been recorded: a quarter to half of it is before the last but one.
  void note_doubled(sim::Time now) { older_ = std::exchange(newer_, until(now)); }
  void begin_repeats(sim::Time now) {
    book(now);
    const double kernels = sim::to_seconds(times_.kernels - older_.kernels);
    const double could = sim::to_seconds(times_.could - older_.could);
    repeated_ = RepeatedShares{.kernels = could > 0 ? kernels / could : 0,
                               .sms = kernels > 0 ? (times_.sm_s - older_.sm_s) / kernels : 0};
  }
  void end_repeats(sim::Time now) {
    book(now);
    repeated_.reset();
  }

 private:
  static void add(ActiveTimes& times, sim::Duration ran, double sms) {
    times.kernels += ran;
    times.sm_s += sim::to_seconds(ran) * sms;
  }
  void book(sim::Time now) {
    times_ = until(now);
    since_ = now;
  }

  int executing_ = 0, could_ = 0;
  double sms_ = 0;
  sim::Time since_;
  ActiveTimes times_, older_, newer_;
  std::optional<RepeatedShares> repeated_;
};

}  // namespace jostle::gpu
