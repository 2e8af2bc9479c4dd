#include "calibration/probe/memory_latency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t chased_line_bytes = 64;
constexpr int loads_of_sample = 20'000;

struct LatencySamples {
  WorkerSignals signals;
  SampleBuffer ns;
};

// One cycle through all lines in a random order (Sattolo's algorithm): a line holds the place of the next.
std::vector<std::uint64_t> chain_of(std::size_t bytes) {
  const std::size_t lines = bytes / chased_line_bytes, step = chased_line_bytes / sizeof(std::uint64_t);
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t state = 88172645463325252U;
  for (std::size_t i = lines - 1; i > 0; --i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    std::swap(order[i], order[state % i]);
  }
  std::vector<std::uint64_t> chain(lines * step);
  for (std::size_t i = 0; i < lines; ++i) chain[order[i] * step] = order[(i + 1) % lines] * step;
  return chain;
}

void chase(LatencySamples& shared, std::size_t bytes) {
  const std::vector<std::uint64_t> chain = chain_of(bytes);
  std::uint64_t at = 0;
  while (!shared.signals.stop) {
    const std::int64_t begin = now_ns();
    for (int i = 0; i < loads_of_sample; ++i) at = chain[at];
    shared.signals.ready = static_cast<int>(at & 1U);  // so that no load is left out
    if (!shared.ns.add(static_cast<double>(now_ns() - begin) / loads_of_sample)) return;
  }
}

}  // namespace

std::vector<LoadLatency> load_latencies(const CpuBench& bench, double seconds, double memory_bytes) {
  constexpr std::size_t smallest = 4096, largest = std::size_t{128} << 20U;
  std::vector<LoadLatency> latencies;
  for (std::size_t bytes = smallest; bytes <= largest; bytes *= 2) {
    if (bench.session.interrupted || (memory_bytes > 0 && static_cast<double>(bytes) > memory_bytes / 16))
      break;
    const Shared<LatencySamples> shared;
    Workers workers;
    workers.start(bench.core(), [&] { chase(*shared, bytes); });
    // Making the chain takes up to a second where memory is slow; the first sample also warms the caches.
    const double making = static_cast<double>(bytes) / 64e6;
    auto samples = collect(bench.session, {.seconds = seconds + making, .least = 20, .most = 500}, workers,
                           shared->signals, shared->ns);
    if (samples.size() > 1) samples.erase(samples.begin());
    if (!samples.empty()) latencies.push_back({bytes, std::move(samples)});
  }
  return latencies;
}

std::vector<double> cache_sizes(const std::vector<LoadLatency>& latencies) {
  std::vector<double> sizes;
  bool rising = false;
  for (std::size_t i = 1; i < latencies.size(); ++i) {
    const bool slower = median(latencies[i].ns) > 4.0 / 3 * median(latencies[i - 1].ns);
    if (slower && !rising)
      sizes.push_back(
          std::sqrt(static_cast<double>(latencies[i].bytes) * static_cast<double>(latencies[i - 1].bytes)));
    rising = slower;
  }
  return sizes;
}

}  // namespace jostle::calibration::probe
