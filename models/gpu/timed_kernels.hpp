// Kernels of a batch as the GPU runs them in space: at the current rates, with their work for the dispatcher.
// They are computed once for all contexts that run the same kernels on as many SMs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "models/gpu/activity.hpp"
#include "models/gpu/clocks.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/rates.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu {

struct TimedKernel {
  Kernel kernel;
  space::Work work;
  Usage used;  // by all of it
};

// The use of the GPU in which the kernel executed for `passed`, and got done for `part` more. A kernel that
// runs slower is bound for longer, but its total use of the GPU is the same, and its pipes are busy at most
// all the time: waves whose last one is short progress faster than the mean of the kernel. Its SMs and warps
// are with those of the others (activity.hpp).
[[nodiscard]] inline Usage used_in(const TimedKernel& timed, sim::Duration passed, double part) {
  Usage used = timed.used;
  used *= part;
  const double seconds = sim::to_seconds(passed);
  used.compute = static_cast<double>(timed.kernel.compute_share) * seconds;
  used.memory = static_cast<double>(timed.kernel.memory_share) * seconds;
  for (double* const pipes : {&used.issue_slot, &used.tensor_active, &used.working})
    *pipes = std::min(*pipes, seconds);
  return used;
}

[[nodiscard]] inline Resident resident_of(const Kernel& kernel) {
  return {static_cast<double>(kernel.sm_active), static_cast<double>(kernel.occupancy)};
}

// A kernel that runs alone: the gap before it in a graph, its time, and those of the kernels after it.
struct AloneKernel {
  sim::Duration gap, takes, gaps, rest;
  Usage used;
  Resident resident;
};

class TimedKernels {
 public:
  // `given` must outlive this object.
  TimedKernels(const KernelSequence& given, int sms)
      : given_(given), sms_(sms), kernels_(given.kernels.size()), known_(given.kernels.size(), false) {}

  [[nodiscard]] bool are(const KernelSequence& given, int sms) const {
    return &given_ == &given && sms_ == sms;
  }
  // A kernel at these rates, which must be the same in all calls since forget(). The reference stays valid.
  [[nodiscard]] const TimedKernel& at(std::size_t kernel, const Spec& gpu, const Rates& rates) {
    TimedKernel& timed = kernels_[kernel];
    if (known_[kernel]) return timed;
    known_[kernel] = true;
    timed.kernel = at_clocks(given_.kernels[kernel], rates);
    timed.work = space::work_of(gpu, timed.kernel, sms_);
    timed.used = usage_of(timed.kernel, timed.kernel.duration);
    return timed;
  }
  // All of them, if they run alone; `longer` must be the same in all calls.
  [[nodiscard]] const std::vector<AloneKernel>& alone(const Spec& gpu, const Rates& rates,
                                                      const space::Longer& longer) {
    if (alone_.empty()) {
      alone_.resize(kernels_.size());
      sim::Duration gaps, rest;
      for (std::size_t i = kernels_.size(); i-- > 0;) {
        const TimedKernel& timed = at(i, gpu, rates);
        AloneKernel& kernel = alone_[i];
        kernel.gap = space::launch_gap(given_, i);
        kernel.takes = space::time_alone(timed.work, longer);
        kernel.gaps = gaps;
        kernel.rest = rest;
        kernel.used = used_in(timed, kernel.takes, 1);
        kernel.resident = resident_of(timed.kernel);
        gaps += kernel.gap;
        rest += kernel.takes;
      }
    }
    return alone_;
  }
  // The rates change.
  void forget() {
    known_.assign(known_.size(), false);
    alone_.clear();
  }

 private:
  const KernelSequence& given_;
  int sms_;
  std::vector<TimedKernel> kernels_;
  std::vector<bool> known_;
  std::vector<AloneKernel> alone_;  // empty: not known
};

// The kernels of several contexts.
class TimedSequences {
 public:
  [[nodiscard]] std::shared_ptr<TimedKernels> find(const KernelSequence& given, int sms) {
    for (const std::shared_ptr<TimedKernels>& each : all_)
      if (each->are(given, sms)) return each;
    if (all_.size() >= most_unused)
      std::erase_if(all_, [](const auto& each) { return each.use_count() == 1; });
    return all_.emplace_back(std::make_shared<TimedKernels>(given, sms));
  }
  void forget() {
    for (const std::shared_ptr<TimedKernels>& each : all_) each->forget();
  }

 private:
  static constexpr std::size_t most_unused = 64;
  std::vector<std::shared_ptr<TimedKernels>> all_;
};

}  // namespace jostle::gpu
