// What switching costs: cache debts, the direct cost, clocks; and what is told to listeners.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "models/cpu/cache_debt.hpp"
#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::seconds;
using sim::Time;

Spec costly(const SchedulerPolicy& policy = eevdf) {
  Spec spec = two_clusters(2, policy);
  spec.costs = {.context_switch = microseconds(3),
                .preempted = microseconds(40),
                .preempted_time_constant = milliseconds(1),
                .migrated_within = microseconds(20),
                .migrated_across = microseconds(80),
                .speed_while_refilling = 0.5};
  return spec;
}

std::size_t done_by_sharers(const Spec& spec, const std::optional<ReturnLoss>& loss = {});

CacheLoss loss_of(const CostSpec& costs) {
  return CacheLoss(costs.preempted, costs.preempted_least, costs.preempted_time_constant);
}

// When a thread that worked on core 0 has done 1 ms more after sleeping and waking on `waker`'s core.
Duration after_move(const Spec& spec, int to, const std::optional<ReturnLoss>& loss = {}) {
  Host host(spec);
  const ThreadId thread =
      host.cpu.create_thread({.name = "mover", .working_set_bytes = 1e6, .return_loss = loss, .start_on = 0});
  Time start;
  Time end;
  host.engine.spawn(
      [](Host& h, ThreadId id, Time& from, Time& until) -> sim::Process {
        co_await h.cpu.run(id, microseconds(100));
        co_await h.cpu.sleep(id);
        from = h.engine.now();
        co_await h.cpu.run(id, milliseconds(1));
        until = h.engine.now();
      }(host, thread, start, end),
      "mover", sim::Role::daemon);
  host.run_for(milliseconds(1));
  if (to != 0) host.spinner({.name = "in the way", .cpus = {0}});
  host.run_for(milliseconds(1));
  host.cpu.wake(thread, to);
  const Time woken = host.engine.now();
  host.run_for(milliseconds(10));
  EXPECT_EQ(host.cpu.core_of(thread), to);
  EXPECT_GT(start, Time::zero());
  return end - woken;
}

TEST(CpuCosts, a_move_across_clusters_costs_more_than_one_within) {
  const Duration stay = after_move(costly(), 0);
  const Duration within = after_move(costly(), 1);
  const Duration across = after_move(costly(), 2);
  EXPECT_EQ(stay, milliseconds(1) + microseconds(3)) << "the direct cost only: nobody replaced its cache";
  EXPECT_EQ(within - stay, microseconds(20));
  EXPECT_EQ(across - stay, microseconds(80));
}

TEST(CpuCosts, the_preemption_debt_grows_with_the_time_others_ran_and_with_the_working_set) {
  const Spec spec = costly();
  CacheLoss loss = loss_of(spec.costs);
  const auto debt = [&](double bytes, Duration away) {
    return sim::work_in(whole_preemption_debt(spec.costs, spec.clusters[0], bytes), loss.share(away));
  };
  EXPECT_EQ(debt(1e6, {}), Duration::zero());
  EXPECT_LT(debt(1e6, milliseconds(0.5)), debt(1e6, milliseconds(4)));
  EXPECT_NEAR(sim::to_us(debt(1e6, milliseconds(1))), 40 * 0.6321, 0.01);
  EXPECT_EQ(debt(1e6, seconds(1)), microseconds(40));
  EXPECT_EQ(debt(5e5, seconds(1)), microseconds(20));
  EXPECT_EQ(debt(9e6, seconds(1)), microseconds(40)) << "no more than the cache holds";
  EXPECT_EQ(debt(0, seconds(1)), Duration::zero());
}

TEST(CpuCosts, the_shortest_visit_costs_what_is_lost_at_once_and_the_longest_no_more_than_all) {
  CostSpec costs = costly().costs;
  costs.preempted_least = microseconds(10);
  CacheLoss loss = loss_of(costs);
  EXPECT_EQ(loss.share({}), 0);
  EXPECT_NEAR(loss.share(microseconds(1)), 0.25, 1e-3);
  EXPECT_NEAR(loss.share(milliseconds(1)), 0.25 + 0.75 * 0.63212, 1e-4);
  EXPECT_EQ(loss.share(seconds(1)), 1);
  EXPECT_NEAR(loss.streamed(microseconds(1)), 0.001, 1e-5) << "nothing is lost at once in a shared cache";
  EXPECT_LT(done_by_sharers([] {
              Spec spec = costly();
              spec.costs.preempted_time_constant = milliseconds(50);
              spec.costs.preempted_least = microseconds(30);
              return spec;
            }()),
            done_by_sharers([] {
              Spec spec = costly();
              spec.costs.preempted_time_constant = milliseconds(50);
              return spec;
            }()));
}

