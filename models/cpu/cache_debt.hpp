// Cache debt: what a thread owes when it comes back to a core that no longer holds its data.
#pragma once

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

// Extra execution time owed after others ran on its core for `others_ran` (the share of its cached state lost
// grows as 1 - exp(-t / preempted_time_constant)).
[[nodiscard]] sim::Duration preemption_debt(const CostSpec& costs, const ClusterSpec& cluster,
                                            double working_set_bytes, sim::Duration others_ran);

// Extra execution time owed after a move from a core of `from` to another core, of `to`.
[[nodiscard]] sim::Duration migration_debt(const CostSpec& costs, const ClusterSpec& to, bool across,
                                           double working_set_bytes);

// Time at reduced speed that makes up `debt`: while it lasts, 1 - speed_while_refilling of it is lost.
[[nodiscard]] sim::Duration refill_time(const CostSpec& costs, sim::Duration debt);

// What is left of an unfinished refill and a new one together: no more than losing everything once.
[[nodiscard]] sim::Duration combined_refill(sim::Duration left, sim::Duration added, sim::Duration whole);

}  // namespace jostle::cpu
