#include "models/cpu/cache_debt.hpp"

#include <algorithm>
#include <utility>

#include "models/cpu/machine.hpp"
#include "sim/math.hpp"

namespace jostle::cpu {
namespace {

// The share of the full cost that a working set of this size can lose.
double footprint(const ClusterSpec& cluster, double working_set_bytes) {
  if (cluster.cache_bytes <= 0) return working_set_bytes > 0 ? 1.0 : 0.0;
  return std::min(1.0, working_set_bytes / cluster.cache_bytes);
}

// The time at reduced speed that pays off `debt`: each unit of it loses 1 - speed_while_refilling.
sim::Duration refill_time(const CostSpec& costs, sim::Duration debt) {
  return sim::time_for(debt, 1.0 - costs.speed_while_refilling);
}

// The rest of an unfinished refill and a new one together, limited to the cost of losing everything once.
void add_refill(sim::Duration& left, sim::Duration added, sim::Duration whole) {
  left = std::max(left, std::min(left + added, whole));
}

// The share of its cached state that a thread has lost since it left this core. Its private state is lost to
// threads that ran on the core; its state in the cluster's shared cache to threads that streamed through that
// cache.
double lost_by(const Machine& machine, Core& core, Thread& thread, sim::Time now) {
  const sim::Duration others_ran = core.statistics.busy - thread.core_busy_at_exit;
  if (thread.own_loss) return thread.own_loss->share(others_ran);
  const double here = core.cache_loss.share(others_ran);
  const double private_bytes = machine.spec_of(core).cache_bytes;
  const sim::Duration streamed = machine.cluster_of(core).streamed_by(now) - thread.streamed_at_exit;
  if (here == 1 || streamed <= sim::Duration::zero() || thread.working_set_bytes <= private_bytes)
    return here;
  const double shared = 1 - private_bytes / thread.working_set_bytes;
  return std::max(here, shared * core.cache_loss.streamed(streamed));
}

}  // namespace

CacheLoss::CacheLoss(sim::Duration whole, sim::Duration least, sim::Duration time_constant)
    : whole_(whole),
      at_once_(whole > sim::Duration::zero() ? std::min(1.0, sim::to_seconds(least) / sim::to_seconds(whole))
                                             : 0),
      time_constant_(time_constant) {}

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

void charge_return(const Machine& machine, Core& core, Thread& thread, sim::Time now) {
  if (!thread.placed || std::exchange(thread.moved, false)) return;
  if (thread.refill_cluster != core.cluster) {
    const CostSpec& costs = machine.spec.costs;
    thread.whole_refill = refill_time(
        costs, thread.own_loss
                   ? thread.own_loss->whole()
                   : whole_preemption_debt(costs, machine.spec_of(core), thread.working_set_bytes));
    thread.refill_cluster = core.cluster;
  }
  if (thread.whole_refill == sim::Duration::zero()) return;
  const double lost = lost_by(machine, core, thread, now);
  if (lost == 0) return;
  add_refill(thread.refill_left, sim::work_in(thread.whole_refill, lost), thread.whole_refill);
}

void charge_migration(const Machine& machine, Thread& thread, const Core& to, sim::Time now) {
  const CostSpec& costs = machine.spec.costs;
  const bool across = machine.core(thread.core).cluster != to.cluster;
  const sim::Duration data = sim::work_in(across ? costs.migrated_across : costs.migrated_within,
                                          footprint(machine.spec_of(to), thread.working_set_bytes));
  const sim::Duration refill =
      refill_time(costs, thread.own_loss ? std::max(data, thread.own_loss->whole()) : data);
  if (thread.placed) add_refill(thread.refill_left, refill, refill);
  ++thread.statistics.migrations;
  if (across) ++thread.statistics.cluster_migrations;
  thread.core = to.index;
  thread.moved = true;
  thread.moved_at = now;
}

}  // namespace jostle::cpu
