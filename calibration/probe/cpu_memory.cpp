// The part `cpu_memory`: what cores move to and from the memory, alone and beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
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

void stream(StreamCounters& shared, bool writes, std::size_t place) {
  std::vector<std::uint64_t> words(stream_bytes / sizeof(std::uint64_t), place + 1);
  const std::size_t words_a_chunk = chunk_bytes / sizeof(std::uint64_t);
  std::atomic<std::uint64_t>& bytes = shared.counters[place].bytes;
  std::atomic<std::uint64_t> sum = 0;  // keeps what is read alive
  ++shared.signals.ready;
  for (std::size_t at = 0; !shared.signals.stop; bytes += chunk_bytes) {
    if (writes)
      std::memset(words.data() + at, static_cast<int>(at / words_a_chunk) & 0x7f, chunk_bytes);
    else
      sum += read_chunk(words.data() + at);
    at = (at + words_a_chunk) % words.size();
  }
}

// Streams through the memory, a process on each core that reads or writes: the GB/s of each while all run, in
// samples of 50 ms. Empty if the memory is not to be had or the probe is interrupted.
std::vector<std::vector<double>> run_streams(const CpuBench& bench, const std::vector<int>& cores, bool write,
                                             double seconds) {
  if (cores.size() > most_streams) return {};
  const Shared<StreamCounters> shared;
  Workers workers;
  for (std::size_t i = 0; i < cores.size(); ++i)
    workers.start(cores[i], [&, i] { stream(*shared, write, i); });
  const std::int64_t latest = now_ns() + 2'000'000'000;
  while (shared->signals.ready < static_cast<int>(cores.size())) {
    if (bench.session.interrupted || now_ns() > latest || workers.ended()) return {};
    sleep_ns(5'000'000);
  }
  wait_until(now_ns() + sample_ns, bench.session.interrupted);
  std::vector<std::vector<double>> rates(cores.size());
  std::vector<std::uint64_t> before(cores.size());
  std::int64_t last = 0;
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * seconds);
  while (now_ns() < end && !bench.session.interrupted) {
    const std::int64_t now = now_ns();
    for (std::size_t i = 0; i < cores.size(); ++i) {
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

class StreamTable {
 public:
  explicit StreamTable(const CpuBench& bench) : bench_(bench) {}

  // Runs streams on so many cores, from the last on, and notes their rates; the sum of all at each sample,
  // GB/s.
  std::vector<double> run(std::size_t count, bool write) {
    std::vector<int> cores = bench_.cores();
    std::ranges::reverse(cores);
    cores.resize(std::min(count, cores.size()));
    const auto rates = run_streams(bench_, cores, write, std::max(0.3, 1.6 * bench_.pace));
    std::vector<double> sums;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      sums.resize(std::max(sums.size(), rates[i].size()));
      for (std::size_t n = 0; n < rates[i].size(); ++n) {
        sums[n] += rates[i][n];
        raw_ += fmt::format("{},{},{},{},{},{:.4f}\n", write ? "writer" : "readers", cores.size(), i,
                            write ? "write" : "read", n, rates[i][n]);
      }
    }
    return sums;
  }
  [[nodiscard]] const std::string& raw() const { return raw_; }

 private:
  const CpuBench& bench_;
  std::string raw_ = "experiment,streams,stream,kind,sample,gb_per_s\n";
};

void measure_readers(const CpuBench& bench, StreamTable& table, Outcome& outcome) {
  const std::size_t cores = bench.cores().size();
  double most = 0;
  for (std::size_t n = 1; n <= cores; n = n < 4 || n == cores ? n + 1 : std::min(2 * n, cores)) {
    if (bench.session.interrupted) return;
    bench.session.progress(0.9 * static_cast<double>(n) / static_cast<double>(cores),
                           fmt::format("{} readers", n));
    const auto sums = table.run(n, false);
    if (sums.size() < 3) continue;
    const Summary rate = median_of(sums);
    most = std::max(most, rate.value);
    add(outcome, fmt::format("seen.read_by_{}", n), rate, "GB/s",
        "processes that read 64 MiB each, a core each, together");
    if (n == 1) {
      add(outcome, "memory.cores.read", rate, "GB/s", "a process on one core that reads 64 MiB");
      add(outcome, "runtimes.cpu.core_bandwidth", rate, "GB/s", "a process on one core that reads 64 MiB");
    }
    if (n == cores) {
      const Summary all{most, rate.relative_sd, rate.samples};
      add(outcome, "memory.cores.together", all, "GB/s",
          "the most that processes on up to all cores read together");
      add(outcome, "runtimes.cpu.bandwidth", all, "GB/s",
          "the most that processes on up to all cores read together");
    }
  }
}

void measure_writer(const CpuBench& bench, StreamTable& table, Outcome& outcome) {
  bench.session.progress(0.9, "a writer");
  const auto alone = table.run(1, true);
  if (alone.size() >= 3)
    add(outcome, "memory.cores.write", median_of(alone), "GB/s", "a process on one core that writes 64 MiB");
}

}  // namespace

Outcome cpu_memory(const Session& session) {
  Outcome outcome;
  const CpuBench bench = cpu_bench(session);
  StreamTable table(bench);
  measure_readers(bench, table, outcome);
  if (!session.interrupted) measure_writer(bench, table, outcome);
  write_file(session, outcome, "raw/cpu_memory.csv", table.raw());
  session.progress(1, "done");
  return outcome;
}

}  // namespace jostle::calibration::probe
