// Load balance: when each core looks for threads to take over from others, and what it does next.
//
// A core balances before it idles, and at intervals, which double while there is nothing to do, on ticks that
// differ between cores. find_pull() chooses the threads, Cpu::migrate() moves them;
// nothing else of the Cpu is used here.
//
// Follows rebalance_domains, get_sd_balance_interval, newidle_balance and the end of load_balance in
// kernel/sched/fair.c. In the kernel every busy core keeps balancing; here events exist only while some
// thread could be moved. A core that resumes balancing does so on the tick on which it would have balanced in
// the kernel.
#pragma once

#include <optional>
#include <span>

#include "models/cpu/balance_groups.hpp"
#include "models/cpu/machine.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace jostle::cpu {

class LoadBalance {
 public:
  // The arguments must outlive it.
  LoadBalance(Cpu& cpu, sim::Engine& engine, Machine& machine)
      : cpu_(cpu), engine_(engine), machine_(machine) {}
  // Draws the phase of each core. Comes once, before anything runs.
  void start(const sim::RandomStream& random);

  // The number of runnable threads of the core may have changed.
  void note_load(Core& core);
  // Plans the next balance of every core that has none planned, if some thread could be moved.
  void plan_all();
  // The core has run out of threads: takes some from others if it is likely to idle for long enough.
  void pull_before_idling(Core& core);
  // The core idles, so the balance that is planned may come sooner.
  void core_idles(Core& core) {
    if (engine_.pending(core.balance_event)) plan(core);
  }
  // The planned balance of the core is due.
  void balance_due(Core& core);

 private:
  [[nodiscard]] bool useful() const {
    return overloaded_cores_ > 0 || (machine_.asymmetric && machine_.runnable > 0);
  }
  // The levels at which cores balance, lowest first.
  [[nodiscard]] std::span<const DomainLevel> levels() const {
    static constexpr std::array both{DomainLevel::cluster, DomainLevel::board};
    return {both.data(), machine_.clusters.size() > 1 ? both.size() : 1};
  }
  void plan(Core& core);
  bool balance(Core& core, DomainLevel level, Idleness idleness);
  void catch_up(Core& core, DomainLevel level);
  [[nodiscard]] sim::Duration interval(Core& core, DomainLevel level) const;
  // The least interval in milliseconds: the number of cores of the domain.
  [[nodiscard]] std::int64_t least_interval(const Core& core, DomainLevel level) const;
  [[nodiscard]] sim::Duration lateness();

  Cpu& cpu_;
  sim::Engine& engine_;
  Machine& machine_;
  std::optional<sim::RandomStream> random_;  // draws phases and delays
  int overloaded_cores_ = 0;
  int planned_ = 0;  // balances
};

}  // namespace jostle::cpu
