// What a thread loses that comes back to a core without its data: after others ran there, and after it moved.
//
// The model (models/cpu/cache_debt.hpp): a debt of `preempted` times min(1, working set / cache) times
// 1 - exp(-t / preempted_time_constant) after others ran for t; of `migrated_within` or `migrated_across`
// times the first factor after a move.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/loss_law.hpp"
#include "calibration/probe/workers.hpp"
#include "calibration/probe/working_set.hpp"

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
  std::size_t bytes;     // of the working set
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

// Moves between two cores, and times what passes take longer after each move.
void move_about(RefillSamples& shared, const std::array<int, 2>& cores, std::size_t bytes) {
  WorkingSet set(bytes);
  for (std::size_t at = 0; !shared.signals.stop; at = 1 - at) {
    set.pass();
    set.pass();
    if (!run_on(cores[1 - at])) return;
    std::vector<double> times;
    for (int i = 0; i < 8; ++i) times.push_back(static_cast<double>(set.timed_pass()));
    const double warm = median({times.begin() + 3, times.end()});
    shared.warm_us.add(1e-3 * warm);
    if (!shared.refill_us.add(1e-3 * (times[0] + times[1] + times[2] - 3 * warm))) return;
  }
}

// The debts of several working sets, and the one of a set that fills the cache.
class RefillCurve {
 public:
  explicit RefillCurve(double cache_bytes) : cache_bytes_(cache_bytes) {}
  void add(std::size_t bytes, const Summary& us) {
    const double filled = cache_bytes_ > 0 ? static_cast<double>(bytes) / cache_bytes_ : 0;
    if (filled >= 0.12 && filled <= 1.01 && us.value > 0) {
      filled_.push_back(filled);
      us_.push_back(us.value);
    }
  }
  // Absent if no working set comes near the size of the cache.
  [[nodiscard]] std::optional<Summary> of_full_cache() const {
    if (filled_.empty()) return std::nullopt;
    Summary found = ratio_of(filled_, us_);
    if (filled_.size() < 3) found.relative_sd = 0.3;
    return found;
  }

 private:
  double cache_bytes_;
  std::vector<double> filled_, us_;
};

std::string size_name(std::size_t bytes) {
  return bytes >= 1024 * 1024 ? fmt::format("{}_MiB", bytes / 1024 / 1024)
                              : fmt::format("{}_KiB", bytes / 1024);
}

// How quickly others take the cache: debts of a working set of its size after several times away.
std::optional<LossLaw> measure_loss(const CpuBench& bench, double cache, std::size_t streamed,
                                    std::string& raw) {
  constexpr std::array away_ms{0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0};
  const auto bytes = static_cast<std::size_t>(cache);
  std::vector<LossPoint> points;
  for (const double ms : away_ms) {
    if (bench.session.interrupted) return std::nullopt;
    const auto samples = preemption_refills(bench, {bytes, ms, streamed, 0.2 + 1.0 * bench.pace});
    for (const double us : samples) raw += fmt::format("time,{},{:g},{:.3f}\n", bytes, ms, us);
    if (samples.size() >= 3) points.push_back({ms, median(samples)});
  }
  return fit_loss_law(points);
}

// The rows of a profile: the debt of a set that fills the cache after all is lost, and the time constant.
void add_preemption(const CpuCluster& cluster, const RefillCurve& curve, const std::optional<LossLaw>& law,
                    Outcome& outcome) {
  const auto full = curve.of_full_cache();
  if (!full) {
    outcome.problems.emplace_back(
        "the refill after preemption has no place in a profile: the cache of a core is not told");
    return;
  }
  const double lost = law ? law->lost(all_of_cache_ms) : 1;
  outcome.parameters.push_back(measured(
      "cpu.costs.preempted", scaled(*full, 1 / lost), "us",
      fmt::format("refills of an eighth to all of the {:g} KiB cache of a core, each over its part of it{}",
                  cluster.cache_bytes / 1024,
                  lost < 0.98
                      ? fmt::format(", over the {:.0f} % lost after {:g} ms", 100 * lost, all_of_cache_ms)
                      : "")));
  if (law)
    outcome.parameters.push_back(measured("cpu.costs.preempted_time_constant", law->time_constant_ms, "ms",
                                          "refills of a full cache after others streamed for 0.02 to 8 ms"));
  else
    outcome.problems.emplace_back(
        "the time constant of preemption was not measured: refills after 0.02 to 8 ms of others do not show "
        "it");
}

}  // namespace