TEST(CpuCosts, a_debt_is_extra_time_whatever_the_speed_it_is_paid_at) {
  for (const double speed : {0.25, 0.5, 0.8}) {
    Spec spec = costly();
    spec.costs.speed_while_refilling = speed;
    EXPECT_NEAR(sim::to_us(after_move(spec, 2) - after_move(spec, 0)), 80, 1e-5) << speed;
  }
}

// Work items done in a second by two sharers of a core.
std::size_t done_by_sharers(const Spec& spec, const std::optional<ReturnLoss>& loss) {
  Host host(spec, {.allowed = {0}});
  for (int i = 0; i < 2; ++i) {
    host.worker(microseconds(10), {}, 10'000'000,
                {.name = std::to_string(i), .working_set_bytes = 1e6, .return_loss = loss});
  }
  host.run_for(seconds(1));
  return host.finished.size();
}

TEST(CpuCosts, each_cost_takes_from_what_sharers_get_done) {
  for (const auto& [name, policy] : policies) {
    const Spec all = costly(*policy);
    const std::size_t base = done_by_sharers(all);
    const auto with = [&](const std::function<void(Spec&)>& change) {
      Spec spec = all;
      change(spec);
      return done_by_sharers(spec);
    };
    EXPECT_GT(with([](Spec& s) { s.costs.context_switch = {}; }), base);
    EXPECT_LT(with([](Spec& s) { s.costs.context_switch = microseconds(9); }), base);
    EXPECT_GT(with([](Spec& s) { s.costs.preempted = {}; }), base);
    EXPECT_LT(with([](Spec& s) { s.costs.preempted = microseconds(120); }), base);
    EXPECT_GT(with([](Spec& s) { s.costs.preempted_time_constant = milliseconds(50); }), base);
    EXPECT_GT(with([](Spec& s) { s.clusters[0].cache_bytes = 4e6; }), base);
  }
}

// Two threads of a framework in slices of 4 ms lose 0.37 ms of each on the H200's host (evidence/h200-host).
TEST(CpuCosts, a_thread_with_a_loss_of_its_own_owes_it_in_place_of_the_debts_of_the_core) {
  const ReturnLoss large{.whole = milliseconds(1.1), .time_constant = milliseconds(10)};
  const Spec spec = costly();
  EXPECT_LT(done_by_sharers(spec, large), done_by_sharers(spec));
  Spec free = spec;
  free.costs.preempted = {};
  EXPECT_EQ(done_by_sharers(free, large), done_by_sharers(spec, large)) << "whatever the core's debts are";
  const ReturnLoss slower{.whole = large.whole, .time_constant = milliseconds(50)};
  EXPECT_GT(done_by_sharers(spec, slower), done_by_sharers(spec, large)) << "less is lost in the same time";
}

TEST(CpuCosts, a_move_costs_a_thread_with_a_loss_of_its_own_all_of_it_or_the_move_if_that_is_more) {
  const Duration stay = after_move(costly(), 0);
  const ReturnLoss large{.whole = microseconds(500), .time_constant = milliseconds(10)};
  const ReturnLoss small{.whole = microseconds(50), .time_constant = milliseconds(10)};
  EXPECT_EQ(after_move(costly(), 0, large), stay) << "nobody ran on its core";
  EXPECT_EQ(after_move(costly(), 1, large) - stay, microseconds(500));
  EXPECT_EQ(after_move(costly(), 1, small) - stay, microseconds(50));
  EXPECT_EQ(after_move(costly(), 2, small) - stay, microseconds(80));
}

