// How processes take turns on the GPU: slice, switches, what ends a turn.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "calibration/fit/launch_cost.hpp"
#include "calibration/fit/time_slicing.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t most_rows = 250;          // rows of a configuration in a file of intervals
constexpr std::uint64_t least_gap_ns = 20'000;  // below any slice, above what an interrupt takes
constexpr double context_bytes = 0.6e9;         // a process with a context on the GPU, at most
constexpr std::uint64_t coarse_ns = 2'000;      // a clock with steps above this is not used for turns

// The gap of kernels.cu.
struct Gap {
  std::uint64_t from_ns, to_ns;
  std::int64_t from_cycle, to_cycle;
};

// The processes that the GPU's memory allows, up to 8.
int most_processes(const GpuFacts& gpu) {
  return std::clamp(static_cast<int>(gpu.memory_bytes / context_bytes), 2, 8);
}

// One process watches the GPU's clocks for `seconds` and reports the gaps in which it did not run.
std::vector<Gap> watch(const Gpu& gpu, double seconds, Gate& gate) {
  constexpr std::uint32_t capacity = 4096;
  const DeviceMemory gaps(gpu, capacity * sizeof(Gap)), found(gpu, sizeof(std::uint32_t));
  std::uint64_t for_ns = static_cast<std::uint64_t>(1e9 * seconds), least = least_gap_ns;
  auto least_cycles = static_cast<std::int64_t>(least_gap_ns * gpu.identity().clock_mhz / 1e3);
  cuda::Pointer gaps_at = gaps.at(), found_at = found.at();
  std::uint32_t kept = capacity;
  void* parameters[] = {&for_ns, &least, &least_cycles, &gaps_at, &kept, &found_at};
  const cuda::Function kernel = gpu.function("watch");
  gate.meet();
  gpu.cuda.check("cuLaunchKernel",
                 gpu.cuda.launch_kernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  gpu.cuda.check("cuCtxSynchronize", gpu.cuda.context_synchronize());
  std::uint32_t count = 0;
  found.copy_out(&count, sizeof count);
  std::vector<Gap> all(count);
  gaps.copy_out(all.data(), count * sizeof(Gap));
  gate.meet();
  return all;
}

// The gaps in nanoseconds of one clock. Where globaltimer is coarse, as on Tegra, the SM's cycles tell the
// time between its steps: their rate over the whole run relates both.
std::vector<std::pair<double, double>> times_of(const std::vector<Gap>& gaps, std::uint64_t step_ns) {
  std::vector<std::pair<double, double>> times;
  if (gaps.empty()) return times;
  const Gap& whole = gaps.front();
  const double ns_per_cycle = static_cast<double>(whole.to_ns - whole.from_ns) /
                              std::max(1.0, static_cast<double>(whole.to_cycle - whole.from_cycle));
  const auto by_cycles = [&](std::int64_t cycle) {
    return static_cast<double>(whole.from_ns) + static_cast<double>(cycle - whole.from_cycle) * ns_per_cycle;
  };
  for (std::size_t i = 1; i < gaps.size(); ++i) {
    const Gap& gap = gaps[i];
    const auto [from, to] = step_ns <= coarse_ns
                                ? std::pair(static_cast<double>(gap.from_ns), static_cast<double>(gap.to_ns))
                                : std::pair(by_cycles(gap.from_cycle), by_cycles(gap.to_cycle));
    // A process that is stopped between its readings of the two clocks sees the gap once with each.
    if (!times.empty() && from - times.back().second < 1e3) {
      times.back().second = std::max(times.back().second, to);
    } else {
      times.emplace_back(from, to);
    }
  }
  // One clock may show none of a gap that the other shows.
  std::erase_if(times,
                [](const auto& gap) { return gap.second - gap.first < static_cast<double>(least_gap_ns); });
  return times;
}

// The step of globaltimer: the largest that divides all differences of readings.
std::uint64_t timer_step(const Session& session) {
  const Loops loop{{.kernel = {KernelKind::spin, 1, 32, 100}, .kernels_per_batch = 50, .kept = 4096}};
  const auto result = run_processes(session, std::span(&loop, 1), 0.05, 0.1);
  std::uint64_t step = 0;
  for (const Stamp& stamp : result.front().stamps) step = std::gcd(step, stamp.end - stamp.start);
  return step;
}

std::string timeslices_csv(const Session& session, const GpuFacts& gpu, double seconds,
                           std::uint64_t step_ns) {
  std::string text = "processes,process,interval,gap_start_ns,gap_end_ns\n";
  for (const int processes : {2, 3, 4, 8}) {
    if (processes > most_processes(gpu) || (session.quick && processes != 2 && processes != 4)) continue;
    session.progress(0.1, fmt::format("{} processes that watch the clock", processes));
    const auto reports = in_processes(processes, session, {20 + 10 * seconds}, [&](int, Gate& gate) {
      setenv("CUDA_MPS_PIPE_DIRECTORY", "/nonexistent", 1);
      std::string report;
      put(report, watch(Gpu(), seconds, gate));
      return report;
    });
    // Only the time in which all of them watch counts.
    double first = 0, last = std::numeric_limits<double>::max();
    std::vector<std::vector<std::pair<double, double>>> times;
    for (const std::string& report : reports) {
      std::string_view bytes = report;
      const auto gaps = take<Gap>(bytes);
      if (gaps.empty()) throw ProbeError("a process that watches the clock saw nothing");
      first = std::max(first, static_cast<double>(gaps.front().from_ns));
      last = std::min(last, static_cast<double>(gaps.front().to_ns));
      times.push_back(times_of(gaps, step_ns));
    }
    for (auto& of_one : times)
      std::erase_if(of_one, [&](const auto& gap) { return gap.first < first || gap.second > last; });
    for (std::size_t p = 0; p < times.size(); ++p)
      for (std::size_t i = 0; i < times[p].size(); ++i)
        text += fmt::format("{},{},{},{:.0f},{:.0f}\n", processes, p, i, times[p][i].first - first,
                            times[p][i].second - first);
  }
  return text;
}

// A configuration of synthetic processes: batches of kernels of `kernel_us`, `batch_ms` long.
struct Synthetic {
  struct Process {
    double batch_ms, kernel_us;
  };
  std::string name;
  std::vector<Process> processes;
  unsigned blocks = 0, threads = 256;  // 0 blocks: one for each SM
  bool graph = true, blocking = false;
  bool in_quick = true;
};

std::vector<Synthetic> synthetic_runs() {
  const auto equal = [](int count, double batch_ms, double kernel_us) {
    return std::vector<Synthetic::Process>(static_cast<std::size_t>(count), {batch_ms, kernel_us});
  };
  return {{"solo b1.0 d5", equal(1, 1, 5)},
          {"eq2 b0.6 d5", equal(2, 0.6, 5)},
          {"eq2 b1.0 d20", equal(2, 1, 20)},
          {"eq2 b2.5 d20", equal(2, 2.5, 20), 0, 256, true, false, false},
          {"eq2 b6.0 d20", equal(2, 6, 20)},
          {"eq2 b6.0 d100", equal(2, 6, 100), 0, 256, true, false, false},
          {"eq2 b6.0 d20 blocks1", equal(2, 6, 20), 1, 32},
          {"eq2 b6.0 d20 threads1024", equal(2, 6, 20), 0, 1024},
          {"eq2 b6.0 d20 threads512", equal(2, 6, 20), 0, 512, true, false, false},
          {"uneq2 .96d5 4.0d40", {{0.96, 5}, {4, 40}}, 0, 256, true, false, false},
          {"mix3 .6d3 9d50 6d30", {{0.6, 3}, {9, 50}, {6, 30}}, 0, 256, true, false, false},
          {"eq4 b1.0 d5", equal(4, 1, 5), 0, 256, true, false, false},
          {"eq8 b1.0 d5", equal(8, 1, 5), 0, 256, true, false, false},
          {"eq8 b6 d100", equal(8, 6, 100), 0, 256, true, false, false},
          {"stream eq2 b1.0 d20", equal(2, 1, 20), 0, 256, false},
          {"stream eq2 b6 d20", equal(2, 6, 20), 0, 256, false, false, false},
          {"block eq2 b1.0 d5", equal(2, 1, 5), 0, 256, true, true},
          {"block stream eq2 b1.0 d20", equal(2, 1, 20), 0, 256, false, true, false}};
}

// The turns that a run of synthetic processes showed.
struct Seen {
  const Synthetic* run;
  double batches_per_turn;  // mean, of turns that begin and end in the run
  double turn_us;           // median
};

struct TurnTables {
  std::string configs =
      "config,process,batch_ms,kernel_us,kernels_per_batch,blocks,threads,mode,sync,host_report\n";
  std::string intervals =
      "config,process,start_us,length_us,kernels,first_kernel,last_kernel,batch_kernels,gap_before_us\n";
  std::string sparse = "config,process,start_us,length_us,kernels,first_kernel,last_kernel,gap_before_us\n";
};

// The time that a kernel of a graph takes beside its spin, in microseconds: so a kernel can be given a
// length.
double overhead_us(const Session& session, const GpuFacts& gpu) {
  constexpr double spin_us = 20;
  const Loops loop{{.kernel = {KernelKind::spin, static_cast<unsigned>(gpu.sms), 256,
                               static_cast<std::uint64_t>(spin_us * gpu.clock_mhz)},
                    .kernels_per_batch = 100}};
  const auto result = run_processes(session, std::span(&loop, 1), 0.05, 0.1);
  std::vector<double> apart;
  const auto& stamps = result.front().stamps;
  for (std::size_t i = 1; i < stamps.size(); ++i)
    apart.push_back(static_cast<double>(stamps[i].start - stamps[i - 1].start) / 1e3 - spin_us);
  if (apart.empty()) throw ProbeError("no kernel ran");
  return std::max(0.0, median(apart));
}

Loop loop_of(const Synthetic& run, const Synthetic::Process& process, const GpuFacts& gpu, double overhead) {
  const unsigned blocks = run.blocks > 0 ? run.blocks : static_cast<unsigned>(gpu.sms);
  return {.kernel = {KernelKind::spin, blocks, run.threads,
                     static_cast<std::uint64_t>(
                         std::max(0.2 * process.kernel_us, process.kernel_us - overhead) * gpu.clock_mhz)},
          .kernels_per_batch =
              std::max(1, static_cast<int>(std::lround(1e3 * process.batch_ms / process.kernel_us))),
          .graph = run.graph,
          .blocking = run.blocking,
          .kept = 1 << 16};
}

// The setting that all runs of synthetic processes share.
struct Setting {
  const Session& session;
  const GpuFacts& gpu;
  double overhead_us, seconds;
};

void run_synthetic(const Setting& setting, const Synthetic& run, TurnTables& tables,
                   std::vector<Seen>& seen) {
  std::vector<Loops> processes;
  for (const Synthetic::Process& process : run.processes)
    processes.push_back({loop_of(run, process, setting.gpu, setting.overhead_us)});
  const auto results = run_processes(setting.session, processes, usual_warm_up_s, setting.seconds);
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const Loop& loop = processes[p].front();
    tables.configs += fmt::format(
        "{},{},{:g},{:g},{},{},{},{},{},{} batches {:.0f} per_s {:.1f} err no error\n", run.name, p,
        run.processes[p].batch_ms, run.processes[p].kernel_us, loop.kernels_per_batch, loop.kernel.blocks,
        loop.kernel.threads, run.graph ? "graph" : "stream", run.blocking ? "block" : "spin", p,
        results[p].batches, results[p].batches / results[p].seconds);
  }
  if (processes.size() < 2) return;
  const auto turns = owned_turns(processes, results);
  std::vector<double> lengths, batches;
  for (std::size_t i = 0; i < std::min(turns.size(), most_rows); ++i) {
    const OwnedTurn& turn = turns[i];
    const int in_batch = processes[turn.process].front().kernels_per_batch;
    tables.intervals += fmt::format("{},{},{:.2f},{:.2f},{},{},{},{},{:.2f}\n", run.name, turn.process,
                                    turn.start_us, turn.length_us, turn.kernels, turn.first_kernel,
                                    turn.first_kernel + turn.kernels - 1, in_batch, turn.gap_before_us);
  }
  for (const OwnedTurn& turn : turns) {
    lengths.push_back(turn.length_us);
    batches.push_back(static_cast<double>(turn.kernels) / processes[turn.process].front().kernels_per_batch);
  }
  if (!turns.empty()) seen.push_back({&run, median(batches), median(lengths)});
}

