// How long after a wake-up a thread runs on a core that has idled for a while.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

struct WakeSamples {
  WorkerSignals signals;
  std::atomic<std::int64_t> woken_at;
  std::atomic<int> asleep;  // how often the sleeper went to sleep
  SampleBuffer us;
};

// Sleeps in a pipe, and notes how long after the wake-up it runs.
void sleep_and_note(WakeSamples& shared, const Pipe& bell) {
  while (true) {
    ++shared.asleep;
    if (!bell.receive()) return;
    const std::int64_t at = now_ns();
    if (!shared.us.add(1e-3 * static_cast<double>(at - shared.woken_at))) return;
  }
}

// Wakes the sleeper `idle_ns` after it fell asleep. Spins meanwhile, so that its own core is awake.
void wake_again(WakeSamples& shared, const Pipe& bell, std::int64_t idle_ns) {
  for (int round = 1; !shared.signals.stop; ++round) {
    while (shared.asleep < round && !shared.signals.stop) continue;
    const std::int64_t at = now_ns() + idle_ns;
    while (now_ns() < at && !shared.signals.stop) continue;
    shared.woken_at = now_ns();
    if (!bell.send()) return;
  }
}

std::vector<double> wake_latencies(const CpuBench& bench, std::int64_t idle_ns, double seconds) {
  const Shared<WakeSamples> shared;
  const Pipe bell;
  Workers workers;
  workers.start(bench.core(), [&] { sleep_and_note(*shared, bell); });
  workers.start(bench.other_core(), [&] { wake_again(*shared, bell, idle_ns); });
  return collect(bench.session, {.seconds = seconds, .least = 30, .most = 2000}, workers, shared->signals,
                 shared->us);
}

struct IdleLatency {
  double idle_ms;
  Summary us;
};

// A step in the latencies over the time idled: the core was in a deep state. Its place is between the two
// times around it.
void add_idle_state(const std::vector<IdleLatency>& latencies, Outcome& outcome) {
  if (latencies.size() < 3) return;
  const Summary shallow = latencies.front().us;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < latencies.size(); ++i)
    if (latencies[i].us.value > latencies[deepest].us.value) deepest = i;
  const double step = latencies[deepest].us.value - shallow.value;
  if (step < std::max(5.0, 0.5 * shallow.value)) {
    outcome.problems.push_back(fmt::format(
        "no deep idle state was seen: a wake-up takes {:.1f} us after {:g} ms and {:.1f} us after {:g} ms",
        shallow.value, latencies.front().idle_ms, latencies[deepest].us.value, latencies[deepest].idle_ms));
    return;
  }
  std::size_t above = 1;
  while (latencies[above].us.value < shallow.value + step / 2) ++above;
  const double low = latencies[above - 1].idle_ms, high = latencies[above].idle_ms;
  const double error = std::hypot(latencies[deepest].us.relative_sd * latencies[deepest].us.value,
                                  shallow.relative_sd * shallow.value);
  add(outcome, "cpu.idle_state.exit_latency", {step, error / step, latencies[deepest].us.samples}, "us",
      fmt::format("wake-ups after {:g} ms of idleness less those after {:g} ms", latencies[deepest].idle_ms,
                  latencies.front().idle_ms));
  add(outcome, "cpu.idle_state.residency",
      {std::sqrt(low * high), std::log(high / low) / 2 / std::sqrt(3.0), 2}, "ms",
      fmt::format("wake-ups become slower between {:g} and {:g} ms of idleness", low, high));
}

}  // namespace

void measure_wake_ups(const CpuBench& bench, Outcome& outcome) {
  if (bench.other_core() < 0) {
    outcome.problems.push_back("wake-ups of another core were not measured: there is one core only");
    return;
  }
  constexpr std::array idle_ms{0.05, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0};
  const double seconds = 1.6 * bench.pace + 0.2;
  std::string raw = "core,idle_ms,latency_us\n";
  std::vector<IdleLatency> latencies;
  for (const double idle : idle_ms) {
    if (bench.session.interrupted) return;
    const auto samples = wake_latencies(bench, static_cast<std::int64_t>(1e6 * idle), seconds);
    for (const double us : samples) raw += fmt::format("idle,{:g},{:.3f}\n", idle, us);
    if (samples.size() < 3) continue;
    latencies.push_back({idle, median_of(samples)});
    add(outcome, fmt::format("seen.wake_up_after_{:g}_ms", idle), latencies.back().us, "us",
        "a byte through a pipe to a process that slept on another, idle core");
  }
  add_idle_state(latencies, outcome);
  write_file(bench.session, outcome, "raw/cpu_wake_ups.csv", raw);
}

}  // namespace jostle::calibration::probe
