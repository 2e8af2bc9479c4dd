// Sums of what contexts that share the GPU in space have used, and the activity of their processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/gpu/activity.hpp"
#include "models/gpu/gpu.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// The processes that share the GPU at one time.
enum class SpaceOf : std::uint8_t { each_process, all_processes };

// The account of a context.
struct Account {
  std::size_t process = 0;
  bool executing = false;  // its kernel runs now, or refills caches
  Resident resident;       // of its kernel, while it executes
  Running booked;
  sim::Time since;  // `booked` holds up to here

  void book(const Running& more, sim::Time now) {
    booked.total += more.total;
    booked.used += more.used;
    since = now;
  }
};

class Readings {
 public:
  explicit Readings(SpaceOf space) : space_(space) {}

  // One more context, of the process with this ContextSpec::group; returns the number of the process.
  std::size_t add(std::optional<std::uint32_t> group);
  [[nodiscard]] Account& operator[](std::size_t context) { return accounts_[context]; }
  [[nodiscard]] const Account& operator[](std::size_t context) const { return accounts_[context]; }

  // From `at` on the context executes, or not, with what is `resident`. Book its account up to then first.
  void execute(std::size_t context, bool executing, const Resident& resident, sim::Time at);
  // The activity of the context's process and, if others share the GPU with it, of all.
  template <typename Do>
  void activities_of(std::size_t context, const Do& act) {
    act(processes_[accounts_[context].process].activity);
    if (space_ == SpaceOf::all_processes) act(together_);
  }
  template <typename Do>
  void each_activity(const Do& act) {
    for (Process& process : processes_) act(process.activity);
    act(together_);
  }

  // A context whose account up to now is `total`: SMs have the kernels of several streams, so each stream of
  // a process gets an equal part of what the process has.
  [[nodiscard]] Running share(std::size_t context, Running total, sim::Time now) const;
  [[nodiscard]] ActiveTimes active_in_process(std::size_t context, sim::Time now) const {
    return processes_[accounts_[context].process].activity.until(now);
  }
  [[nodiscard]] ActiveTimes active(sim::Time now) const;  // of all processes

 private:
  struct Process {
    std::optional<std::uint32_t> id;  // ContextSpec::group
    double contexts = 0;              // number
    Activity activity;
  };

  SpaceOf space_;
  std::vector<Account> accounts_;  // by context
  std::vector<Process> processes_;
  Activity together_;  // of all processes, if they share the GPU at one time
};

}  // namespace jostle::gpu
