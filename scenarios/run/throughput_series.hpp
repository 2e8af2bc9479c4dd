// The throughput of each process over time, in equal intervals.
#pragma once

#include <cstdint>
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
        batches_(processes) {}

  // At the end of each interval.
  void sample(const std::deque<process::Inference>& processes) {
    double total = 0;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const std::int64_t more = processes[i].batches() - batches_[i];
      batches_[i] += more;
      const double rate = static_cast<double>(more * processes[i].spec().batch) / interval_s_;
      of_process_[i].add(rate);
      total += rate;
    }
    total_.add(total);
  }
  // Before the processes forget what they did.
  void before_end_of_warmup(const std::deque<process::Inference>& processes) {
    for (std::size_t i = 0; i < batches_.size(); ++i) batches_[i] -= processes[i].batches();
  }

  // Images/s.
  [[nodiscard]] const sim::IntervalMeans& of_process(std::size_t process) const {
    return of_process_[process];
  }
  [[nodiscard]] const sim::IntervalMeans& total() const { return total_; }

 private:
  double interval_s_;
  std::vector<sim::IntervalMeans> of_process_;
  sim::IntervalMeans total_;
  std::vector<std::int64_t> batches_;  // counted
};

}  // namespace jostle::scenarios
