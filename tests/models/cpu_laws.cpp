// Laws that hold for any machine and any mix of threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::seconds;

// One step of a random thread: work, then perhaps a sleep or a poll of a flag that is set `later` from then.
struct Step {
  Duration work;
  int then = 0;  // 0 nothing, 1 sleep, 2 spin, 3 yield, 4 block
  Duration later;
};

rc::Gen<Step> any_step() {
  return rc::gen::construct<Step>(
      rc::gen::map(rc::gen::inRange(0, 6'000'000),
                   [](int ns) { return sim::nanoseconds(ns) + Duration{ns % 997}; }),
      rc::gen::inRange(0, 5),
      rc::gen::map(rc::gen::inRange(0, 8'000'000), [](int ns) { return sim::nanoseconds(ns); }));
}

struct Load {
  std::vector<Step> steps;
  int nice = 0;
  std::vector<int> cpus;
};

Spec any_spec() {
  const NamedPolicy policy = *rc::gen::elementOf(policies);
  Spec spec;
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      spec = machine(*rc::gen::inRange(1, 5), *policy.policy);
      break;
    case 1:
      spec = two_clusters(*rc::gen::inRange(1, 4), *policy.policy);
      break;
    default:
      spec = tx2_like();
      break;
  }
  spec.scheduler.policy = policy.policy;
  spec.costs.context_switch = sim::nanoseconds(*rc::gen::inRange(0, 5000));
  spec.costs.preempted = sim::nanoseconds(*rc::gen::inRange(0, 60'000));
  spec.costs.migrated_within = sim::nanoseconds(*rc::gen::inRange(0, 60'000));
  spec.costs.migrated_across = sim::nanoseconds(*rc::gen::inRange(0, 200'000));
  spec.costs.speed_while_refilling = *rc::gen::element(0.3, 0.5, 0.77);
  return spec;
}

struct Progressor {
  Duration asked;
  Duration told;  // by integrating what the listener hears
  double rate = 0;
  sim::Time since;
  bool finished = false;
  static void changed(void* self, State, sim::Time now, Duration, double rate) {
    auto& p = *static_cast<Progressor*>(self);
    p.told += sim::work_in(now - p.since, p.rate);
    p.since = now;
    p.rate = rate;
  }
};

sim::Process set_later(sim::Engine& engine, Flag& flag, Duration later) {
  co_await engine.delay(later);
  flag.set();
}

sim::Process live(Host& host, ThreadId thread, const Load& load, Progressor& progress) {
  const Duration poll = sim::microseconds(1);
  for (const Step& step : load.steps) {
    co_await host.cpu.run(thread, step.work);
    progress.asked += step.work;
    if (step.then == 0) continue;
    if (step.then == 1) {
      co_await host.cpu.sleep_until(thread, host.engine.now() + step.later);
      continue;
    }
    Flag flag;
    host.engine.spawn(set_later(host.engine, flag, step.later), "setter");
    if (step.then == 2) co_await host.cpu.spin(thread, flag, poll);
    if (step.then == 3) co_await host.cpu.yield_spin(thread, flag, poll);
    if (step.then == 4) co_await host.cpu.block(thread, flag, microseconds(7));
    if (step.then < 4) progress.asked += poll;
  }
  host.cpu.retire(thread);
  progress.finished = true;
}

// Looks on at intervals: no allowed core idles for long while a thread waits.
sim::Process watch(Host& host, Duration allowance, bool& idled) {
  std::vector<sim::Time> bad_since;
  for (;;) {
    co_await host.engine.delay(microseconds(500));
    const Machine& m = host.cpu.machine();
    bool bad = false;
    for (const Thread& t : m.threads) {
      if (t.state != State::runnable) continue;
      for (const Core& c : m.cores) bad |= c.online && t.allowed.contains(c.index) && c.idle();
    }
    if (!bad) bad_since.clear();
    if (bad && bad_since.empty()) bad_since.push_back(host.engine.now());
    if (bad && host.engine.now() - bad_since.front() > allowance) idled = true;
  }
}

RC_GTEST_PROP(CpuLaws, work_is_conserved_and_cores_are_neither_overbooked_nor_idle_while_threads_wait, ()) {
  const Spec spec = any_spec();
  int cores = 0;
  for (const auto& cluster : spec.clusters) cores += cluster.cores;
  const int count = *rc::gen::inRange(1, 9);
  std::vector<Load> loads;
  for (int i = 0; i < count; ++i) {
    Load load;
    load.steps = *rc::gen::container<std::vector<Step>>(any_step());
    load.nice = *rc::gen::inRange(-5, 6);
    if (*rc::gen::inRange(0, 3) == 0) load.cpus = {*rc::gen::inRange(0, cores)};
    loads.push_back(load);
  }

  Host host(spec);
  std::vector<Progressor> progress(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const ThreadId thread = host.cpu.create_thread({.name = std::to_string(i),
                                                    .cpus = loads[i].cpus,
                                                    .nice = loads[i].nice,
                                                    .working_set_bytes = 5e5,
                                                    .listener = {&Progressor::changed, &progress[i]}});
    host.engine.spawn(live(host, thread, loads[i], progress[i]), std::to_string(i));
  }
  bool idled = false;
  host.engine.spawn(watch(host, milliseconds(250), idled), "watch", sim::Role::daemon);
  host.run_for(seconds(30));

  Duration held;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const ThreadStatistics s = host.cpu.statistics({static_cast<std::uint32_t>(i)});
    RC_ASSERT(progress[i].finished);
    // Exactly: what it was asked to do is what it is accrued to have done.
    RC_ASSERT(s.work >=
              progress[i].asked - 2 * microseconds(1) * static_cast<std::int64_t>(loads[i].steps.size()));
    Duration total;
    for (const Duration d : s.time_in) total += d;
    RC_ASSERT(total == host.engine.now() - sim::Time::zero());
    held += s.in(State::on_core) + s.in(State::refilling) + s.in(State::switching);
  }
  Duration busy;
  for (int c = 0; c < cores; ++c) {
    RC_ASSERT(host.cpu.core_statistics(c).busy <= seconds(30));
    busy += host.cpu.core_statistics(c).busy;
  }
  RC_ASSERT(busy == held);
  RC_ASSERT(!idled);
}

// What a listener hears of a thread's states, and when they began; without those that took no time.
struct Heard {
  std::vector<std::pair<State, sim::Time>> states;
  static void changed(void* self, State state, sim::Time at, Duration, double) {
    auto& heard = static_cast<Heard*>(self)->states;
    if (!heard.empty() && heard.back().second == at) heard.pop_back();
    if (heard.empty() || heard.back().first != state) heard.emplace_back(state, at);
  }
};

// On one core, where threads that nobody watches have no events for a switch and a refill.
RC_GTEST_PROP(CpuLaws, phases_pass_alike_whether_they_are_watched_or_not, ()) {
  const Spec spec = any_spec();
  std::vector<Load> loads;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i)
    loads.push_back({.steps = *rc::gen::container<std::vector<Step>>(any_step()), .cpus = {}});
  const auto unwatched = *rc::gen::container<std::vector<bool>>(64, rc::gen::arbitrary<bool>());
  struct Outcome {
    std::vector<Heard> heard;
    std::vector<Progressor> progress;
    std::vector<ThreadStatistics> statistics;
  };
  const auto outcome = [&](bool watched) {
    Host host(spec, {.allowed = {0}});
    Outcome all{std::vector<Heard>(loads.size()), std::vector<Progressor>(loads.size()), {}};
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const ThreadId thread = host.cpu.create_thread({.name = std::to_string(i),
                                                      .working_set_bytes = 5e5,
                                                      .listener = {&Heard::changed, &all.heard[i]}});
      host.engine.spawn(live(host, thread, loads[i], all.progress[i]), std::to_string(i));
    }
    // Now and then somebody begins or ceases to look.
    for (std::size_t step = 0; step < unwatched.size(); ++step) {
      for (std::uint32_t i = 0; i < loads.size(); ++i)
        host.cpu.watch({i}, watched || !unwatched[(step + 7 * i) % unwatched.size()]);
      host.run_for(microseconds(1237));
    }
    for (std::uint32_t i = 0; i < loads.size(); ++i) {
      host.cpu.notify_phases({i});
      all.statistics.push_back(host.cpu.statistics({i}));
    }
    return all;
  };
  const Outcome told = outcome(true), untold = outcome(false);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    RC_ASSERT(told.heard[i].states == untold.heard[i].states);
    RC_ASSERT(told.progress[i].asked == untold.progress[i].asked);
    RC_ASSERT(told.statistics[i].time_in == untold.statistics[i].time_in);
    RC_ASSERT(told.statistics[i].work == untold.statistics[i].work);
    RC_ASSERT(told.statistics[i].involuntary_switches == untold.statistics[i].involuntary_switches);
  }
}

RC_GTEST_PROP(CpuLaws, pure_work_is_booked_to_the_picosecond, ()) {
  const Spec spec = any_spec();
  const auto items = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 9'000'000)));
  Host host(spec, {.allowed = {0}});
  Duration asked;
  std::vector<ThreadId> threads;
  for (const int item : items) {
    const Duration work{std::int64_t{item} * 1009};
    threads.push_back(host.worker(work, {}, 3, {.name = "w", .working_set_bytes = 1e6}));
    asked += 3 * work;
  }
  host.run_for(seconds(60));
  Duration done;
  for (const ThreadId thread : threads) done += host.cpu.statistics(thread).work;
  RC_ASSERT(done == asked);
  RC_ASSERT(host.finished.size() == 3 * items.size());
}

