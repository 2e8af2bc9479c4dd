// The fast GPU against the reference engine: the same board on both gives the same run, to the picosecond.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/cpu/spec.hpp"
#include "tests/models/gpu_random.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::Time;

// Everything that can be told of a run.
struct Account {
  Recording recording;
  std::vector<std::array<Duration, process::share_count>> shares;
  std::vector<Duration> running;
  std::vector<std::int64_t> batches;
  std::vector<Running> split;
  Duration busy, switching;
  std::int64_t switches = 0;
};

Account account_of(const board::DeviceSpec& device, const board::Setup& setup, Duration duration, Which which,
                   std::vector<RateChange> rates = {},
                   std::optional<Duration> first_stamp = microseconds(2)) {
  Bench bench(device, setup, which, first_stamp);
  schedule(bench.engine, bench.board.gpu(), rates);
  bench.run_for(duration / 3);
  bench.board.end_warmup();  // reads everything in the middle of things
  bench.run_for(duration - duration / 3);
  Account account;
  account.recording = bench.recording;
  for (process::Inference& process : bench.board.processes()) {
    auto& shares = account.shares.emplace_back();
    for (std::size_t i = 0; i < process::share_count; ++i)
      shares[i] = process.time().in(static_cast<process::Share>(i));
    account.split.push_back(process.running());
    account.running.push_back(account.split.back().total);
    account.batches.push_back(process.batches());
  }
  const board::Board::Totals totals = bench.board.totals();
  account.busy = totals.gpu_busy;
  account.switching = totals.gpu_switching;
  account.switches = totals.gpu_switches;
  return account;
}

template <class T, class Equal = std::equal_to<>>
std::string first_difference(const char* what, const std::vector<T>& a, const std::vector<T>& b,
                             const Equal& equal = {}) {
  for (std::size_t i = 0; i < std::min<std::size_t>(a.size(), b.size()); ++i)
    if (!equal(a[i], b[i])) return std::string(what) + " differ from number " + std::to_string(i) + " on";
  if (a.size() != b.size())
    return std::string(what) + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size());
  return {};
}

std::string time_text(Time t) {
  return std::to_string(t.ps());
}

std::string differing_share(const Account& fast, const Account& slow, Duration within) {
  for (std::size_t i = 0; i < fast.shares.size(); ++i)
    for (std::size_t k = 0; k < process::share_count; ++k)
      if (const Duration off = fast.shares[i][k] - slow.shares[i][k]; off > within || off < -within)
        return "share " + std::string(process::share_rows[k].name) + " of process " + std::to_string(i) +
               " by " + std::to_string(off.ps()) + " ps";
  return {};
}

// Empty if they agree, all times within `within`.
std::string disagreement(const Account& fast, const Account& slow, Duration within = {}) {
  const auto near = [within]<class T>(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Seen>) {
      const Duration off = a.at - b.at;
      return a.context == b.context && off <= within && off >= -within;
    } else {
      return a - b <= within && b - a <= within;
    }
  };
  const bool observed = !fast.recording.kernels.empty();
  if (std::string text = first_difference("kernels", fast.recording.kernels, slow.recording.kernels);
      observed && !text.empty()) {
    for (std::size_t i = 0;
         i < std::min<std::size_t>(fast.recording.kernels.size(), slow.recording.kernels.size()); ++i) {
      const Stamp &a = fast.recording.kernels[i], &b = slow.recording.kernels[i];
      if (a == b) continue;
      return text + ": fast " + std::to_string(a.context) + " " + time_text(a.start) + " to " +
             time_text(a.end) + ", reference " + std::to_string(b.context) + " " + time_text(b.start) +
             " to " + time_text(b.end);
    }
    return text;
  }
  if (std::string text = first_difference("completions", fast.recording.seen, slow.recording.seen, near);
      !text.empty())
    return text;
  if (std::string text = first_difference("batches", fast.batches, slow.batches); !text.empty()) return text;
  if (std::string text = first_difference("running times", fast.running, slow.running, near); !text.empty())
    return text;
  if (std::string text = differing_share(fast, slow, within); !text.empty()) return text;
  if (fast.switches != slow.switches) return "switches";
  if (!near(fast.busy, slow.busy)) return "busy";
  if (!near(fast.switching, slow.switching)) return "switching";
  for (std::size_t i = 0; i < fast.split.size(); ++i) {
    const gpu::Usage &a = fast.split[i].used, &b = slow.split[i].used;
    for (const auto part : {&gpu::Usage::compute, &gpu::Usage::memory, &gpu::Usage::sm_active,
                            &gpu::Usage::issue_slot, &gpu::Usage::tensor_active, &gpu::Usage::occupancy})
      if (std::abs(a.*part - b.*part) > 1e-9 + sim::to_seconds(within))
        return "what was used: " + std::to_string(a.*part) + " and " + std::to_string(b.*part);
    if (std::abs(a.dram_bytes - b.dram_bytes) > 1e-6 * b.dram_bytes + 1) return "bytes";
  }
  return {};
}