// A process that launches a kernel of `kernel_us` every `pace_us`, 200 to a batch, among others like it.
struct Sparse {
  double kernel_us, pace_us;
  int processes;
  bool blocking = false, beside_dense = false, in_quick = true;
};
constexpr Sparse sparse_list[] = {{2, 8, 2, false, false, false},
                                  {2, 15, 2},
                                  {2, 15, 4, false, false, false},
                                  {2, 40, 2, false, false, false},
                                  {2, 40, 4, false, false, false},
                                  {2, 150, 2, false, false, false},
                                  {2, 150, 4, false, false, false},
                                  {5, 15, 2, false, false, false},
                                  {5, 40, 2, false, false, false},
                                  {5, 40, 4, false, false, false},
                                  {20, 60, 2},
                                  {2, 15, 2, true, false, false},
                                  {2, 150, 2, false, true, false}};
constexpr int sparse_batch = 200;

void run_sparse(const Session& session, const Sparse& run, const GpuFacts& gpu, double seconds,
                TurnTables& tables) {
  const auto loop = [&](double kernel_us, double pace_us) {
    return Loop{.kernel = {KernelKind::spin, static_cast<unsigned>(gpu.sms), 256,
                           static_cast<std::uint64_t>(kernel_us * gpu.clock_mhz)},
                .kernels_per_batch = sparse_batch,
                .graph = false,
                .blocking = run.blocking,
                .pace_us = pace_us,
                .kept = 1 << 15};
  };
  std::vector<Loops> processes(static_cast<std::size_t>(run.processes), {loop(run.kernel_us, run.pace_us)});
  if (run.beside_dense) processes.back() = {loop(20, 0)};
  const std::string name = fmt::format(
      "d{:g} pace{:g} {}{}", run.kernel_us, run.pace_us,
      run.beside_dense ? "with dense d20" : fmt::format("P{}", run.processes), run.blocking ? " block" : "");
  const auto turns = owned_turns(processes, run_processes(session, processes, usual_warm_up_s, seconds));
  for (std::size_t i = 0; i < std::min(turns.size(), most_rows); ++i) {
    const OwnedTurn& turn = turns[i];
    tables.sparse += fmt::format("{},{},{:.2f},{:.2f},{},{},{},{:.2f}\n", name, turn.process, turn.start_us,
                                 turn.length_us, turn.kernels, turn.first_kernel,
                                 turn.first_kernel + turn.kernels - 1, turn.gap_before_us);
  }
}

