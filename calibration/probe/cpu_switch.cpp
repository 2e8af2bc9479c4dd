// The direct cost of a switch on a core: two processes that hand each other a byte, less what the calls cost.
#include <fmt/format.h>

#include <algorithm>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr int hand_overs = 200;  // hand-overs of a sample

struct SwitchSamples {
  WorkerSignals signals;
  SampleBuffer switch_us, calls_us;
};

// Sends and receives a byte for each hand-over, `hand_overs` times; microseconds for one.
double hand_over_us(const Pipe& to, const Pipe& from) {
  const std::int64_t begin = now_ns();
  for (int i = 0; i < hand_overs; ++i)
    if (!to.send() || !from.receive()) return 0;
  return 1e-3 * static_cast<double>(now_ns() - begin) / hand_overs;
}

void hand_to_other(SwitchSamples& shared, const Pipe& to, const Pipe& from, const Pipe& own) {
  while (!shared.signals.stop) {
    const double calls = hand_over_us(own, own);
    const double round_trip = hand_over_us(to, from);  // two switches, and the calls of both
    shared.calls_us.add(calls);
    if (!shared.switch_us.add(round_trip / 2 - calls)) break;
  }
}

}  // namespace

void measure_switch(const CpuBench& bench, Outcome& outcome) {
  const Shared<SwitchSamples> shared;
  const Pipe there, back, own;
  Workers workers;
  workers.start(bench.core(), [&] {
    while (there.receive() && back.send()) continue;
  });
  workers.start(bench.core(), [&] { hand_to_other(*shared, there, back, own); });
  const auto samples = collect(bench.session, {.seconds = 3 * bench.pace, .least = 200, .most = 1000},
                               workers, shared->signals, shared->switch_us);
  std::string raw = "sample,switch_us,calls_us\n";
  const auto calls = shared->calls_us.all();
  for (std::size_t i = 0; i < std::min(samples.size(), calls.size()); ++i)
    raw += fmt::format("{},{:.4f},{:.4f}\n", i, samples[i], calls[i]);
  outcome.files.push_back(write_raw(bench.session, "cpu_switch", raw));
  const Summary found = median_of(samples);
  if (samples.size() < 3 || found.value <= 0) {
    outcome.problems.push_back("the cost of a switch was not measured: it is hidden by that of the calls");
    return;
  }
  outcome.parameters.push_back(
      measured("cpu.costs.context_switch", found, "us",
               "a byte through a pipe between two processes on one core, less that of "
               "a process with itself"));
  outcome.parameters.push_back(
      measured("seen.pipe_calls", median_of(calls), "us", "a byte through a pipe of one process"));
}

}  // namespace jostle::calibration::probe
