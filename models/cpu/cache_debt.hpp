// Cache debt: what a thread owes when it comes back to a core that no longer holds its data.
#pragma once

#include "models/cpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

// The share of its cached state that a thread has lost after others ran on its core: 1 - exp(-t / time
// constant).
class CacheLoss {
 public:
  explicit CacheLoss(sim::Duration time_constant) : time_constant_(time_constant) {}
  // Remembers the last answer: threads that take turns ask the same again and again.
  [[nodiscard]] double share(sim::Duration others_ran);

 private:
  sim::Duration time_constant_;
  sim::Duration asked_;
  double answer_ = 0;
};

// Extra execution time owed after losing all of the cached state that a core of this cluster can hold.
[[nodiscard]] sim::Duration whole_preemption_debt(const CostSpec& costs, const ClusterSpec& cluster,
                                                  double working_set_bytes);

// Extra execution time owed after a move from a core of `from` to another core, of `to`.
[[nodiscard]] sim::Duration migration_debt(const CostSpec& costs, const ClusterSpec& to, bool across,
                                           double working_set_bytes);

// Time at reduced speed that makes up `debt`: while it lasts, 1 - speed_while_refilling of it is lost.
[[nodiscard]] sim::Duration refill_time(const CostSpec& costs, sim::Duration debt);

// What is left of an unfinished refill and a new one together: no more than losing everything once.
[[nodiscard]] sim::Duration combined_refill(sim::Duration left, sim::Duration added, sim::Duration whole);

}  // namespace jostle::cpu
