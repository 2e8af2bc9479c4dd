// The loss of a thread that moves to another core.
//
// The model (models/cpu/cache_debt.hpp): a debt of `migrated_within` or `migrated_across` times min(1,
// working set / cache).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/refill_sweep.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

struct MoveSamples {
  WorkerSignals signals;
  SampleBuffer refill_us, warm_us;
};

// Moves between two cores, and times what passes take longer after each move.
void move_about(MoveSamples& shared, const std::array<int, 2>& cores, std::size_t bytes) {
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

struct Move {
  std::string parameter, seen, where;
  std::array<int, 2> cores;
  double cache_bytes;
};

// The moves that this machine allows: inside the first cluster, and between the first two.
std::vector<Move> possible_moves(const CpuBench& bench, Outcome& outcome) {
  std::vector<Move> moves;
  const CpuCluster& first = bench.clusters.front();
  if (first.cpus.size() > 1)
    moves.push_back({"cpu.costs.migrated_within",
                     "seen.refill_migrated_within_",
                     "inside a cluster",
                     {first.cpus.back(), first.cpus[first.cpus.size() - 2]},
                     first.cache_bytes});
  else
    outcome.problems.emplace_back(
        "migration inside a cluster was not measured: the first cluster has one core");
  if (bench.clusters.size() > 1)
    moves.push_back({"cpu.costs.migrated_across",
                     "seen.refill_migrated_across_",
                     "between clusters",
                     {first.cpus.back(), bench.clusters[1].cpus.back()},
                     std::max(first.cache_bytes, bench.clusters[1].cache_bytes)});
  return moves;
}

}  // namespace

void measure_migration(const CpuBench& bench, Outcome& outcome) {
  const std::vector<Move> moves = possible_moves(bench, outcome);
  std::string raw = "move,bytes,refill_us\n";
  for (const Move& move : moves) {
    const RefillSweep sweep{
        .what = "refill after migration " + move.where,
        .seen = move.seen,
        .how = fmt::format("passes over the working set after a move {}, less warm ones", move.where),
        .cache_bytes = move.cache_bytes,
        .seconds = std::max(0.3, 0.8 * bench.pace),
        .sample = [&](std::size_t bytes, double seconds) {
          const Shared<MoveSamples> shared;
          Workers workers;
          workers.start(move.cores[0], [&] { move_about(*shared, move.cores, bytes); });
          auto samples = collect(bench.session, {.seconds = seconds, .least = 20, .most = 400}, workers,
                                 shared->signals, shared->refill_us);
          for (const double us : samples) raw += fmt::format("{},{},{:.3f}\n", move.where, bytes, us);
          return samples;
        }};
    const auto full = measure_refills(bench, sweep, outcome);
    if (bench.session.interrupted) return;
    if (full)
      add(outcome, move.parameter, *full, "us",
          fmt::format(
              "refills of an eighth to all of the cache of a core after moves {}, each over its part of it",
              move.where));
  }
  if (!moves.empty()) write_file(bench.session, outcome, "raw/cpu_migration.csv", raw);
}

}  // namespace jostle::calibration::probe
