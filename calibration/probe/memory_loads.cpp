#include "calibration/probe/memory_loads.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
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

namespace {

constexpr std::size_t stream_bytes = std::size_t{64} << 20U, chunk_bytes = std::size_t{1} << 20U;
constexpr std::int64_t sample_ns = 50'000'000;
constexpr int most_streams = 256;

struct StreamCounters {
  WorkerSignals signals;
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> bytes;
  } counters[most_streams];
};

// Four words at a time, which the compiler loads as the processor can.
typedef std::uint64_t FourWords __attribute__((vector_size(32), aligned(8), may_alias));

std::uint64_t read_chunk(const std::uint64_t* words) {
  const auto* const at = reinterpret_cast<const FourWords*>(words);
  FourWords sums[4] = {};
  for (std::size_t i = 0; i < chunk_bytes / sizeof(FourWords); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += at[i + k];
  const FourWords sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

void stream(StreamCounters& shared, StreamKind kind, std::size_t place) {
  std::vector<std::uint64_t> words(stream_bytes / sizeof(std::uint64_t), place + 1);
  const std::size_t words_a_chunk = chunk_bytes / sizeof(std::uint64_t), half = words.size() / 2;
  std::atomic<std::uint64_t>& bytes = shared.counters[place].bytes;
  std::atomic<std::uint64_t> sum = 0;  // keeps what is read alive
  ++shared.signals.ready;
  for (std::size_t at = 0; !shared.signals.stop; bytes += chunk_bytes) {
    if (kind == StreamKind::read)
      sum += read_chunk(words.data() + at);
    else if (kind == StreamKind::write)
      std::memset(words.data() + at, static_cast<int>(at / words_a_chunk) & 0x7f, chunk_bytes);
    else
      std::memcpy(words.data() + half + at, words.data() + at, chunk_bytes);
    at = (at + words_a_chunk) % (kind == StreamKind::copy ? half : words.size());
  }
}

}  // namespace

const char* to_string(StreamKind kind) {
  return kind == StreamKind::read ? "read" : kind == StreamKind::write ? "write" : "copy";
}

std::vector<std::vector<double>> run_streams(const CpuBench& bench, const std::vector<MemoryStream>& streams,
                                             double seconds) {
  if (streams.size() > most_streams) return {};
  const Shared<StreamCounters> shared;
  Workers workers;
  for (std::size_t i = 0; i < streams.size(); ++i)
    workers.start(streams[i].core, [&, i] { stream(*shared, streams[i].kind, i); });
  const std::int64_t latest = now_ns() + 2'000'000'000;
  while (shared->signals.ready < static_cast<int>(streams.size())) {
    if (bench.session.interrupted || now_ns() > latest || workers.ended()) return {};
    sleep_ns(5'000'000);
  }
  wait_until(now_ns() + sample_ns, bench.session.interrupted);
  std::vector<std::vector<double>> rates(streams.size());
  std::vector<std::uint64_t> before(streams.size());
  std::int64_t last = 0;
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * seconds);
  while (now_ns() < end && !bench.session.interrupted) {
    const std::int64_t now = now_ns();
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const std::uint64_t bytes = shared->counters[i].bytes;
      if (last > 0)
        rates[i].push_back(static_cast<double>(bytes - before[i]) / static_cast<double>(now - last));
      before[i] = bytes;
    }
    last = now;
    wait_until(now + sample_ns, bench.session.interrupted);
  }
  if (bench.session.interrupted) return {};
  return rates;
}

}  // namespace jostle::calibration::probe