TEST(CpuCosts, a_moved_thread_pays_for_the_move_and_not_for_who_ran_there_before) {
  Spec spec = costly();
  spec.costs.context_switch = {};
  const Duration to_quiet = after_move(spec, 1);
  // The same, with a core 1 that was busy until just before.
  Host host(spec);
  const ThreadId thread = host.cpu.create_thread({.name = "mover", .working_set_bytes = 1e6, .start_on = 0});
  Time end;
  host.engine.spawn(
      [](Host& h, ThreadId id, Time& until) -> sim::Process {
        co_await h.cpu.run(id, microseconds(100));
        co_await h.cpu.sleep(id);
        co_await h.cpu.run(id, milliseconds(1));
        until = h.engine.now();
      }(host, thread, end),
      "mover", sim::Role::daemon);
  host.worker(milliseconds(5), seconds(1), 1, {.name = "before", .cpus = {1}});
  host.spinner({.name = "in the way", .cpus = {0}});
  host.run_for(milliseconds(8));
  const Time woken = host.engine.now();
  host.cpu.wake(thread, 1);
  host.run_for(milliseconds(5));
  EXPECT_EQ(host.cpu.core_of(thread), 1);
  EXPECT_EQ(end - woken, to_quiet);
}

TEST(CpuCosts, each_scheduler_parameter_changes_how_often_threads_switch) {
  const auto switches = [](const Spec& spec, int sharers = 2) {
    Host host(spec, {.allowed = {0}});
    for (int i = 0; i < sharers; ++i) host.spinner({.name = std::to_string(i)});
    host.run_for(seconds(4));
    return host.cpu.core_statistics(0).switches;
  };
  Spec newer = machine(4, eevdf);
  const auto base = switches(newer);
  newer.scheduler.tick = milliseconds(1);
  EXPECT_GT(switches(newer), base);
  newer.scheduler.base_slice = milliseconds(4);
  EXPECT_LT(switches(newer), base);

  Spec older = machine(4, cfs);
  const auto older_base = switches(older);
  older.scheduler.latency = milliseconds(24);
  EXPECT_LT(switches(older), older_base);
  Spec crowded = machine(4, cfs);
  const auto crowded_base = switches(crowded, 12);
  crowded.scheduler.min_granularity = milliseconds(5);
  EXPECT_LT(switches(crowded, 12), crowded_base);
}

TEST(CpuCosts, a_finer_wake_up_granularity_lets_short_sleepers_in_sooner) {
  const auto items = [](Duration granularity) {
    Spec spec = machine(4, cfs);
    spec.scheduler.wakeup_granularity = granularity;
    Host host(spec, {.allowed = {0}});
    host.spinner({.name = "spinner"});
    host.worker(microseconds(50), milliseconds(1), 1'000'000, {.name = "sleeper"});
    host.run_for(seconds(4));
    return host.finished.size();
  };
  EXPECT_GT(items(milliseconds(0.1)), items(milliseconds(5)));
}

TEST(CpuCosts, a_recently_run_thread_is_left_alone_by_the_balance) {
  const auto migrations = [](Duration cache_hot_for) {
    Spec spec = machine(2, cfs);
    spec.scheduler.cache_hot_for = cache_hot_for;
    Host host(spec);
    for (int i = 0; i < 3; ++i) {
      host.worker(microseconds(400), microseconds(170 + 31 * i), 1'000'000, {.name = std::to_string(i)});
    }
    host.run_for(seconds(4));
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < 3; ++i) sum += host.cpu.statistics({i}).migrations;
    return sum;
  };
  EXPECT_NE(migrations(microseconds(10)), migrations(milliseconds(5)));
}

TEST(CpuClock, a_change_of_clock_re_times_running_work_exactly) {
  Host host(machine(2, cfs));
  host.worker(milliseconds(10), {}, 1, {.name = "worker"});
  host.run_for(milliseconds(4));
  host.cpu.set_cluster_clock(0, 0.5e9);
  host.run_for(milliseconds(4));
  host.cpu.set_cluster_clock(0, 1e9);
  host.run_for(milliseconds(10));
  EXPECT_EQ(host.finished.at(0), Time::zero() + milliseconds(4 + 4 + 4));
}

TEST(CpuClock, work_is_in_time_at_the_reference_clock) {
  Spec spec = machine(2, cfs);
  spec.clusters[0].max_clock_hz = 2e9;
  spec.reference_clock_hz = 1e9;
  Host host(spec);
  host.worker(milliseconds(10), {}, 1, {.name = "worker"});
  host.run_for(milliseconds(10));
  EXPECT_EQ(host.finished.at(0), Time::zero() + milliseconds(5));
}

struct Log {
  struct Entry {
    State state;
    Time at;
    Duration done;
    double rate;
  };
  std::vector<Entry> entries;
  static void changed(void* self, State state, Time now, Duration done, double rate) {
    static_cast<Log*>(self)->entries.push_back({state, now, done, rate});
  }
};

