#include "calibration/probe/memory_streams.hpp"

#include <cstring>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
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
