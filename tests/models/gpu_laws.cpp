// Laws that hold whatever the mix: conservation, the queueing models that a board reduces to, symmetry.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/random.hpp"
#include "tests/models/gpu_random.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using process::ArrivalKind;
using process::Runtime;
using process::Share;
using process::Sync;
using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::Time;

board::Setup any_mix() {
  board::Setup setup;
  const int processes = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 7));
  for (int i = 0; i < processes; ++i) setup.processes.push_back(any_process());
  setup.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  return setup;
}

process::Spec closed_graph(std::size_t kernels, Duration each, Sync sync = Sync::spin) {
  return process_with(Runtime::cuda_graph, sync, equal_kernels(kernels, each));
}
process::Spec poisson(double per_second, Duration work) {
  process::Spec spec = closed_graph(1, work, Sync::blocking);
  spec.arrivals.kind = ArrivalKind::poisson;
  spec.arrivals.rate_per_s = per_second;
  return spec;
}
double mean_latency(const Bench& bench, std::size_t index) {
  return bench.board.processes()[index].latency().mean().value_or(0);
}

// Conservation
// -------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(GpuLaws, what_is_enqueued_is_finished_running_or_queued, ()) {
  const board::DeviceSpec device = any_device();
  const board::Setup setup = any_mix();
  Bench bench(device, setup);
  for (int look = 1; look <= 5; ++look) {
    bench.run_for(milliseconds(7) + Duration{look * 12'345});
    std::map<std::uint32_t, std::uint64_t> seen, kernels;
    for (const Seen& s : bench.recording.seen) ++seen[s.context];
    for (const Stamp& k : bench.recording.kernels) ++kernels[k.context];
    for (std::uint32_t i = 0; i < setup.processes.size(); ++i) {
      gpu::Gpu& gpu = bench.board.gpu();
      const std::uint64_t finished = seen[i] + gpu.unseen({i});
      RC_ASSERT(bench.recording.enqueued.at(i) == finished + gpu.unfinished({i}));
      // One always ahead, or one request at a time.
      RC_ASSERT(gpu.unseen({i}) + gpu.unfinished({i}) <= 2);
      // And kernel by kernel: those of finished batches, and some of the one under way.
      const std::uint64_t each = setup.processes[i].kernels->kernels.size();
      RC_ASSERT(kernels[i] >= finished * each);
      RC_ASSERT(kernels[i] < (finished + 1) * each || gpu.unfinished({i}) == 0);
    }
  }
}

RC_GTEST_PROP(GpuLaws, work_done_is_the_kernels_executed_and_their_refills, ()) {
  board::DeviceSpec device = any_device();
  device.gpu.time_slicing.refill_after_expiry = device.gpu.time_slicing.restart_after_expiry = {};
  const board::Setup setup = any_mix();
  Bench bench(device, setup);
  bench.run_for(milliseconds(40));
  std::vector<Duration> whole(setup.processes.size());
  std::vector<std::size_t> next(setup.processes.size());
  for (const Stamp& stamp : bench.recording.kernels) {
    const std::vector<gpu::Kernel>& kernels = setup.processes[stamp.context].kernels->kernels;
    std::size_t& kernel = next[stamp.context];
    whole[stamp.context] += kernels[kernel].duration;
    RC_ASSERT(stamp.end - stamp.start >= kernels[kernel].duration);  // longer if it was preempted
    kernel = (kernel + 1) % kernels.size();
  }
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    const Duration ran = bench.board.gpu().running_time({i});
    const std::vector<gpu::Kernel>& kernels = setup.processes[i].kernels->kernels;
    RC_ASSERT(whole[i] <= ran);
    RC_ASSERT(ran - whole[i] <= kernels[next[i]].duration);
  }
}

RC_GTEST_PROP(GpuLaws, running_times_sum_to_busy_and_no_two_kernels_run_at_once, ()) {
  const board::DeviceSpec device = any_device();
  const board::Setup setup = any_mix();
  Bench bench(device, setup);
  bench.run_for(milliseconds(40));
  Duration sum;
  for (std::uint32_t i = 0; i < setup.processes.size(); ++i) {
    const Running running = bench.board.gpu().running({i});
    sum += running.total;
    RC_ASSERT(std::abs(running.used.compute + running.used.memory + running.fixed() -
                       sim::to_seconds(running.total)) < 1e-12 + 1e-6 * sim::to_seconds(running.total));
  }
  RC_ASSERT(sum == bench.board.gpu().busy());
  // The GPU is owned, handed over or nobody's at every instant, and busy only while owned.
  const Occupation& time = bench.recording.occupation(bench.engine.now());
  RC_ASSERT(time.owned + time.switching + time.free == bench.engine.now() - Time::zero());
  RC_ASSERT(time.switching == bench.board.gpu().switching());
  RC_ASSERT(sum <= time.owned);
}

