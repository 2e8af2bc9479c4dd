// How kernels of several streams of a process, or of clients of MPS, share the SMs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t most_grids = 160;  // more than any GPU runs at once

// A stream of a configuration. `waves`: blocks for each SM, at least one block; `amount` is a time in
// microseconds of a kernel that spins, else iterations, or words a thread.
struct Stream {
  KernelKind kind = KernelKind::spin;
  double waves = 1;
  unsigned threads = 256;
  double amount = 20;
  bool whole_sm = false;  // a block takes all shared memory of an SM
  bool high = false;      // a priority above the others'
  int kernels = 100;      // kernels of a batch
};
struct Configuration {
  std::string name;
  std::vector<Stream> streams;
  bool graph = true;
};

std::vector<Stream> times(std::size_t count, const Stream& stream) {
  return std::vector<Stream>(count, stream);
}

// Reads that go past any cache.
constexpr Stream reading{KernelKind::read, 1, 256, 64};

std::vector<Configuration> configurations() {
  using enum KernelKind;
  const Stream whole4{spin, 4, 256, 20, true}, small{spin, 0.25, 256, 5};
  const Stream fma{fma4, 1, 128, 9900}, chain{fma1, 1, 128, 9900}, tensor{mma, 1, 128, 1236};
  std::vector<Configuration> all{
#include "calibration/probe/gpu/space_configurations.inc"
  };
  const std::vector<Configuration> with_tensor{{"mma x1", {tensor}},
                                               {"mma x2", times(2, tensor)},
                                               {"mma + fma4", {tensor, fma}},
                                               {"mma + read", {tensor, reading}}};
  all.insert(all.end(), with_tensor.begin(), with_tensor.end());
  return all;
}

struct Table {
  std::string text =
      "run,config,stream,streams,kind,blocks,threads,smem_bytes,work,batch_kernels,mode,priority,kernels_per_"
      "s,duration_mean_us,duration_p10_us,duration_p50_us,duration_p90_us,gap_in_batch_p50_us\n";
};

struct StreamSeen {
  double per_s = 0, duration_us = 0, sd_us = 0, gap_us = 0;
  std::size_t samples = 0;
};

Loop loop_of(const Stream& stream, const GpuFacts& gpu, bool graph) {
  const bool spins = stream.kind == KernelKind::spin, reads = stream.kind == KernelKind::read;
  const auto blocks = static_cast<unsigned>(std::max(1.0, std::round(stream.waves * gpu.sms)));
  // The data of each stream are its own, and more than any cache holds.
  const double data = reads ? std::min(1e9, gpu.memory_bytes / 16) : 64;
  return {.kernel = {stream.kind, blocks, stream.threads,
                     static_cast<std::uint64_t>(spins ? stream.amount * gpu.clock_mhz : stream.amount),
                     stream.whole_sm ? static_cast<unsigned>(gpu.shared_bytes_per_block) : 0},
          .kernels_per_batch = stream.kernels,
          .graph = graph,
          .priority = stream.high ? -1 : 0,
          .data_bytes = static_cast<std::size_t>(data)};
}

StreamSeen stream_seen(const Loop& loop, const Looped& looped) {
  StreamSeen seen;
  seen.per_s = looped.batches * loop.kernels_per_batch / looped.seconds;
  std::vector<double> durations, gaps;
  for (std::size_t i = 0; i < looped.stamps.size(); ++i) {
    durations.push_back(static_cast<double>(looped.stamps[i].end - looped.stamps[i].start) / 1e3);
    // The gap between two batches is the host's.
    const bool in_batch = i > 0 && i % static_cast<std::size_t>(loop.kernels_per_batch) != 0;
    if (in_batch)
      gaps.push_back(
          (static_cast<double>(looped.stamps[i].start) - static_cast<double>(looped.stamps[i - 1].end)) /
          1e3);
  }
  if (const auto found = middle(durations)) {
    seen.duration_us =
        std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(durations.size());
    seen.sd_us = found->sd;
  }
  if (const auto found = middle_of_stamps(gaps)) seen.gap_us = found->value;
  seen.samples = durations.size();
  return seen;
}

void add_rows(Table& table, int run, const Configuration& configuration, const std::vector<Loop>& loops,
              const std::vector<Looped>& results) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Loop& loop = loops[i];
    std::vector<double> durations;
    double sum = 0;
    for (const Stamp& stamp : results[i].stamps) {
      durations.push_back(static_cast<double>(stamp.end - stamp.start) / 1e3);
      sum += durations.back();
    }
    if (durations.empty()) continue;
    const StreamSeen seen = stream_seen(loop, results[i]);
    table.text += fmt::format(
        "p{:03},{},{},{},{},{},{},{},{},{},{},{},{:.1f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n", run,
        configuration.name, i, loops.size(), name(loop.kernel.kind), loop.kernel.blocks, loop.kernel.threads,
        loop.kernel.shared_bytes, loop.kernel.amount, loop.kernels_per_batch, loop.graph ? "graph" : "stream",
        loop.priority, seen.per_s, sum / static_cast<double>(durations.size()), quantile(durations, 0.1),
        seen.duration_us, quantile(durations, 0.9), seen.gap_us);
  }
}

