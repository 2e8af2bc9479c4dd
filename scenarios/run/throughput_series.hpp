// The throughput of each process over time, in equal intervals.
#pragma once

#include <deque>
#include <vector>

#include "models/process/inference.hpp"
#include "sim/interval_means.hpp"

namespace jostle::scenarios {

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

}  // namespace jostle::scenarios
