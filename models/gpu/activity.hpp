// The time in which kernels of a process execute, or of all that share the GPU at one time, and the SMs and
// places for warps that they have in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/contract.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// Shares of the SMs that have a resident warp, and of the warps that all SMs can hold.
struct Resident {
  double sms = 0, warps = 0;
};

struct ActiveTimes {
  sim::Duration kernels;  // in which any kernel executes
  sim::Duration could;    // in which one could: there is a batch, or, in turns, the process has the GPU
  Resident seconds;       // of `kernels`, each times the share that is resident

  void add(sim::Duration ran, const Resident& share) {
    const double ran_s = sim::to_seconds(ran);
    kernels += ran;
    seconds.sms += ran_s * share.sms;
    seconds.warps += ran_s * share.warps;
  }
};

// The share of kernels in the time in which they could execute, and what is resident while they do.
struct RepeatedShares {
  double kernels = 0;
  Resident resident;
};

// Blocks go to the SMs with most room (dispatcher.hpp), so kernels that run together share SMs only when all
// are taken: the shares that they have alone add up, to one at most. A kernel that the others slow down keeps
// its SMs for as long as it runs, and its warps.
//
// While batches are repeated, kernels are a share of the time in which they could execute, and their SMs are
// a share of that of kernels. Both were recorded over one stretch of time, so neither is above the other.
class Activity {
 public:
  // Readings book nothing, so the sums do not depend on them.
  [[nodiscard]] ActiveTimes until(sim::Time now) const {
    ActiveTimes times = times_;
    go_on(times, now);
    return times;
  }
  // `by` more kernels execute from `now` on; one that had `before` has `resident`.
  void change_kernels(int by, const Resident& before, const Resident& resident, sim::Time now) {
    book(now);
    executing_ += by;
    resident_.sms += resident.sms - before.sms;
    resident_.warps += resident.warps - before.warps;
    sim::contract(executing_ >= 0, "the number of running kernels is never negative");
  }
  // `by` more of what lets kernels execute is there from `now` on.
  void change_could(int by, sim::Time now) {
    book(now);
    could_ += by;
  }
  // A kernel has come and gone since the last change, alone.
  void pass_over(sim::Duration takes, const Resident& resident) { times_.add(takes, resident); }

  void begin_recording(sim::Time now) { older_ = newer_ = until(now); }
  // Called whenever twice as much has been recorded: a quarter to half of it is before the last but one.
  void note_doubled(sim::Time now) { older_ = std::exchange(newer_, until(now)); }
  void begin_repeats(sim::Time now) {
    book(now);
    const double kernels = sim::to_seconds(times_.kernels - older_.kernels);
    const double could = sim::to_seconds(times_.could - older_.could);
    const auto of_kernels = [&](double now_s, double before_s) {
      return kernels > 0 ? (now_s - before_s) / kernels : 0;
    };
    repeated_ = RepeatedShares{.kernels = could > 0 ? kernels / could : 0,
                               .resident = {.sms = of_kernels(times_.seconds.sms, older_.seconds.sms),
                                            .warps = of_kernels(times_.seconds.warps, older_.seconds.warps)}};
  }
  void end_repeats(sim::Time now) {
    book(now);
    repeated_.reset();
  }

 private:
  void go_on(ActiveTimes& times, sim::Time now) const {
    const sim::Duration passed = now - since_;
    if (could_ > 0) times.could += passed;
    if (repeated_ && could_ > 0)
      times.add(sim::work_in(passed, repeated_->kernels), repeated_->resident);
    else if (!repeated_ && executing_ > 0)
      times.add(passed, {std::min(resident_.sms, 1.0), std::min(resident_.warps, 1.0)});
  }
  void book(sim::Time now) {
    go_on(times_, now);
    since_ = now;
  }

  int executing_ = 0, could_ = 0;
  Resident resident_;  // sums over the kernels that execute
  sim::Time since_;
  ActiveTimes times_, older_, newer_;
  std::optional<RepeatedShares> repeated_;
};

// The processes that share the GPU at one time.
enum class SpaceOf : std::uint8_t { each_process, all_processes };

// The activities of all processes.
class Activities {
 public:
  explicit Activities(SpaceOf space) : space_(space) {}

  // One more context, of the process with this ContextSpec::group; returns the number of the process.
  std::size_t add(std::optional<std::uint32_t> group) {
    const auto same = std::ranges::find_if(
        processes_, [&](const Process& process) { return group && process.id == group; });
    const auto number = static_cast<std::size_t>(same - processes_.begin());
    if (same == processes_.end()) processes_.push_back({.id = group, .activity = {}});
    ++processes_[number].contexts;
    return number;
  }
  [[nodiscard]] double contexts_of(std::size_t process) const { return processes_[process].contexts; }

  // The activity of the process and, if others share the GPU with it, of all.
  template <typename Do>
  void change(std::size_t process, const Do& act) {
    act(processes_[process].activity);
    if (space_ == SpaceOf::all_processes) act(together_);
  }
  template <typename Do>
  void change_all(const Do& act) {
    for (Process& process : processes_) act(process.activity);
    act(together_);
  }

  [[nodiscard]] ActiveTimes of(std::size_t process, sim::Time now) const {
    return processes_[process].activity.until(now);
  }
  [[nodiscard]] ActiveTimes of_all(sim::Time now) const {
    if (space_ == SpaceOf::all_processes) return together_.until(now);
    ActiveTimes sum;  // they execute one after another
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      const ActiveTimes times = of(process, now);
      sum.kernels += times.kernels;
      sum.seconds.sms += times.seconds.sms;
      sum.seconds.warps += times.seconds.warps;
    }
    return sum;
  }

 private:
  struct Process {
    std::optional<std::uint32_t> id;  // ContextSpec::group
    double contexts = 0;              // number
    Activity activity;
  };

  SpaceOf space_;
  std::vector<Process> processes_;
  Activity together_;  // all processes, if they share the GPU at one time
};

}  // namespace jostle::gpu
