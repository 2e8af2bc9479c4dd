// Metrics of the board in a result: activity of its parts, co-runners, link.
#include "scenarios/result/board_result.hpp"
#include "scenarios/result/ratio.hpp"
#include "scenarios/run/metrics.hpp"

namespace jostle::scenarios {

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
                 .power_w = ratio(8 * sums.bytes * link.spec().energy_per_bit_j, elapsed)};
}

}  // namespace jostle::scenarios
