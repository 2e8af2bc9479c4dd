// The part `cpu_memory`: what cores move to and from the memory, alone and beside each other, and its
// latency.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/memory_loads.hpp"
#include "input/counted.hpp"

namespace jostle::calibration::probe {
namespace {

class StreamTable {
 public:
  explicit StreamTable(const CpuBench& bench) : bench_(bench) {}

  // Runs streams and notes their rates; the sum of all at each sample, GB/s.
  std::vector<double> run(std::string_view experiment, const std::vector<MemoryStream>& streams) {
    rates_ = run_streams(bench_, streams, std::max(0.3, 1.6 * bench_.pace));
    std::vector<double> sums;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      sums.resize(std::max(sums.size(), rates_[i].size()));
      for (std::size_t n = 0; n < rates_[i].size(); ++n) {
        sums[n] += rates_[i][n];
        raw_ += fmt::format("{},{},{},{},{},{:.4f}\n", experiment, streams.size(), i,
                            to_string(streams[i].kind), n, rates_[i][n]);
      }
    }
    return sums;
  }
  [[nodiscard]] const std::vector<std::vector<double>>& rates() const { return rates_; }
  [[nodiscard]] const std::string& raw() const { return raw_; }

 private:
  const CpuBench& bench_;
  std::vector<std::vector<double>> rates_;
  std::string raw_ = "experiment,streams,stream,kind,sample,gb_per_s\n";
};

std::vector<MemoryStream> streams_on(const std::vector<int>& cores, std::size_t count, StreamKind kind) {
  std::vector<MemoryStream> streams;
  for (std::size_t i = 0; i < std::min(count, cores.size()); ++i)
    streams.push_back({kind, cores[cores.size() - 1 - i]});
  return streams;
}

void measure_readers(const CpuBench& bench, StreamTable& table, Outcome& outcome) {
  const std::vector<int> cores = bench.cores();
  double most = 0;
  for (std::size_t n = 1; n <= cores.size();
       n = n < 4 || n == cores.size() ? n + 1 : std::min(2 * n, cores.size())) {
    if (bench.session.interrupted) return;
    bench.session.progress(0.3 * static_cast<double>(n) / static_cast<double>(cores.size()),
                           fmt::format("{} readers", n));
    const auto sums = table.run("readers", streams_on(cores, n, StreamKind::read));
    if (sums.size() < 3) continue;
    const Summary rate = median_of(sums);
    most = std::max(most, rate.value);
    outcome.parameters.push_back(measured(fmt::format("seen.read_by_{}", n), rate, "GB/s",
                                          "processes that read 64 MiB each, a core each, together"));
    if (n == 1) {
      outcome.parameters.push_back(
          measured("memory.cores.read", rate, "GB/s", "a process on one core that reads 64 MiB"));
      outcome.parameters.push_back(
          measured("runtimes.cpu.core_bandwidth", rate, "GB/s", "a process on one core that reads 64 MiB"));
    }
    if (n == cores.size()) {
      const Summary all{most, rate.relative_sd, rate.samples};
      outcome.parameters.push_back(measured("memory.cores.together", all, "GB/s",
                                            "the most that processes on up to all cores read together"));
      outcome.parameters.push_back(measured("runtimes.cpu.bandwidth", all, "GB/s",
                                            "the most that processes on up to all cores read together"));
    }
  }
}

void measure_writers(const CpuBench& bench, StreamTable& table, Outcome& outcome) {
  const std::vector<int> cores = bench.cores();
  bench.session.progress(0.4, "writers and copies");
  const auto alone = table.run("writer", streams_on(cores, 1, StreamKind::write));
  if (alone.size() >= 3)
    outcome.parameters.push_back(
        measured("memory.cores.write", median_of(alone), "GB/s", "a process on one core that writes 64 MiB"));
  const auto copies = table.run("copy", streams_on(cores, 1, StreamKind::copy));
  if (copies.size() >= 3)
    outcome.parameters.push_back(measured("seen.copy_by_1", median_of(copies), "GB/s",
                                          "bytes copied by one process, 32 MiB to 32 MiB"));
  if (cores.size() < 2 || bench.session.interrupted) return;
  const auto writers = table.run("writers", streams_on(cores, cores.size(), StreamKind::write));
  if (writers.size() >= 3)
    outcome.parameters.push_back(measured(fmt::format("seen.write_by_{}", cores.size()), median_of(writers),
                                          "GB/s", "processes that write 64 MiB each, a core each, together"));
  auto mixed = streams_on(cores, cores.size(), StreamKind::write);
  mixed.front().kind = StreamKind::read;
  (void)table.run("reader beside writers", mixed);
  if (!table.rates().empty() && table.rates().front().size() >= 3)
    outcome.parameters.push_back(
        measured("seen.read_beside_writers", median_of(table.rates().front()), "GB/s",
                 fmt::format("a reader on a core beside {}", input::counted(cores.size() - 1, "writer"))));
}

void measure_latency(const CpuBench& bench, Outcome& outcome) {
  bench.session.progress(0.6, "latency");
  const double memory = read_identity(MachineFiles(bench.session.root)).memory_bytes;
  const auto latencies = load_latencies(bench, std::max(0.15, 0.5 * bench.pace), memory);
  std::string raw = "bytes,sample,load_ns\n";
  for (const LoadLatency& at : latencies) {
    for (std::size_t i = 0; i < at.ns.size(); ++i)
      raw += fmt::format("{},{},{:.4f}\n", at.bytes, i, at.ns[i]);
    if (at.ns.size() >= 3)
      outcome.parameters.push_back(measured(fmt::format("seen.load_in_{}_KiB", at.bytes / 1024),
                                            scaled(median_of(at.ns), 1e-3), "us",
                                            "a load that waits for the one before, at random in a region"));
  }
  int number = 0;
  for (const double bytes : cache_sizes(latencies))
    outcome.parameters.push_back(
        measured(fmt::format("seen.cache_{}", ++number), {bytes / 1024, 0.2, 2}, "KiB",
                 "loads become a third slower or more from a region to one of twice its size"));
  outcome.files.push_back(write_raw(bench.session, "cpu_latency", raw));
}

}  // namespace

Outcome cpu_memory(const Session& session) {
  Outcome outcome;
  const CpuBench bench = cpu_bench(session);
  StreamTable table(bench);
  measure_readers(bench, table, outcome);
  if (!session.interrupted) measure_writers(bench, table, outcome);
  outcome.files.push_back(write_raw(session, "cpu_memory", table.raw()));
  if (!session.interrupted) measure_latency(bench, outcome);
  session.progress(1, "done");
  return outcome;
}

}  // namespace jostle::calibration::probe