// Whole graphs without gaps leave an owner nothing to wait for: then it is busy whenever it is owned.
RC_GTEST_PROP(GpuLaws, busy_idle_and_switching_sum_to_elapsed, ()) {
  board::DeviceSpec device = any_device();
  device.gpu.idle_wake = {};
  device.gpu.copy_bandwidth_bytes_per_s = 0;
  device.gpu.time_slicing.hold_when_idle = Duration::zero();
  board::Setup setup = any_mix();
  for (process::Spec& spec : setup.processes) {
    spec.runtime = Runtime::cuda_graph;
    spec.pace.reset();
    spec.kernels.edit().lone_gap = Duration::zero();
  }
  Bench bench(device, setup);
  bench.run_for(milliseconds(40));
  const Occupation time = bench.recording.occupation(bench.engine.now());
  RC_ASSERT(bench.board.gpu().busy() + bench.board.gpu().switching() + time.free ==
            bench.engine.now() - Time::zero());
}

RC_GTEST_PROP(GpuLaws, the_time_account_of_every_process_sums_to_elapsed, ()) {
  const board::DeviceSpec device = any_device();
  Bench bench(device, any_mix());
  const Duration warmup = milliseconds(9) + Duration{1'234'567};
  const Duration measured = milliseconds(31) + Duration{7'654'321};
  bench.run_for(warmup);
  bench.board.end_warmup();
  bench.run_for(measured);
  for (process::Inference& process : bench.board.processes()) {
    RC_ASSERT(process.time().elapsed() == measured);
    for (std::size_t i = 0; i < process::share_count; ++i)
      RC_ASSERT(process.time().in(static_cast<Share>(i)) >= Duration::zero());
    RC_ASSERT(process.time().in(Share::gpu_running) == process.running().total);
  }
  RC_ASSERT(bench.board.totals().elapsed == measured);
}

RC_GTEST_PROP(GpuLaws, the_same_seed_gives_the_same_run, ()) {
  const board::DeviceSpec device = any_device();
  const board::Setup setup = any_mix();
  Bench one(device, setup), two(device, setup);
  one.run_for(milliseconds(20));
  two.run_for(milliseconds(20));
  RC_ASSERT(one.recording.kernels == two.recording.kernels);
  RC_ASSERT(one.recording.seen == two.recording.seen);
}

// Turns
// --------------------------------------------------------------------------------------------------------

// Of equal processes that never lack work. (With unequal costs of running out of work and expiring, one of
// the first instead of the second shifts all later switches, so they are equal here.)
RC_GTEST_PROP(GpuLaws, a_longer_slice_never_raises_the_switch_count, ()) {
  board::DeviceSpec device = free_device(16);
  TimeSlicing& slicing = device.gpu.time_slicing;
  slicing.switch_when_idle = slicing.switch_at_expiry = any_duration(microseconds(300));
  device.follow_up.graph_of_kernels_spinning = *rc::gen::arbitrary<bool>();
  board::Setup setup;
  const process::Spec spec =
      closed_graph(*rc::gen::inRange<std::size_t>(1, 10), some_duration(microseconds(20), microseconds(700)));
  setup.processes.assign(*rc::gen::inRange<std::size_t>(2, 7), spec);
  std::vector<Duration> slices;
  for (int i = 0; i < 4; ++i) slices.push_back(some_duration(microseconds(100), milliseconds(6)));
  std::sort(slices.begin(), slices.end());
  std::int64_t before = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slicing.slice = slices[i];
    Bench bench(device, setup);
    bench.run_for(milliseconds(100));
    const std::int64_t switches = bench.board.gpu().switches();
    RC_ASSERT(i == 0 || switches <= before);
    before = switches;
  }
}

