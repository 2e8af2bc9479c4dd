// Cache debt: the extra execution time of a thread that returns to a core which no longer holds its data.
#pragma once

#include "models/cpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

// The share of its cached state that a thread has lost after others ran on its core.
class CacheLoss {
 public:
  // `whole`: what all of it costs; `least`: what is lost at once.
  CacheLoss(sim::Duration whole, sim::Duration least, sim::Duration time_constant);
  [[nodiscard]] sim::Duration whole() const { return whole_; }
  // f + (1 - f) (1 - exp(-t / time constant)), with f = least / whole; 0 if nobody ran.
  [[nodiscard]] double share(sim::Duration others_ran);
  // The same for a cache that all cores share, where nothing is lost at once: 1 - exp(-t / time constant).
  // Keeps the last result: threads that take turns ask for the same one repeatedly.
  [[nodiscard]] double streamed(sim::Duration others_ran);

 private:
  sim::Duration whole_;
  double at_once_;
  sim::Duration time_constant_;
  sim::Duration asked_;
  double answer_ = 0;
};

// Extra execution time owed after losing all of the cached state that a core of this cluster can hold.
[[nodiscard]] sim::Duration whole_preemption_debt(const CostSpec& costs, const ClusterSpec& cluster,
                                                  double working_set_bytes);

}  // namespace jostle::cpu
