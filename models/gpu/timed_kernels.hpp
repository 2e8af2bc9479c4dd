// Kernels of a batch as the GPU runs them in space: at the current rates, with their work for the dispatcher.
// They are computed once for all contexts that run the same kernels on as many SMs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

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
  // The time from the end of a kernel to that of the last one, if all of them run alone.
  [[nodiscard]] sim::Duration rest_after(std::size_t kernel, const Spec& gpu, const Rates& rates,
                                         const space::Longer& longer) {
    if (rest_.empty()) {
      rest_.resize(kernels_.size());
      for (std::size_t i = kernels_.size() - 1; i > 0; --i)
        rest_[i - 1] =
            rest_[i] + space::launch_gap(given_, i) + space::time_alone(at(i, gpu, rates).work, longer);
    }
    return rest_[kernel];
  }
  // The rates change.
  void forget() {
    known_.assign(known_.size(), false);
    rest_.clear();
  }

 private:
  const KernelSequence& given_;
  int sms_;
  std::vector<TimedKernel> kernels_;
  std::vector<bool> known_;
  std::vector<sim::Duration> rest_;  // empty: not known
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