// Loads, each pinned to a core of its own with its sharers, are moved round the equal cores.
RC_GTEST_PROP(CpuLaws, permuting_equal_threads_permutes_the_results, ()) {
  const NamedPolicy policy = *rc::gen::elementOf(policies);
  struct Pair {
    Duration work, pause;
  };
  const int cores = 3;
  std::vector<Pair> loads;
  for (int i = 0; i < cores; ++i) {
    loads.push_back({microseconds(*rc::gen::inRange(1, 5000)), microseconds(*rc::gen::inRange(1, 5000))});
  }
  const auto outcome = [&](int shift) {
    Host host(machine(cores, *policy.policy));
    std::vector<ThreadId> threads;
    for (int i = 0; i < 2 * cores; ++i) {
      const int load = (i + shift) % cores;
      const Pair pair = loads[static_cast<std::size_t>(load)];
      threads.push_back(
          host.worker(pair.work, pair.pause, 100'000,
                      {.name = std::to_string(load), .cpus = {i % cores}, .working_set_bytes = 1e6}));
    }
    host.run_for(milliseconds(200));
    std::vector<std::pair<std::int64_t, std::int64_t>> by_load(2 * cores);
    for (int i = 0; i < 2 * cores; ++i) {
      const ThreadStatistics s = host.cpu.statistics(threads[static_cast<std::size_t>(i)]);
      const int slot = (i + shift) % cores + cores * (i / cores);
      by_load[static_cast<std::size_t>(slot)] = {s.work.ps(), s.involuntary_switches};
    }
    return by_load;
  };
  RC_ASSERT(outcome(0) == outcome(1));
  RC_ASSERT(outcome(0) == outcome(2));
}