void add(Outcome& outcome, const char* parameter, const char* unit, const std::optional<Estimate>& found,
         const char* how) {
  if (!found || !(found->value > 0)) return;
  outcome.parameters.push_back(
      {parameter, found->value, unit, found->sd / found->value, found->samples, how});
}

// The end of a turn whose process has launched more meanwhile: it goes on to the slice's end, or it ends
// after the batches that were there when it began.
void add_refills(Outcome& outcome, const std::vector<Seen>& seen, double slice_us) {
  const std::pair<const char*, const char*> runs[] = {{"eq2 b0.6 d5", "refill.graph_of_kernels_spinning"},
                                                      {"stream eq2 b1.0 d20", "refill.launches_spinning"},
                                                      {"block eq2 b1.0 d5", "refill.blocking"}};
  for (const auto& [name, parameter] : runs) {
    const auto found = std::ranges::find_if(seen, [&](const Seen& one) { return one.run->name == name; });
    if (found == seen.end()) continue;
    const bool goes_on = found->turn_us > 0.9 * slice_us || found->batches_per_turn > 2.5;
    outcome.parameters.push_back({parameter, goes_on ? 1.0 : 0.0, "bool", 0, 1,
                                  fmt::format("{}: {:.2f} batches a turn of {:.0f} us", name,
                                              found->batches_per_turn, found->turn_us)});
  }
}

