// The speeds of cores: equal blocks of work that use what two hardware threads of a core share.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/two_speeds.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t most_cores = 4;
constexpr double block_ms = 1;

struct SpeedSamples {
  WorkerSignals signals;
  std::array<SampleBuffer, most_cores> block_ms;
};

double cpu_ms() {
  timespec at{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return 1e3 * static_cast<double>(at.tv_sec) + 1e-6 * static_cast<double>(at.tv_nsec);
}

// Walks through a table in an order that depends on what is read, beside three chains of multiplications: the
// ports and the first cache of a core are busy, as with an interpreter. A chain of additions alone would not
// notice the other hardware thread.
std::uint32_t work(const std::array<std::uint32_t, 4096>& table, std::int64_t steps) {
  std::uint32_t at = 1, a = 3, b = 5, c = 7;
  for (std::int64_t i = 0; i < steps; ++i) {
    at = table[(at ^ (a >> 20U)) & 4095U];
    a = a * 2654435761U + at;
    b = b * 2246822519U + (at >> 3U);
    c = (c ^ (c << 5U)) + b;
  }
  return at ^ a ^ b ^ c;
}

// A chain of dependent multiplications: it keeps its pace beside another hardware thread, and follows the
// clock.
std::uint32_t chain(std::int64_t steps) {
  std::uint32_t x = 1;
  for (std::int64_t i = 0; i < steps; ++i) x = x * 1664525U + 1013904223U;
  return x;
}

// Times blocks by the clock of the thread, so that what others take of the core does not count, and in
// chains, so that the clock of the core does not either.
void time_blocks(SampleBuffer& samples, const std::atomic<bool>& stop) {
  std::array<std::uint32_t, 4096> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) table[i] = (i * 2654435761U) >> 7U;
  volatile std::uint32_t result = 0;
  std::int64_t steps = 20'000;
  double took = 0;
  for (int again = 0; again < 8 && !stop; ++again) {
    const double start = cpu_ms();
    result = work(table, steps);
    took = cpu_ms() - start;
    if (took > 0)
      steps = std::clamp<std::int64_t>(std::llround(static_cast<double>(steps) * block_ms / took), 1'000,
                                       1'000'000'000);
  }
  double quickest = 1e9;
  for (double start = cpu_ms(); !stop; start = cpu_ms()) {
    result = result + work(table, steps);
    const double middle = cpu_ms();
    result = result + chain(steps / 8);
    const double of_chain = cpu_ms() - middle;
    if (!(of_chain > 0)) continue;
    quickest = std::min(quickest, of_chain);
    if (!samples.add((middle - start) * quickest / of_chain)) return;
  }
}

// At most four cores of the first cluster, no two of which are threads of one core of this machine.
std::vector<int> cores_apart(const CpuBench& bench) {
  const MachineFiles files(bench.session.root);
  std::vector<int> chosen;
  std::set<std::string> taken;
  const std::vector<int>& cpus = bench.clusters.front().cpus;
  for (auto cpu = cpus.rbegin(); cpu != cpus.rend() && chosen.size() < most_cores; ++cpu) {
    const std::string threads =
        files.line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", *cpu));
    if (taken.insert(threads.empty() ? fmt::format("{}", *cpu) : threads).second) chosen.push_back(*cpu);
  }
  return chosen;
}

void add_speeds(const std::optional<SpeedsFound>& found, std::size_t cores, double seconds,
                Outcome& outcome) {
  const std::string how = fmt::format("blocks of {:g} ms on {} core{} for {:.1f} s", block_ms, cores,
                                      cores == 1 ? "" : "s", seconds);
  if (!found) {
    add(outcome, "cpu.two_speeds.factor", {1, 0, cores}, "", how + ": cores have one speed");
    return;
  }
  add(outcome, "cpu.two_speeds.factor", found->factor, "", how);
  add(outcome, "cpu.two_speeds.weight", scaled(found->weight, 100), "%", how);
  add(outcome, "cpu.two_speeds.slow", found->slow_ms, "ms", how);
}

}  // namespace

void measure_speeds(const CpuBench& bench, Outcome& outcome) {
  const std::vector<int> cores = cores_apart(bench);
  const double seconds = 0.3 + 12 * bench.pace;
  const Shared<SpeedSamples> samples;
  Workers workers;
  for (std::size_t i = 0; i < cores.size(); ++i)
    workers.start(cores[i], [&, i] { time_blocks(samples->block_ms[i], samples->signals.stop); });
  wait_until(now_ns() + static_cast<std::int64_t>(1e9 * seconds), bench.session.interrupted);
  samples->signals.stop = true;
  workers.wait(0.6, bench.session.interrupted);
  if (bench.session.interrupted) return;
  std::vector<std::vector<double>> blocks;
  std::string raw = "core,block,ms\n";
  for (std::size_t i = 0; i < cores.size(); ++i) {
    blocks.push_back(samples->block_ms[i].all());
    for (std::size_t j = 0; j < blocks.back().size(); ++j)
      raw += fmt::format("{},{},{:.4f}\n", cores[i], j, blocks.back()[j]);
  }
  add_speeds(find_two_speeds(blocks), cores.size(), seconds, outcome);
  write_file(bench.session, outcome, "raw/cpu_speeds.csv", raw);
}

}  // namespace jostle::calibration::probe
