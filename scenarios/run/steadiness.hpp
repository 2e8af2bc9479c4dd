// Decides whether a run was steady: which metrics still change, where they settle, and whether the warm-up
// was long enough.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "models/board/dvfs.hpp"
#include "models/process/inference.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/heat.hpp"
#include "scenarios/run/stability.hpp"
#include "sim/interval_means.hpp"

namespace jostle::scenarios {

// The throughput of each process over time, in equal intervals.
class ThroughputSeries {
 public:
  ThroughputSeries(std::size_t processes, sim::Duration interval)
      : interval_s_(sim::to_seconds(interval)),
        of_process_(processes, sim::IntervalMeans(interval)),
        total_(interval),
        counted_(processes) {}

  // Records the interval that ends at `now`. Call it at the end of each interval.
  void sample(sim::Time now, const std::deque<process::Inference>& processes) {
    double total = 0;
    for (std::size_t i = 0; i < counted_.size(); ++i) {
      const double images = processes[i].rate().amount(now).value_or(0);
      const double rate = (images - counted_[i]) / interval_s_;
      counted_[i] = images;
      of_process_[i].add(rate);
      total += rate;
    }
    total_.add(total);
  }
  // Call before the processes reset their counters at the end of the warm-up.
  void before_end_of_warmup(sim::Time now, const std::deque<process::Inference>& processes) {
    for (std::size_t i = 0; i < counted_.size(); ++i)
      counted_[i] -= processes[i].rate().amount(now).value_or(0);
  }

  // The rates of each interval, in images/s.
  [[nodiscard]] const sim::IntervalMeans& of_process(std::size_t process) const {
    return of_process_[process];
  }
  [[nodiscard]] const sim::IntervalMeans& total() const { return total_; }

 private:
  double interval_s_;
  std::vector<sim::IntervalMeans> of_process_;
  sim::IntervalMeans total_;
  std::vector<double> counted_;  // images so far; a batch in progress counts by the part that is done
};

// The run, and the series recorded during it.
struct Watched {
  const Run& run;
  Window window;
  const ThroughputSeries& throughput;
  const board::Dvfs* dvfs;          // null: the device's power is not modelled
  const std::optional<Heat>& heat;  // none: its temperature is not modelled
};

// Largest change of a metric that is called steady, as a share of the metric.
inline constexpr double steady_within = 0.02;

// Sets `stationary`, the warm-up and the warnings. Call after the metrics of processes and board are set.
// `processes` are those that are ok.
void add_steadiness(Result& result, const Watched& watched, const std::deque<process::Inference>& processes);

// The end of the first transient (MSER-5), in seconds from the start: the later of throughput's and power's.
// Absent if one of them does not settle. Temperature does not count, since it takes minutes.
[[nodiscard]] std::optional<double> found_warmup_s(const Watched& watched);

// For each of these metrics: true if its error at `now` is within the requested one. `stable` is the
// stability of the process by open_load(). An overloaded process has no latency to determine, and its
// throughput is that of its server alone.
[[nodiscard]] Converged converged(const Until& until, const process::Inference& process,
                                  std::optional<bool> stable, sim::Time now);

}  // namespace jostle::scenarios