void add_estimates(Outcome& outcome, const std::string& timeslices, const TurnTables& tables,
                   const std::vector<Seen>& seen) {
  const auto spinning = spinners(input::CsvTable::parse(timeslices, "timeslices.csv"));
  const char* const watched = "processes that watch the GPU's clock";
  add(outcome, "gpu.time_slicing.slice", "us", spinning.slice, watched);
  add(outcome, "gpu.time_slicing.slice_jitter", "us", spinning.slice_jitter, watched);
  add(outcome, "seen.switch_at_expiry_without_state", "us", spinning.switch_at_expiry, watched);
  if (!spinning.slice) {
    outcome.problems.emplace_back(
        "no process was stopped in a kernel: kernels run to their end here, or the GPU gave no second "
        "process a turn");
    return;
  }
  const double slice_us = spinning.slice->value;
  const auto sharing = sharing_runs(input::CsvTable::parse(tables.configs, "sharing_configs.csv"),
                                    input::CsvTable::parse(tables.intervals, "sharing_intervals.csv"));
  const auto sparse = sparse_runs(input::CsvTable::parse(tables.sparse, "sparse_launch_intervals.csv"));
  add(outcome, "gpu.time_slicing.switch_when_idle", "us", out_of_work_switch(sharing, sparse, slice_us),
      "gaps where every turn ends out of work");
  add(outcome, "gpu.time_slicing.restart_after_expiry", "us", restart_after_expiry(sharing, slice_us),
      "slice less the kernels of a turn");
  const auto paced = paced_launches(sparse, slice_us);
  add(outcome, "runtimes.paced.per_launch", "us", paced.per_launch, "time between launches less the pace");
  add(outcome, "runtimes.paced.gpu_per_launch", "us", paced.gpu_per_launch,
      "length of a turn by its kernels");
  add_refills(outcome, seen, slice_us);
}

}  // namespace

