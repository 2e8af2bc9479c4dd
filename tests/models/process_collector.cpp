// The thread by which a tracer collects: what it costs, and what it does to threads that share a core.

#include <gtest/gtest.h>

#include "models/process/collector.hpp"
#include "tests/models/cpu_support.hpp"

namespace jostle::process {
namespace JOSTLE_FILE {

using cpu::cfs;
using cpu::ThreadId;
using cpu::test::Host;
using cpu::test::machine;
using sim::microseconds;
using sim::milliseconds;
using sim::seconds;

ObserverSpec collecting(sim::Duration interval) {
  ObserverSpec observer;
  observer.interval = interval;
  observer.per_interval = microseconds(10);
  return observer;
}

TEST(Collector, costs_its_work_once_an_interval) {
  Host host(machine(1, cfs));
  spawn_collector(host.engine, host.cpu, collecting(milliseconds(1)), Spec{}, Identity{});
  host.run_for(seconds(1));
  EXPECT_NEAR(sim::to_seconds(host.cpu.core_statistics(0).busy), 0.01, 2e-5);
}

TEST(Collector, is_none_without_an_interval) {
  Host host(machine(1, cfs));
  spawn_collector(host.engine, host.cpu, collecting({}), Spec{}, Identity{});
  host.run_for(seconds(1));
  EXPECT_EQ(host.cpu.core_statistics(0).busy, sim::Duration::zero());
}

// By themselves they change at ticks, when a slice is over.
TEST(Collector, makes_threads_that_share_a_core_take_turns_at_its_interval) {
  const auto preemptions = [](sim::Duration interval) {
    Host host(machine(1, cfs));
    const ThreadId one = host.spinner(), other = host.spinner();
    spawn_collector(host.engine, host.cpu, collecting(interval), Spec{}, Identity{});
    host.run_for(seconds(1));
    return host.cpu.statistics(one).involuntary_switches + host.cpu.statistics(other).involuntary_switches;
  };
  EXPECT_LT(preemptions({}), 260);
  EXPECT_NEAR(static_cast<double>(preemptions(milliseconds(1))), 1000, 20);
}

TEST(Collector, leaves_a_thread_alone_where_a_core_is_free) {
  Host host(machine(2, cfs));
  const ThreadId thread = host.spinner();
  spawn_collector(host.engine, host.cpu, collecting(milliseconds(1)), Spec{}, Identity{});
  host.run_for(seconds(1));
  EXPECT_EQ(host.cpu.statistics(thread).involuntary_switches, 0);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