// Grids that run at once: each of many streams launches a kernel of one block that spins; the most that
// overlap.
std::size_t grids_at_once() {
  setenv("CUDA_MPS_PIPE_DIRECTORY", "/nonexistent", 1);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  const Gpu gpu;
  std::vector<std::unique_ptr<Queue>> queues;
  for (std::size_t i = 0; i < most_grids; ++i) queues.push_back(std::make_unique<Queue>(gpu, 4));
  const Launch long_one{KernelKind::spin, 1, 32, static_cast<std::uint64_t>(20e3 * gpu.identity().clock_mhz)};
  for (const auto& queue : queues) queue->launch(long_one);
  std::vector<std::pair<std::uint64_t, int>> changes;
  for (const auto& queue : queues)
    for (const Stamp& stamp : queue->stamps()) {
      changes.emplace_back(stamp.start, 1);
      changes.emplace_back(stamp.end, -1);
    }
  std::ranges::sort(changes);
  int now = 0, most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, now += change);
  return static_cast<std::size_t>(most);
}

double one_number(const Session& session, const std::function<double()>& work) {
  return found_apart(session, experiment_limit_s, [&] { return std::vector<double>{work()}; }).at(0);
}

bool mps_runs() {
  const char* const folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::error_code error;
  return std::filesystem::exists(
      std::filesystem::path(folder != nullptr ? folder : "/tmp/nvidia-mps") / "control", error);
}

const StreamSeen* find(const std::vector<std::pair<std::string, StreamSeen>>& seen, std::string_view name) {
  const auto found = std::ranges::find(seen, name, &std::pair<std::string, StreamSeen>::first);
  return found == seen.end() ? nullptr : &found->second;
}

void add_parameters(Outcome& outcome, const std::vector<std::pair<std::string, StreamSeen>>& seen) {
  const StreamSeen *const one = find(seen, "whole SM 1w"), *const eight = find(seen, "whole SM 8w"),
                          *const gap = find(seen, "gap graph d5");
  const StreamSeen *const short_one = find(seen, "gap graph d5"), *const long_one =
                                                                      find(seen, "gap graph d20");
  if (one != nullptr && eight != nullptr && short_one != nullptr && long_one != nullptr) {
    // One wave takes its spin and the start of a kernel; each further one its spin and the turnover of a
    // block. The SMs' clock may be another than the driver says: two kernels that differ in nothing but their
    // spin tell it.
    const double spin_us = 20 * (long_one->duration_us - short_one->duration_us) / 15;
    const double turnover = (eight->duration_us - one->duration_us) / 7 - spin_us;
    const double sd =
        std::hypot(eight->sd_us, one->sd_us) / 7 + 20 * std::hypot(long_one->sd_us, short_one->sd_us) / 15;
    outcome.parameters.push_back({"seen.block_turnover", turnover, "us", sd / std::max(turnover, 1e-3),
                                  eight->samples, "kernels of 8 waves less those of one, by wave"});
    outcome.parameters.push_back({"seen.sm_clock_over_reported", 100 * 20 / spin_us, "%", 0,
                                  long_one->samples, "cycles of kernels that spin over their time"});
  }
  if (gap != nullptr)
    outcome.parameters.push_back({"seen.gap_in_graph", gap->gap_us, "us", 0, gap->samples,
                                  "end of a kernel's last block to the start of the next, in a graph"});
}

void run_all(const Session& session, const GpuFacts& gpu, bool as_clients, Outcome& outcome) {
  Table table;
  std::vector<std::pair<std::string, StreamSeen>> seen;
  const auto all = configurations();
  constexpr double seconds = 0.3;
  int run = 0;
  for (const Configuration& configuration : all) {
    ++run;
    const bool tensor =
        std::ranges::any_of(configuration.streams, [](const Stream& s) { return s.kind == KernelKind::mma; });
    if (tensor && gpu.major < 7) continue;
    if (as_clients && configuration.streams.size() < 2) continue;
    session.progress(0.1 + 0.8 * run / static_cast<double>(all.size()), configuration.name);
    Loops loops;
    for (const Stream& stream : configuration.streams)
      loops.push_back(loop_of(stream, gpu, configuration.graph));
    std::vector<Loops> processes{loops};
    if (as_clients) {
      processes.clear();
      for (const Loop& loop : loops) processes.push_back({loop});
    }
    const auto results = run_processes(session, processes, usual_warm_up_s, seconds,
                                       as_clients ? Through::mps_daemon : Through::driver);
    add_rows(table, run, configuration, loops, results);
    seen.emplace_back(configuration.name, stream_seen(loops.front(), results.front()));
  }
  write_file(session, outcome, as_clients ? "streams_synthetic_mps.csv" : "streams_synthetic.csv",
             table.text);
  if (!as_clients) add_parameters(outcome, seen);
}

}  // namespace

Outcome space(const Session& session) {
  Outcome outcome;
  const GpuFacts gpu = identify(session);
  session.progress(0, "grids that run at once");
  const double grids = one_number(session, [] { return static_cast<double>(grids_at_once()); });
  outcome.parameters.push_back(
      {"gpu.space_sharing.resident_grids", grids, "", 0, most_grids,
       fmt::format("kernels of one block on {} streams, CUDA_DEVICE_MAX_CONNECTIONS=32", most_grids)});
  if (session.quick) {
    outcome.problems.emplace_back("--quick leaves out kernels of several streams and clients of MPS");
    return outcome;
  }
  run_all(session, gpu, false, outcome);
  if (!mps_runs()) {
    outcome.problems.emplace_back("MPS: no daemon runs, so clients were not measured");
    return outcome;
  }
  try {
    run_all(session, gpu, true, outcome);
  } catch (const Interrupted&) {
    throw;
  } catch (const ProbeError& error) {
    outcome.problems.push_back(fmt::format("MPS: clients were not measured: {}", error.what()));
  }
  return outcome;
}

}  // namespace jostle::calibration::probe
