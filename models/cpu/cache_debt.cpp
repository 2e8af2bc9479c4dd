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

CacheLoss::CacheLoss(const CostSpec& costs)
    : at_once_(costs.preempted > sim::Duration::zero()
                   ? std::min(1.0, sim::to_seconds(costs.preempted_least) / sim::to_seconds(costs.preempted))
                   : 0),
      time_constant_(costs.preempted_time_constant) {}

double CacheLoss::share(sim::Duration others_ran) {
  return others_ran > sim::Duration::zero() ? at_once_ + (1 - at_once_) * streamed(others_ran) : 0;
}

double CacheLoss::streamed(sim::Duration others_ran) {
  if (others_ran <= sim::Duration::zero()) return 0;
  if (time_constant_ <= sim::Duration::zero()) return 1;
  if (others_ran != asked_) {
    asked_ = others_ran;
    answer_ =
        1.0 - sim::exp(-static_cast<double>(others_ran.ps()) / static_cast<double>(time_constant_.ps()));
  }
  return answer_;
}

sim::Duration whole_preemption_debt(const CostSpec& costs, const ClusterSpec& cluster,
                                    double working_set_bytes) {
  return sim::work_in(costs.preempted, footprint(cluster, working_set_bytes));
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
