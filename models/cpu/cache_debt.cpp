// Cache debt after preemption and migration.
#include "models/cpu/cache_debt.hpp"

#include <algorithm>

#include "sim/math.hpp"

namespace jostle::cpu {
namespace {

// The share of the full cost that a working set of this size can lose.
double footprint(const ClusterSpec& cluster, double working_set_bytes) {
  if (cluster.cache_bytes <= 0) return working_set_bytes > 0 ? 1.0 : 0.0;
  return std::min(1.0, working_set_bytes / cluster.cache_bytes);
}

}  // namespace

sim::Duration preemption_debt(const CostSpec& costs, const ClusterSpec& cluster, double working_set_bytes,
                              sim::Duration others_ran) {
  if (others_ran <= sim::Duration::zero() || costs.preempted <= sim::Duration::zero()) return {};
  const double lost = costs.preempted_time_constant <= sim::Duration::zero()
                          ? 1.0
                          : 1.0 - sim::exp(-static_cast<double>(others_ran.ps()) /
                                           static_cast<double>(costs.preempted_time_constant.ps()));
  return sim::work_in(costs.preempted, lost * footprint(cluster, working_set_bytes));
}

sim::Duration migration_debt(const CostSpec& costs, const ClusterSpec& to, bool across,
                             double working_set_bytes) {
  return sim::work_in(across ? costs.migrated_across : costs.migrated_within,
                      footprint(to, working_set_bytes));
}

sim::Duration refill_time(const CostSpec& costs, sim::Duration debt) {
  return sim::time_for(debt, 1.0 - costs.speed_while_refilling);
}

sim::Duration combined_refill(sim::Duration left, sim::Duration added, sim::Duration whole) {
  return std::max(left, std::min(left + added, whole));
}

}  // namespace jostle::cpu