TEST(CpuListener, hears_every_phase_with_exact_progress) {
  Host host(costly(), {.allowed = {0}});
  Log log;
  host.worker(milliseconds(50), {}, 1,
              {.name = "worker", .working_set_bytes = 1e6, .listener = {&Log::changed, &log}});
  host.spinner({.name = "spinner"});
  host.run_for(seconds(1));
  ASSERT_EQ(host.finished.size(), 1U);
  // Between two entries, progress is the rate of the first times the time.
  ASSERT_GT(log.entries.size(), 20U);
  bool refilled = false;
  for (std::size_t i = 1; i < log.entries.size(); ++i) {
    const auto& before = log.entries[i - 1];
    const auto& after = log.entries[i];
    if (after.state == State::sleeping) break;
    EXPECT_NEAR(static_cast<double>((before.done + sim::work_in(after.at - before.at, before.rate)).ps()),
                static_cast<double>(after.done.ps()), 1.0);
    refilled |= before.state == State::refilling && before.rate == 0.5;
  }
  EXPECT_TRUE(refilled);
}

TEST(CpuListener, progress_can_be_asked_for_at_any_time) {
  Host host(machine(2, cfs));
  const ThreadId worker = host.worker(milliseconds(10), {}, 1, {.name = "worker"});
  host.run_for(milliseconds(3));
  const Progress p = host.cpu.progress(worker);
  EXPECT_TRUE(p.on_core);
  EXPECT_EQ(p.done + sim::work_in(host.engine.now() - p.since, p.rate), milliseconds(3));
}

TEST(CpuFlag, a_spinner_sees_its_flag_one_poll_later_if_it_has_a_core) {
  Host host(machine(2, cfs));
  const ThreadId thread = host.cpu.create_thread({.name = "spinner"});
  Flag flag;
  Time seen;
  host.engine.spawn(
      [](Host& h, ThreadId id, Flag& f, Time& at) -> sim::Process {
        co_await h.cpu.spin(id, f, microseconds(2));
        at = h.engine.now();
        h.cpu.retire(id);
      }(host, thread, flag, seen),
      "spinner", sim::Role::daemon);
  host.run_for(milliseconds(5));
  flag.set();
  host.run_for(milliseconds(5));
  EXPECT_EQ(seen, Time::zero() + milliseconds(5) + microseconds(2));
}

sim::Process spin_for_40_ms(Host& host, ThreadId thread, Flag& flag, Time& ended) {
  co_await host.cpu.spin(thread, flag, microseconds(2), false, milliseconds(40));
  ended = host.engine.now();
  host.cpu.retire(thread);
}

// Beside another thread it has half of the core, so the time that it spins takes twice as long.
TEST(CpuFlag, a_spinner_that_gives_up_does_so_when_it_has_executed_for_long_enough) {
  for (const bool beside : {false, true}) {
    Host host(machine(1, eevdf));
    const ThreadId thread = host.cpu.create_thread({.name = "spinner"});
    Flag flag;
    Time gave_up;
    host.engine.spawn(spin_for_40_ms(host, thread, flag, gave_up), "spinner", sim::Role::daemon);
    if (beside) host.spinner({.name = "other"});
    host.run_for(milliseconds(200));
    EXPECT_FALSE(flag.is_set());
    EXPECT_EQ(host.cpu.statistics(thread).in(State::on_core), milliseconds(40));
    EXPECT_NEAR(sim::to_ms(gave_up - Time::zero()), beside ? 80 : 40, beside ? 8 : 1e-9);
    flag.set();  // nobody waits any more
    host.run_for(milliseconds(1));
  }
}

TEST(CpuFlag, a_spinner_that_would_give_up_sees_a_flag_before) {
  Host host(machine(1, cfs));
  const ThreadId thread = host.cpu.create_thread({.name = "spinner"});
  Flag flag;
  Time seen;
  host.engine.spawn(spin_for_40_ms(host, thread, flag, seen), "spinner", sim::Role::daemon);
  host.run_for(milliseconds(5));
  flag.set();
  host.run_for(milliseconds(50));
  EXPECT_EQ(seen, Time::zero() + milliseconds(5) + microseconds(2));
}