RC_GTEST_PROP(GpuAgreement, random_mixes_run_alike_on_both_engines, ()) {
  const board::DeviceSpec device = any_device();
  board::Setup setup;
  const int processes = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 7));
  for (int i = 0; i < processes; ++i) setup.processes.push_back(any_process());
  setup.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  for (int run = 0; run < 4; ++run, ++setup.seed) {
    const Account fast = account_of(device, setup, milliseconds(40), Which::fast);
    const Account slow = account_of(device, setup, milliseconds(40), Which::reference);
    RC_LOG() << disagreement(fast, slow) << '\n';
    RC_ASSERT(disagreement(fast, slow).empty());
    // Where nobody watches its kernels, the fast one passes over ends of batches that no host sees.
    const Account alone = account_of(device, setup, milliseconds(40), Which::fast, {}, std::nullopt);
    RC_LOG() << disagreement(alone, slow) << '\n';
    RC_ASSERT(disagreement(alone, slow).empty());
  }
}

RC_GTEST_PROP(GpuAgreement, random_mixes_run_alike_while_the_rates_change, ()) {
  const board::DeviceSpec device = any_device();
  board::Setup setup;
  const int processes = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 7));
  for (int i = 0; i < processes; ++i) setup.processes.push_back(any_process());
  setup.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const std::vector<RateChange> rates = any_rate_changes(milliseconds(40));
  const Account fast = account_of(device, setup, milliseconds(40), Which::fast, rates);
  const Account slow = account_of(device, setup, milliseconds(40), Which::reference, rates);
  RC_LOG() << disagreement(fast, slow) << '\n';
  RC_ASSERT(disagreement(fast, slow).empty());
  const Account alone = account_of(device, setup, milliseconds(40), Which::fast, rates, std::nullopt);
  RC_LOG() << disagreement(alone, slow) << '\n';
  RC_ASSERT(disagreement(alone, slow).empty());
}

// Kernels of one wave, because waves of several are rounded there, and without a fixed share, because a
// kernel in progress is taken to be evenly active there. Launch gaps lie elsewhere in a batch.
RC_GTEST_PROP(GpuAgreement, processes_with_one_stream_take_the_same_turns_where_others_have_several, ()) {
  const board::DeviceSpec device = any_device();
  board::Setup setup;
  const int processes = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 7));
  for (int i = 0; i < processes; ++i) {
    process::Spec process = any_process();
    gpu::KernelSequence& kernels = process.kernels.edit();
    kernels.lone_gap = Duration::zero();
    for (gpu::Kernel& kernel : kernels.kernels) {
      kernel.blocks = 1 + kernel.blocks % static_cast<std::uint32_t>(device.gpu.sm_count);
      kernel.compute_share += std::exchange(kernel.fixed_share, 0);
    }
    kernels.rebuild_finish();
    setup.processes.push_back(process);
  }
  setup.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const Account fast = account_of(device, setup, milliseconds(40), Which::fast, {}, std::nullopt);
  const Account space = account_of(device, setup, milliseconds(40), Which::in_space, {}, std::nullopt);
  const Duration within =
      microseconds(1);  // of 40 ms: states change more often, so that other stretches are rounded
  RC_LOG() << disagreement(fast, space, within) << '\n';
  RC_ASSERT(disagreement(fast, space, within).empty());
}

// Fixed mixes
// ----------------------------------------------------------------------------------------------------