// Completion times under processor sharing of jobs of equal size `work`, by following the fluid.
std::vector<double> processor_sharing(const std::vector<double>& arrivals, double work) {
  std::vector<double> left(arrivals.size(), work), done(arrivals.size(), 0);
  std::size_t arrived = 0, finished = 0;
  double now = 0;
  while (finished < arrivals.size()) {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < arrived; ++i)
      if (left[i] > 0) active.push_back(i);
    const double next = arrived < arrivals.size() ? arrivals[arrived] : 1e300;
    if (active.empty()) {
      now = next;
      ++arrived;
      continue;
    }
    double least = 1e300;
    for (const std::size_t i : active) least = std::min(least, left[i]);
    const auto n = static_cast<double>(active.size());
    const double step = std::min(least * n, next - now);
    now += step;
    for (const std::size_t i : active) {
      left[i] = left[i] * n - step <= 1e-15 ? 0 : left[i] - step / n;
      if (left[i] == 0) done[i] = now, ++finished;
    }
    if (step == next - now + step && arrived < arrivals.size()) ++arrived;
  }
  return done;
}

RC_GTEST_PROP(GpuLaws, round_robin_becomes_processor_sharing_as_the_slice_shrinks, ()) {
  board::DeviceSpec device = free_device(16);
  board::Setup setup;
  std::vector<double> arrivals;
  const auto jobs = *rc::gen::inRange<std::size_t>(2, 9);
  const Duration work = some_duration(microseconds(300), milliseconds(2));
  Time at;
  for (std::size_t i = 0; i < jobs; ++i) {
    at += some_duration(Duration{1}, milliseconds(1.5));
    process::Spec spec = closed_graph(1, work, Sync::blocking);
    spec.arrivals.kind = ArrivalKind::trace;
    spec.arrivals.times = {at};
    setup.processes.push_back(spec);
    arrivals.push_back(sim::to_seconds(at - Time::zero()));
  }
  const std::vector<double> fluid = processor_sharing(arrivals, sim::to_seconds(work));
  for (const Duration slice : {microseconds(20), microseconds(2)}) {
    device.gpu.time_slicing.slice = slice;
    Bench bench(device, setup);
    bench.run_for(milliseconds(60));
    RC_ASSERT(bench.recording.seen.size() == jobs);
    // A job is ahead of or behind its share by less than a round or two.
    for (const Seen& seen : bench.recording.seen)
      RC_ASSERT(std::abs(sim::to_seconds(seen.at - Time::zero()) - fluid[seen.context]) <
                2.0 * static_cast<double>(jobs) * static_cast<double>(jobs) * sim::to_seconds(slice));
  }
}

// M/G/1 under processor sharing: a request of size x stays x / (1 - rho), whatever the sizes of the others.
TEST(GpuLaws, short_slices_give_the_sojourn_times_of_mg1_processor_sharing) {
  board::DeviceSpec device = free_device(100);
  device.gpu.time_slicing.slice = microseconds(50);
  board::Setup setup;
  // 50 sources of each size, so that hardly any request waits for an earlier one of its own process.
  const Duration small = milliseconds(1), large = milliseconds(4);
  const double rho = 0.5;
  const double rate = rho / 2 / 50;  // per source and second of its size
  for (int i = 0; i < 50; ++i) {
    setup.processes.push_back(poisson(rate / sim::to_seconds(small), small));
    setup.processes.push_back(poisson(rate / sim::to_seconds(large), large));
  }
  Bench bench(device, setup);
  bench.run_for(sim::seconds(60));
  double sum_small = 0, sum_large = 0;
  for (std::size_t i = 0; i < 100; i += 2) {
    sum_small += mean_latency(bench, i) / 50;
    sum_large += mean_latency(bench, i + 1) / 50;
  }
  EXPECT_NEAR(sum_small, sim::to_seconds(small) / (1 - rho), 0.05 * sim::to_seconds(small) / (1 - rho));
  EXPECT_NEAR(sum_large, sim::to_seconds(large) / (1 - rho), 0.05 * sim::to_seconds(large) / (1 - rho));
}

// Queues
// -------------------------------------------------------------------------------------------------------

TEST(GpuLaws, one_process_with_poisson_requests_is_md1) {
  for (const double rho : {0.3, 0.8}) {
    board::Setup setup;
    setup.processes.push_back(poisson(rho * 1000, milliseconds(1)));
    Bench bench(free_device(1), setup);
    bench.run_for(sim::seconds(200));
    const double expected = 1e-3 * (1 + rho / (2 * (1 - rho)));
    EXPECT_NEAR(mean_latency(bench, 0), expected, 0.03 * expected);
    EXPECT_NEAR(sim::to_seconds(bench.board.gpu().busy()) / 200, rho, 0.01);
  }
}

