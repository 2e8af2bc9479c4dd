// The clock at which a core runs, and how fast cores of different clusters are.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/hogs.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr int chain_length = 64;  // additions in a row of the loop

// A chain of additions, each of which waits for the one before: one takes a clock on every core that jostle
// knows. The loop around it costs nothing, as it does not wait. Elsewhere: 0.
double chained_additions(std::int64_t rounds) {
#if defined(__x86_64__)
  std::uint64_t sum = 1;
  const std::uint64_t one = 3;
  for (std::int64_t i = 0; i < rounds; ++i)
    asm volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
  return static_cast<double>(rounds) * chain_length;
#elif defined(__aarch64__)
  std::uint64_t sum = 1;
  const std::uint64_t one = 3;
  for (std::int64_t i = 0; i < rounds; ++i)
    asm volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
  return static_cast<double>(rounds) * chain_length;
#else
  return 0 * static_cast<double>(rounds);
#endif
}

struct ClockSamples {
  WorkerSignals signals;
  SampleBuffer mhz, layer_us;
};

void sample_clock(ClockSamples& shared) {
  constexpr std::int64_t rounds = 20'000;  // about half a millisecond
  Convolution layer;
  const std::int64_t warm = now_ns() + 100'000'000;
  while (now_ns() < warm) chained_additions(rounds);
  while (!shared.signals.stop) {
    std::int64_t begin = now_ns();
    const double clocks = chained_additions(rounds);
    shared.mhz.add(1e3 * clocks / static_cast<double>(now_ns() - begin));
    begin = now_ns();
    shared.signals.ready = static_cast<int>(layer.run()) & 1;
    if (!shared.layer_us.add(1e-3 * static_cast<double>(now_ns() - begin))) break;
  }
}

}  // namespace

void measure_clocks(const CpuBench& bench, Outcome& outcome) {
  const double seconds = std::max(0.4, 3 * bench.pace / static_cast<double>(bench.clusters.size()));
  std::string raw = "cluster,core,sample,mhz,layer_us\n";
  Summary fastest;
  std::vector<double> layers;
  for (std::size_t i = 0; i < bench.clusters.size() && !bench.session.interrupted; ++i) {
    const int core = bench.clusters[i].cpus.back();
    const Shared<ClockSamples> shared;
    Workers workers;
    workers.start(core, [&] { sample_clock(*shared); });
    const auto mhz = collect(bench.session, {.seconds = seconds, .least = 100, .most = 400}, workers,
                             shared->signals, shared->mhz);
    const std::vector<double> layer = shared->layer_us.all();
    for (std::size_t n = 0; n < std::min(mhz.size(), layer.size()); ++n)
      raw += fmt::format("{},{},{},{:.2f},{:.3f}\n", i, core, n, mhz[n], layer[n]);
    if (mhz.empty() || layer.empty()) {
      outcome.problems.push_back(
          fmt::format("the clock of core {} was not measured: the core gave no sample", core));
      continue;
    }
    const Summary clock = median_of(mhz);
    add(outcome, fmt::format("seen.clock_cluster_{}", i), clock, "MHz",
        "a chain of dependent additions, one a clock");
    add(outcome, fmt::format("seen.layer_cluster_{}", i), median_of(layer), "us",
        "a 3 x 3 convolution of 32 channels, 28 x 28, in fp32 on one core");
    if (clock.value > fastest.value) fastest = clock;
  }
  if (fastest.value > 0)
    add(outcome, "cpu.reference_clock", fastest, "MHz",
        "a chain of dependent additions, one a clock, on the fastest core");
  write_file(bench.session, outcome, "raw/cpu_clocks.csv", raw);
}

}  // namespace jostle::calibration::probe
