// A trace of PyTorch's profiler, event by event: the time of the host, and the kernels of the GPU.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

// The operators that a framework's host ran, in a PyTorch profiler's trace of a few batches: how many there
// are in a batch, and the host's time for it without the profiler.
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

// The kernels, memsets and copies within the GPU of a PyTorch profiler's trace, in order, with their
// launches: from them the kernels of one batch.
class TracedKernels {
 public:
  // Adds a kernel; times are in us, in any order. Kernels differ if their names or grids do.
  void add(std::string_view name, double start, double duration, Launch launch);

  // The kernels of one batch as `layer_time` rows, medians over the batches; empty if none repeats. Notes say
  // how many batches there are, or why there is no batch.
  void rows(Import& result) const;

 private:
  struct One {
    double start, duration;
    std::int64_t kind;
  };
  struct Kind {
    std::string name;
    Launch launch;
  };
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> ids_;
  std::vector<Kind> kinds_;
  std::vector<One> ones_;
  bool too_many_ = false;
};

}  // namespace jostle::calibration