Outcome turns(const Session& session) {
  Outcome outcome;
  const GpuFacts gpu = identify(session);
  const std::uint64_t step_ns = timer_step(session);
  outcome.parameters.push_back({"seen.globaltimer_step", static_cast<double>(step_ns) / 1e3, "us", 0, 1,
                                "least difference of two readings of the GPU's clock"});
  const std::string timeslices =
      timeslices_csv(session, gpu, session.pace * (session.quick ? 0.3 : 0.6), step_ns);
  TurnTables tables;
  std::vector<Seen> seen;
  const auto runs = synthetic_runs();
  const Setting setting{session, gpu, overhead_us(session, gpu), session.quick ? 0.4 : 0.8};
  double done = 0.2;
  for (const Synthetic& run : runs) {
    if (session.quick && !run.in_quick) continue;
    if (static_cast<int>(run.processes.size()) > most_processes(gpu)) continue;
    session.progress(done, run.name);
    run_synthetic(setting, run, tables, seen);
    done += 0.4 / static_cast<double>(runs.size());
  }
  for (const Sparse& run : sparse_list) {
    if (session.quick && !run.in_quick) continue;
    if (run.processes > most_processes(gpu)) continue;
    session.progress(done, fmt::format("a launch every {:g} us, {} processes", run.pace_us, run.processes));
    run_sparse(session, run, gpu, session.quick ? 0.4 : 0.8, tables);
    done += 0.4 / static_cast<double>(std::size(sparse_list));
  }
  write_file(session, outcome, "timeslices.csv", timeslices);
  write_file(session, outcome, "sharing_configs.csv", tables.configs);
  write_file(session, outcome, "sharing_intervals.csv", tables.intervals);
  write_file(session, outcome, "sparse_launch_intervals.csv", tables.sparse);
  add_estimates(outcome, timeslices, tables, seen);
  return outcome;
}

}  // namespace jostle::calibration::probe
