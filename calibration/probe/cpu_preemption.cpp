// The loss of a thread that comes back to its core after others ran there.
//
// The model (models/cpu/cache_debt.hpp): a debt of `preempted` times min(1, working set / cache) times
// 1 - exp(-t / preempted_time_constant) after others ran for t.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/refill_sweep.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

struct RefillSamples {
  WorkerSignals signals;
  SampleBuffer refill_us, warm_us;
};

constexpr double all_of_cache_ms = 4;  // others run for so long that little is left

// Lets another process run on this core for a while, and times what its own passes take longer then.
void give_way(RefillSamples& shared, const Pipe& to, const Pipe& from, std::size_t bytes) {
  WorkingSet set(bytes);
  set.pass();
  while (!shared.signals.stop) {
    const double warm = warm_pass_ns(set);
    if (!to.send() || !from.receive()) return;
    shared.warm_us.add(1e-3 * warm);
    if (!shared.refill_us.add(1e-3 * refill_ns(set, warm))) return;
  }
}

// Streams through its own memory for `ns` each time it is asked.
void empty_cache(const Pipe& to, const Pipe& from, std::int64_t ns, std::size_t bytes) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t), 1);
  std::size_t at = 0;
  while (from.receive()) {
    for (const std::int64_t end = now_ns() + ns; now_ns() < end;)
      for (int i = 0; i < 64; ++i) {
        words[at] += 1;
        at = at + 8 < words.size() ? at + 8 : 0;
      }
    if (!to.send()) return;
  }
}

struct Preemption {
  std::size_t bytes;     // bytes of the working set
  double away_ms;        // others ran for so long
  std::size_t streamed;  // through so many bytes
  double seconds;
};
std::vector<double> preemption_refills(const CpuBench& bench, const Preemption& experiment) {
  const Shared<RefillSamples> shared;
  const Pipe there, back;
  Workers workers;
  workers.start(bench.core(), [&] {
    empty_cache(back, there, static_cast<std::int64_t>(1e6 * experiment.away_ms), experiment.streamed);
  });
  workers.start(bench.core(), [&] { give_way(*shared, there, back, experiment.bytes); });
  return collect(bench.session, {.seconds = experiment.seconds, .least = 20, .most = 400}, workers,
                 shared->signals, shared->refill_us);
}

// How quickly others take the cache: debts of a working set of its size after several times away.
std::optional<LossLaw> measure_loss(const CpuBench& bench, double cache, std::size_t streamed,
                                    std::string& raw) {
  constexpr std::array away_ms{0.005, 0.01, 0.02, 0.04, 0.08, 0.2, 0.5, 1.0, 2.0, 4.0};
  const auto bytes = static_cast<std::size_t>(cache);
  std::vector<LossPoint> points;
  for (const double ms : away_ms) {
    if (bench.session.interrupted) return std::nullopt;
    const auto samples = preemption_refills(bench, {bytes, ms, streamed, 0.2 + 0.8 * bench.pace});
    for (const double us : samples) raw += fmt::format("time,{},{:g},{:.3f}\n", bytes, ms, us);
    if (samples.size() >= 3) points.push_back({ms, median(samples)});
  }
  return fit_loss_law(points);
}

// The rows of a profile: the debt of a set that fills the cache after all is lost, and the time constant.
void add_preemption(const CpuCluster& cluster, const std::optional<Summary>& full,
                    const std::optional<LossLaw>& law, Outcome& outcome) {
  if (!full) {
    outcome.problems.emplace_back(
        "the refill after preemption has no place in a profile: the cache of a core is not told");
    return;
  }
  const double lost = law ? law->lost(all_of_cache_ms) : 1;
  add(outcome, "cpu.costs.preempted", scaled(*full, 1 / lost), "us",
      fmt::format("refills of an eighth to all of the {:g} KiB cache of a core, each over its part of it{}",
                  cluster.cache_bytes / 1024,
                  lost < 0.98
                      ? fmt::format(", over the {:.0f} % lost after {:g} ms", 100 * lost, all_of_cache_ms)
                      : ""));
  if (law)
    add(outcome, "cpu.costs.preempted_time_constant", law->time_constant_ms, "ms",
        "refills of a full cache after others streamed for 0.005 to 4 ms");
  else
    outcome.problems.emplace_back(
        "the time constant of preemption was not measured: refills after 0.005 to 4 ms of others do not show "
        "it");
}

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

void measure_preemption(const CpuBench& bench, Outcome& outcome) {
  const CpuCluster& cluster = bench.clusters.front();
  const auto streamed = static_cast<std::size_t>(std::max(4 * cluster.cache_bytes, 4.0 * 1024 * 1024));
  std::string raw = "experiment,bytes,away_ms,refill_us\n";
  const RefillSweep sweep{
      .what = "refill after preemption",
      .seen = "seen.refill_preempted_",
      .how = fmt::format(
          "passes over the working set after another process streamed for {:g} ms, less warm ones",
          all_of_cache_ms),
      .cache_bytes = cluster.cache_bytes,
      .seconds = std::max(0.3, 1.2 * bench.pace),
      .sample = [&](std::size_t bytes, double seconds) {
        auto samples = preemption_refills(bench, {bytes, all_of_cache_ms, streamed, seconds});
        for (const double us : samples)
          raw += fmt::format("size,{},{:g},{:.3f}\n", bytes, all_of_cache_ms, us);
        return samples;
      }};
  const auto full = measure_refills(bench, sweep, outcome);
  if (bench.session.interrupted) return;
  bench.session.progress(0.7, "refill by time away");
  const auto law =
      cluster.cache_bytes > 0 ? measure_loss(bench, cluster.cache_bytes, streamed, raw) : std::nullopt;
  add_preemption(cluster, full, law, outcome);
  write_file(bench.session, outcome, "raw/cpu_preemption.csv", raw);
}

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
  write_file(bench.session, outcome, "raw/cpu_switch.csv", raw);
  const Summary found = median_of(samples);
  if (samples.size() < 3 || found.value <= 0) {
    outcome.problems.push_back("the cost of a switch was not measured: it is hidden by that of the calls");
    return;
  }
  add(outcome, "cpu.costs.context_switch", found, "us",
      "a byte through a pipe between two processes on one core, less that of a process with itself");
  add(outcome, "seen.pipe_calls", median_of(calls), "us", "a byte through a pipe of one process");
}

}  // namespace jostle::calibration::probe