// Host time varies with a coefficient of variation of one: by Pollaczek and Khinchine the mean of M/M/1. (The
// exponential distribution itself is tested in tests/sim.)
TEST(GpuLaws, requests_of_varying_host_time_wait_as_long_as_in_mm1) {
  board::DeviceSpec device = free_device(1);
  device.runtimes[Runtime::cuda_graph]->per_launch = milliseconds(1);
  device.runtimes[Runtime::cuda_graph]->variation = 1;
  board::Setup setup;
  setup.processes.push_back(poisson(500, Duration{1}));
  Bench bench(device, setup);
  bench.run_for(sim::seconds(400));
  EXPECT_NEAR(mean_latency(bench, 0), 2e-3, 0.06 * 2e-3);
}

// Requests of many processes without costs of switching: one server, first come first served in all but
// order, so Kleinrock's conservation law: the sum of rho_i W_i is that of M/G/1 whatever the order.
TEST(GpuLaws, without_switch_costs_waiting_times_obey_the_conservation_law) {
  board::DeviceSpec device = free_device(8);
  device.gpu.time_slicing.slice = sim::seconds(1);
  const std::array<double, 3> rho{0.1, 0.2, 0.4};
  const std::array<Duration, 3> work{microseconds(300), milliseconds(1), milliseconds(2)};
  board::Setup setup;
  for (std::size_t i = 0; i < 3; ++i)
    setup.processes.push_back(poisson(rho[i] / sim::to_seconds(work[i]), work[i]));
  Bench bench(device, setup);
  bench.run_for(sim::seconds(300));
  double weighted = 0, residual = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    weighted += rho[i] * (mean_latency(bench, i) - sim::to_seconds(work[i]));
    residual += rho[i] * sim::to_seconds(work[i]) / 2;
  }
  const double all = 0.7;
  EXPECT_NEAR(weighted, all * residual / (1 - all), 0.04 * all * residual / (1 - all));
}

// The polling server with switch-over times. An owner that ran out of work lingers for a moment, in which its
// host enqueues what waits, so service is exhaustive; changes of owner take ten services, so no queue is ever
// empty when its turn comes, and the server goes round as in the model. Boxma and Groenendijk's
// pseudo-conservation law (1987), exhaustive service, constant services and switch-over times of sum R:
//   sum rho_i W_i = rho sum lambda_i b_i^2 / (2 (1 - rho)) + rho R / 2 + R (rho^2 - sum rho_i^2) / (2 (1 -
//   rho))
TEST(GpuLaws, switch_over_times_obey_the_pseudo_conservation_law_of_polling) {
  board::DeviceSpec device = free_device(8);
  device.gpu.time_slicing.slice = sim::seconds(10);
  device.gpu.time_slicing.switch_when_idle = milliseconds(1);
  device.gpu.time_slicing.hold_when_idle = Duration{1000};  // 1 ns
  const std::array<double, 3> rho{0.15, 0.2, 0.35};
  const std::array<Duration, 3> work{microseconds(60), microseconds(80), microseconds(140)};
  board::Setup setup;
  for (std::size_t i = 0; i < 3; ++i)
    setup.processes.push_back(poisson(rho[i] / sim::to_seconds(work[i]), work[i]));
  Bench bench(device, setup);
  bench.run_for(sim::seconds(1));
  bench.board.end_warmup();
  bench.run_for(sim::seconds(60));
  const double all = 0.7, round = 3e-3;
  double weighted = 0, residual = 0, squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    weighted += rho[i] * (mean_latency(bench, i) - sim::to_seconds(work[i]));
    residual += rho[i] * sim::to_seconds(work[i]) / 2;
    squares += rho[i] * rho[i];
  }
  const double expected =
      all * residual / (1 - all) + all * round / 2 + round * (all * all - squares) / (2 * (1 - all));
  EXPECT_NEAR(weighted, expected, 0.03 * expected);
  // The mean cycle is R / (1 - rho), three switches each.
  const double cycles = static_cast<double>(bench.board.totals().gpu_switches) / 3;
  EXPECT_NEAR(60 / cycles, round / (1 - all), 0.03 * round / (1 - all));
}

