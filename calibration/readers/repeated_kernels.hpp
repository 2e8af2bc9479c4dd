// Finds the kernels of one batch, in order, in a trace of many: the sequence of kernels that repeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/readers/measurement.hpp"

namespace jostle::calibration {

class RepeatedKernels {
 public:
  // Adds a kernel. Call in the order of their start; times are in ns.
  void add(std::int64_t name, std::int64_t start, double duration);

  // The kernels of one batch, as mean times over the batches of the second half of the trace (the first half
  // includes the warm-up); the batch begins after the longest pause. Each is a `layer_time` in us of the
  // kernel `name`, which is still an id, so `of` is empty. Empty if no sequence of kernels repeats at least
  // three times without interruption: other work is between them, or the batches are launched as graphs.
  struct Kernel {
    std::int64_t name;
    Measurement time;
  };
  [[nodiscard]] std::vector<Kernel> batch() const;

 private:
  struct One {
    std::int64_t name, start;
    double duration;
  };
  std::vector<One> kernels_;  // the most recent kernels
};

}  // namespace jostle::calibration