// Identical threads are told apart by nothing but their number: names change nothing.
RC_GTEST_PROP(CpuLaws, names_change_nothing, ()) {
  const Spec spec = any_spec();
  const int count = *rc::gen::inRange(2, 7);
  const Duration work = microseconds(*rc::gen::inRange(1, 5000));
  const auto outcome = [&](const std::string& prefix) {
    Host host(spec);
    for (int i = 0; i < count; ++i)
      host.worker(work, work, 100'000, {.name = prefix + std::to_string(9 - i)});
    host.run_for(milliseconds(300));
    return host.finished;
  };
  RC_ASSERT(outcome("a") == outcome("b"));
}

TEST(CpuLaws, equal_threads_get_equal_shares_in_the_long_run) {
  for (const auto& [name, policy] : policies) {
    Host host(machine(2, *policy), {.allowed = {1}});
    std::vector<ThreadId> threads;
    for (int i = 0; i < 5; ++i) {
      threads.push_back(host.worker(microseconds(900), {}, 1'000'000, {.name = std::to_string(i)}));
    }
    host.run_for(seconds(20));
    for (const ThreadId thread : threads) EXPECT_NEAR(host.share(thread), 0.2, 0.002);
  }
}

TEST(CpuLaws, the_same_seed_gives_the_same_run_and_another_seed_another_tick) {
  const auto run = [](std::uint64_t seed) {
    Host host(machine(4, eevdf), {.allowed = {0, 1}}, seed);
    for (int i = 0; i < 5; ++i) {
      host.worker(microseconds(5000 + 77 * i), microseconds(211), 100'000, {.name = std::to_string(i)});
    }
    host.run_for(seconds(1));
    return host.finished;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

RC_GTEST_PROP(CpuLaws, work_is_conserved_under_quotas_real_time_priorities_and_interrupts, ()) {
  const Spec spec = any_spec();
  const double quota = *rc::gen::element(0.3, 0.7, 1.6);
  const int count = *rc::gen::inRange(1, 9);
  Host host(spec);
  if (*rc::gen::arbitrary<bool>()) host.cpu.set_interrupts(0, *rc::gen::element(0.01, 0.3), 700);
  std::vector<Load> loads(static_cast<std::size_t>(count));
  std::vector<Progressor> progress(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    loads[i].steps = *rc::gen::container<std::vector<Step>>(any_step());
    ThreadSpec thread{.name = std::to_string(i), .working_set_bytes = 5e5};
    thread.nice = *rc::gen::inRange(-5, 6);
    thread.listener = {&Progressor::changed, &progress[i]};
    const int kind = *rc::gen::inRange(0, 4);
    if (kind == 1) thread.fifo = *rc::gen::inRange(1, 4);
    if (kind == 2) thread.container = ContainerSpec{.name = "a", .cpus = quota};
    if (kind == 3) thread.container = ContainerSpec{.name = "b", .shares = 300};
    host.engine.spawn(live(host, host.cpu.create_thread(thread), loads[i], progress[i]), thread.name);
  }
  host.run_for(seconds(120));
  Duration held;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const ThreadStatistics s = host.cpu.statistics({static_cast<std::uint32_t>(i)});
    RC_ASSERT(progress[i].finished);
    RC_ASSERT(s.work >=
              progress[i].asked - 2 * microseconds(1) * static_cast<std::int64_t>(loads[i].steps.size()));
    RC_ASSERT(s.throttled <= s.in(State::runnable));
    held += s.in(State::on_core) + s.in(State::refilling) + s.in(State::switching);
  }
  Duration busy;
  for (int core = 0; core < host.cpu.cores(); ++core) {
    RC_ASSERT(host.cpu.machine().core(core).runnable() == 0);
    busy += host.cpu.core_statistics(core).busy;
  }
  RC_ASSERT(busy >= held);  // idle cores are interrupted, too
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu::test