void measure_preemption(const CpuBench& bench, Outcome& outcome) {
  const CpuCluster& cluster = bench.clusters.front();
  const auto streamed = static_cast<std::size_t>(std::max(4 * cluster.cache_bytes, 4.0 * 1024 * 1024));
  const auto sizes = working_sets(bench.session.quick);
  const double seconds = std::max(0.3, 1.2 * bench.pace);
  std::string raw = "experiment,bytes,away_ms,refill_us\n";
  RefillCurve curve(cluster.cache_bytes);
  for (const std::size_t bytes : sizes) {
    if (bench.session.interrupted) return;
    bench.session.progress(0.5, "refill after preemption, " + size_name(bytes));
    const auto samples = preemption_refills(bench, {bytes, all_of_cache_ms, streamed, seconds});
    for (const double us : samples) raw += fmt::format("size,{},{:g},{:.3f}\n", bytes, all_of_cache_ms, us);
    if (samples.size() < 3) continue;
    const Summary us = median_of(samples);
    curve.add(bytes, us);
    outcome.parameters.push_back(
        measured("seen.refill_preempted_" + size_name(bytes), us, "us",
                 fmt::format("passes over the working set after another process streamed for {:g} ms, "
                             "less warm ones",
                             all_of_cache_ms)));
  }
  if (bench.session.interrupted) return;
  bench.session.progress(0.7, "refill by time away");
  const auto law =
      cluster.cache_bytes > 0 ? measure_loss(bench, cluster.cache_bytes, streamed, raw) : std::nullopt;
  add_preemption(cluster, curve, law, outcome);
  outcome.files.push_back(write_raw(bench.session, "cpu_preemption", raw));
}

void measure_migration(const CpuBench& bench, Outcome& outcome) {
  struct Move {
    std::string_view parameter, seen, where;
    std::array<int, 2> cores;
    double cache_bytes;
  };
  std::vector<Move> moves;
  const CpuCluster& first = bench.clusters.front();
  if (first.cpus.size() > 1)
    moves.push_back({"cpu.costs.migrated_within",
                     "seen.refill_migrated_within_",
                     "inside a cluster",
                     {first.cpus.back(), first.cpus[first.cpus.size() - 2]},
                     first.cache_bytes});
  else
    outcome.problems.push_back("migration inside a cluster was not measured: the first cluster has one core");
  if (bench.clusters.size() > 1)
    moves.push_back({"cpu.costs.migrated_across",
                     "seen.refill_migrated_across_",
                     "between clusters",
                     {first.cpus.back(), bench.clusters[1].cpus.back()},
                     std::max(first.cache_bytes, bench.clusters[1].cache_bytes)});
  std::string raw = "move,bytes,refill_us\n";
  for (const Move& move : moves) {
    RefillCurve curve(move.cache_bytes);
    for (const std::size_t bytes : working_sets(bench.session.quick)) {
      if (bench.session.interrupted) return;
      bench.session.progress(0.8, fmt::format("refill after migration {}, {}", move.where, size_name(bytes)));
      const Shared<RefillSamples> shared;
      Workers workers;
      workers.start(move.cores[0], [&] { move_about(*shared, move.cores, bytes); });
      const auto samples =
          collect(bench.session, {.seconds = std::max(0.3, 0.8 * bench.pace), .least = 20, .most = 400},
                  workers, shared->signals, shared->refill_us);
      for (const double us : samples) raw += fmt::format("{},{},{:.3f}\n", move.where, bytes, us);
      if (samples.size() < 3) continue;
      curve.add(bytes, median_of(samples));
      outcome.parameters.push_back(
          measured(std::string(move.seen) + size_name(bytes), median_of(samples), "us",
                   fmt::format("passes over the working set after a move {}, less warm ones", move.where)));
    }
    if (const auto full = curve.of_full_cache())
      outcome.parameters.push_back(
          measured(std::string(move.parameter), *full, "us",
                   fmt::format("refills of an eighth to all of the cache of a core after moves {}, each "
                               "over its part of it",
                               move.where)));
  }
  if (!moves.empty()) outcome.files.push_back(write_raw(bench.session, "cpu_migration", raw));
}

}  // namespace jostle::calibration::probe