TEST(CpuFlag, a_spinner_without_a_core_sees_its_flag_when_it_has_one_again) {
  Host host(machine(16, eevdf), {.allowed = {0}});
  const ThreadId thread = host.cpu.create_thread({.name = "spinner"});
  Flag flag;
  Time seen;
  host.engine.spawn(
      [](Host& h, ThreadId id, Flag& f, Time& at) -> sim::Process {
        co_await h.cpu.spin(id, f, microseconds(2));
        at = h.engine.now();
        h.cpu.retire(id);
      }(host, thread, flag, seen),
      "spinner", sim::Role::daemon);
  host.spinner({.name = "other"});
  while (host.cpu.state(thread) != State::runnable) host.run_for(microseconds(100));
  flag.set();
  const Time set = host.engine.now();
  host.run_for(milliseconds(10));
  EXPECT_GT(seen, set + milliseconds(3));
  EXPECT_LT(seen, set + milliseconds(4.1));
}

TEST(CpuFlag, a_blocked_thread_runs_the_wake_latency_after_its_flag_is_set) {
  Spec spec = machine(2, cfs);
  spec.costs.context_switch = microseconds(3);
  Host host(spec);
  const ThreadId thread = host.cpu.create_thread({.name = "sleeper"});
  Flag flag;
  Time seen;
  host.engine.spawn(
      [](Host& h, ThreadId id, Flag& f, Time& at) -> sim::Process {
        co_await h.cpu.run(id, microseconds(10));
        co_await h.cpu.block(id, f, microseconds(20));
        at = h.engine.now();
        co_await h.cpu.block(id, f, microseconds(20));
        EXPECT_EQ(at, h.engine.now()) << "set already: no sleep";
        h.cpu.retire(id);
      }(host, thread, flag, seen),
      "sleeper", sim::Role::daemon);
  host.run_for(milliseconds(5));
  EXPECT_EQ(host.cpu.state(thread), State::sleeping);
  EXPECT_EQ(host.cpu.describe(thread), "sleeper: sleeping, until its flag is set");
  flag.set();
  host.run_for(milliseconds(5));
  EXPECT_EQ(seen, Time::zero() + milliseconds(5) + microseconds(23));
  EXPECT_EQ(host.cpu.statistics(thread).voluntary_switches, 2);
}

// Blocks; a spinner then takes its core; a device or another thread sets its flag. Where it wakes.
int core_after_wake_up(int interrupt_core, bool by_a_thread) {
  Spec spec = two_clusters(2, cfs);
  spec.scheduler.interrupt_core = interrupt_core;
  Host host(spec);
  const ThreadId thread = host.cpu.create_thread({.name = "sleeper", .start_on = 2});
  Flag flag;
  host.engine.spawn(
      [](Cpu& cpu, ThreadId id, Flag& f) -> sim::Process {
        co_await cpu.run(id, microseconds(10));
        co_await cpu.block(id, f, microseconds(20));
        co_await cpu.run(id, milliseconds(100));
      }(host.cpu, thread, flag),
      "sleeper", sim::Role::daemon);
  host.run_for(milliseconds(1));
  host.spinner({.name = "a", .cpus = {2}});
  host.spinner({.name = "b", .cpus = {3}});
  const ThreadId setter = host.worker(microseconds(10), seconds(1), 1, {.name = "setter", .cpus = {0}});
  host.run_for(milliseconds(300));  // its load has decayed
  if (by_a_thread) {
    flag.set(setter);
  } else {
    flag.set();
  }
  host.run_for(microseconds(30));
  return host.cpu.core_of(thread);
}

TEST(CpuFlag, an_interrupt_wakes_a_thread_near_the_core_that_took_it_if_its_own_is_busy) {
  EXPECT_EQ(core_after_wake_up(0, false), 0);
  EXPECT_EQ(core_after_wake_up(1, false), 1);
  EXPECT_EQ(core_after_wake_up(-1, false), 2) << "the interrupt comes where the thread slept";
  EXPECT_EQ(core_after_wake_up(-1, true), 0) << "that of the thread that sets the flag";
}

TEST(CpuIdle, a_core_that_idled_for_long_wakes_up_later) {
  Spec spec = machine(1, cfs);
  spec.idle_state = IdleState{.residency = milliseconds(10), .exit_latency = microseconds(100)};
  Host host(spec);
  host.worker(milliseconds(1), milliseconds(5), 3);
  host.run_for(milliseconds(100));
  Host deep(spec);
  deep.worker(milliseconds(1), milliseconds(20), 3);
  deep.run_for(milliseconds(100));
  const auto at = [](double ms) { return Time::zero() + milliseconds(ms); };
  EXPECT_EQ(host.finished, (std::vector{at(1), at(7), at(13)}));
  EXPECT_EQ(deep.finished, (std::vector{at(1), at(22.1), at(43.2)}));
}

