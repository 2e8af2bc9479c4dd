// The operators that a framework's host ran, in a PyTorch profiler's trace of a few batches: how many there
// are in a batch, and the host's time for it without the profiler.
//
// Part of the reader of Chrome traces; not for use elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

class TracedHost {
 public:
  struct Span {
    double start, duration;  // us
    [[nodiscard]] double end() const { return start + duration; }
  };

  // Adds an operator, or a call of the CUDA runtime or driver, in any order.
  void add_operator(std::string_view name, double thread, Span span);
  void add_call(std::string_view name, Span span);

  // Adds rows on a batch that repeats, and a note: `launching_operators` and `view_operators`, outermost
  // operators that launch something and that launch nothing, and `host_time` (us), without the profiler. The
  // first batch, which warms up, does not count. Returns false if no sequence of operators repeats.
  bool rows(Import& result) const;

 private:
  struct Operator {
    Span span;
    std::int64_t name;
  };
  // Outermost operators of the busiest thread, in order.
  [[nodiscard]] std::vector<Operator> outermost() const;

  struct Call {
    Span span;
    bool copies;
  };
  // A batch: its operators, and the calls that they made.
  struct Batch {
    double launching = 0, launches = 0, span = 0, median_call = 0;
  };
  [[nodiscard]] static Batch batch_of(const std::vector<Operator>& operators, std::size_t first,
                                      std::size_t count, const std::vector<Call>& calls);

  std::map<std::string, std::int64_t, std::less<>> names_;
  std::map<double, std::vector<Operator>> threads_;
  std::vector<Call> calls_;  // the calls that launch, copy or fill
  std::size_t kept_ = 0;
};

}  // namespace jostle::calibration
