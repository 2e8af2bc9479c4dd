// The latencies of a process, and the activity of the board, as metrics of the result.
#include "scenarios/run/metrics.hpp"

#include <algorithm>
#include <array>

#include "scenarios/result/board_result.hpp"
#include "scenarios/result/ratio.hpp"

namespace jostle::scenarios {
namespace {

struct Percentile {
  const char* name;
  double share;
  Metric Times::*value;
  Interval Times::Ci95::*ci95;  // null: has no interval in the result
  bool tail;                    // true: omitted unless its interval is known
};
constexpr std::array<Percentile, 4> percentiles{{{"p50", 0.50, &Times::p50, &Times::Ci95::p50, false},
                                                 {"p90", 0.90, &Times::p90, &Times::Ci95::p90, true},
                                                 {"p95", 0.95, &Times::p95, nullptr, true},
                                                 {"p99", 0.99, &Times::p99, &Times::Ci95::p99, true}}};

Metric ms(const std::optional<double>& seconds) {
  return seconds ? Metric(*seconds * 1e3) : std::nullopt;
}
Interval interval_ms(const std::optional<sim::Interval>& seconds) {
  return seconds ? Interval({std::max(seconds->low * 1e3, 0.0), seconds->high * 1e3}) : std::nullopt;
}

}  // namespace

Times times_of(const sim::Observations& seconds, const Window& window, bool every_percentile) {
  const sim::Quantiles& of = seconds.quantiles();
  const sim::Series& series = seconds.series();
  Times times;
  times.mean = ms(of.mean());
  times.samples = static_cast<std::int64_t>(of.count());
  times.ci95.mean = interval_ms(series.mean_ci95());
  const std::vector<double> shares{percentiles[0].share, percentiles[1].share, percentiles[2].share,
                                   percentiles[3].share};
  const bool all_kept = of.exact() && series.kept() == of.count();
  const auto known = all_kept ? series.quantiles_known(shares, of.sorted()) : series.quantiles_known(shares);
  double longer = 1;
  for (std::size_t i = 0; i < percentiles.size(); ++i) {
    const Percentile& percentile = percentiles[i];
    if (percentile.ci95 != nullptr) times.ci95.*percentile.ci95 = interval_ms(known[i].ci95);
    // If a percentile is not known, no higher one is known.
    if (percentile.tail && !every_percentile && (!known[i].ci95 || !times.needs.empty())) {
      longer = std::max(longer, known[i].longer);
      if (percentile.ci95 != nullptr) (times.ci95.*percentile.ci95).reset();
      if (of.count() > 0) times.needs.emplace_back(percentile.name, NeededRun{window.seconds() * longer});
      continue;
    }
    times.*percentile.value = ms(of.quantile(percentile.share));
  }
  return times;
}

Latency latency_of(const process::Served& served, const Unserved& unserved, const Window& window,
                   bool every_percentile) {
  Latency latency{times_of(served.latencies(), window, every_percentile), {}, unserved.waiting, {}, {}};
  const auto lost = static_cast<double>(unserved.waiting + unserved.dropped);
  const auto all = static_cast<double>(latency.samples) + lost;
  for (const Percentile& percentile : percentiles) {
    const bool is_known = latency.*percentile.value || !percentile.tail;
    if (is_known && lost > (1 - percentile.share) * all) latency.of_served.emplace_back(percentile.name);
  }
  return latency;
}

// Metrics of the board in a result: activity of its parts, co-runners, link.

using sim::Duration;

void add_system(Result& result, board::Board& board, const board::Clocks& clocks) {
  SystemResult& system = result.system;
  double sum = 0;
  bool all = true;
  for (const ProcessResult& process : result.processes) {
    if (!in_total(result, process)) continue;
    all = all && process.throughput.mean.has_value();
    sum += process.throughput.mean.value_or(0);
  }
  if (all) system.throughput = sum;
  const board::Board::Totals totals = board.totals();
  const double elapsed = sim::to_seconds(totals.elapsed);
  if (board.device().has_gpu()) {
    system.gpu.busy = ratio(sim::to_seconds(totals.gpu_busy), elapsed);
    // The load reported by the driver counts a GPU that is switching contexts as busy.
    system.gpu.reported_load = ratio(sim::to_seconds(totals.gpu_busy + totals.gpu_switching), elapsed);
    system.gpu.array = sm_array(totals.gpu_used, elapsed);
    // If the GPU ran but moved no bytes, the traffic of its kernels is not known.
    if (totals.gpu_used.dram_bytes > 0 || totals.gpu_busy == Duration::zero()) {
      system.memory.bandwidth_gb_s = ratio((totals.gpu_used.dram_bytes + totals.other_bytes) / 1e9, elapsed);
    }
    system.gpu.clock_mhz = clocks.gpu_hz / 1e6;
    if (board.has_compositor())
      system.gpu.compositor = ratio(sim::to_seconds(totals.compositor_busy), elapsed);
    if (totals.gpu_repeating > Duration::zero())
      system.gpu.repeated = ratio(sim::to_seconds(totals.gpu_repeating), elapsed);
    system.gpu.switches_per_s = ratio(static_cast<double>(totals.gpu_switches), elapsed);
  }
  for (std::size_t i = 0; i < totals.dla_busy.size(); ++i) {
    system.dla.push_back({.name = board.dlas()[i].name(),
                          .busy = ratio(sim::to_seconds(totals.dla_busy[i]), elapsed),
                          .clock_mhz = clocks.dla_hz / 1e6});
  }
  for (std::size_t i = 0; i < totals.engine_busy.size(); ++i)
    system.engines.push_back({std::string(media::to_string(board.engines()[i].kind())),
                              ratio(sim::to_seconds(totals.engine_busy[i]), elapsed)});
  system.cpu.busy_cores = ratio(sim::to_seconds(totals.cores_busy), elapsed);
  if (board.interrupted()) system.cpu.interrupted = ratio(sim::to_seconds(totals.interrupted), elapsed);
  system.cpu.migrations_per_s = ratio(static_cast<double>(totals.migrations), elapsed);
  system.cpu.involuntary_switches_per_s = ratio(static_cast<double>(totals.involuntary_switches), elapsed);
}

void add_effective_clock(GpuResult& result, const gpu::Spec& gpu) {
  const Metric &mhz = result.clock_mhz, &tensor = result.array.tensor_active;
  if (gpu.droop.per_hz <= 0 || !mhz || !tensor || result.busy.value_or(0) <= 0) return;
  result.clock_effective_mhz = *mhz * gpu::droop_at(gpu.droop, 1e6 * *mhz).speed(1, *tensor / *result.busy);
}

void add_loads(Result& result, const board::Board& board, double seconds) {
  for (std::size_t i = 0; i < board.loads().size(); ++i) {
    const process::CoRunner& load = board.loads()[i];
    LoadResult& load_result = result.loads[i];
    if (process::row_of(load.spec().kind).moves_memory())
      load_result.bandwidth_gb_s = ratio(load.bytes() / 1e9, seconds);
    load_result.busy_cores = ratio(sim::to_seconds(load.on_cores()), seconds);
  }
}

void add_link(SystemResult& system, const link::Link& link, double elapsed, double load) {
  const link::Link::Statistics sums = link.statistics();
  const auto sent = static_cast<double>(sums.sent), tries = static_cast<double>(sums.tries);
  system.link = {.busy = ratio(sim::to_seconds(sums.busy), elapsed),
                 .load = load,
                 .requests_per_s = ratio(sent, elapsed),
                 .resends = ratio(tries - sent, sent),
                 .wait_ms = ratio(sim::to_ms(sums.waited), tries),
                 .queued = sums.queued,
                 .tries = tries,
                 .power_w = ratio(8 * sums.bytes * link.spec().energy_per_bit_j, elapsed)};
}

}  // namespace jostle::scenarios