// Costs of the order measured on an H200.
board::DeviceSpec data_centre(int cores) {
  board::DeviceSpec device = free_device(cores);
  device.cpu->costs.context_switch = microseconds(2);
  device.cpu->costs.preempted = microseconds(100);
  TimeSlicing& slicing = device.gpu.time_slicing;
  slicing.slice = milliseconds(2.091);
  slicing.switch_when_idle = microseconds(138);
  slicing.switch_at_expiry = microseconds(152.5);
  slicing.refill_after_expiry = microseconds(65);
  device.gpu.idle_wake = {milliseconds(6.5), microseconds(83)};
  device.runtimes[process::Runtime::cuda_graph] = device.runtimes[process::Runtime::eager] =
      device.runtimes[process::Runtime::tensorrt] = device.paced =
          process::RuntimeSpec{.per_launch = microseconds(11),
                               .per_batch = microseconds(20),
                               .per_node = {},
                               .gap_beyond_tables = {},
                               .api_share = 0.45,
                               .gpu_per_launch = microseconds(1.1),
                               .variation = 0.05,
                               .working_set_bytes = 1e6};
  device.sync = {microseconds(1), microseconds(20), microseconds(5)};
  device.follow_up = {};
  return device;
}

void expect_agreement(const board::DeviceSpec& device, const board::Setup& setup) {
  const Account fast = account_of(device, setup, milliseconds(300), Which::fast);
  const Account slow = account_of(device, setup, milliseconds(300), Which::reference);
  EXPECT_GT(fast.recording.seen.size(), 50U);
  EXPECT_EQ(disagreement(fast, slow), "");
  const Account alone = account_of(device, setup, milliseconds(300), Which::fast, {}, std::nullopt);
  EXPECT_EQ(disagreement(alone, slow), "");
}

TEST(GpuAgreement, eight_graph_replaying_processes_on_sixteen_cores) {
  board::Setup setup;
  setup.processes.assign(8, process_with(process::Runtime::cuda_graph, process::Sync::spin,
                                         equal_kernels(60, microseconds(17.3))));
  expect_agreement(data_centre(16), setup);
}

TEST(GpuAgreement, eight_eager_processes_on_three_cores) {
  board::Setup setup;
  setup.processes.assign(
      8, process_with(process::Runtime::eager, process::Sync::yield, equal_kernels(60, microseconds(4.7))));
  expect_agreement(data_centre(3), setup);
}

TEST(GpuAgreement, sparse_launchers_beside_a_dense_process) {
  board::Setup setup;
  setup.processes.assign(
      3, process_with(process::Runtime::eager, process::Sync::spin, equal_kernels(200, microseconds(5))));
  for (process::Spec& spec : setup.processes) spec.pace = microseconds(15);
  setup.processes.push_back(process_with(process::Runtime::cuda_graph, process::Sync::blocking,
                                         equal_kernels(7, microseconds(333))));
  expect_agreement(data_centre(4), setup);
}

TEST(GpuAgreement, copied_inputs_and_poisson_requests_that_let_the_gpu_idle) {
  board::DeviceSpec device = data_centre(2);
  device.gpu.copy_bandwidth_bytes_per_s = 10e9;
  device.gpu.copy_fixed = microseconds(5);
  board::Setup setup;
  for (const auto runtime : {process::Runtime::cuda_graph, process::Runtime::eager}) {
    process::Spec spec = process_with(runtime, process::Sync::blocking, equal_kernels(30, microseconds(21)));
    spec.input_bytes = 6e5;
    spec.output_bytes = 4e3;
    spec.arrivals.kind = process::ArrivalKind::poisson;
    spec.arrivals.rate_per_s = 150;
    setup.processes.push_back(spec);
  }
  expect_agreement(device, setup);
}

TEST(GpuAgreement, blocks_and_kernels_that_outlast_the_slice) {
  for (const auto granularity : {PreemptionGranularity::thread_block, PreemptionGranularity::kernel}) {
    board::DeviceSpec device = data_centre(4);
    device.gpu.time_slicing.granularity = granularity;
    device.gpu.time_slicing.state_bandwidth_bytes_per_s = 60e9;
    device.gpu.time_slicing.hold_when_idle = milliseconds(0.8);
    board::Setup setup;
    gpu::KernelSequence kernels = equal_kernels(5, microseconds(790));
    for (gpu::Kernel& kernel : kernels.kernels) kernel.blocks = 700;
    setup.processes.assign(2, process_with(process::Runtime::tensorrt, process::Sync::blocking, kernels));
    setup.processes.push_back(
        process_with(process::Runtime::eager, process::Sync::spin, equal_kernels(40, microseconds(3))));
    expect_agreement(device, setup);
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