TEST(CpuEstimate, a_thread_counts_as_busy_as_it_was_when_it_last_slept) {
  Host host(machine(1, cfs));
  host.cpu.track_utilisation();
  host.worker(milliseconds(32), milliseconds(320), 100);
  EXPECT_EQ(host.cpu.take_estimate(0), 0);
  host.run_for(milliseconds(355));  // it has just woken for the second time, its utilisation decayed
  const double first = host.cpu.take_estimate(0);
  EXPECT_NEAR(first, 0.75, 0.01) << "half of the core's capacity at first, and half of the rest in 32 ms";
  host.run_for(milliseconds(100));
  EXPECT_NEAR(host.cpu.take_estimate(0), first, 1e-9) << "it was runnable until now";
  EXPECT_EQ(host.cpu.take_estimate(0), 0) << "it sleeps";
  host.run_for(seconds(7));
  static_cast<void>(host.cpu.take_estimate(0));
  host.run_for(milliseconds(400));
  // It rises at once and falls by quarters: towards the half that 32 ms from nothing give.
  EXPECT_LT(host.cpu.take_estimate(0), 0.55);
}

TEST(CpuEstimate, of_before_linux_4_17_is_nothing) {
  Spec spec = machine(1, cfs);
  spec.scheduler.kernel = find_kernel("4.9");
  Host host(spec);
  host.cpu.track_utilisation();
  host.worker(milliseconds(32), milliseconds(32), 100);
  host.run_for(seconds(1));
  EXPECT_EQ(host.cpu.take_estimate(0), 0);
}

TEST(CpuFlag, a_stuck_run_names_the_thread_and_what_it_waits_for) {
  Host host(machine(2, cfs));
  const ThreadId thread = host.cpu.create_thread({.name = "camera"});
  Flag flag;
  host.engine.spawn([](Cpu& cpu, ThreadId id, Flag& f) -> sim::Process { co_await cpu.block(id, f, {}); }(
                                                           host.cpu, thread, flag),
                    "camera");
  EXPECT_EQ(host.engine.run(Time::zero() + seconds(1)), sim::RunEnd::stuck);
  const std::string report = host.engine.stuck_report()->text();
  EXPECT_NE(report.find("camera: sleeping, until its flag is set"), std::string::npos) << report;
}

struct Recorder : sim::TraceSink {
  struct Slice {
    Time start, end;
    std::string name;
  };
  std::vector<std::vector<Slice>> tracks{1};
  sim::TrackId track(std::string_view, sim::TrackId) override {
    tracks.emplace_back();
    return static_cast<sim::TrackId>(tracks.size() - 1);
  }
  sim::TrackId counter(std::string_view, std::string_view, sim::TrackId) override {
    return sim::TrackId::none;
  }
  void begin(sim::TrackId t, Time at, std::string_view name) override {
    tracks[static_cast<std::size_t>(t)].push_back({at, Time::never(), std::string(name)});
  }
  void end(sim::TrackId t, Time at) override { tracks[static_cast<std::size_t>(t)].back().end = at; }
  void slice(sim::TrackId, Time, Duration, std::string_view) override {}
  void count(sim::TrackId, Time, double) override {}
};

TEST(CpuTrace, has_a_track_a_core_with_a_slice_a_turn) {
  Recorder recorder;
  sim::Engine engine;
  engine.set_trace(&recorder);
  Cpu cpu(engine, machine(2, eevdf), {.allowed = {0}}, sim::RandomStream(1, "tick"));
  for (const char* name : {"a", "b"}) {
    engine.spawn(
        [](Cpu& c, ThreadId id) -> sim::Process {
          co_await c.run(id, milliseconds(100));
          c.retire(id);
        }(cpu, cpu.create_thread({.name = name})),
        name);
  }
  engine.run(Time::zero() + seconds(1));
  ASSERT_EQ(recorder.tracks.size(), 3U);
  EXPECT_TRUE(recorder.tracks[2].empty());
  const auto& turns = recorder.tracks[1];
  ASSERT_GT(turns.size(), 40U);
  for (std::size_t i = 1; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i].start, turns[i - 1].end);
    EXPECT_NE(turns[i].name, turns[i - 1].name);
  }
  EXPECT_EQ(turns.back().end, Time::zero() + milliseconds(200));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu::test
