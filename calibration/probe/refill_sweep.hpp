// Refills of working sets of all sizes, in rounds: a machine whose cores share more or less from one second
// to the next (threads of a virtual machine) differs from round to round, and the error says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

struct RefillSweep {
  std::string what;        // for the progress
  std::string seen;        // parameters are named so, with the size behind
  std::string how;         // the experiment
  double cache_bytes = 0;  // of a core; 0: not told
  double seconds = 1;      // of each size, all rounds together
  // Refills of a working set, us; runs for so many seconds.
  std::function<std::vector<double>(std::size_t bytes, double seconds)> sample;
};

// Adds a parameter of each size. Returns what a working set loses that fills the cache: the mean over those
// that fill an eighth to all of it, each over its part. Absent if none does.
[[nodiscard]] std::optional<Summary> measure_refills(const CpuBench& bench, const RefillSweep& sweep,
                                                     Outcome& outcome);

// The law by which a thread loses its cached state while others run: 1 - exp(-t / time constant), of a whole
// (models/cpu/cache_debt.hpp), fitted to debts after several times.
struct LossLaw {
  Summary time_constant_ms;  // the error is of jackknife: how far it moves without one of the points
  double whole = 0;          // the debt after all is lost, in the unit of the debts
  // The share that is lost after a time.
  [[nodiscard]] double lost(double ms) const;
};

struct LossPoint {
  double ms = 0;    // others ran for so long
  double debt = 0;  // loads that came back more slowly
};

// Least squares of the ratios of law and debts. Absent with fewer than four points, if a debt is not
// positive, or if the best time constant lies outside 0.002 to 30 ms: then the points do not show it.
[[nodiscard]] std::optional<LossLaw> fit_loss_law(const std::vector<LossPoint>& points);

// A working set that is read and written in passes, and what a pass costs once its cache is gone.

// Memory in lines of 64 bytes, visited page by page in a random order of pages, a line after the other in a
// page, as data of programs are. A pass changes every line.
class WorkingSet {
 public:
  explicit WorkingSet(std::size_t bytes);
  void pass();
  // The time of a pass, ns.
  [[nodiscard]] std::int64_t timed_pass();
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> pages_;  // first word of each, in the order of a pass
  std::size_t words_a_page_;
};

// The sizes that are measured: 16 KiB to 8 MiB, or a few of them.
[[nodiscard]] std::vector<std::size_t> working_sets(bool quick);

// The time that passes take longer than warm ones, in all: passes are timed until they are warm again, at
// most a few. ns.
[[nodiscard]] double refill_ns(WorkingSet& set, double warm_ns);
// The time of a warm pass: the median of a few, after one that warms. ns.
[[nodiscard]] double warm_pass_ns(WorkingSet& set);

}  // namespace jostle::calibration::probe
