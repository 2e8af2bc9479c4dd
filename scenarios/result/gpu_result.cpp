#include "scenarios/result/gpu_result.hpp"

#include <utility>

namespace jostle::scenarios {

namespace {

GpuWindows distribution(const board::GpuWindowShares& metrics, sim::Duration interval) {
  GpuWindows windows{.interval_us = sim::to_us(interval),
                     .samples = static_cast<std::int64_t>(metrics[0].count()),
                     .shares = {}};
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    const sim::ShareHistogram& histogram = metrics[metric];
    WindowShares shares;
    shares.name = board::gpu_window_names[metric];
    shares.mean = histogram.mean();
    shares.max = histogram.maximum();
    for (std::size_t i = 0; i < window_percentiles.size(); ++i)
      shares.percentiles[i] = histogram.quantile(window_percentiles[i] / 100.0);
    for (std::size_t percent = 0; percent <= 100 && histogram.count() > 0; ++percent)
      shares.cdf.push_back(*histogram.at_or_below(percent * sim::ShareHistogram::steps / 100));
    windows.shares.push_back(std::move(shares));
  }
  return windows;
}

}  // namespace

SmArray sm_array(const gpu::Usage& used, double elapsed) {
  if (elapsed <= 0) return {};
  const auto share = [elapsed](double seconds) { return seconds / elapsed; };
  return {.sm_active = share(used.sm_active),
          .issue_slot = share(used.issue_slot),
          .tensor_active = share(used.tensor_active),
          .occupancy = share(used.occupancy)};
}

sim::RunEnd run_until(sim::Engine& engine, sim::Time time, std::optional<board::GpuWindows>& windows) {
  while (windows && windows->end() <= time) {
    const sim::RunEnd end = engine.run(windows->end());
    if (engine.now() < windows->end()) return end;
    windows->sample();
  }
  return engine.run(time);
}

void add_windows(Result& result, const board::GpuWindows& windows) {
  std::size_t running = 0;
  for (ProcessResult& process : result.processes)
    if (process.status == "ok")
      process.gpu_windows = distribution(windows.of_process(running++), windows.interval());
  result.system.gpu.windows = distribution(windows.of_board(), windows.interval());
}

}  // namespace jostle::scenarios