// Little: one batch always ahead means that two are in the system at any time.
RC_GTEST_PROP(GpuLaws, littles_law_holds_for_the_figures_of_closed_loops, ()) {
  const board::DeviceSpec device = any_device();
  board::Setup setup = any_mix();
  for (process::Spec& spec : setup.processes) {
    spec.arrivals = {};
    spec.batch = 4;
  }
  Bench bench(device, setup);
  bench.run_for(milliseconds(50));
  bench.board.end_warmup();
  bench.run_for(milliseconds(400));
  for (const process::Inference& process : bench.board.processes()) {
    const auto rate = process.rate().mean(bench.engine.now());
    const auto latency = process.latency().mean();
    if (!rate || !latency || process.batches() < 20) continue;
    // But for the ends: two batches reach into the window and two out of it.
    const double ends = 4 * process.latency().quantile(1).value_or(0) / 0.4;
    RC_ASSERT(std::abs(*rate / 4 * *latency - 2) < ends);
  }
}

// And with requests: rate times mean stay is the mean number present, counted here at regular looks.
TEST(GpuLaws, littles_law_holds_under_poisson_requests) {
  board::Setup setup;
  sim::RandomStream random(5, "arrivals");
  process::Spec spec = closed_graph(1, milliseconds(1), Sync::blocking);
  spec.arrivals.kind = ArrivalKind::trace;
  for (Time at; at < Time::zero() + sim::seconds(50);)
    spec.arrivals.times.push_back(at += sim::seconds(random.exponential(1.0 / 700)));
  setup.processes.push_back(spec);
  Bench bench(free_device(1), setup);
  const std::vector<Time>& times = spec.arrivals.times;
  double present = 0;
  const int looks = 50'000;
  for (int look = 0; look < looks; ++look) {
    bench.engine.run(bench.engine.now() + milliseconds(1));
    const auto arrived = std::upper_bound(times.begin(), times.end(), bench.engine.now()) - times.begin();
    present += static_cast<double>(arrived - bench.board.processes()[0].batches()) / looks;
  }
  const double rate = bench.board.processes()[0].rate().mean(bench.engine.now()).value_or(0);
  EXPECT_GT(present, 1);
  EXPECT_NEAR(rate * mean_latency(bench, 0), present, 0.02 * present);
}

// Symmetry
// -----------------------------------------------------------------------------------------------------

TEST(GpuLaws, the_order_of_processes_is_no_matter_but_for_who_is_first) {
  board::DeviceSpec device = free_device(8);
  device.gpu.time_slicing.switch_when_idle = microseconds(140);
  device.gpu.time_slicing.switch_at_expiry = microseconds(150);
  device.runtimes[Runtime::cuda_graph]->per_launch = microseconds(13);
  device.runtimes[Runtime::eager]->per_launch = microseconds(11);
  const process::Spec a = closed_graph(40, microseconds(17)), b = closed_graph(5, microseconds(311));
  const process::Spec c = process_with(Runtime::eager, Sync::spin, equal_kernels(60, microseconds(9)));
  const std::vector<process::Spec> kinds{a, b, c, a, b, c};
  std::vector<double> first;
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  for (int shuffle = 0; shuffle < 4; ++shuffle) {
    board::Setup setup;
    for (const std::size_t i : order) setup.processes.push_back(kinds[i]);
    Bench bench(device, setup);
    bench.run_for(milliseconds(200));
    bench.board.end_warmup();
    bench.run_for(sim::seconds(4));
    std::vector<double> rates(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      rates[order[i]] = bench.board.processes()[i].rate().mean(bench.engine.now()).value_or(0);
    if (first.empty()) first = rates;
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_NEAR(rates[i], first[i], 0.02 * first[i]);
      EXPECT_NEAR(rates[i], rates[i % 3], 0.02 * rates[i]);  // equal processes fare alike
    }
    std::rotate(order.begin(), order.begin() + 1, order.end());
    std::swap(order[1], order[4]);
  }
}

// Two that differ in nothing but their place, and draw nothing: what the first did, the second does one turn
// and one switch later.
TEST(GpuLaws, equal_processes_do_the_same_a_turn_apart) {
  board::DeviceSpec device = free_device(4);
  device.gpu.time_slicing.switch_at_expiry = microseconds(150);
  board::Setup setup;
  setup.processes.assign(2, closed_graph(30, microseconds(61)));
  Bench bench(device, setup);
  bench.run_for(milliseconds(200));
  std::array<std::vector<Stamp>, 2> kernels;
  for (const Stamp& stamp : bench.recording.kernels) kernels[stamp.context].push_back(stamp);
  ASSERT_GT(kernels[1].size(), 1000U);
  for (std::size_t i = 0; i < kernels[1].size(); ++i) {
    EXPECT_EQ(kernels[1][i].start - kernels[0][i].start, milliseconds(2.15));
    EXPECT_EQ(kernels[1][i].end - kernels[0][i].end, milliseconds(2.15));
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
